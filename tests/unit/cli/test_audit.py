"""``tahr audit`` and ``tahr verify``: exit codes, options and what they print."""

import json
from pathlib import Path

import pytest


def write(path: Path, rows: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.slow
def test_a_sound_verifier_ends_with_0_and_writes_what_was_asked_for(tahr, tmp_path):
    done = tahr("audit", "choice", "--json", tmp_path / "a.json", "--html", tmp_path / "a.html")
    assert done.code == 0, done.out
    assert "the built-in set 'choice'" in done.out
    assert "sound: passes its own answers" in done.out
    assert json.loads((tmp_path / "a.json").read_text())["pairs"]["false_positives"]["count"] == 0
    assert "<title>audit of choice" in (tmp_path / "a.html").read_text()


@pytest.mark.slow
def test_a_broken_verifier_ends_with_1(tahr, tmp_path):
    tasks = write(tmp_path / "tasks.jsonl", [{"prompt": "2+3?", "answer": "5"}, {"prompt": "2+4?", "answer": "6"}])
    done = tahr("audit", "hostile_verifiers:raising", "--tasks", tasks)
    assert done.code == 1
    assert "broken: it failed on" in done.out


@pytest.mark.slow
def test_what_a_recipe_configures_is_audited_on_its_tasks(tahr, tmp_path):
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(
        """
name = "small"
stages = ["rlvr"]
model.source = "scratch"
model.max_context = 64
model.architecture = { hidden_size = 16, num_layers = 1, num_heads = 2, num_kv_heads = 1, intermediate_size = 16 }
verifiers.whole = { verifier = "numeric", args = { place = "whole" } }
tasks.sums = { source = "arithmetic", num_tasks = 100, verifier = "whole" }
rlvr = { tasks = { sums = 1.0 }, steps = 2, sampling = { max_new_tokens = 8 } }
"""
    )
    done = tahr("audit", "whole", "--recipe", recipe, "--num-tasks", "20", "--json", tmp_path / "a.json")
    assert done.code == 0, done.out
    found = json.loads((tmp_path / "a.json").read_text())
    assert (found["num_tasks"], found["sources"]) == (20, ["the task set 'sums'"])
    sentence = next(group for group in found["rephrased"] if group["name"] == "in a sentence")
    assert sentence["agreed"]["count"] == 0
    refused = tahr("audit", "whole", "--recipe", recipe, "--args", "place=boxed")
    assert refused.code == 2
    assert "configures the verifier 'whole'; its arguments belong there" in refused.err


@pytest.mark.slow
def test_what_can_not_be_audited_is_said(tahr, tmp_path):
    unknown = tahr("audit", "chioce")
    assert (unknown.code, "did you mean 'choice'?" in unknown.err) == (2, True)
    nothing = tahr("audit", "hostile_verifiers:equal")
    assert (nothing.code, "there is nothing to audit" in nothing.err) == (2, True)
    wrong = tahr("audit", "exact", "--args", "ignore_case")
    assert (wrong.code, "not of the form key=value" in wrong.err) == (2, True)


def test_a_file_that_can_not_be_written_is_refused_before_the_work(tahr, tmp_path):
    for option in ("--html", "--json"):
        missing = tahr("audit", "choice", option, tmp_path / "none" / "a.html")
        assert missing.code == 2
        assert f"there is no folder {tmp_path / 'none'}" in missing.err
        assert tahr("audit", "choice", option, tmp_path).code == 2


def test_verify_writes_verdicts_and_counts_them(tahr, tmp_path):
    rows = write(
        tmp_path / "rows.jsonl",
        [
            {"question": "2+3?", "gold": "5", "text": "It is 5.", "uid": "a"},
            {"question": "2+4?", "gold": "6", "text": "It is 5.", "uid": "b"},
        ],
    )
    columns = ("--prompt", "question", "--answer", "gold", "--response", "text", "--id", "uid", "--workers", "1")
    done = tahr("verify", rows, "--verifier", "numeric", *columns)
    assert done.code == 0, done.err
    lines = [" ".join(line.split()) for line in done.out.splitlines()]
    assert lines[1:4] == ["pass 1 50.00%", "fail 1 50.00%", "cheat 0 0.00%"]
    assert any(line.startswith("mean reward 0.5000 over 2 rows; 2 rows judged in") for line in lines)
    verdicts = [json.loads(line) for line in (tmp_path / "rows.verdicts.jsonl").read_text().splitlines()]
    assert [(one["id"], one["outcome"]) for one in verdicts] == [("a", "pass"), ("b", "fail")]
    again = tahr("verify", rows, "--verifier", "numeric", *columns)
    assert "0 rows judged" in again.out
    other = tahr("verify", rows, "--verifier", "exact", *columns)
    assert (other.code, "made with other settings" in other.err) == (2, True)


def test_verify_ends_with_1_where_a_row_has_no_reward(tahr, tmp_path):
    rows = write(tmp_path / "rows.jsonl", [{"prompt": "?", "answer": "5", "response": "5"}, {"prompt": "?"}])
    done = tahr("verify", rows, "--verifier", "exact", "--out", tmp_path / "out.jsonl", "--workers", "1")
    assert done.code == 1
    assert "error 1 50.00%" in " ".join(done.out.split())
    missing = tahr("verify", tmp_path / "none.jsonl", "--verifier", "exact")
    assert (missing.code, "there is no file" in missing.err) == (2, True)
