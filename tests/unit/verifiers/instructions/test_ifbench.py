"""The 58 IFBench instructions: literal cases, arguments, hostile texts."""

from __future__ import annotations

import runpy
import time
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ifbench_cases.all_families import CASES, IDS
from tahr.core.errors import InputError
from tahr.verifiers.instructions import kinds as kinds  # registers them
from tahr.verifiers.instructions.kind import read_instruction
from tahr.verifiers.instructions.response import Response

KEPT = [(name, args, text) for name, args, texts, _ in CASES for text in texts]
BROKEN = [(name, args, text) for name, args, _, texts in CASES for text in texts]


def kept(name: str, args: dict[str, Any], text: str) -> bool | None:
    return read_instruction({"id": name, "args": args}, where="task").kept(Response.of(text)).kept


@pytest.mark.parametrize(("name", "args", "text"), KEPT)
def test_a_response_that_does_as_told_keeps_it(name: str, args: dict[str, Any], text: str) -> None:
    assert kept(name, args, text) is True


@pytest.mark.parametrize(("name", "args", "text"), BROKEN)
def test_a_response_that_does_not_breaks_it(name: str, args: dict[str, Any], text: str) -> None:
    assert kept(name, args, text) is False


def test_every_kind_has_cases_of_both_sorts() -> None:
    assert len(IDS) == 58
    for _, _, good, bad in CASES:
        assert len(good) >= 2
        assert len(bad) >= 2


@pytest.mark.parametrize("name", IDS)
def test_nothing_is_kept_by_an_answer_of_nothing(name: str) -> None:
    for args in [args for other, args, _, _ in CASES if other == name and "options" not in args]:
        assert [kept(name, args, text) for text in ("", ".", "a", "…", "\u200b")] == [False] * 5


@pytest.mark.parametrize(("name", "args"), [(name, args) for name, args, _, _ in CASES])
def test_it_states_itself(name: str, args: dict[str, Any]) -> None:
    said = read_instruction({"id": name, "args": args}, where="task").describe()
    assert len(said.split()) > 3
    assert said[-1] in ".]!" or "prompt_to_repeat" in args or "reference_text" in args


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("count:word_count_range", {"min_words": 5, "max_words": 4}),
        ("count:word_count_range", {"min_words": 5}),
        ("count:conjunctions", {"small_n": 8}),
        ("count:conjunctions", {"small_n": 0}),
        ("count:person_names", {"N": 51}),
        ("count:numbers", {"N": 2.5}),
        ("count:keywords_multiple", {"keyword1": "a"}),
        ("count:punctuation", {"N": 3}),
        ("count:words_japanese", {"N": 0}),
        ("format:options", {"options": "yes"}),
        ("format:options", {"options": "///"}),
        ("format:list", {"sep": " "}),
        ("format:list", {}),
        ("ratio:overlap", {"percentage": 50, "reference_text": "two words"}),
        ("ratio:overlap", {"percentage": 101, "reference_text": "one two three"}),
        ("ratio:stop_words", {"percentage": -1}),
        ("repeat:repeat_change", {"prompt_to_repeat": "  "}),
        ("repeat:repeat_span", {"prompt_to_repeat": "one two", "n_start": 0, "n_end": 2}),
        ("repeat:repeat_span", {"prompt_to_repeat": "one two", "n_start": 1, "n_end": 0}),
        ("sentence:keyword", {"N": 1}),
        ("words:repeats", {"small_n": "many"}),
    ],
)
def test_wrong_arguments_are_refused_when_the_task_is_read(name: str, args: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        read_instruction({"id": name, "args": args}, where="task")


def test_what_the_rules_for_english_cannot_judge_is_undecided() -> None:
    assert kept("words:start_verb", {}, "Напишите это") is None
    assert kept("words:odd_even_syllables", {}, "Big tiger 42") is None
    assert kept("words:odd_even_syllables", {}, "море волна") is None


REPEATED = ["(", "[{", "a ", "'\"", '"', "* a\n", "<i>", "Question 1:", "1,000", "A) b\n", "`", "http://"]
REPEATED += ["😀", ".", "a. ", "\n", "```\n", "犬", "e" * 50, "a ?!", "e-", "1.", "<i>a b c</i>\n", '"a",']


@cache
def hostile(piece: str) -> Response:
    response = Response.of(piece * (50_000 // len(piece)))
    _ = response.words, response.sentences, response.lines, response.paragraphs, response.folded
    return response


@pytest.mark.parametrize("name", IDS)
def test_hostile_texts_are_judged_in_linear_time(name: str) -> None:
    args = next(args for other, args, _, _ in CASES if other == name)
    instruction = read_instruction({"id": name, "args": args}, where="task")
    for piece in REPEATED:
        response = hostile(piece)
        start = time.process_time()
        instruction.kept(response)
        assert time.process_time() - start < 1


def test_the_page_about_them_says_what_the_code_says() -> None:
    root = Path(__file__).resolve().parents[4]
    script = runpy.run_path(str(root / "scripts" / "write_ifbench_table.py"))
    text = script["page"]()
    assert [name for name in IDS if f"| `{name}` |" not in text] == []
    assert text.count("\n| `") == 58
    assert (root / "docs" / "verifiers" / "ifbench.md").read_text(encoding="utf-8") == text
