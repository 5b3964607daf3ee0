"""``tahr tasks``: what a task source generates, with its gold answers."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape

from tahr.cli.console import console, table

EXAMPLES = (
    ("tahr tasks", "every task source"),
    ("tahr tasks arithmetic --count 3 --args levels=[1,2]", "three examples with their answers"),
)


def tasks(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="A task source; without it, all are listed.", show_default=False),
    ] = None,
    count: Annotated[int, typer.Option(min=1, help="How many examples.")] = 5,
    seed: Annotated[int, typer.Option(help="Seed of the source.")] = 0,
    args: Annotated[
        list[str] | None,
        typer.Option("--args", metavar="KEY=VALUE", help="An argument of the source; repeatable.", show_default=False),
    ] = None,
) -> None:
    """List the task sources, or show examples of one with the answers that its verifier accepts."""
    if name is None:
        _list_sources()
    else:
        _show_examples(name, count, seed, args or [])


def _list_sources() -> None:
    from tahr.data.catalog import describe
    from tahr.verifiers import builtin as builtin  # registers the sources that compose tasks for a verifier

    output = console()
    for source in describe():
        output.print(f"[bold]{escape(source.name)}[/bold]")
        output.print(f"  {source.summary}", markup=False)
        rows = [(f"  {entry.name}", entry.type, entry.default, entry.description) for entry in source.arguments]
        if rows:
            output.print(table("", ("  argument", "type", "default", "meaning"), rows))
        output.print()


def _show_examples(name: str, count: int, seed: int, args: list[str]) -> None:
    from tahr.core.construct import construct
    from tahr.core.protocols import task_sources
    from tahr.data import sources as sources  # registers tahr's own
    from tahr.recipe.arguments import parse_arguments
    from tahr.verifiers.build import build_verifiers  # registers the sources that compose tasks for a verifier

    given = parse_arguments(args, example="max_length=8")
    source = construct(task_sources.get(name), given, where=f"{name}.args")
    verifiers = build_verifiers({})
    output = console()
    drawn = source.generate(count, seed)
    for number, task in enumerate(drawn, start=1):
        gold = verifiers.get(task.verifier).gold(task)
        heading = f"[bold]{number}. {escape(task.domain)}[/bold]"
        output.print(f"{heading} [dim]{escape(f'{task.id}, judged by {task.verifier}')}[/dim]")
        for message in task.prompt:
            output.print(f"{message.role}: {message.content}", markup=False)
        if gold is None:
            output.print(f"answer: {task.answer!r} (no text that passes is known)\n", markup=False, style="dim")
            continue
        verdict = verifiers.verify(task, gold)
        output.print(f"gold: {gold}", markup=False, style="green")
        output.print(f"answer: {task.answer!r} ({verdict.outcome}: {verdict.note})\n", markup=False, style="dim")
    if len(drawn) < count:
        output.print(f"only {len(drawn)} of {count}: the source has no more different tasks", style="yellow")
