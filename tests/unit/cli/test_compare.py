"""`tahr compare` on small runs made by hand."""

import json
from dataclasses import replace
from random import Random

import pytest

from small_attempts import attempt, evaluation
from tahr.store.records import Conditions
from tahr.store.run import Run

CONDITIONS = Conditions(
    suite="sums",
    setting="bare",
    model="small",
    training="small",
    weights="aaaa",
    num_parameters=10,
    num_bytes=40,
    seed=0,
    temperature=0.0,
    max_new_tokens=64,
    samples_per_task=1,
    seconds=1.0,
    num_cached=0,
)
LARGE = replace(CONDITIONS, model="large", training="large", weights="bbbb")


def question(n):
    return " ".join(f"word{n}of{place}" for place in range(12))


def answers(rate, *, num=60, seed=0, samples=1, **more):
    """One attempt (or more) a question, right with the chance `rate`."""
    random = Random(seed)
    return [
        attempt(
            f"task{n}",
            index=index,
            correct=float(random.random() < rate),
            domain="even" if n % 2 == 0 else "odd",
            prompt=question(n),
            **more,
        )
        for n in range(num)
        for index in range(samples)
    ]


@pytest.fixture
def runs(tmp_path):
    """Make a run folder with evaluations."""
    root = tmp_path / "runs"
    root.mkdir()

    def make(name, *evaluations, recipe=None):
        made = Run.create(root, name, recipe=recipe or {"stages": []}, recipe_toml="", seed=0, folder=root / name)
        with made:
            for one in evaluations:
                made.write_evaluation(one)
            made.finish("finished")

    make.root = root
    return make


def test_a_clear_difference_is_told_with_its_interval(tahr, runs, tmp_path):
    runs("small", evaluation(*answers(0.1), conditions=CONDITIONS))
    runs("large", evaluation(*answers(0.9, seed=1), conditions=LARGE))
    done = tahr("compare", "small", "large", "--runs", runs.root, "--json", tmp_path / "out.json")
    assert done.code == 0, done.err
    assert "sums bare: second less first" in done.out
    assert "first: small; second: large; weights differs: small (aaaa) and large (bbbb)" in done.out
    assert "The second is higher in correct by" in done.out
    found = json.loads((tmp_path / "out.json").read_text())[0]
    assert found["compared"] == ["weights"]
    assert [row["domain"] for row in found["rows"]] == ["", "even", "odd"]
    row = found["rows"][0]
    assert 0.6 < row["low"] < row["difference"] < row["high"] < 1
    assert row["p"] < 1e-9 and row["p_adjusted"] >= row["p"]
    assert row["num_tasks"] == row["num_clusters"] == 60


def test_what_is_not_settled_says_what_would_settle_it(tahr, runs):
    runs("small", evaluation(*answers(0.5), conditions=CONDITIONS))
    runs("large", evaluation(*answers(0.5, seed=7), conditions=LARGE))
    done = tahr("compare", "small", "large", "--runs", runs.root, "--correction", "none")
    assert "Not settled: in correct the second is anywhere from −" in done.out
    assert "60 such questions find a true difference of 0." in done.out
    assert "p, Holm" not in done.out


def test_two_things_that_differ_are_refused_unless_allowed(tahr, runs):
    runs("small", evaluation(*answers(0.5), conditions=CONDITIONS))
    runs("large", evaluation(*answers(0.5, seed=7), conditions=replace(LARGE, temperature=1.0)))
    done = tahr("compare", "small", "large", "--runs", runs.root)
    assert done.code == 2
    assert "more than one thing differs" in done.err
    assert "weights: small (aaaa) and large (bbbb); temperature: 0 and 1" in done.err
    assert "--allow temperature" in done.err
    allowed = tahr("compare", "small", "large", "--runs", runs.root, "--allow", "temperature")
    assert allowed.code == 0
    assert "temperature differs: 0 and 1" in allowed.out
    unknown = tahr("compare", "small", "large", "--runs", runs.root, "--allow", "temprature")
    assert unknown.code == 2 and "did you mean 'temperature'?" in unknown.err


def test_different_suites_and_different_questions_are_refused(tahr, runs):
    runs("small", evaluation(*answers(0.5), conditions=CONDITIONS))
    runs("words", evaluation(*answers(0.5), conditions=replace(LARGE, suite="words")))
    runs("other", evaluation(attempt("elsewhere"), conditions=LARGE))
    done = tahr("compare", "small", "words", "--runs", runs.root)
    assert done.code == 2
    assert "small: sums bare; words: words bare" in done.err
    assert "small and other have no question in common" in tahr("compare", "small", "other", "--runs", runs.root).err
    assert "two runs or more" in tahr("compare", "small", "--runs", runs.root).err


def test_settings_of_one_run_are_compared_by_name(tahr, runs):
    harness = replace(CONDITIONS, setting="harness", max_new_tokens=512)
    runs(
        "small",
        evaluation(*answers(0.2), conditions=CONDITIONS),
        evaluation(*answers(0.9, seed=3), name="harness", conditions=harness),
    )
    done = tahr("compare", "small:bare", "small:harness", "--runs", runs.root)
    assert done.code == 0, done.err
    assert "sums bare and harness" in done.out
    assert "setting differs: bare and harness" in done.out
    wrong = tahr("compare", "small:bare", "small:tools", "--runs", runs.root)
    assert wrong.code == 2 and "no evaluation called 'tools'" in wrong.err and "bare, harness" in wrong.err


def test_a_training_run_before_and_after(tahr, runs):
    recipe = {"stages": ["rlvr"], "model": {"source": "tiny"}, "eval": {"temperature": 0.0, "max_new_tokens": 16}}
    before = replace(evaluation(*answers(0.1), name="before"), stage="rlvr")
    after = replace(evaluation(*answers(0.9, seed=2), name="after"), stage="rlvr", step=5)
    runs("tiny", before, after, recipe=recipe)
    done = tahr("compare", "tiny:before", "tiny:after", "--runs", runs.root)
    assert done.code == 0, done.err
    assert "held-out tasks: second less first" in done.out
    assert "weights differs: tiny, before and tiny, after" in done.out
    # without a name the last one counts: the same on both sides
    assert "nothing differs but chance" in tahr("compare", "tiny", "tiny", "--runs", runs.root).out


def test_several_runs_against_the_first_are_corrected_together(tahr, runs, tmp_path):
    runs("a", evaluation(*answers(0.4), conditions=CONDITIONS))
    runs("b", evaluation(*answers(0.6, seed=1), conditions=LARGE))
    runs("c", evaluation(*answers(0.7, seed=2), conditions=replace(LARGE, weights="cccc")))
    tahr("compare", "a", "b", "c", "--runs", runs.root, "--against", "first", "--json", tmp_path / "out.json")
    found = json.loads((tmp_path / "out.json").read_text())
    assert [one["second"]["name"] for one in found] == ["b", "c"]
    rows = [row for one in found for row in one["rows"]]
    least = min(rows, key=lambda row: row["p"])
    assert len(rows) == 6 and least["p_adjusted"] == pytest.approx(6 * least["p"])


def test_questions_in_training_data_are_marked(tahr, runs, tmp_path):
    runs("small", evaluation(*answers(0.5), conditions=CONDITIONS))
    runs("large", evaluation(*answers(0.5, seed=7), conditions=LARGE))
    data = tmp_path / "train.jsonl"
    seen = [f"Asked: {question(n)}. Answer: 12." for n in range(3)]
    data.write_text("".join(json.dumps({"text": text}) + "\n" for text in (*seen, "A row about something else.")))
    done = tahr("compare", "small", "large", "--runs", runs.root, "--training-data", data)
    assert done.code == 0, done.err
    assert "3 of 60 questions are found in 4 rows of training data" in done.out
    rows = [[cell.strip() for cell in line.split("│")[1:]] for line in done.out.splitlines() if "found" in line]
    assert [(row[0], row[8]) for row in rows if len(row) > 8] == [
        ("found in training data", "3"),
        ("not found in it", "57"),
    ]


def test_clusters_and_attempts_enter(tahr, runs):
    def grouped(rate, seed):
        rows = answers(rate, seed=seed, samples=4)
        return [replace(row, cluster=f"passage {int(row.task_id[4:]) // 5}") for row in rows]

    conditions = replace(CONDITIONS, samples_per_task=4, temperature=1.0)
    runs("small", evaluation(*grouped(0.3, 0), conditions=conditions))
    runs("large", evaluation(*grouped(0.6, 1), conditions=replace(conditions, weights="bbbb", training="large")))
    done = tahr("compare", "small", "large", "--runs", runs.root)
    assert "60 in 12" in done.out
    assert "design effect" in done.out
    assert "All of the difference's variance is chance in sampling" in done.out


def judged_by_another(rows, some=slice(None)):
    """The rows with the ids that another verifier gives them, all or some of them."""
    changed = [replace(row, task_id=f"other {row.task_id}") for row in rows[some]]
    return [*changed, *rows[len(changed) :]]


def test_runs_that_another_verifier_judged_say_so_and_which_they_are(tahr, runs):
    runs("numeric", evaluation(*answers(0.5), conditions=CONDITIONS))
    runs("exact", evaluation(*judged_by_another(answers(0.5)), conditions=CONDITIONS))
    result = tahr("compare", "numeric", "exact", "--runs", runs.root)
    assert result.code == 2
    assert "numeric and exact asked 60 questions in the same words but judge them differently" in result.err
    assert "numeric: 60 questions; exact: 60 questions" in result.err


def test_questions_that_another_verifier_judged_are_said_to_be_left_out(tahr, runs):
    runs("numeric", evaluation(*answers(0.5), conditions=CONDITIONS))
    runs("partly", evaluation(*judged_by_another(answers(0.5), slice(20)), conditions=LARGE))
    result = tahr("compare", "numeric", "partly", "--runs", runs.root)
    assert result.code == 0, result.err
    assert "20 questions in the same words are left out: the verifier, the right answer" in result.out


def test_every_two_of_three_runs_are_compared_and_corrected_together(tahr, runs, tmp_path):
    for name, rate, about in (("a", 0.1, CONDITIONS), ("b", 0.5, LARGE), ("c", 0.9, replace(LARGE, weights="cccc"))):
        runs(name, evaluation(*answers(rate, seed=ord(name)), conditions=about))
    out = tmp_path / "all.json"
    done = tahr("compare", "a", "b", "c", "--runs", runs.root, "--json", out)
    assert done.code == 0, done.err
    found = json.loads(out.read_text())
    assert [(one["first"]["name"], one["second"]["name"]) for one in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    rows = [row for one in found for row in one["rows"]]
    least = min(rows, key=lambda row: row["p"])
    assert len(rows) == 9  # the headline and two domains of each pair
    assert least["p_adjusted"] == pytest.approx(9 * least["p"])
    overview = done.out.split("Every two runs")[1]
    assert [line.split("│")[2:4] for line in overview.splitlines() if "sums bare" in line] == [
        [" a     ", " b      "],
        [" a     ", " c      "],
        [" b     ", " c      "],
    ]


def test_later_runs_that_differ_in_two_things_are_left_out_and_named(tahr, runs):
    runs("base", evaluation(*answers(0.5), conditions=CONDITIONS))
    runs("large", evaluation(*answers(0.5, seed=1), conditions=LARGE))
    runs("warm", evaluation(*answers(0.5, seed=2), conditions=replace(CONDITIONS, temperature=1.0)))
    done = tahr("compare", "base", "large", "warm", "--runs", runs.root)
    assert done.code == 0, done.err
    assert "left out: large and warm can't be compared on sums: more than one thing differs (weights: large" in done.out
