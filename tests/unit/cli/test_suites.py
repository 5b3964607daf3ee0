import json

import pytest


def test_every_suite_is_listed(tahr):
    result = tahr("suites")
    assert result.code == 0
    for name in ("ifeval", "champ", "gym-logic", "mmlu", "livecodebench"):
        assert name in result.out


def test_a_suite_shows_its_sides_and_no_unseen_question(tahr, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        '[tasks.sums]\nsource = "arithmetic"\nnum_tasks = 40\n'
        '[settings.bare]\n[settings.steps]\ntemplate = "Step by step: {question}"\n'
    )
    result = tahr("suites", str(path), "--count", "100", "--set", "unseen_percent=25")
    assert result.code == 0
    assert "setting steps: template = 'Step by step: {question}'" in result.out
    (line,) = [line for line in result.out.splitlines() if line.startswith("sums") and "arithmetic" in line]
    _, source, dev, unseen, clusters, judge = line.split()
    assert (source, clusters, judge) == ("arithmetic", "-", "numeric")
    assert int(dev) + int(unseen) == 40
    assert result.out.count("user: ") == int(dev)


@pytest.mark.parametrize("prefix", ["", "suite."])
def test_a_data_set_in_another_place(tahr, tmp_path, prefix):
    folder = tmp_path / "main"
    folder.mkdir()
    row = {"question": "Two and three?", "answer": "2 + 3 = 5\n#### 5"}
    (folder / "test.jsonl").write_text(json.dumps(row))
    result = tahr("suites", "gsm8k", "--set", f"{prefix}tasks.gsm8k.args.name={tmp_path}", "--set", "unseen_percent=0")
    assert result.code == 0, result.err
    assert "user: Two and three?" in result.out
    assert "answer: '5'" in result.out


def test_an_unknown_suite(tahr):
    result = tahr("suites", "ifevl")
    assert result.code == 2
    assert "did you mean 'ifeval'" in result.err


def test_an_environment_that_there_is_none_of(tahr, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        '[tasks.sums]\nsource = "arithmetic"\nnum_tasks = 4\n[settings.tools]\nenvironment = "single_tun"\n'
    )
    result = tahr("suites", str(path))
    assert result.code == 2
    assert "unknown environment 'single_tun'" in result.err
    assert "did you mean 'single_turn'" in result.err


def test_who_interrupts_an_evaluation_is_told_that_nothing_is_lost(tahr, tmp_path, monkeypatch):
    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tahr.recipe.suite_run.run_suite", stopped)
    result = tahr("eval", "smollm2-135m", "--suite", "ifeval", "--runs", tmp_path)
    kept = tmp_path / ".samples.sqlite"
    assert (result.code, result.out) == (130, "")
    assert f"what was answered is kept in {kept}: the same command goes on" in result.err.replace("\n", " ")
