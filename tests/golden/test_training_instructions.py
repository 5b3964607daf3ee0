"""The 29 training kinds of instructions: literal responses that keep them and that break them."""

from __future__ import annotations

from typing import Any

import pytest

from tahr.verifiers.instructions.kind import read_instruction
from training_instruction_cases import CASES, finding

KEPT = [(name, args, text) for name, args, good, _ in CASES for text in good]
BROKEN = [(name, args, text) for name, args, _, bad in CASES for text in bad]


def test_all_29_kinds_are_there() -> None:
    assert len({name for name, *_ in CASES}) == 29


@pytest.mark.parametrize(("name", "args", "text"), KEPT)
def test_kept(name: str, args: dict[str, Any], text: str) -> None:
    assert finding(name, args, text) is True


@pytest.mark.parametrize(("name", "args", "text"), BROKEN)
def test_broken(name: str, args: dict[str, Any], text: str) -> None:
    assert finding(name, args, text) is False


@pytest.mark.parametrize(("name", "args"), [(name, args) for name, args, *_ in CASES])
def test_nothing_is_never_right_and_the_request_is_stated_in_words(name: str, args: dict[str, Any]) -> None:
    assert all(finding(name, args, text) is False for text in ["", " \n", ".", "***", "<think>River</think>"])
    sentence = read_instruction({"id": name, "args": args}, where="x").describe()
    assert sentence[0].isupper()
    assert sentence.endswith(".")
