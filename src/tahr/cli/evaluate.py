"""``tahr eval``: how good a model is on held-out tasks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.markup import escape

from tahr.cli.console import console
from tahr.cli.options import RUNS, EvaluationSetOption, RunsOption, place_to_write
from tahr.cli.progress import watch
from tahr.core.errors import InputError

if TYPE_CHECKING:
    from tahr.recipe.evaluation_plan import Wishes
    from tahr.recipe.suite_run import SuitePlan

EXAMPLES = (
    ("tahr eval smollm2-135m --suite ifeval", "a suite; a recipe's [eval] or a task source will do too"),
    ("tahr eval --reward-model runs/scores-20260105-100000 pairs.jsonl", "a reward model on held-out pairs"),
)

JsonOption = Annotated[
    Path | None,
    typer.Option(
        "--json",
        callback=place_to_write,
        metavar="FILE",
        help="Also write scores and attempts.",
        show_default=False,
    ),
]


NamesOption = Annotated[
    list[str],
    typer.Argument(
        metavar="MODEL",
        help="A packaged name, a folder, a run, a .gguf file, a hub id, or NAME@http://HOST/v1 behind a server; with "
        "--reward-model, files, folders or hub names of pairs or in RewardBench 2's layout.",
        show_default=False,
    ),
]

SuiteOption = Annotated[
    str | None,
    typer.Option(
        metavar="SUITE",
        help=escape("A suite (`tahr suites`) or its file, a recipe whose [eval] is used, or a task source."),
        show_default=False,
    ),
]

RewardModelOption = Annotated[
    str | None,
    typer.Option(metavar="MODEL", help="Measure this reward model: a run, a folder or a hub name.", show_default=False),
]

NumTasksOption = Annotated[
    int | None, typer.Option(min=2, help="Most tasks of each set; 100 by default, of a suite all.", show_default=False)
]

SamplesOption = Annotated[
    int | None, typer.Option(min=1, help="Attempts at each task; 1 by default.", show_default=False)
]

SeedOption = Annotated[int | None, typer.Option(min=0, help="Seed of the attempts; 0 by default.", show_default=False)]

MaxNewTokensOption = Annotated[
    int | None,
    typer.Option(min=1, help="Most tokens of one completion; 64 by default, for a suite its own.", show_default=False),
]

TemperatureOption = Annotated[
    float | None,
    typer.Option(min=0.0, help="0 is greedy, and the default for one sample; otherwise 1.", show_default=False),
]

VerifierOption = Annotated[
    str | None, typer.Option(help="Judge by this verifier instead of the tasks' own.", show_default=False)
]

SplitOption = Annotated[
    Literal["dev", "unseen", "all"] | None,
    typer.Option(help="Side of a suite; all by default.", show_default=False),
]

SettingOption = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME", help="Setting of a suite; repeatable; all by default.", show_default=False),
]


def evaluate(
    names: NamesOption,
    suite: SuiteOption = None,
    reward_model: RewardModelOption = None,
    overrides: EvaluationSetOption = None,
    num_tasks: NumTasksOption = None,
    samples: SamplesOption = None,
    seed: SeedOption = None,
    max_new_tokens: MaxNewTokensOption = None,
    temperature: TemperatureOption = None,
    verifier: VerifierOption = None,
    split: SplitOption = None,
    setting: SettingOption = None,
    json_path: JsonOption = None,
    runs: RunsOption = RUNS,
) -> None:
    """Evaluate a model on held-out tasks and print each score with its 95% interval.

    A suite's questions are asked in each of its settings and kept in a run folder, for `tahr compare`, `effort`,
    `race` and `report`; samples of the same weights are never drawn twice. Of a recipe the [eval] section and the
    held-out split are used, of a task source its held-out tasks. Options given here go before what those say.

    With --reward-model, a reward model is measured on
    held-out preferences instead: accuracy, calibration, length bias, and the domains of RewardBench 2.
    """
    if reward_model is not None:
        _evaluate_reward_model(reward_model, names, suite, seed or 0, json_path)
        return
    from tahr.evaluation.suites.load import is_suite
    from tahr.recipe.evaluation_plan import Wishes
    from tahr.recipe.suite_run import plan_suite

    wishes = Wishes(
        num_tasks=num_tasks,
        samples_per_task=samples,
        seed=seed,
        max_new_tokens=max_new_tokens,
        temperature=temperature,
        verifier=verifier,
    )
    if suite is not None and len(names) == 1 and is_suite(suite):
        _evaluate_suite(
            plan_suite(names[0], suite, overrides or (), wishes, split=split or "all", only=setting or ()),
            runs,
            json_path,
        )
        return
    if split is not None or setting:
        raise InputError("--split and --setting are for suites", received=f"--suite {suite}", instead="`tahr suites`")
    _evaluate_model(names, suite, overrides or (), wishes, json_path)


def _evaluate_suite(plan: SuitePlan, runs: Path, json_path: Path | None) -> None:
    """Print the settings' scores, and the pairs of settings together."""
    from tahr.recipe.suite_model import CACHE_NAME
    from tahr.recipe.suite_run import run_suite
    from tahr.report.suite_table import absence_lines, pair_table, suite_table, suite_values
    from tahr.store.files import write_file
    from tahr.store.run import Run

    progress = watch()
    try:
        folder = run_suite(plan, runs, progress=progress)
    except KeyboardInterrupt:
        progress.close()
        typer.echo(f"interrupted; what was answered is kept in {runs / CACHE_NAME}: the same command goes on", err=True)
        raise
    finally:
        progress.close()
    # tables need no texts, which are most of what thousands of attempts weigh
    found = {one.name: one for one in Run.open(folder).evaluations(texts=json_path is not None)}
    evaluations = [found[name] for name in plan.only]
    pairs = plan.settings.suite.pairs
    console().print(suite_table(evaluations))
    contaminated = next((one.conditions.contaminated for one in evaluations if one.conditions), "")
    if contaminated:
        console().print(f"contaminated, claims nothing: {contaminated}", markup=False, style="yellow")
    together = pair_table(evaluations, pairs)
    if together is not None:
        console().print(together)
    for line in absence_lines(evaluations):
        console().print(line, markup=False, soft_wrap=True)
    num_cached = sum(one.conditions.num_cached for one in evaluations if one.conditions)
    if num_cached:
        console().print(f"{num_cached:,} of {sum(len(one.rows) for one in evaluations):,} attempts came from the cache")
    console().print(f"run folder: {folder}", markup=False, soft_wrap=True)
    if json_path is not None:
        values = suite_values(evaluations, pairs)
        write_file(json_path, json.dumps(values, indent=2, ensure_ascii=False).encode() + b"\n")
        console().print(f"written: {json_path}", markup=False, soft_wrap=True)


def _evaluate_model(
    names: list[str], suite: str | None, overrides: Sequence[str], wishes: Wishes, json_path: Path | None
) -> None:
    """Print the table of scores. Raises InputError unless there is one model and a suite."""
    if suite is None or len(names) != 1:
        raise InputError(
            "tahr eval takes one MODEL and a --suite",
            received=f"{' '.join(names)}{'' if suite is None else f' --suite {suite}'}",
            instead="tahr eval MODEL --suite SUITE, or tahr eval --reward-model MODEL FILE...",
        )
    from tahr.recipe.evaluate import evaluate_model, write_scores
    from tahr.recipe.evaluation_plan import plan_evaluation
    from tahr.report.suite_table import absence_lines
    from tahr.report.table import evaluation_table

    plan = plan_evaluation(names[0], suite, overrides, wishes)
    progress = watch()
    try:
        evaluation = evaluate_model(plan, progress=progress)
    finally:
        progress.close()
    console().print(evaluation_table(evaluation))
    for line in absence_lines([evaluation]):
        console().print(line, markup=False, soft_wrap=True)
    if json_path is not None:
        write_scores(json_path, plan, evaluation)
        console().print(f"written: {json_path}", markup=False, soft_wrap=True)


def _evaluate_reward_model(
    model: str, sources: list[str], suite: str | None, seed: int, json_path: Path | None
) -> None:
    """Print a table for each set of preferences. Raises InputError for what only models are evaluated with."""
    from tahr.recipe.evaluate_reward import judge_reward_model, write_judged
    from tahr.report.reward_table import reward_table

    if suite is not None:
        raise InputError(
            "a reward model is measured on files of preferences, not on a suite",
            received=f"--suite {suite}",
            instead="tahr eval --reward-model MODEL FILE...",
        )
    progress = watch()
    try:
        judged = judge_reward_model(model, sources, seed=seed, progress=progress)
    finally:
        progress.close()
    for one in judged:
        console().print(reward_table(one))
    if json_path is not None:
        write_judged(json_path, model, judged)
        console().print(f"written: {json_path}", markup=False, soft_wrap=True)
