import json
from pathlib import Path
from typing import Any

import pytest

from tahr.core.construct import construct
from tahr.core.errors import InputError, UnknownNameError
from tahr.core.types import Message, Task
from tahr.data.sources.files import File


def tasks(folder: Path, rows: list[dict[str, Any]], count: int = 100, seed: int = 0, **args: Any) -> list[Task]:
    path = folder / "questions.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return construct(File, {"path": str(path), **args}, where="tasks.f.args").generate(count, seed)


def test_columns_are_mapped(tmp_path: Path) -> None:
    row = {"q": "2 + 2?", "a": "4", "key": 7, "topic": "sums", "role": "Be brief.", "full": "It is 4", "by": "numeric"}
    names = {"prompt": "q", "answer": "a", "id": "key", "domain": "topic", "system": "role", "example": "full"}
    (task,) = tasks(
        tmp_path, [row], verifier_column="by", prompt_template=r"{prompt} Put it in \boxed{}. [{topic}]", **names
    )
    assert task.prompt == (
        Message(role="system", content="Be brief."),
        Message(role="user", content=r"2 + 2? Put it in \boxed{}. [sums]"),
    )
    assert (task.answer, task.domain, task.verifier) == ("4", "sums", "numeric")
    assert task.meta["id"] == "7"
    assert task.meta["example"] == "It is 4"
    assert task.meta["row"].endswith("questions.jsonl, line 1")


def test_defaults(tmp_path: Path) -> None:
    (task,) = tasks(tmp_path, [{"prompt": "2 + 2?", "answer": "4"}])
    assert (task.verifier, task.domain) == ("exact", "default")


def test_answers_at_the_end_of_a_solution(tmp_path: Path) -> None:
    (task,) = tasks(tmp_path, [{"prompt": "q", "answer": "2 + 2 = 4\n#### 4"}], answer_after="####")
    assert task.answer == "4"
    assert task.meta["example"] == "2 + 2 = 4\n#### 4"


def test_answers_in_json(tmp_path: Path) -> None:
    row = {"prompt": "q", "answer": '{"numbers": [1, 2], "target": 3}'}
    (task,) = tasks(tmp_path, [row], answer_is_json=True)
    assert task.answer == {"numbers": [1, 2], "target": 3}
    for answer in (["5", "five"], {"target": 3}, 7, True):  # the file holds JSON already
        (task,) = tasks(tmp_path, [{"prompt": "q", "answer": answer}], answer_is_json=True)
        assert task.answer == answer


def test_prompts_of_messages(tmp_path: Path) -> None:
    messages = [
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": "b"},
        {"role": "user", "content": "c"},
    ]
    (task,) = tasks(tmp_path, [{"prompt": messages, "answer": "4"}])
    assert [message.content for message in task.prompt] == ["a", "b", "c"]


def test_order_and_choice_follow_the_seed(tmp_path: Path) -> None:
    rows = [{"prompt": f"q{number}", "answer": "1"} for number in range(50)]
    first, again, other = (tasks(tmp_path, rows, count=10, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert len(first) == 10
    assert {task.id for task in first} != {task.id for task in other}
    assert first == tasks(tmp_path, rows, count=50, seed=1)[:10]


GOOD = {"prompt": "q", "answer": "1"}


@pytest.mark.parametrize(
    ("rows", "args", "message"),
    [
        ([GOOD, {"prompt": "q2", "answer": ""}], {}, "1 of 2 rows(.|\n)*line 2: no answer in column 'answer'"),
        ([GOOD, {"prompt": "q2"}], {}, "line 2: no answer"),
        ([GOOD, {"prompt": "q2", "answer": None}], {}, "line 2: no answer"),
        ([GOOD, {"prompt": "q2", "answer": float("nan")}], {}, "line 2: no answer"),
        ([GOOD, {"prompt": "  ", "answer": "1"}], {}, "line 2: no prompt in column 'prompt'"),
        ([GOOD, {"prompt": None, "answer": "1"}], {}, "line 2: no prompt"),
        ([GOOD, {"prompt": [{"role": "robot", "content": "x"}], "answer": "1"}], {}, "line 2: not a message"),
        ([GOOD | {"key": 1}, GOOD | {"key": 1}], {"id": "key"}, "line 2: the id 1 stands already at .*line 1"),
        ([GOOD | {"key": 1}, GOOD | {"key": None}], {"id": "key"}, "line 2: no id in column 'key'"),
        ([GOOD], {"answer_after": "####"}, "line 1: no '####' with an answer behind it"),
        ([GOOD | {"answer": "{"}], {"answer_is_json": True}, "line 1: the answer is not JSON"),
        ([{"prompt": "q"}] * 30, {"answer": "prompt", "answer_after": "#"}, "and 20 more"),
    ],
)
def test_faulty_rows_are_named(tmp_path: Path, rows: list[dict[str, Any]], args: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        tasks(tmp_path, rows, **args)


@pytest.mark.parametrize(
    "args", [{"prompt": "promt"}, {"answer": "anser"}, {"id": "promt"}, {"prompt_template": "{promt}!"}]
)
def test_unknown_columns_name_the_nearest(tmp_path: Path, args: dict[str, Any]) -> None:
    with pytest.raises(UnknownNameError, match=r"did you mean '(prompt|answer)'"):
        tasks(tmp_path, [GOOD], **args)


def test_unknown_arguments_name_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="did you mean 'prompt_template'"):
        tasks(tmp_path, [GOOD], prompt_tmplate="{prompt}")


@pytest.mark.parametrize(
    "row",
    [
        {"prompt": "2 + 2\ud800?", "answer": "4", "level": "a"},
        {"prompt": [{"role": "user", "content": "\udfff"}], "answer": "4", "level": "a"},
        {"prompt": "2 + 2?", "answer": {"accepted": ["4", "\ud800"]}, "level": "a"},
        {"prompt": "2 + 2?", "answer": "4", "level": "\ud800"},
    ],
)
def test_half_of_a_character_is_a_fault_of_its_row(tmp_path: Path, row: dict[str, Any]) -> None:
    whole = {"prompt": "1 + 1?", "answer": "2", "level": "\U0001f410"}
    with pytest.raises(InputError, match=r"1 of 2 rows can't be tasks") as raised:
        tasks(tmp_path, [whole, row], kept=["level"])
    assert "questions.jsonl, line 2: a text holds half of a character (a lone surrogate)" in str(raised.value)


def test_half_of_a_character_in_a_column_that_is_not_read_does_not_matter(tmp_path: Path) -> None:
    assert len(tasks(tmp_path, [{"prompt": "1 + 1?", "answer": "2", "note": "\ud800"}])) == 1


NAN = float("nan")


def test_the_nan_of_a_table_is_no_text(tmp_path: Path) -> None:
    row = {"prompt": "2 + 2?", "answer": "4", "by": NAN, "topic": NAN, "role": NAN, "full": NAN}
    names = {"domain": "topic", "system": "role", "example": "full", "verifier_column": "by"}
    (task,) = tasks(tmp_path, [row], prompt_template="{role}{prompt}", **names)
    assert [message.content for message in task.prompt] == ["2 + 2?"]
    assert (task.domain, task.verifier, "example" in task.meta) == ("default", "exact", False)
    with pytest.raises(InputError, match="line 1: no prompt in column 'prompt'"):
        tasks(tmp_path, [{"prompt": NAN, "answer": "4"}])
    with pytest.raises(InputError, match="line 1: no id in column 'key'"):
        tasks(tmp_path, [{"prompt": "2 + 2?", "answer": "4", "key": NAN}], id="key")
