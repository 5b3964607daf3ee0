"""``tahr runs``: the runs of a folder, newest first."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tahr.cli.console import console, table, time_text
from tahr.cli.options import RUNS, RunsOption
from tahr.core.errors import InputError, nearest_name

if TYPE_CHECKING:
    from tahr.store.records import Evaluation
    from tahr.store.run import Run

_ASKING = ("eval-", "scale-")
"""How the folders of runs that only ask begin; one that ended before its first evaluation is known by that alone."""

_MOST_ROWS = 4
"""Evaluations of one run that are listed; a study of test-time computing has dozens."""

EXAMPLES = (
    ("tahr runs", "every run under ./runs"),
    ("tahr runs --runs /data/runs --name tiny", "only those whose name holds 'tiny'"),
)


def runs(
    root: RunsOption = RUNS,
    name: Annotated[str, typer.Option(metavar="TEXT", help="Only runs whose name holds this.")] = "",
) -> None:
    """List the runs: status, stage and step, rewards, and how long they took; evaluations with their scores.

    The training reward is the last step's mean; those held out are the evaluations before and after the training. The
    score of an evaluation is the share of right answers in each setting with its 95% interval.
    """
    found = [run for run in find_runs(root) if name in run.folder.name]
    if not found:
        console().print(f"no runs under {root}; `tahr train recipes/tiny.toml` makes one", markup=False)
        return
    trained = [run for run in found if not is_evaluation(run)]
    if trained:
        rewards = ("training reward", "held out before", "held out after")
        columns = ("run", "status", "at", *rewards, "took")
        console().print(table("", columns, [_row(run) for run in trained], right=rewards))
    evaluated = [run for run in found if is_evaluation(run)]
    if trained and evaluated:
        console().print()
    if evaluated:
        numbers = ("score", "95% interval", "questions")
        columns = ("evaluation", "status", "suite", "setting", *numbers, "took")
        rows = [row for run in evaluated for row in _evaluation_rows(run)]
        console().print(table("", columns, rows, right=numbers))


def is_evaluation(run: Run) -> bool:
    """Whether a run is of ``tahr eval`` or ``tahr scale``: nothing is trained in it, and something asked."""
    from tahr.store.evaluations import evaluation_paths

    return not run.manifest.stages and bool(evaluation_paths(run.folder) or run.manifest.name.startswith(_ASKING))


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
    scores = {evaluation.name: _score(evaluation) for evaluation in run.evaluations(texts=False)}
    return (
        run.folder.name,
        run.status,
        f"{last.stage} {last.step}" if last else "-",
        f"{rewards[-1]:.3f}" if rewards else "-",
        scores.get("before", "-"),
        scores.get("after", "-"),
        _took(run),
    )


def _evaluation_rows(run: Run) -> list[tuple[str, ...]]:
    """A row a setting; the run is named in the first."""
    from tahr.report.suite_table import suite_lines
    from tahr.report.text import interval, visible_text

    found = run.evaluations(texts=False)
    rows: list[tuple[str, ...]] = []
    for one in found[:_MOST_ROWS]:
        about = one.conditions
        said = (visible_text(about.suite if about else "", 40) or "-", visible_text(one.name, 40))
        lines = suite_lines(one)
        numbers = ("-", "-", str(len({row.task_id for row in one.rows})))
        if lines:
            line = lines[0]
            numbers = (
                f"{line.score.mean:.3f}",
                interval(line.score.low, line.score.high, sign=False),
                str(line.num_tasks),
            )
        rows.append((*said, *numbers, _spent(run, one)))
    if not rows:
        rows.append(("-", "-", "-", "-", "-", _took(run)))
    named = [((run.folder.name, run.status) if place == 0 else ("", ""), row) for place, row in enumerate(rows)]
    left = len(found) - _MOST_ROWS
    more = [("", "", "", f"and {left} more", "", "", "", "")] if left > 0 else []
    return [*((*name, *row) for name, row in named), *more]


def _spent(run: Run, evaluation: Evaluation) -> str:
    """The time that the setting took, and what of it the cache spared."""
    about = evaluation.conditions
    if about is None:
        return _took(run)
    spared = f", {about.num_cached:,} from the cache" if about.num_cached else ""
    seconds = f"{about.seconds:.1f} s" if about.seconds < 10 else time_text(about.seconds)
    return f"{seconds}{spared}"


def _score(evaluation: Evaluation) -> str:
    from tahr.evaluation.statistics import mean_score

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
