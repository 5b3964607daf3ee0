"""``tahr eval``: how good a model is on held-out tasks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from tahr.cli.console import console
from tahr.cli.options import SetOption
from tahr.cli.progress import watch

EXAMPLES = (
    ("tahr eval smollm2-135m --suite arithmetic --num-tasks 50", "a task source by name"),
    ("tahr eval runs/tiny-20260105-100000 --suite recipes/tiny.toml --json scores.json", "a recipe's [eval]"),
)


def evaluate(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL", help="A packaged name, a folder, a run, a .gguf file or a hub id.", show_default=False
        ),
    ],
    suite: Annotated[
        str,
        typer.Option(
            metavar="SUITE", help=escape("A task source, or a recipe file whose [eval] is used."), show_default=False
        ),
    ],
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
    json_path: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Also write scores and attempts.", show_default=False)
    ] = None,
) -> None:
    """Evaluate a model on held-out tasks and print each score with its 95% interval.

    The suite is a task source (`tahr tasks` lists them) or a recipe, whose [eval] section and held-out split are
    used. Options given here go before what the recipe says.
    """
    from tahr.recipe.evaluate import evaluate_model, write_scores
    from tahr.recipe.evaluation_plan import Wishes, plan_evaluation
    from tahr.report.table import evaluation_table

    wishes = Wishes(
        num_tasks=num_tasks,
        samples_per_task=samples,
        seed=seed,
        max_new_tokens=max_new_tokens,
        temperature=temperature,
        verifier=verifier,
    )
    plan = plan_evaluation(model, suite, overrides or (), wishes)
    progress = watch()
    try:
        evaluation = evaluate_model(plan, progress=progress)
    finally:
        progress.close()
    console().print(evaluation_table(evaluation))
    if json_path is not None:
        write_scores(json_path, plan, evaluation)
        console().print(f"written: {json_path}", markup=False, soft_wrap=True)
