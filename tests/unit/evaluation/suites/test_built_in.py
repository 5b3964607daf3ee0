"""The built-in suites that read data sets by name, on small files in the layouts of the published ones."""

import json
from pathlib import Path
from typing import Any

import pytest

from tahr.core.types import Outcome
from tahr.evaluation.suites.load import parse_suite, read_suite, suite_names, suite_tasks
from tahr.verifiers.build import build_verifiers

MATH = {
    "problem": "Convert $(0,3)$ to polar coordinates.",
    "solution": "We have $r = 3$.",
    "answer": "\\left( 3, \\frac{\\pi}{2} \\right)",
    "subject": "Precalculus",
    "level": 2,
    "unique_id": "test/precalculus/807.json",
}
AIME_2024 = {"id": 60, "problem": "How many?", "solution": "So 204.", "answer": "204", "url": "-", "year": "2024"}
AIME_2025 = {"problem": "How few?", "answer": "070", "id": "0"}
GSM8K = {"question": "Two and three goats?", "answer": "2 + 3 = <<2+3=5>>5\n#### 5"}
LIVE = {
    "question_title": "Double",
    "question_content": "Print twice the number.",
    "platform": "atcoder",
    "question_id": "abc1",
    "contest_date": "2024-01-06T00:00:00",
    "starter_code": "",
    "difficulty": "easy",
    "public_test_cases": json.dumps([{"input": "2\n", "output": "4\n", "testtype": "stdin"}]),
    "private_test_cases": json.dumps([{"input": "-7\n", "output": "-14\n", "testtype": "stdin"}]),
    "metadata": "{}",
}


def tasks_of(folder: Path, suite: str, files: dict[str, dict[str, Any]]):
    """The tasks of a built-in suite whose sets read the files under their names, a row each."""
    values = read_suite(suite)
    for path, row in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(json.dumps(row) + "\n")
    for name, config in values["tasks"].items():
        config["args"]["name"] = str(folder / name)
    return suite_tasks(parse_suite(values, origin=suite), build_verifiers({}))


def passes(task, text: str) -> bool:
    return build_verifiers({}).verify(task, text).outcome is Outcome.PASS


def test_gsm8k(tmp_path: Path) -> None:
    (task,) = tasks_of(tmp_path, "gsm8k", {"gsm8k/main/test.jsonl": GSM8K})
    assert task.prompt[0].content.startswith("Two and three goats?\n\nThink step by step.")
    assert task.meta["question"] == "Two and three goats?"
    assert passes(task, "2 + 3 = 5\nAnswer: 5")
    assert not passes(task, "2 + 3 = 6\nAnswer: 6")


def test_math500(tmp_path: Path) -> None:
    (task,) = tasks_of(tmp_path, "math500", {"math500/test.jsonl": MATH})
    assert (task.domain, task.meta["level"], task.meta["id"]) == ("Precalculus", 2, "test/precalculus/807.json")
    assert task.prompt[0].content.endswith("Put the final answer in \\boxed{}.")
    assert passes(task, "So \\boxed{(3, \\pi/2)}.")
    assert not passes(task, "So \\boxed{(3, \\pi)}.")


def test_aime(tmp_path: Path) -> None:
    files = {"aime2024/data/train.jsonl": AIME_2024, "aime2025/test.jsonl": AIME_2025}
    first, second = sorted(tasks_of(tmp_path, "aime", files), key=lambda task: task.domain)
    assert (first.domain, second.domain) == ("aime2024", "aime2025")
    assert passes(first, "\\boxed{204}")
    assert passes(second, "\\boxed{70}")
    assert not passes(second, "\\boxed{700}")


def test_livecodebench_reads_every_release(tmp_path: Path) -> None:
    files = {
        "livecodebench/test.jsonl": LIVE,
        "livecodebench/test2.jsonl": LIVE | {"question_content": "Print the double.", "contest_date": "2024-06-01"},
    }
    tasks = tasks_of(tmp_path, "livecodebench", files)
    assert sorted(task.meta["contest_date"] for task in tasks) == ["2024-01-06T00:00:00", "2024-06-01"]
    assert all(task.verifier == "code" for task in tasks)


@pytest.mark.parametrize("name", [name for name in suite_names() if name.endswith("-levels")])
def test_generated_suites_draw_the_same_questions_each_time(name: str) -> None:
    values = read_suite(name)
    for config in values["tasks"].values():
        config["num_tasks"] = 3
    suite = parse_suite(values, origin=name)
    first, again = (suite_tasks(suite, build_verifiers({})) for _ in range(2))
    assert [task.id for task in first] == [task.id for task in again]
    assert len(first) == 9
