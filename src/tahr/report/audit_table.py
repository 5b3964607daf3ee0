"""An audit in the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from tahr.evaluation.audit.findings import Audit, Example, Floor, Group, Pairs, Rate, Timing
from tahr.report.text import visible_text

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

Cells = Sequence[str]

MAX_NOTE = 400
"""Characters of a reason that are shown."""

MAX_MISTAKES = 20
"""Labelled answers that were judged wrong and are shown; all of them are in the JSON and on the page."""


MAX_PASSED = 10
"""Spoilt and hostile texts that passed and are shown."""


def audit_tables(audit: Audit) -> Iterator[Table | Text]:
    """Tables and lines, in the order in which they are read."""
    from rich.text import Text

    yield Text(f"audit of {audit.verifier}", style="bold")
    yield Text(f"{audit.num_tasks} tasks; {'; '.join(audit.sources)}", style="dim")
    yield from section(
        "verdicts that are known beforehand",
        ("answers", "judged so", "of", "share", "95% interval"),
        [
            ("the tasks' own answers: pass", *_rate(audit.gold)),
            *(_group_row("right, ", ": pass", group) for group in audit.rephrased),
            *(_group_row("wrong, ", ": fail", group) for group in audit.spoilt),
            _group_row("", "", audit.hostile),
        ],
    )
    passed = [one for group in (*audit.spoilt, audit.hostile) for one in group.examples]
    if passed:
        yield Text("")
        yield _examples(passed[:MAX_PASSED])
    yield from section(
        "floors: what an answer that does nothing is worth",
        ("answer", "mean reward", "95% interval", "correct", "of", "share", "95% interval "),
        [_floor(floor) for floor in audit.floors],
    )
    if audit.pairs is not None:
        yield from _pairs(audit.pairs)
    yield from section(
        "outcomes of all checks", tuple(audit.outcomes), [[f"{count:,}" for count in audit.outcomes.values()]]
    )
    yield from _timing(audit.timing)
    yield from _conclusion(audit)


def rate_cells(rate: Rate) -> tuple[str, str]:
    """A share and its interval in words."""
    if rate.share is None:
        return "–", "–"
    low, high = rate.interval
    return f"{rate.share:.1%}", f"{low:.1%} to {high:.1%}"


def seconds_text(seconds: float) -> str:
    """A short time for people.

    >>> seconds_text(4.2e-05), seconds_text(0.0123), seconds_text(2.5)
    ('42 µs', '12.3 ms', '2.50 s')
    """
    if seconds < 1e-3:
        return f"{seconds * 1e6:.0f} µs"
    return f"{seconds * 1e3:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


def shown_text(text: str, width: int = 60) -> str:
    """A text in one line, hidden characters shown, its middle left out where it is long."""
    line = visible_text(" ".join(text.split("\n")), 4 * width)
    return line if len(line) <= width else f"{line[: width - 16]} ... {line[-10:]}"


def floor_name(floor: Floor) -> str:
    """The policy, with its text where that is not clear from the name."""
    return f"{floor.policy}: {shown_text(floor.text, 30)}" if floor.policy == "best constant" else floor.policy


def section(title: str, columns: Cells, rows: Iterable[Cells]) -> Iterator[Table | Text]:
    """An empty line and a table; every column but the first is of numbers."""
    from rich.table import Table
    from rich.text import Text

    yield Text("")
    built = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for index, column in enumerate(columns):
        built.add_column(column.strip(), justify="left" if index == 0 else "right", overflow="fold")
    for row in rows:
        built.add_row(*map(Text, row))
    yield built


def _rate(rate: Rate) -> Cells:
    return (str(rate.count), str(rate.total), *rate_cells(rate))


def _group_row(before: str, after: str, group: Group) -> Cells:
    return (f"{before}{group.name}{after}", *_rate(group.agreed))


def _floor(floor: Floor) -> Cells:
    reward = floor.reward
    mean = ("–", "–") if reward is None else (f"{reward.mean:.3f}", f"{reward.low:.3f} to {reward.high:.3f}")
    return (floor_name(floor), *mean, *_rate(floor.passes))


def _pairs(pairs: Pairs) -> Iterator[Table | Text]:
    from rich.text import Text

    yield from section(
        "answers that people have labelled",
        ("error", "count", "of", "rate", "95% interval"),
        [
            ("false positives: wrong answers that pass", *_rate(pairs.false_positives)),
            ("false negatives: right answers that don't", *_rate(pairs.false_negatives)),
        ],
    )
    if pairs.num_unjudged:
        yield Text(f"{pairs.num_unjudged} without a verdict are in neither", style="yellow")
    if pairs.examples:
        yield Text("")
        yield _examples(pairs.examples[:MAX_MISTAKES])
    if len(pairs.examples) > MAX_MISTAKES:
        yield Text(f"and {len(pairs.examples) - MAX_MISTAKES} more (--json or --html shows all)", style="dim")


def _examples(examples: Sequence[Example]) -> Text:
    """Two lines for each: what was judged, and why. Lines wrap, so that the reason is whole on any terminal."""
    from rich.text import Text

    lines = [Text("judged: text (right answer; kind), and because", style="bold")]
    for one in examples:
        right = f"right: {shown_text(one.answer, 40)}; " if one.answer else ""
        lines.append(Text(f"{one.outcome}: {shown_text(one.text)} ({right}{one.label})"))
        lines.append(Text(f"    {shown_text(one.note, MAX_NOTE)}", style="dim"))
    return Text("\n").join(lines)


def _timing(timing: Timing) -> Iterator[Table | Text]:
    from rich.text import Text

    times = f"median {seconds_text(timing.median)}, 99th percentile {seconds_text(timing.ninety_ninth)}"
    slowest = f"slowest {seconds_text(timing.slowest_seconds)}: {shown_text(timing.slowest.text)}"
    hostile = f"{seconds_text(timing.slowest_hostile_seconds)}: {timing.slowest_hostile}"
    yield Text("")
    yield Text(f"{timing.rate:,.0f} checks/s in one process over {timing.num_checks:,} checks; {times}")
    yield Text(f"{slowest}; slowest hostile text {hostile}")


def _conclusion(audit: Audit) -> Iterator[Table | Text]:
    from rich.text import Text

    shown = {
        "it refuses": audit.refused_golds,
        "it failed": audit.errors,
        "it changed": audit.changed,
    }
    yield Text("")
    if audit.is_sound:
        again = f"says the same twice ({audit.repeated.total:,} texts)"
        yield Text(f"sound: passes its own answers, never fails by itself, {again}", style="bold green")
        yield Text("(how often it errs on labelled answers stands above, and is not part of this)")
    for fault in audit.faults:
        yield Text(f"broken: {fault}", style="bold red")
        examples = next((found for start, found in shown.items() if fault.startswith(start)), ())
        if examples:
            yield _examples(examples)
