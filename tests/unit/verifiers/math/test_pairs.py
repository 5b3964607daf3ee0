import json
from pathlib import Path
from typing import Any

import pytest

from tahr.core.types import Message, Outcome, Task
from tahr.verifiers.math.verifier import Math

CASES = Path(__file__).parents[3] / "cases"
VERIFIER = Math()


def pairs(name: str) -> list[Any]:
    rows = [json.loads(line) for line in (CASES / name).read_text(encoding="utf-8").splitlines()]
    return [pytest.param(row, id=f"{number}: {row['note'][:50]}") for number, row in enumerate(rows)]


@pytest.mark.parametrize("pair", pairs("math_pairs.jsonl"))
def test_labelled_pairs(pair: dict[str, Any]) -> None:
    task = Task(prompt=(Message(role="user", content="?"),), answer=pair["gold"], verifier="math")
    VERIFIER.check_task(task)
    verdict = VERIFIER.verify(task, pair["answer"])
    assert verdict.outcome is (Outcome.PASS if pair["correct"] else Outcome.FAIL), verdict.note
