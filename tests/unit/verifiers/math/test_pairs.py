"""Gold answers, answers, and whether they are right; `more` holds further families and hostile ones."""

import json
from pathlib import Path
from typing import Any

import pytest

from tahr.core.types import Message, Outcome, Task
from tahr.verifiers.math.mathematics import Math

CASES = Path(__file__).parents[3] / "cases"
VERIFIER = Math()


def pairs() -> list[Any]:
    rows = [
        json.loads(line)
        for name in ("math_pairs.jsonl", "math_more.jsonl")
        for line in (CASES / name).read_text(encoding="utf-8").splitlines()
    ]
    return [pytest.param(row, id=f"{number}-{row['cat']}-{row['note'][:40]}") for number, row in enumerate(rows)]


def task(gold: Any) -> Task:
    return Task(prompt=(Message(role="user", content="?"),), answer=gold, verifier="math")


@pytest.mark.parametrize("pair", pairs())
def test_labelled_pairs(pair: dict[str, Any]) -> None:
    question = task(pair["gold"])
    VERIFIER.check_task(question)
    verdict = VERIFIER.verify(question, pair["answer"])
    assert (verdict.outcome is Outcome.PASS) == pair["correct"], verdict.note
    assert verdict.outcome in {Outcome.PASS, Outcome.FAIL, Outcome.TIMEOUT}
    assert verdict.note


@pytest.mark.parametrize("pair", [row for row in pairs() if row.values[0]["correct"]])
def test_every_gold_answer_passes_in_its_own_words(pair: dict[str, Any]) -> None:
    question = task(pair["gold"])
    assert VERIFIER.verify(question, VERIFIER.gold(question)).outcome is Outcome.PASS
