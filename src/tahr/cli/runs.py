"""``tahr runs``: the runs of a folder, newest first."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tahr.cli.console import console, table, time_text
from tahr.cli.options import RUNS, RunsOption
from tahr.core.errors import InputError, nearest_name

if TYPE_CHECKING:
    from tahr.store.run import Run

EXAMPLES = (
    ("tahr runs", "every run under ./runs"),
    ("tahr runs --runs /data/runs --name tiny", "only those whose name holds 'tiny'"),
)


def runs(
    root: RunsOption = RUNS,
    name: Annotated[str, typer.Option(metavar="TEXT", help="Only runs whose name holds this.")] = "",
) -> None:
    """List the runs: status, stage and step, rewards, and how long they took.

    The training reward is the last step's mean; those held out are the evaluations before and after the training.
    """
    found = [run for run in find_runs(root) if name in run.folder.name]
    if not found:
        console().print(f"no runs under {root}; `tahr train recipes/tiny.toml` makes one", markup=False)
        return
    rewards = ("training reward", "held out before", "held out after")
    columns = ("run", "status", "at", *rewards, "took")
    console().print(table("", columns, [_row(run) for run in found], right=rewards))


def find_runs(root: Path) -> list[Run]:
    """Every complete run folder under `root`, newest first."""
    from tahr.store.manifest import MANIFEST_NAME
    from tahr.store.run import Run

    found: list[Run] = []
    for manifest in root.glob(f"*/{MANIFEST_NAME}"):
        try:
            found.append(Run.open(manifest.parent))
        except InputError as error:  # one damaged folder must not hide the others
            typer.echo(f"left out: {error}", err=True)
    return sorted(found, key=lambda run: run.manifest.created, reverse=True)


def open_run(path: Path, root: Path) -> Run:
    """The run at `path`, or of that name under `root`, or whose name begins so where only one does.

    Raises InputError, with the nearest run, where there is none.
    """
    from tahr.store.run import Run

    if path.is_dir():
        return Run.open(path)
    if (root / path).is_dir():
        return Run.open(root / path)
    names = [run.folder.name for run in find_runs(root)]
    begun = [name for name in names if name.startswith(str(path))]
    if len(begun) == 1:
        return Run.open(root / begun[0])
    nearest = begun[0] if begun else nearest_name(str(path), names)
    hint = f"did you mean {nearest}? " if nearest else ""
    listed = f"runs under {root}: {', '.join(names[:5])}" if names else f"there are no runs under {root}"
    wrong = "several runs begin with that name" if begun else "there is no such run"
    raise InputError(wrong, received=path, instead=f"{hint}{listed}")


def _row(run: Run) -> tuple[str, ...]:
    metrics = run.metrics()
    last = metrics[-1] if metrics else None
    rewards = [row.metrics["reward"] for row in metrics if "reward" in row.metrics]
    scores = {evaluation.name: _score(evaluation) for evaluation in run.evaluations()}
    return (
        run.folder.name,
        run.status,
        f"{last.stage} {last.step}" if last else "-",
        f"{rewards[-1]:.3f}" if rewards else "-",
        scores.get("before", "-"),
        scores.get("after", "-"),
        _took(run),
    )


def _score(evaluation: object) -> str:
    from tahr.evaluation.statistics import mean_score
    from tahr.store.records import Evaluation

    assert isinstance(evaluation, Evaluation)
    try:
        return f"{mean_score(evaluation).mean:.3f}"
    except InputError:  # nothing was scored
        return "-"


def _took(run: Run) -> str:
    from datetime import datetime

    if not run.manifest.finished:
        return "-"
    began, ended = (datetime.fromisoformat(text) for text in (run.manifest.created, run.manifest.finished))
    return time_text((ended - began).total_seconds())
