import json
from pathlib import Path
from typing import Any

import pyarrow as arrow
import pyarrow.parquet as parquet
import pytest

from tahr.core.errors import InputError, UnknownNameError
from tahr.data.sources.hub import Hub

ROWS = [{"question": f"q{number}", "answer": f"#### {number}"} for number in range(4)]
ARGS: dict[str, Any] = {"prompt": "question", "answer_after": "####", "verifier": "numeric"}


def put(folder: Path, name: str, rows: list[dict[str, Any]]) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".parquet":
        parquet.write_table(arrow.Table.from_pylist(rows), path)
    else:
        path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")


def answers(folder: Path, **args: Any) -> list[str]:
    return sorted(task.answer for task in Hub(name=str(folder), **(ARGS | args)).generate(10, seed=0))


@pytest.mark.parametrize(
    ("train", "test"),
    [
        (
            ["data/train-00000-of-00002.parquet", "data/train-00001-of-00002.parquet"],
            "data/test-00000-of-00001.parquet",
        ),
        (["train.jsonl", "train-more.jsonl"], "test.jsonl"),
        (["train/a.jsonl", "train/b.jsonl"], "test/a.jsonl"),
    ],
)
def test_splits_are_found_by_name(tmp_path: Path, train: list[str], test: str) -> None:
    put(tmp_path, train[0], ROWS[:2])
    put(tmp_path, train[1], ROWS[2:3])
    put(tmp_path, test, ROWS[3:])
    put(tmp_path, ".cache/train.jsonl", ROWS)
    (tmp_path / "README.md").write_text("x", encoding="utf-8")
    assert answers(tmp_path) == ["0", "1", "2"]
    assert answers(tmp_path, split="test") == ["3"]
    with pytest.raises(UnknownNameError, match="valid: test, train"):
        answers(tmp_path, split="validation")


def test_configurations_are_folders(tmp_path: Path) -> None:
    put(tmp_path, "main/train-00000-of-00001.parquet", ROWS[:2])
    put(tmp_path, "socratic/train-00000-of-00001.parquet", ROWS[2:])
    assert answers(tmp_path, config="socratic") == ["2", "3"]
    with pytest.raises(InputError, match=r"several configurations(.|\n)*main, socratic"):
        answers(tmp_path)
    with pytest.raises(UnknownNameError, match="did you mean 'main'"):
        answers(tmp_path, config="mian")


def test_a_folder_without_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no readable files"):
        answers(tmp_path)


def test_what_is_neither_a_folder_nor_a_hub_name_is_refused() -> None:
    with pytest.raises(InputError, match="is no hub name"):
        Hub(name="./no/such folder").generate(1, seed=0)


def test_a_hub_out_of_reach_is_a_clear_error() -> None:
    with pytest.raises(InputError, match=r"'owner/name' could not be fetched(.|\n)*local folder"):
        Hub(name="owner/name", endpoint="http://127.0.0.1:9").generate(1, seed=0)
