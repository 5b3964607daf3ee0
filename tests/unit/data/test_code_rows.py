"""Rows in the layouts of published coding data sets, and what their solutions and wrong programs are found to be."""

from __future__ import annotations

import base64
import json
import os
import pickle
import zlib
from pathlib import Path
from typing import Any

import pyarrow as arrow
import pyarrow.parquet as parquet
import pytest

from tahr.core.construct import construct
from tahr.core.errors import InputError, UnknownNameError
from tahr.core.types import Outcome, Task
from tahr.data.code_rows.assertions import function_under_test
from tahr.data.code_rows.packed import read_packed
from tahr.data.columns import RowError
from tahr.data.config import TaskSetConfig
from tahr.data.sources.code_rows import CodeFile, CodeHub
from tahr.data.splits import TaskSet, build_task_sets
from tahr.verifiers.build import VerifierSet, build_verifiers

MBPP: dict[str, Any] = {
    "task_id": 11,
    "text": "Write a function to remove the first and last occurrence of a character.",
    "code": "def remove_Occ(s,ch): \r\n    ends = s.find(ch), s.rfind(ch)\r\n"
    "    return ''.join(c for i, c in enumerate(s) if i not in ends)",
    "test_list": ['assert remove_Occ("hello","l") == "heo"', 'assert remove_Occ("abcda","a") == "bcd"'],
    "test_setup_code": "",
    "challenge_test_list": ['assert remove_Occ("hellolloll","l") == "helollol"'],
}
SANITIZED: dict[str, Any] = {
    "source_file": "x.ipynb",
    "task_id": 3,
    "prompt": "Write a function to find the hypotenuse.",
    "code": "import math\ndef hypotenuse(a, b):\n    return math.sqrt(a * a + b * b)",
    "test_imports": ["import math"],
    "test_list": ["assert math.isclose(hypotenuse(3, 4), 5.0)", "assert math.isclose(hypotenuse(1, 1), 2 ** 0.5)"],
}
APPS: dict[str, Any] = {
    "question": "Read n numbers and print their sum.\n",
    "solutions": json.dumps(["print(0)", "n = int(input())\nprint(sum(map(int, input().split())))"]),
    "input_output": json.dumps({"inputs": ["2\n1 2\n", "3\n1 2 3\n"], "outputs": ["3\n", "6\n"]}),
    "difficulty": "interview",
    "starter_code": "",
}
APPS_CALL: dict[str, Any] = APPS | {
    "question": "Return the largest number.",
    "solutions": json.dumps(
        ["class Solution:\n    def largest(self, nums: List[int]) -> int:\n        return max(nums)"]
    ),
    "input_output": json.dumps({"fn_name": "largest", "inputs": [[[1, 5, 2]], [[-4, -3]]], "outputs": [[5], [-3]]}),
    "starter_code": "class Solution:\n    def largest(self, nums: List[int]) -> int:\n",
}


def packed(cases: list[dict[str, str]]) -> str:
    return base64.b64encode(zlib.compress(pickle.dumps(json.dumps(cases)))).decode()


LIVE: dict[str, Any] = {
    "question_content": "Print the double.",
    "question_id": "a_1",
    "platform": "atcoder",
    "contest_date": "2024-01-06T00:00:00",
    "difficulty": "easy",
    "starter_code": "",
    "public_test_cases": json.dumps([{"input": "2\n", "output": "4\n", "testtype": "stdin"}]),
    "private_test_cases": packed([{"input": "-7\n", "output": "-14\n", "testtype": "stdin"}]),
    "metadata": "{}",
}
LIVE_CALL: dict[str, Any] = LIVE | {
    "question_content": "Count the words that are longer than n.",
    "platform": "leetcode",
    "starter_code": "class Solution:\n    def count(self, words: List[str], n: int) -> int:\n        ",
    "public_test_cases": json.dumps([{"input": '["a", "bcd"]\n2', "output": "1", "testtype": "functional"}]),
    "private_test_cases": json.dumps([{"input": "[]\n0", "output": "0", "testtype": "functional"}]),
    "metadata": json.dumps({"func_name": "count"}),
}


@pytest.fixture(scope="module")
def verifiers() -> VerifierSet:
    return build_verifiers({})


def write(folder: Path, rows: list[dict[str, Any]], name: str = "rows.jsonl") -> str:
    path = folder / name
    if path.suffix == ".parquet":
        parquet.write_table(arrow.Table.from_pylist(rows), path)
    else:
        path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return str(path)


def tasks_of(folder: Path, rows: list[dict[str, Any]], **args: Any) -> list[Task]:
    return list(construct(CodeFile, {"path": write(folder, rows), **args}, where="args").generate(10, seed=0))


def outcome(verifiers: VerifierSet, task: Task, source: str) -> Outcome:
    return verifiers.verify(task, f"```python\n{source}\n```").outcome


def task_set(path: str, verifiers: VerifierSet, **args: Any) -> TaskSet:
    config = TaskSetConfig(source="code_file", args={"path": path, **args}, test_percent=0, validation_percent=0)
    return build_task_sets({"rows": config}, verifiers)["rows"]


def test_mbpp_shows_one_assertion_and_hides_the_others(tmp_path: Path, verifiers: VerifierSet) -> None:
    (task,) = tasks_of(tmp_path, [MBPP], layout="mbpp")
    assert task.answer == {
        "kind": "assert",
        "entry_point": "remove_Occ",
        "public": ['assert remove_Occ("hello","l") == "heo"'],
        "hidden": ['assert remove_Occ("abcda","a") == "bcd"', 'assert remove_Occ("hellolloll","l") == "helollol"'],
    }
    assert task.prompt[0].content == (
        "Write a function to remove the first and last occurrence of a character.\n\nIt must pass tests such as:\n"
        '```python\nassert remove_Occ("hello","l") == "heo"\n```\n\nAnswer with the whole program in a ```python block.'
    )
    assert task.meta["id"] == "11"
    assert verifiers.verify(task, verifiers.gold(task)).outcome is Outcome.PASS
    assert outcome(verifiers, task, "def remove_Occ(s, ch):\n    return s.replace(ch, '')") is Outcome.FAIL


def test_sanitized_mbpp_brings_imports(tmp_path: Path, verifiers: VerifierSet) -> None:
    (task,) = tasks_of(tmp_path, [SANITIZED], layout="mbpp_sanitized", num_public=0)
    assert (task.answer["entry_point"], task.answer["setup"], task.answer["public"]) == (
        "hypotenuse",
        "import math",
        [],
    )
    assert verifiers.verify(task, verifiers.gold(task)).outcome is Outcome.PASS
    assert outcome(verifiers, task, "def hypotenuse(a, b):\n    return a + b") is Outcome.FAIL


def test_apps_programs(tmp_path: Path, verifiers: VerifierSet) -> None:
    (task,) = tasks_of(tmp_path, [APPS], layout="apps")
    assert task.answer == {
        "kind": "stdio",
        "public": [{"stdin": "2\n1 2\n", "stdout": "3\n"}],
        "hidden": [{"stdin": "3\n1 2 3\n", "stdout": "6\n"}],
    }
    assert "Examples:\nInput:\n2\n1 2\nOutput:\n3\n" in task.prompt[0].content
    assert task.meta["difficulty"] == "interview"
    assert outcome(verifiers, task, "input()\nprint(sum(map(int, input().split())))") is Outcome.PASS
    assert outcome(verifiers, task, "print(3)") is Outcome.FAIL


def test_apps_calls_a_method_and_unwraps_what_it_returns(tmp_path: Path, verifiers: VerifierSet) -> None:
    (task,) = tasks_of(tmp_path, [APPS_CALL], layout="apps")
    assert task.answer["entry_point"] == "Solution().largest"
    assert task.answer["hidden"] == [{"args": [[-4, -3]], "expected": -3}]
    assert "Begin with this code:\n```python\nclass Solution:" in task.prompt[0].content
    assert verifiers.verify(task, verifiers.gold(task)).outcome is Outcome.PASS
    wrong = "class Solution:\n    def largest(self, nums: List[int]) -> int:\n        return max(0, *nums)"
    assert outcome(verifiers, task, wrong) is Outcome.FAIL


def test_livecodebench_keeps_its_own_public_tests_and_has_no_gold(tmp_path: Path, verifiers: VerifierSet) -> None:
    (task,) = tasks_of(tmp_path, [LIVE], layout="livecodebench")
    assert task.answer["public"] == [{"stdin": "2\n", "stdout": "4\n"}]
    assert task.answer["hidden"] == [{"stdin": "-7\n", "stdout": "-14\n"}]
    assert "Examples:" not in task.prompt[0].content
    assert task.meta["contest_date"] == "2024-01-06T00:00:00"
    assert verifiers.get("code").gold(task) is None
    with pytest.raises(InputError, match="nobody knows an answer"):
        verifiers.gold(task)
    assert outcome(verifiers, task, "print(2 * int(input()))") is Outcome.PASS
    assert outcome(verifiers, task, "print(4)") is Outcome.FAIL


def test_livecodebench_functions(tmp_path: Path, verifiers: VerifierSet) -> None:
    (task,) = tasks_of(tmp_path, [LIVE_CALL], layout="livecodebench")
    assert task.answer["entry_point"] == "Solution().count"
    assert task.answer["public"] == [{"args": [["a", "bcd"], 2], "expected": 1}]
    body = "class Solution:\n    def count(self, words: List[str], n: int) -> int:\n        return "
    assert outcome(verifiers, task, body + "sum(len(word) > n for word in words)") is Outcome.PASS
    assert outcome(verifiers, task, body + "1") is Outcome.FAIL


def test_livecodebench_is_not_trained_on(tmp_path: Path, verifiers: VerifierSet) -> None:
    found = task_set(write(tmp_path, [LIVE, LIVE_CALL]), verifiers, layout="livecodebench")
    assert (len(found.train), len(found.test), found.num_without_gold) == (0, 2, 2)
    with pytest.raises(InputError, match="benchmark"):
        found.split("train")


def test_solutions_are_proven_by_the_tests(tmp_path: Path, verifiers: VerifierSet) -> None:
    broken = APPS | {"question": "Print one.", "solutions": json.dumps(["print(1)"])}
    bare = APPS | {"question": "Sum them.", "solutions": ""}
    path = write(tmp_path, [APPS, broken, bare])
    found = task_set(path, verifiers, layout="apps")
    assert (len(found.train), found.num_unproven, found.num_without_gold) == (2, 1, 1)
    examples = [task.meta.get("example") for task in found.train]
    assert sorted(filter(None, examples)) == [f"```python\n{json.loads(APPS['solutions'])[1]}\n```"]
    assert all("more_examples" not in task.meta for task in found.train)
    required = task_set(path, verifiers, layout="apps", solutions="require")
    assert (len(required.train), required.num_without_gold) == (1, 0)
    ignored = task_set(path, verifiers, layout="apps", solutions="ignore")
    assert (len(ignored.train), ignored.num_unproven, ignored.num_without_gold) == (3, 0, 3)


def test_named_columns_stand_in_for_a_layout(tmp_path: Path) -> None:
    row = {"ask": "Add.", "io": {"inputs": ["1 2"], "outputs": ["3"]}, "group": "sums"}
    columns = {"statement": "ask", "form": "inputs_outputs", "tests": "io", "domain": "group"}
    (task,) = tasks_of(tmp_path, [row], columns=columns)
    assert (task.domain, task.answer["public"]) == ("sums", [{"stdin": "1 2", "stdout": "3"}])
    (renamed,) = tasks_of(tmp_path, [{"ask": "Say it.", **MBPP}], layout="mbpp", columns={"statement": "ask"})
    assert renamed.prompt[0].content.startswith("Say it.")
    with pytest.raises(InputError, match="nothing about 'statement'"):
        tasks_of(tmp_path, [row])
    with pytest.raises(UnknownNameError, match="'question'"):
        tasks_of(tmp_path, [row], layout="apps")


def test_parquet_folders_read_as_files_do(tmp_path: Path) -> None:
    write(tmp_path, [MBPP], "train-00000-of-00001.parquet")
    (task,) = construct(CodeHub, {"name": str(tmp_path), "layout": "mbpp"}, where="args").generate(5, seed=0)
    (same,) = tasks_of(tmp_path, [MBPP], layout="mbpp")
    assert task == same or task.id == same.id


@pytest.mark.parametrize(
    ("layout", "row", "fault"),
    [
        ("mbpp", MBPP | {"text": " "}, "no statement in column 'text'"),
        ("mbpp", MBPP | {"test_list": ["assert f("]}, "column 'test_list' is not Python: 'assert f('"),
        ("mbpp", MBPP | {"test_list": "assert"}, "column 'test_list' is not JSON"),
        ("mbpp", MBPP | {"test_list": ["assert 1"], "challenge_test_list": []}, "calls no function"),
        ("mbpp", MBPP | {"task_id": None}, "no id in column 'task_id'"),
        ("apps", APPS | {"input_output": "{"}, "column 'input_output' is not JSON"),
        ("apps", APPS | {"input_output": ""}, "column 'input_output' must hold a table"),
        ("apps", APPS | {"input_output": '{"inputs": ["1"], "outputs": []}'}, "has 1 inputs and 0 outputs"),
        ("apps", APPS | {"input_output": '{"inputs": [], "outputs": []}'}, "must give 1 to 1000 tests, not 0"),
        ("livecodebench", LIVE_CALL | {"metadata": "{}"}, "column 'metadata.func_name' names no function"),
        ("livecodebench", LIVE | {"private_test_cases": "?"}, "column 'private_test_cases' is neither JSON nor packed"),
    ],
)
def test_faulty_rows_are_named_with_their_column(tmp_path: Path, layout: str, row: dict[str, Any], fault: str) -> None:
    good = {"mbpp": MBPP | {"task_id": 5}, "apps": APPS, "livecodebench": LIVE}[layout]
    with pytest.raises(InputError) as error:
        tasks_of(tmp_path, [good, row], layout=layout)
    assert "1 of 2 rows can't be tasks" in str(error.value)
    assert "rows.jsonl, line 2: " in str(error.value)
    assert fault in str(error.value)


def test_faulty_rows_can_be_skipped_and_are_counted(tmp_path: Path, verifiers: VerifierSet) -> None:
    path = write(tmp_path, [MBPP, MBPP, MBPP | {"task_id": 12, "text": ""}])
    with pytest.raises(InputError, match="stands already at"):
        task_set(path, verifiers, layout="mbpp")
    found = task_set(path, verifiers, layout="mbpp", faulty_rows="skip")
    assert (len(found.train), found.num_skipped) == (1, 2)


class Planted:
    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return os.mkdir, ("/tmp/tahr-planted",)


@pytest.mark.parametrize("value", [Planted(), ["text"], 5, {"a": "b"}, b"bytes"])
def test_a_pickle_of_anything_but_a_text_is_refused_without_being_loaded(value: object) -> None:
    cell = base64.b64encode(zlib.compress(pickle.dumps(value))).decode()
    with pytest.raises(RowError, match="pickle of"):
        read_packed(cell, "hidden")
    assert not Path("/tmp/tahr-planted").exists()


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_texts_of_every_protocol_are_read(protocol: int) -> None:
    text = json.dumps(["é" * 300, "\n"], ensure_ascii=False)
    cell = base64.b64encode(zlib.compress(pickle.dumps(text, protocol=protocol))).decode()
    assert read_packed(cell, "hidden") == ["é" * 300, "\n"]


def test_a_cell_that_unpacks_to_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tahr.data.code_rows.packed.MAX_BYTES", 1000)
    with pytest.raises(RowError, match="more than 1000 bytes"):
        read_packed(base64.b64encode(zlib.compress(pickle.dumps("x" * 2000))).decode(), "hidden")


def test_the_function_under_test() -> None:
    tests = ["assert sorted(f(Pair(1, 2))) == [1]", "assert math.isclose(f(g(1)), 2)"]
    assert function_under_test(tests, "def f(): pass", "def g(x): return x") == "g"
    assert function_under_test(tests, "", "") == "f"
    assert function_under_test(["assert len([]) == 0"], "", "") == ""
