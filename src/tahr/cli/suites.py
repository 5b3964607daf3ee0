"""``tahr suites``: the suites that come with tahr, and what is in one."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from tahr.cli.console import console, table
from tahr.cli.options import SuiteSetOption

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from tahr.core.types import Task
    from tahr.evaluation.suites.config import SuiteConfig

EXAMPLES = (
    ("tahr suites", "every suite, and where its questions come from"),
    ("tahr suites arithmetic-levels --count 2", "how many questions are dev and unseen, the settings, two of them"),
)


def suites(
    name: Annotated[
        str | None,
        typer.Argument(metavar="SUITE", help="A suite by name or file; none lists all.", show_default=False),
    ] = None,
    count: Annotated[int, typer.Option(min=0, help="Questions of the dev side that are shown.")] = 1,
    overrides: SuiteSetOption = None,
) -> None:
    """List the suites for `tahr eval --suite SUITE`, or show what one asks, in which settings, and how it is split.

    Questions are shown of the dev side alone: what nobody looks at can't be trained for.
    """
    if name is None:
        _list_suites()
    else:
        _show_suite(name, count, overrides or ())


def _list_suites() -> None:
    from tahr.evaluation.suites.load import load_suite, suite_names

    rows: list[tuple[str, ...]] = []
    for name in suite_names():
        suite = load_suite(name)
        sources = sorted({config.source for config in suite.tasks.values()})
        rows.append((name, suite.description, ", ".join(sources)))
    output = console()
    output.print(table("", ("suite", "what it measures", "task source"), rows))
    output.print("`tahr suites NAME` shows what is in one; a TOML file of your own may be given by path", markup=False)


def _show_suite(name: str, count: int, overrides: Sequence[str]) -> None:
    from tahr.evaluation.suites.config import SuiteConfig
    from tahr.evaluation.suites.load import parse_suite, read_suite, set_tasks, side_of
    from tahr.recipe.overrides import apply_overrides
    from tahr.verifiers.build import build_verifiers

    own = [one.strip().removeprefix("suite.") for one in overrides]  # as `tahr eval` takes them too
    suite = parse_suite(apply_overrides(read_suite(name), own, SuiteConfig), origin=name)
    output = console()
    output.print(f"[bold]{escape(name)}[/bold]  {escape(suite.description)}")
    verifiers = build_verifiers(suite.verifiers)
    drawn = {key: set_tasks(key, config, verifiers) for key, config in suite.tasks.items()}
    rows: list[tuple[str, ...]] = []
    for key, tasks in drawn.items():
        sides = Counter(side_of(task, suite.unseen_percent) for task in tasks)
        clusters = {task.meta["cluster"] for task in tasks if "cluster" in task.meta}
        judges = sorted({task.verifier for task in tasks})
        grouped = f"{len(clusters):,}" if clusters else "-"
        numbers = (f"{sides['dev']:,}", f"{sides['unseen']:,}", grouped)
        rows.append((key, suite.tasks[key].source, *numbers, ", ".join(judges)))
    output.print(table("", ("questions", "source", "dev", "unseen", "clusters", "judged by"), rows))
    _print_conditions(output, suite)
    dev = [task for tasks in drawn.values() for task in tasks if side_of(task, suite.unseen_percent) == "dev"]
    _print_questions(output, dev[:count])


def _print_conditions(output: Console, suite: SuiteConfig) -> None:
    how = suite.sampling
    drawn = "greedy" if how.temperature == 0 else f"temperature {how.temperature:g}, top_p {how.top_p:g}"
    output.print(
        f"{how.samples_per_task} per question, at most {how.max_new_tokens:,} tokens, {drawn}, seed {how.seed}",
        markup=False,
    )
    for name, setting in suite.settings.items():
        told = {key: value for key, value in setting.model_dump().items() if value is not None}
        said = ", ".join(f"{key} = {value!r}" for key, value in told.items()) or "the question as it is"
        output.print(f"setting {name}: {said}", markup=False)
    for without, given in suite.pairs:
        output.print(f"shown together: {without} and {given}", markup=False)


def _print_questions(output: Console, tasks: Sequence[Task]) -> None:
    for task in tasks:
        output.print(f"\n[bold]{escape(task.domain)}[/bold] [dim]{task.id}[/dim]")
        for message in task.prompt:
            output.print(f"{message.role}: {message.content}", markup=False)
        output.print(f"answer: {task.answer!r}", markup=False, style="dim")
