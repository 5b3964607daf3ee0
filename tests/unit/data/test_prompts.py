"""Files of questions without answers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tahr.core.errors import InputError
from tahr.data.prompts import PromptSetConfig, read_prompts


def read(folder: Path, *rows: object, **more: str):
    path = folder / "prompts.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    found = read_prompts({"own": PromptSetConfig(path=str(path), **more)}, where="build.prompts")["own"]
    assert all(question.task is None for question in found)
    return [[(message.role, message.content) for message in question.prompt] for question in found]


def test_texts_and_conversations_each_once(tmp_path: Path):
    talk = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
    more = {"role": "user", "content": "Why?"}
    found = read(tmp_path, {"prompt": "Who?"}, {"prompt": [*talk, more], "source": "x"}, {"prompt": "Who?"})
    assert found == [[("user", "Who?")], [("user", "Hi"), ("assistant", "Hello"), ("user", "Why?")]]


def test_columns_by_name(tmp_path: Path):
    found = read(
        tmp_path, {"text": "Who?", "rules": "Be short."}, {"text": "Why?", "rules": None}, prompt="text", system="rules"
    )
    assert found == [[("system", "Be short."), ("user", "Who?")], [("user", "Why?")]]


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([{"text": "Who?"}], "column"),
        ([{"prompt": "Who?"}, {"prompt": " "}], "1 of 2 rows can't be questions"),
        ([{"prompt": []}], "no prompt in column 'prompt'"),
        ([{"prompt": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}], "nothing to answer"),
    ],
)
def test_what_is_no_question_is_named_with_its_row(tmp_path: Path, rows, told):
    with pytest.raises(InputError) as error:
        read(tmp_path, *rows)
    assert "build.prompts.own" in str(error.value) and told in str(error.value) and "prompts.jsonl" in str(error.value)


def test_half_of_a_character_is_a_fault_of_its_row(tmp_path: Path):
    with pytest.raises(InputError, match=r"line 2: a text holds half of a character"):
        read(tmp_path, {"prompt": "Who?"}, {"prompt": "Why\ud83d?"})
