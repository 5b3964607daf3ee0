"""The labelled answers that tahr ships with are judged as people labelled them."""

import json
from pathlib import Path

import pytest

from tahr.core.types import Outcome, Task
from tahr.evaluation.audit.material import SETS, pairs_from_file
from tahr.verifiers.build import build_verifiers

VERIFIERS = build_verifiers({})
NAMES = sorted(path.stem for path in SETS.glob("*.jsonl"))
LEAST = {"math": 150, "instructions": 100}


def test_every_set_is_packaged() -> None:
    pyproject = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    assert '"tahr.evaluation.audit" = ["sets/*.jsonl"]' in pyproject
    assert NAMES == ["choice", "exact", "instructions", "json_schema", "math", "numeric", "regex"]


@pytest.mark.parametrize("name", NAMES)
def test_labelled_answers_are_judged_as_labelled(name: str) -> None:
    material = pairs_from_file(SETS / f"{name}.jsonl", name, VERIFIERS.get(name))
    assert len(material.pairs) >= LEAST.get(name, 15)
    texts = {(pair.task.id, json.dumps(dict(pair.task.meta)), pair.text) for pair in material.pairs}
    assert len(texts) == len(material.pairs)
    assert all(pair.label for pair in material.pairs)
    wrong = [
        pair.label
        for pair in material.pairs
        if VERIFIERS.verify(pair.task, pair.text).outcome is not (Outcome.PASS if pair.correct else Outcome.FAIL)
    ]
    assert wrong == []


@pytest.mark.parametrize("name", NAMES)
def test_every_task_of_a_set_can_be_judged_and_has_a_right_answer(name: str) -> None:
    verifier = VERIFIERS.get(name)
    tasks: tuple[Task, ...] = pairs_from_file(SETS / f"{name}.jsonl", name, verifier).tasks
    assert tasks
    for task in tasks:
        verifier.check_task(task)
        gold = verifier.gold(task)
        assert gold is not None
        assert VERIFIERS.verify(task, gold).outcome is Outcome.PASS
