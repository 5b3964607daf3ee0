"""How each format tells an answer that was cut off, as docs/evaluation/exports.md has it."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from small_attempts import attempt, evaluation
from small_results import CONDITIONS, results_run
from tahr.evaluation.exports.inspect_log import samples, write_json_logs
from tahr.evaluation.exports.lm_eval import write_lm_eval
from tahr.evaluation.exports.result import Result, results_of
from tahr.evaluation.exports.tables import write_csv, write_parquet

ENDS = ("stop", "length", "out_of_budget", "infrastructure")
DOCUMENT = Path(__file__).parents[4] / "docs" / "evaluation" / "exports.md"


@pytest.fixture
def results(tmp_path: Path) -> list[Result]:
    rows = [attempt("a", index=index, finish_reason=end, text="half an ans") for index, end in enumerate(ENDS)]
    return results_of(results_run(tmp_path, evaluation(*rows, conditions=CONDITIONS)))


def test_inspect(results: list[Result], tmp_path: Path) -> None:
    found = list(samples(results[0]))
    choices = [one["output"]["choices"][0] for one in found]
    assert [one["stop_reason"] for one in choices] == ["stop", "max_tokens", "model_length", "unknown"]
    assert choices[1]["message"]["content"] == "half an ans"
    assert found[1]["scores"]["correct"]["value"] == 1.0  # it counts
    [log] = write_json_logs(results, tmp_path)
    assert json.loads(log.read_text())["samples"][1]["output"]["choices"][0]["stop_reason"] == "max_tokens"


def test_lm_eval(results: list[Result], tmp_path: Path) -> None:
    _, path = write_lm_eval(results, tmp_path)
    [line] = map(json.loads, path.read_text().splitlines())
    assert tuple(one["finish_reason"] for one in line["doc"]["attempts"]) == ENDS
    assert line["resps"] == [["half an ans"] * 4]


def test_tables(results: list[Result], tmp_path: Path) -> None:
    with write_csv(results, tmp_path)[0].open(newline="") as file:
        assert tuple(row["finish_reason"] for row in csv.DictReader(file)) == ENDS
    assert tuple(pq.read_table(write_parquet(results, tmp_path)[0])["finish_reason"].to_pylist()) == ENDS


def test_the_document_says_so() -> None:
    text = DOCUMENT.read_text()
    assert "| `max_tokens` | `stop` | `model_length` | `unknown` |" in text
    assert text.count("| `length` | `stop` | `out_of_budget` | `infrastructure` |") == 2
