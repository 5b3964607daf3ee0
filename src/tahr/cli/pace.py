"""How far a file of rows is: a bar in a terminal, a line now and then elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from tahr.cli.console import count_text, time_text

if TYPE_CHECKING:
    from tahr.evaluation.bulk.verify import Progress as RowProgress

LINE_SECONDS = 10.0
"""Between two lines where standard error is no terminal."""


FAULTY_ROWS = 20
"""Rows after which it is said that none has a reward, where all have the same fault."""


class RowPace:
    """Rows a second and the time left, which follows the bytes of the file."""

    def __init__(self, output: Console, bar: Progress | None) -> None:
        self._output, self._bar = output, bar
        self._task = bar.add_task("", total=1.0) if bar else None
        self._begun = self._shown = monotonic()
        self._first_byte: int | None = None
        self._num_new = 0
        self._has_warned = False

    def show(self, progress: RowProgress) -> None:
        """Take note of how far the work is, and show it."""
        now = monotonic()
        self._num_new = progress.num_new
        if progress.fault and progress.num_rows >= FAULTY_ROWS and not self._has_warned:
            self._has_warned = True
            self._output.print(
                f"none of the first {progress.num_rows:,} rows has a reward: {progress.fault}", markup=False
            )
        if self._first_byte is None:  # what an earlier call did is no measure of this one's pace
            self._first_byte = progress.done_bytes
        done = progress.done_bytes - self._first_byte
        left = progress.total_bytes - progress.done_bytes
        ahead = f", {time_text(left * (now - self._begun) / done)} left" if done and left > 0 else ""
        text = f"{progress.num_rows:,} rows, {count_text(self._rate(now))} rows/s{ahead}"
        if self._bar is not None and self._task is not None:
            share = progress.done_bytes / max(progress.total_bytes, 1)
            self._bar.update(self._task, completed=share, description=text)
        elif now - self._shown >= LINE_SECONDS:
            self._shown = now
            self._output.print(text, markup=False, highlight=False)

    @property
    def summary(self) -> str:
        """What this call did, in words."""
        seconds = monotonic() - self._begun
        return f"{self._num_new:,} rows judged in {time_text(seconds)}, {count_text(self._rate(monotonic()))} rows/s"

    def _rate(self, now: float) -> float:
        return self._num_new / max(now - self._begun, 1e-9)


@contextmanager
def watch_rows() -> Generator[RowPace]:
    """A pace on standard error, so that standard output holds the result alone."""
    output = Console(stderr=True)
    if not output.is_terminal:
        yield RowPace(output, None)
        return
    with Progress(BarColumn(40), TextColumn("{task.description}"), console=output, transient=True) as bar:
        yield RowPace(output, bar)


@contextmanager
def watch_checks() -> Generator[Callable[[int, int], None]]:
    """A bar on standard error for checks made and checks in all; nothing where it is no terminal."""
    output = Console(stderr=True)
    if not output.is_terminal:
        yield lambda _done, _total: None
        return
    with Progress(
        BarColumn(40), TextColumn("{task.completed:,.0f} of {task.total:,.0f} checks"), console=output, transient=True
    ) as bar:
        task = bar.add_task("")
        yield lambda done, total: bar.update(task, completed=done, total=total)
