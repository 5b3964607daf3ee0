"""Hostile responses and malformed arguments for the 29 training kinds of instructions."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tahr.core.errors import InputError
from tahr.verifiers.instructions.kind import read_instruction
from training_instruction_cases import CASES, finding

HOSTILE = [
    "a" * 100_000, "[" * 100_000, "[a" * 50_000, "<<" * 50_000, "<<a b>>" * 14_000, "***\n" * 25_000, ".-" * 50_000,
    "the cold " * 11_000, "the sea breeze " * 6_600, '"' * 100_000, "A. " * 33_000, "\n\n" * 50_000, "a\u0301" * 50_000,
    "* " * 50_000, "e" * 50_000 + "." * 50_000, "\ud800" * 50_000, "sea sea. " * 11_000, " \t" * 50_000 + "x",
]  # fmt: skip


@pytest.mark.parametrize("index", range(len(HOSTILE)))
def test_hostile_responses_are_judged_quickly(index: int) -> None:
    for name, args, *_ in CASES:
        started = time.perf_counter()
        assert finding(name, args, HOSTILE[index]) in {True, False}
        assert time.perf_counter() - started < 1.5, name


REFUSED: list[tuple[str, dict[str, Any]]] = [
    ("copy:copy", {}),
    ("copy:copy", {"prompt_to_repeat": "  "}),
    ("copy:copying_multiple", {"prompt_to_repeat": "Go."}),
    ("copy:copying_multiple", {"prompt_to_repeat": "Go.", "N": 0}),
    ("new:copy_span_idx", {"prompt_to_repeat": "Go on.", "n_start": 4, "n_end": 3}),
    ("new:copy_span_idx", {"prompt_to_repeat": "Go on.", "n_start": 0, "n_end": 6}),
    ("new:copy_span_idx", {"prompt_to_repeat": "Go on.", "n_start": 5, "n_end": 5}),
    ("copy:repeat_phrase", {"phrase": "two words", "small_n": 2}),
    ("copy:repeat_phrase", {"phrase": "now three words", "small_n": 0}),
    ("keywords:word_once", {"keyword": "_"}),
    ("keywords:word_once", {"keyword": ["a", "b"]}),
    ("keywords:word_once", {"keyword": None}),
    ("keywords:word_once", {"keyword": "a", "frequency": 1}),
    ("keywords:word_count_different_numbers", {"keyword": "a", "frequency": 0, "relation": "less than"}),
    ("keywords:word_count_different_numbers", {"keyword": "a", "frequency": 2, "relation": "at most"}),
    ("keywords:exclude_word_harder", {"keyword": "dog", "instruction": "Tell me of cats."}),
    ("count:count_increment_word", {"keyword1": "sea", "keyword2": "Sea"}),
    ("letters:letter_counting", {"N": 0, "relation": "less than"}),
    ("letters:letter_counting2", {"letter": "ab", "let_frequency": 2, "let_relation": "at least"}),
    ("keywords:keyword_specific_position", {"keyword": "a", "n": 0, "m": 1}),
    ("count:counting_composition", {"n_sent": 2}),
]


@pytest.mark.parametrize(("name", "args"), REFUSED)
def test_malformed_arguments_are_refused(name: str, args: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"answer\[0\]"):
        read_instruction({"id": name, "args": args}, where="answer[0]")


def test_an_argument_that_a_kind_does_not_use_may_be_null() -> None:
    assert finding("punctuation:punctuation_dot", {"keyword": None, "N": None}, "Yes") is True
