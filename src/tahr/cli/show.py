"""``tahr show``: a run's rollouts, or an evaluation's questions, in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from tahr.cli.console import console
from tahr.cli.effort import OnlyOption, chosen
from tahr.cli.options import RUNS, RunArgument, RunsOption
from tahr.cli.runs import is_evaluation, open_run
from tahr.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rich.console import Console

    from tahr.store.records import Evaluation

EXAMPLES = (
    ("tahr show tiny-20260105-100000 --worst", "the worst attempts of the last step"),
    ("tahr show eval-ifeval-smollm2 --kind wrong -n 3", "questions of an evaluation that nothing answered right"),
)

_MOST = 200_000
"""Characters of one text."""

StageOption = Annotated[str, typer.Option(help="The stage; by default the last that sampled.", show_default=False)]
StepOption = Annotated[int | None, typer.Option(min=0, help="The step; by default the last.", show_default=False)]
TaskOption = Annotated[str, typer.Option(metavar="TEXT", help="Only tasks whose id begins so, or whose domain is so.")]
KindOption = Annotated[
    str,
    typer.Option(
        help="Of evaluations, only questions that went so: right, mixed, wrong, differs (between settings), cut, "
        "absent (no reward).",
        show_default=False,
    ),
]


def show(
    run: RunArgument,
    root: RunsOption = RUNS,
    stage: StageOption = "",
    step: StepOption = None,
    only: OnlyOption = None,
    kind: KindOption = "",
    best: Annotated[bool, typer.Option("--best", help="Highest rewards first.")] = False,
    worst: Annotated[bool, typer.Option("--worst", help="Lowest rewards first.")] = False,
    task: TaskOption = "",
    count: Annotated[int, typer.Option("--count", "-n", min=1, help="How many attempts, or questions.")] = 5,
) -> None:
    """Show rollouts of a run: prompt, completion, reward with its parts, and advantage; of an evaluation its questions.

    An evaluation (tahr eval, or any of a run's by --only) is shown with its scores, then question by question with the
    answers of every setting. Without --best or --worst all stands in the order of sampling.
    """
    if best and worst:
        raise InputError("--best and --worst contradict each other", instead="one of them")
    from tahr.store.journal import unfinished_evaluations

    opened = open_run(run, root)
    if only or kind or is_evaluation(opened):
        if stage or step is not None:
            raise InputError(
                "--stage and --step choose rollouts of a training run",
                received=f"an evaluation of {opened.folder.name}",
                instead="--only NAME",
            )
        found = [*opened.evaluations(), *unfinished_evaluations(opened.folder)]
        _show_questions(chosen(found, only), task=task, kind=kind, best=best, worst=worst, count=count)
        return
    path = _choose(opened.folder, stage, step)
    from tahr.store.tables import read_table

    columns = ["stage", "step", "task_id", "index", "domain", "prompt", "answer", "completion", "outcome", "reward"]
    columns += ["parts", "note", "advantage", "num_tokens", "finish_reason", "error"]
    rows = select(read_table(path).select(columns).to_pylist(), task=task, best=best, worst=worst)
    if not rows:
        raise InputError(f"no attempt of {path.stem} matches", received=f"--task {task}", instead="another task")
    output = console()
    for row in rows[:count]:
        _print(output, row)
    output.print(f"{min(count, len(rows))} of {len(rows)} attempts of {path.stem}", markup=False, style="dim")


def _show_questions(
    evaluations: Sequence[Evaluation], *, task: str, kind: str, best: bool, worst: bool, count: int
) -> None:
    """The scores, then the questions asked for."""
    from tahr.report.answers import chosen_questions, counted, print_question
    from tahr.report.suite_table import absence_lines, suite_table

    found = chosen_questions(evaluations, task=task, kind=kind, best=best, worst=worst)
    output = console()
    output.print(suite_table(evaluations))
    for line in absence_lines(evaluations):
        output.print(line, markup=False, soft_wrap=True)
    for one in found[:count]:
        print_question(output, one)
    told = f"{min(count, len(found))} of {len(found)} questions: {counted(found)}"
    output.print(told, markup=False, style="dim", soft_wrap=True)


def select(rows: list[dict[str, Any]], *, task: str, best: bool, worst: bool) -> list[dict[str, Any]]:
    """Rows of the wanted task in the wanted order, equal rewards by advantage; attempts without a reward come last."""
    kept = [row for row in rows if not task or row["task_id"].startswith(task) or row["domain"] == task]
    if not best and not worst:
        return kept
    sign = -1.0 if best else 1.0
    return sorted(
        kept,
        key=lambda row: (row["reward"] is None, sign * (row["reward"] or 0.0), sign * (row.get("advantage") or 0.0)),
    )


def _choose(folder: Path, stage: str, step: int | None) -> Path:
    """The rollout file of the stage and step asked for. Raises InputError where it does not exist."""
    from tahr.store.rollouts import list_rollouts, stage_and_step

    found = {stage_and_step(path): path for path in list_rollouts(folder)}
    wanted = {key: path for key, path in found.items() if not stage or key[0] == stage}
    if not wanted:
        stages = ", ".join(sorted({name for name, _ in found})) or "none"
        raise InputError(
            f"the run {folder.name} has no rollouts" + (f" of the stage {stage!r}" if stage else ""),
            received=stage or None,
            instead=f"a stage that sampled (here: {stages})",
        )
    if step is None:
        return max(wanted.items(), key=lambda item: (item[1].stat().st_mtime_ns, item[0][1]))[1]
    at_step = [path for (_, number), path in wanted.items() if number == step]
    if not at_step:
        steps = sorted(number for _, number in wanted)
        raise InputError(f"there are no rollouts of step {step}", received=step, instead=f"{steps[0]} to {steps[-1]}")
    return at_step[0]


def _print(output: Console, row: dict[str, Any]) -> None:
    from tahr.report.text import visible_text

    output.rule(f"{row['domain']} {row['task_id']} attempt {row['index']}", align="left", style="dim")
    reward = "none" if row["reward"] is None else f"{row['reward']:.3f}"
    advantage = "none" if row["advantage"] is None else f"{row['advantage']:+.3f}"
    parts = ", ".join(f"{name} {value:g}" for name, value in row["parts"])
    end = row["finish_reason"] or "no completion"
    for text, style in (
        (row["prompt"], None),
        (row["completion"] or "(nothing)", "cyan"),
        (f"reward {reward} ({parts})  advantage {advantage}", "bold"),
        (f"{row['outcome']}: {row['note']}  answer: {row['answer']}", "dim"),
        (f"{row['num_tokens']} tokens, ended by {end} {row['error']}\n".rstrip(), "dim"),
    ):
        # what a model wrote must not move the cursor or colour the screen
        output.print(visible_text(text, _MOST), markup=False, style=style)
