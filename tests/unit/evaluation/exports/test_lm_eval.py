"""The harness's layout; ``benchmarks/exports.py`` has its own schema and code read it."""

import hashlib
import json
from dataclasses import replace

import pytest

from small_attempts import attempt, evaluation
from small_results import CONDITIONS, bare, results_run
from tahr.evaluation.exports.lm_eval import safe_name, write_lm_eval
from tahr.evaluation.exports.result import results_of


def exported(run, folder):
    results, *samples = write_lm_eval(results_of(run), folder)
    lines = {path.name: [json.loads(line) for line in path.read_text().splitlines()] for path in samples}
    return results, json.loads(results.read_text()), lines


def test_domains_are_tasks_of_a_group(tmp_path):
    path, found, lines = exported(results_run(tmp_path), tmp_path / "out")
    assert path.parent.name == "org__small"
    assert path.name.startswith("results_20")
    assert "+" not in path.name
    assert found["group_subtasks"] == {
        "sums-bare": ["sums-bare_easy", "sums-bare_hard"],
        "sums-steps": ["sums-steps_easy", "sums-steps_hard"],
    }
    assert found["results"]["sums-bare"]["correct,none"] == 0.625
    assert found["results"]["sums-bare_easy"]["correct,none"] == 0.75
    assert found["results"]["sums-bare_easy"]["correct_stderr,none"] == pytest.approx(0.25)
    assert found["groups"]["sums-bare"] == found["results"]["sums-bare"]
    assert found["n-samples"]["sums-bare_hard"] == {"original": 2, "effective": 2}
    assert found["higher_is_better"]["sums-bare"] == {"correct": True, "reward": True}
    time = path.name.removeprefix("results_").removesuffix(".json")
    assert sorted(lines) == sorted(f"samples_{task}_{time}.jsonl" for task in found["configs"])


def test_a_document_has_all_its_answers_and_their_mean(tmp_path):
    _, found, lines = exported(results_run(tmp_path, bare()), tmp_path / "out")
    easy, hard = lines.values()
    first, second = easy
    assert (first["doc_id"], second["doc_id"]) == (0, 1)
    assert (second["correct"], second["metrics"]) == (0.5, ["correct", "reward"])
    assert first["resps"] == [["5", "5"]]
    assert first["filtered_resps"] == ["5", "5"]
    assert second["arguments"]["gen_args_0"]["arg_0"] == 'Say "hi",\nthen <b>stop</b>'
    assert hard[1]["correct"] == 1.0  # the answer without a reward is no zero
    assert hard[1]["doc"]["attempts"][1]["note"] == "the judge died"
    hashes = "".join(one["doc_hash"] + one["prompt_hash"] + one["target_hash"] for one in easy)
    assert found["task_hashes"]["sums-bare_easy"] == hashlib.sha256(hashes.encode()).hexdigest()


def test_what_was_not_scored_or_has_no_error_is_left_out(tmp_path):
    run = results_run(tmp_path, evaluation(attempt("a"), attempt("b", correct=None), conditions=CONDITIONS))
    _, found, lines = exported(run, tmp_path / "out")
    one = found["results"]["sums-bare"]
    assert one["correct,none"] == 1.0
    assert "correct_stderr,none" not in one
    assert found["n-samples"] == {"sums-bare": {"original": 2, "effective": 1}}
    assert "groups" not in found
    ((_, unscored),) = lines.values()
    assert unscored["metrics"] == []
    assert "correct" not in unscored


def test_each_model_has_its_own_results(tmp_path):
    other = replace(bare(), name="other", conditions=replace(CONDITIONS, setting="other", training="run, rlvr step 5"))
    written = write_lm_eval(results_of(results_run(tmp_path, bare(), other)), tmp_path / "out")
    assert {path.parent.name for path in written} == {"org__small", "run,__rlvr__step__5"}


@pytest.mark.parametrize(
    ("name", "safe"), [("org/model", "org__model"), ("../../etc", "__..__etc"), ("..", "_"), ("a b\nc", "a__b__c")]
)
def test_a_name_stays_in_its_folder(name, safe):
    assert safe_name(name) == safe
