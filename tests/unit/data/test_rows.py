from pathlib import Path

import pyarrow as arrow
import pyarrow.parquet as parquet
import pytest

from tahr.core.errors import InputError
from tahr.data.rows import read_rows

VALUES = [{"q": "2 + 2?", "a": "4"}, {"q": "so, what?", "a": "x"}]


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.jsonl", '{"q": "2 + 2?", "a": "4"}\n\n{"q": "so, what?", "a": "x"}'),
        ("t.ndjson", '\ufeff{"q": "2 + 2?", "a": "4"}\n{"q": "so, what?", "a": "x"}\n'),
        ("t.json", '[{"q": "2 + 2?", "a": "4"}, {"q": "so, what?", "a": "x"}]'),
        ("t.json", '{"q": "2 + 2?", "a": "4"}\n{"q": "so, what?", "a": "x"}'),
        ("t.csv", 'q,a\n2 + 2?,4\n"so, what?",x\n'),
        ("t.tsv", "q\ta\r\n2 + 2?\t4\r\nso, what?\tx\r\n"),
    ],
)
def test_text_formats(tmp_path: Path, name: str, text: str) -> None:
    assert [row.values for row in read_rows(written(tmp_path, name, text))] == VALUES


def test_parquet(tmp_path: Path) -> None:
    parquet.write_table(arrow.Table.from_pylist(VALUES), tmp_path / "t.parquet")
    rows = read_rows(tmp_path / "t.parquet")
    assert [row.values for row in rows] == VALUES
    assert rows[1].place.endswith("t.parquet, row 2")


def test_rows_know_their_lines(tmp_path: Path) -> None:
    rows = read_rows(written(tmp_path, "t.csv", 'q,a\n"two\nlines",4\nb,5\n'))
    assert [row.place.rpartition(", ")[2] for row in rows] == ["line 3", "line 4"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("t.jsonl", '{"q": 1}\n{"q": }\n', "line 2: not JSON"),
        ("t.jsonl", '{"q": 1}\n[1]\n', "line 2: a row must be a JSON object"),
        ("t.jsonl", "[" * 100_000, "line 1: not JSON"),
        ("t.json", "[1]", "item 1: a row must be a JSON object"),
        ("t.json", '[{"q": 1}', "not JSON"),
        ("t.csv", "q,a\n1,2\n1,2,3\n", "line 3: 3 cells under 2 columns"),
        ("t.csv", "q,a\n1\n", "line 2: 1 cells under 2 columns"),
        ("t.csv", "q,q\n1,2\n", "line 1: a column's name stands twice"),
        ("t.csv", 'q,a\n"1,2\n', "line 2"),
        ("t.csv", "", "holds no rows"),
        ("t.csv", "q,a\n", "holds no rows"),
        ("t.jsonl", "\n\n", "holds no rows"),
        ("t.parquet", "not parquet", "not a readable Parquet file"),
        ("t.parquet", "", "not a readable Parquet file"),
        ("t.xlsx", "x", "the format of .* is unknown"),
    ],
)
def test_faults_are_named_with_their_line(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_rows(written(tmp_path, name, text))


def test_what_is_not_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_bytes(b'{"q": "\xff\xfe"}')
    with pytest.raises(InputError, match="not UTF-8 text"):
        read_rows(tmp_path / "t.jsonl")


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    (tmp_path / "d.jsonl").mkdir()
    for name in ("nowhere.jsonl", "d.jsonl"):
        with pytest.raises(InputError, match="there is no file"):
            read_rows(tmp_path / name)
