import csv

import pyarrow.parquet as pq

from small_attempts import attempt, evaluation
from small_results import CONDITIONS, results_run
from tahr.evaluation.exports.result import results_of
from tahr.evaluation.exports.tables import write_csv, write_parquet


def test_csv_has_a_row_an_answer_and_leaves_absent_values_empty(tmp_path):
    (path,) = write_csv(results_of(results_run(tmp_path)), tmp_path)
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert path.name == "eval-sums.csv"
    assert [row["task_id"] + row["index"] for row in rows[:8]] == ["a0", "a1", "b0", "b1", "c0", "c1", "d0", "d1"]
    assert rows[2]["prompt"] == 'Say "hi",\nthen <b>stop</b>'
    assert (rows[0]["evaluation"], rows[0]["setting"], rows[0]["temperature"]) == ("bare", "bare", "0.7")
    assert (rows[7]["score"], rows[7]["part.correct"], rows[7]["outcome"]) == ("", "", "error")
    assert (rows[4]["part.only_c"], rows[0]["part.only_c"]) == ("0.25", "")
    assert len(rows) == 12


def test_parquet_has_the_same_columns_typed(tmp_path):
    results = results_of(results_run(tmp_path))
    (path,) = write_parquet(results, tmp_path)
    table = pq.read_table(path)
    with write_csv(results, tmp_path)[0].open(newline="") as file:
        assert table.column_names == next(csv.reader(file))
    types = {name: str(table.schema.field(name).type) for name in ("step", "score", "part.correct", "seed", "text")}
    assert types == {"step": "int64", "score": "double", "part.correct": "double", "seed": "int64", "text": "string"}
    assert str(table.schema.field("num_tokens_to_answer").type) == "int64"
    assert table["score"].to_pylist()[6:8] == [1.0, None]
    assert table["num_tokens_to_answer"].to_pylist()[:2] == [3, None]


def test_tokens_that_nobody_counted_are_empty(tmp_path):
    one = evaluation(attempt("a", tokens=None), attempt("b", tokens=4, num_prompt_tokens=9), conditions=CONDITIONS)
    results = results_of(results_run(tmp_path, one))
    with write_csv(results, tmp_path)[0].open(newline="") as file:
        found = [(row["num_tokens"], row["num_prompt_tokens"]) for row in csv.DictReader(file)]
    assert found == [("", ""), ("4", "9")]
    assert pq.read_table(write_parquet(results, tmp_path)[0])["num_tokens"].to_pylist() == [None, 4]
