"""``tahr scale``: what more computing at the time of the test is worth."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from tahr.cli.console import console
from tahr.cli.options import RUNS, RunsOption, StudySetOption
from tahr.cli.progress import watch
from tahr.core.errors import InputError

EXAMPLES = (
    ("tahr scale smollm2-135m --suite arithmetic --num-tasks 20 --samples 64", "sample, draw, print"),
    ("tahr scale runs/scale-arithmetic-smollm2-135m-20260105-100000", "a study again, or several taken together"),
)


ModelsOption = Annotated[
    list[str],
    typer.Argument(
        metavar="MODEL",
        help="A model as in tahr eval, or NAME@URL; without --suite, finished studies of the same weights.",
        show_default=False,
    ),
]

SuiteOption = Annotated[
    str | None,
    typer.Option(metavar="SUITE", help="A suite, its file, or a task source.", show_default=False),
]

SamplesOption = Annotated[
    int | None,
    typer.Option(min=8, help="Attempts at each question, 64 by default; curves end at a quarter.", show_default=False),
]

NumTasksOption = Annotated[int | None, typer.Option(min=2, help="Most questions of each set.", show_default=False)]

SettingOption = Annotated[
    str | None, typer.Option(help="Setting of the suite; its first by default.", show_default=False)
]

SelectOption = Annotated[
    list[str] | None,
    typer.Option(metavar="VERIFIER", help="Choose answers by this verifier too; repeatable.", show_default=False),
]

RewardModelOption = Annotated[
    str | None,
    typer.Option(metavar="MODEL", help="Choose answers by this reward model too.", show_default=False),
]

TemperatureOption = Annotated[
    float | None, typer.Option(min=0.01, help="The suite's, or 1 where that is greedy.", show_default=False)
]

MaxNewTokensOption = Annotated[int | None, typer.Option(min=1, help="Most tokens of one attempt.", show_default=False)]


def scale(
    models: ModelsOption,
    suite: SuiteOption = None,
    samples: SamplesOption = None,
    num_tasks: NumTasksOption = None,
    split: Annotated[Literal["dev", "unseen", "all"], typer.Option(help="Side of the suite's split.")] = "all",
    setting: SettingOption = None,
    select: SelectOption = None,
    reward_model: RewardModelOption = None,
    temperature: TemperatureOption = None,
    max_new_tokens: MaxNewTokensOption = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of the attempts.", show_default=False)] = None,
    overrides: StudySetOption = None,
    runs: RunsOption = RUNS,
) -> None:
    """Turn the knobs of test-time computing and draw accuracy against all tokens that an answer takes.

    Attempts are put to the vote or chosen from (by likelihood, verifiers, reward models), answers revised, thinking cut
    off or drawn out (--set scaling.KEY=VALUE says how far). Writes a picture, a table with intervals, and a paragraph
    on what the curves do and don't show.
    """
    if suite is None:
        _show([_study_folder(name, runs) for name in models])
        return
    if len(models) != 1:
        raise InputError("a study is of one model", received=" ".join(models), instead="tahr scale MODEL --suite SUITE")
    from tahr.recipe.scale import plan_scale, run_scale
    from tahr.recipe.suite_model import CACHE_NAME

    asked: dict[str, Any] = {"temperature": temperature, "max_new_tokens": max_new_tokens, "seed": seed}
    plan = plan_scale(
        models[0],
        suite,
        setting=setting,
        split=split,
        num_tasks=num_tasks,
        sampling={name: value for name, value in asked.items() if value is not None},
        samples=samples,
        selectors=select or (),
        reward_model=reward_model,
        overrides=overrides or (),
    )
    progress = watch()
    try:
        folder = run_scale(plan, runs, progress=progress)
    except KeyboardInterrupt:
        progress.close()
        typer.echo(f"interrupted; what was sampled is kept in {runs / CACHE_NAME}: the same command goes on", err=True)
        raise
    finally:
        progress.close()
    _show([folder])


def _study_folder(name: str, runs: Path) -> Path:
    path = Path(name)
    return path if path.exists() else runs / name


def _show(folders: list[Path]) -> None:
    """Print the table and the paragraph, and write the picture and the figures into the first folder."""
    from tahr.evaluation.scaling.study import study_of
    from tahr.report.scaling_picture import write_scaling_picture
    from tahr.report.scaling_table import scaling_table, study_values
    from tahr.store.files import write_file
    from tahr.store.run import Run

    found = [one for folder in folders for one in Run.open(folder).evaluations()]
    study = study_of(found)
    values = study_values(study)
    output = console()
    output.print(scaling_table(study))
    output.print(values["paragraph"], markup=False)
    picture = write_scaling_picture(study, folders[0] / "scaling.png")
    write_file(folders[0] / "scaling.json", json.dumps(values, indent=1, ensure_ascii=False).encode() + b"\n")
    output.print(f"\nwritten: {picture} and scaling.json beside it", markup=False, soft_wrap=True)
