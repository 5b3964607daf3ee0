"""``tahr eval``: how good a model is on held-out tasks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from tahr.cli.console import console
from tahr.cli.options import SetOption, place_to_write
from tahr.cli.progress import watch
from tahr.core.errors import InputError

if TYPE_CHECKING:
    from tahr.recipe.evaluation_plan import Wishes

EXAMPLES = (
    ("tahr eval runs/tiny-20260105-100000 --suite recipes/tiny.toml", "a recipe's [eval], or a task source by name"),
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


def evaluate(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="MODEL",
            help="A packaged name, a folder, a run, a .gguf file or a hub id; with --reward-model, files, folders or "
            "hub names of pairs or in RewardBench 2's layout.",
            show_default=False,
        ),
    ],
    suite: Annotated[
        str | None,
        typer.Option(
            metavar="SUITE", help=escape("A task source, or a recipe file whose [eval] is used."), show_default=False
        ),
    ] = None,
    reward_model: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL", help="Measure this reward model: a run, a folder or a hub name.", show_default=False
        ),
    ] = None,
    overrides: SetOption = None,
    num_tasks: Annotated[
        int | None, typer.Option(min=2, help="Most tasks of each set; 100 by default.", show_default=False)
    ] = None,
    samples: Annotated[
        int | None, typer.Option(min=1, help="Attempts at each task; 1 by default.", show_default=False)
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Seed of the attempts; 0 by default.", show_default=False)
    ] = None,
    max_new_tokens: Annotated[
        int | None, typer.Option(min=1, help="Most tokens of one completion; 64 by default.", show_default=False)
    ] = None,
    temperature: Annotated[
        float | None,
        typer.Option(min=0.0, help="0 is greedy, and the default for one sample; otherwise 1.", show_default=False),
    ] = None,
    verifier: Annotated[
        str | None, typer.Option(help="Judge by this verifier instead of the tasks' own.", show_default=False)
    ] = None,
    json_path: JsonOption = None,
) -> None:
    """Evaluate a model on held-out tasks and print each score with its 95% interval.

    The suite is a task source (`tahr tasks` lists them) or a recipe, whose [eval] section and held-out split are
    used. Options given here go before what the recipe says. With --reward-model, a reward model is measured on
    held-out preferences instead: accuracy, calibration, length bias, and the domains of RewardBench 2.
    """
    if reward_model is not None:
        _evaluate_reward_model(reward_model, names, suite, seed or 0, json_path)
        return
    from tahr.recipe.evaluation_plan import Wishes

    wishes = Wishes(
        num_tasks=num_tasks,
        samples_per_task=samples,
        seed=seed,
        max_new_tokens=max_new_tokens,
        temperature=temperature,
        verifier=verifier,
    )
    _evaluate_model(names, suite, overrides or (), wishes, json_path)


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
    from tahr.report.table import evaluation_table

    plan = plan_evaluation(names[0], suite, overrides, wishes)
    progress = watch()
    try:
        evaluation = evaluate_model(plan, progress=progress)
    finally:
        progress.close()
    console().print(evaluation_table(evaluation))
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
