"""What answers cost, and the race, from run folders."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from small_attempts import attempt, evaluation
from tahr.store.records import Conditions
from tahr.store.run import Run

ABOUT = Conditions(
    suite="sums",
    setting="bare",
    model="large",
    training="large",
    weights="w",
    num_parameters=10,
    num_bytes=4_000_000,
    seed=0,
    temperature=1.0,
    max_new_tokens=64,
    samples_per_task=4,
    seconds=60.0,
    num_cached=0,
)


def make(root: Path, name: str, *, right: int, tokens: int, **about: object) -> Run:
    """A run with 40 questions of four attempts, of which `right` in 40 questions' first three are right."""
    rows = [
        attempt(
            f"t{task}",
            index=index,
            correct=float(task < right and index < 3),
            tokens=tokens + task + index,
            extracted="5" if task < right and index < 3 else "6",
            text=f"I say [b]5. Confidence: {90 - task}%",
            logprob=-0.1 * (tokens + task),
            num_tokens_to_answer=tokens // 2,
        )
        for task in range(40)
        for index in range(4)
    ]
    run = Run.create(root, name, recipe={}, recipe_toml="", seed=0, folder=root / name)
    run.write_evaluation(evaluation(*rows, conditions=replace(ABOUT, model=name, **about)))  # pyright: ignore
    run.finish("finished")
    return run


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make(tmp_path, "large", right=32, tokens=40)
    make(tmp_path, "small", right=32, tokens=20, num_bytes=1_000_000, seconds=20.0)
    make(tmp_path, "[b]tiny", right=4, tokens=10, num_bytes=100_000, seconds=10.0)
    return tmp_path


def test_effort_is_shown_drawn_and_written(tahr, root, tmp_path):
    picture, out = tmp_path / "e.svg", tmp_path / "e.json"
    done = tahr("effort", "large", "--runs", root, "--picture", picture, "--json", out)
    assert done.code == 0, done.err
    for title in ("Tokens", "Tokens by difficulty", "Correct within a budget", "Thinking", "Confidence", "Abstention"):
        assert f"\n{title} " in f"\n{done.out}"
    assert "0.600 (0.505 to 0.688)" in done.out  # Wilson, as 106.7 attempts
    assert "takes" not in done.out
    (values,) = json.loads(out.read_text())
    assert values["accuracy"]["mean"] == pytest.approx(0.6)
    assert sorted(values["confidence"]) == ["agreement", "likelihood", "stated"]
    assert values["spending"]["tokens"]["mean"] == pytest.approx(61.0)
    drawn = picture.read_text()
    assert "<svg" in drawn and "mathdefault" not in drawn


def test_what_is_missing_for_a_confidence_is_said(tahr, root, tmp_path):
    run = Run.create(root, "one", recipe={}, recipe_toml="", seed=0, folder=root / "one")
    run.write_evaluation(evaluation(attempt("a"), attempt("b", correct=0.0)))
    run.finish("finished")
    done = tahr("effort", "one", "--runs", root, "--picture", tmp_path / "one.png")
    assert done.code == 0, done.err
    assert "confidence by agreement takes at least two attempts" in done.out
    assert "∞" not in done.out
    assert tahr("effort", "one", "--runs", root, "--only", "later").code == 2


def test_a_run_without_evaluations_is_refused(tahr, root):
    Run.create(root, "none", recipe={}, recipe_toml="", seed=0, folder=root / "none").finish("finished")
    done = tahr("effort", "none", "--runs", root)
    assert (done.code, "no evaluation yet" in done.err) == (2, True)


def test_a_race_names_the_cheapest_within_the_margin(tahr, root, tmp_path):
    picture = tmp_path / "r.png"
    done = tahr("race", "large", "small", "[b]tiny", "--runs", root, "--margin", "0.2", "--picture", picture)
    assert done.code == 0, done.err
    assert "the smallest is small bare; the one of fewest tokens is small bare; the fastest is small bare." in done.out
    assert "[b]tiny bare" in done.out and "worse by 0.2" in done.out
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert tahr("race", "large", "--runs", root).code == 2
    assert tahr("race", "large", "small", "--runs", root, "--margin", "0").code == 2


def test_tokens_that_a_server_did_not_count_are_a_dash_and_said(tahr, root, tmp_path):
    rows = [attempt(f"t{task}", index=i, tokens=None, extracted="5") for task in range(40) for i in range(2)]
    run = Run.create(root, "served", recipe={}, recipe_toml="", seed=0, folder=root / "served")
    run.write_evaluation(evaluation(*rows, conditions=replace(ABOUT, model="served", num_bytes=0)))
    run.finish("finished")
    done = tahr("effort", "served", "--runs", root, "--picture", tmp_path / "s.png", "--json", tmp_path / "s.json")
    assert done.code == 0, done.err
    assert "counting tokens takes a model held here, or a server that tells the `usage`" in done.out
    assert "Correct within a budget" not in done.out
    assert json.loads((tmp_path / "s.json").read_text())[0]["spending"] is None
    raced = tahr("race", "served", "small", "--runs", root)
    assert raced.code == 0, raced.err
    assert "one of fewest tokens is" not in raced.out


def test_an_interval_that_one_question_gives_no_ends_is_worded(tahr, root):
    run = Run.create(root, "single", recipe={}, recipe_toml="", seed=0, folder=root / "single")
    run.write_evaluation(evaluation(*(attempt("a", correct=float(n), index=n, extracted=str(n)) for n in (0, 1))))
    run.finish("finished")
    done = tahr("effort", "single", "--runs", root)
    assert done.code == 0, done.err
    assert "(interval not known)" in " ".join(done.out.replace("│", " ").split()) and "∞" not in done.out
