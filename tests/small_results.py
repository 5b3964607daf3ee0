"""An evaluation run of two settings, made by hand, for what reads such runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from small_attempts import attempt, evaluation
from tahr.store.records import Conditions, Evaluation
from tahr.store.run import Run

CONDITIONS = Conditions(
    suite="sums",
    setting="bare",
    model="org/small",
    training="org/small",
    weights="9f86d081884c7d65",
    num_parameters=1_500_000,
    num_bytes=6_000_000,
    seed=3,
    temperature=0.7,
    max_new_tokens=64,
    samples_per_task=2,
    seconds=90.0,
    num_cached=1,
)


def bare() -> Evaluation:
    """Four questions, two answers each: a is right twice, b once, c never, d once, and once without a reward."""
    both = {"prompt": "What is 2 + 3?", "domain": "easy", "num_prompt_tokens": 20}
    rows = (
        attempt("a", correct=1.0, **both, extracted="5", logprob=-0.5, num_tokens_to_answer=3),
        attempt("a", index=1, correct=1.0, **both),
        attempt("b", correct=1.0, domain="easy", prompt='Say "hi",\nthen <b>stop</b>'),
        attempt("b", index=1, correct=0.0, domain="easy", prompt='Say "hi",\nthen <b>stop</b>', finish_reason="length"),
        attempt("c", correct=0.0, domain="hard", parts={"correct": 0.0, "only_c": 0.25}),
        attempt("c", index=1, correct=0.0, domain="hard", text=""),
        attempt("d", correct=1.0, domain="hard"),
        attempt("d", index=1, correct=None, domain="hard", outcome="error", note="the judge died"),
    )
    return evaluation(*rows, conditions=CONDITIONS)


def steps() -> Evaluation:
    """The same questions, all answered right, once each; two of them in one cluster."""
    clusters = {"a": "page 1", "b": "page 1", "c": "", "d": ""}
    domains = {"a": "easy", "b": "easy", "c": "hard", "d": "hard"}
    rows = (attempt(task, domain=domains[task], cluster=cluster) for task, cluster in clusters.items())
    return evaluation(
        *rows, name="steps", conditions=replace(CONDITIONS, setting="steps", samples_per_task=1, num_cached=0)
    )


def results_run(root: Path, *evaluations: Evaluation, pairs: bool = True) -> Run:
    """A finished run folder ``root/eval-sums`` with the evaluations given, or `bare` and `steps`."""
    recipe = {
        "stages": [],
        "description": "small on sums, all",
        "suite": {"pairs": [["bare", "steps"]] if pairs else []},
    }
    command = ("tahr", "eval", "org/small", "--suite", "sums.toml")
    run = Run.create(
        root, "sums", recipe=recipe, recipe_toml="x = 1\n", seed=3, folder=root / "eval-sums", command=command
    )
    with run:
        for one in evaluations or (bare(), steps()):
            run.write_evaluation(one)
        run.finish("finished")
    return Run.open(run.folder)
