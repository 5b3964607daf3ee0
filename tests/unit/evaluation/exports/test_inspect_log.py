"""Inspect's logs, against what its format says; ``benchmarks/exports.py`` has Inspect's own code read them."""

import json
import math
import zipfile

import pytest

from small_attempts import attempt, evaluation
from small_results import CONDITIONS, results_run
from tahr.evaluation.exports.inspect_log import header, reductions, samples, write_eval_logs, write_json_logs
from tahr.evaluation.exports.result import results_of


@pytest.fixture
def results(tmp_path):
    return results_of(results_run(tmp_path))


def metrics(log):
    return {one["name"]: {name: metric["value"] for name, metric in one["metrics"].items()} for one in log["scores"]}


def test_scores_are_means_over_questions_of_means_over_answers(results):
    log = header(results[0])["results"]
    # questions: 1, 1/2, 0 and 1 (of its one scored answer)
    assert metrics(log)["correct"]["mean"] == pytest.approx(0.625, abs=1e-15)
    assert metrics(log)["correct"]["stderr"] == pytest.approx(math.sqrt(0.6875 / 3) / 2, abs=1e-15)
    assert [(one["scored_samples"], one["unscored_samples"], one["reducer"]) for one in log["scores"]] == [
        (4, 0, "mean"),
        (4, 0, "mean"),
    ]
    assert log["headline"] == {"scorer": "correct", "score": "correct", "metric": "mean", "reducer": "mean"}
    assert log["total_samples"] == 8


def test_a_part_of_some_tasks_is_no_score_but_stays_with_the_reward(results):
    rows = {(one["id"], one["epoch"]): one for one in samples(results[0])}
    assert set(rows["c", 1]["scores"]) == {"correct", "reward"}
    assert rows["c", 1]["scores"]["reward"]["metadata"] == {"parts": {"correct": 0.0, "only_c": 0.25}}


def test_an_answer_without_a_reward_is_not_zero(results):
    rows = {(one["id"], one["epoch"]): one for one in samples(results[0])}
    absent = rows["d", 2]["scores"]["correct"]
    assert math.isnan(absent["value"])
    assert (absent["reason"], absent["explanation"]) == ("scoring_failed", "the judge died")
    of_correct = next(one for one in reductions(results[0]) if one["scorer"] == "correct")
    assert {one["sample_id"]: one["value"] for one in of_correct["samples"]} == {"a": 1.0, "b": 0.5, "c": 0.0, "d": 1.0}


def test_a_question_without_any_reward_is_counted_apart(tmp_path):
    rows = (attempt("a"), attempt("b", correct=None))
    (result,) = results_of(results_run(tmp_path, evaluation(*rows, conditions=CONDITIONS)))
    score = header(result)["results"]["scores"][0]
    assert (score["scored_samples"], score["unscored_samples"]) == (1, 1)
    assert (score["metrics"]["mean"]["value"], score["metrics"]["stderr"]["value"]) == (1.0, 0.0)
    assert math.isnan(reductions(result)[0]["samples"][1]["value"])


def test_clusters_are_named_and_enter_the_standard_error(tmp_path):
    values = {"a": 1.0, "b": 1.0, "c": 0.0, "d": 0.0}
    clusters = {"a": "p", "b": "p", "c": "", "d": ""}
    rows = [attempt(task, correct=value, cluster=clusters[task]) for task, value in values.items()]
    (result,) = results_of(results_run(tmp_path, evaluation(*rows, conditions=CONDITIONS)))
    log = header(result)
    # deviations by cluster: 1, -1/2, -1/2; squares sum to 3/2, times 3/2 for three clusters
    assert metrics(log["results"])["correct"]["stderr"] == pytest.approx(math.sqrt(1.5 * 1.5) / 4, abs=1e-15)
    assert log["eval"]["scorers"][0]["metrics"][1] == {"name": "inspect_ai/stderr", "options": {"cluster": "cluster"}}
    assert [one["metadata"]["cluster"] for one in samples(result)] == ["p", "p", "c", "d"]


def test_a_sample_has_its_messages_tokens_and_end(results):
    rows = {(one["id"], one["epoch"]): one for one in samples(results[0])}
    one = rows["a", 1]
    assert [(message["role"], message["content"]) for message in one["messages"]] == [
        ("user", "What is 2 + 3?"),
        ("assistant", "5"),
    ]
    assert one["model_usage"] == {"org/small": {"input_tokens": 20, "output_tokens": 10, "total_tokens": 30}}
    assert one["scores"]["correct"]["answer"] == "5"
    assert one["metadata"]["num_tokens_to_answer"] == 3
    assert one["output"]["choices"][0]["stop_reason"] == "stop"
    assert rows["b", 2]["output"]["choices"][0]["stop_reason"] == "max_tokens"
    assert len({sample["uuid"] for sample in rows.values()}) == 8


def test_the_zip_has_what_inspect_looks_for_and_is_the_same_twice(results, tmp_path):
    first, second = tmp_path / "one", tmp_path / "two"
    first.mkdir()
    second.mkdir()
    path, other = write_eval_logs(results, first)
    assert (path.name, other.name) == ("sums-bare.eval", "sums-steps.eval")
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        log = json.loads(archive.read("header.json"))
        summaries = json.loads(archive.read("summaries.json"))
        start = json.loads(archive.read("_journal/start.json"))
        sample = json.loads(archive.read("samples/b_epoch_2.json"))
    assert {"reductions.json", "samples/a_epoch_1.json", "samples/d_epoch_2.json"} < set(names)
    assert (log["version"], log["status"], log["eval"]["config"]["epochs"]) == (2, "success", 2)
    assert start["eval"] == log["eval"]
    assert sample["input"] == 'Say "hi",\nthen <b>stop</b>'
    assert [(one["id"], one["epoch"]) for one in summaries] == [(task, epoch) for task in "abcd" for epoch in (1, 2)]
    assert write_eval_logs(results, second)[0].read_bytes() == path.read_bytes()


def test_the_json_log_has_all_in_inspects_order(results, tmp_path):
    path, other = write_json_logs(results, tmp_path)
    log = json.loads(path.read_text())
    assert list(log) == ["version", "status", "eval", "plan", "results", "stats", "samples", "reductions"]
    assert len(log["samples"]) == 8
    steps = json.loads(other.read_text())
    assert steps["eval"]["config"] == {"epochs": 1, "epochs_reducer": None}
    assert steps["results"]["scores"][0]["reducer"] is None
    assert steps["results"]["metadata"]["tahr"]["hard"]["correct"]["num_tasks"] == 2


def test_tokens_that_nobody_counted_are_left_out(tmp_path):
    counted = {"tokens": 3, "num_prompt_tokens": 12}
    lost = attempt("c", correct=None, tokens=None, finish_reason="infrastructure")
    for rows, usage in (
        ([attempt("a", **counted), attempt("b", **counted), lost], (24, 6)),
        ([attempt("a", **counted), attempt("b", tokens=None), lost], None),
    ):
        (result,) = results_of(results_run(tmp_path / str(usage), evaluation(*rows, conditions=CONDITIONS)))
        used = header(result)["stats"]["model_usage"].get("org/small")
        assert (used and (used["input_tokens"], used["output_tokens"])) == usage
    found = {one["id"]: one for one in samples(result)}
    assert (found["b"]["output"]["usage"], found["b"]["model_usage"]) == (None, {})
    assert found["a"]["output"]["usage"]["total_tokens"] == 15
