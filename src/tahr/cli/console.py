"""How numbers and tables look in the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

WIDTH = 160
"""Columns where standard output is a file or a pipe, which has no width of its own."""


def console() -> Console:
    """Standard output; without colours and at a fixed width where it is not a terminal."""
    output = Console(highlight=False)
    if not output.is_terminal:
        output.width = WIDTH
    return output


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], *, right: Sequence[str] = ()) -> Table:
    """A plain table; the columns named in `right` are aligned to the right."""
    built = Table(title=title or None, title_justify="left", box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for column in columns:
        built.add_column(column, justify="right" if column in right else "left", overflow="fold")
    for row in rows:
        built.add_row(*map(Text, row))
    return built


def bytes_text(size: float) -> str:
    """Bytes for people.

    >>> bytes_text(5_400_000_000), bytes_text(1500)
    ('5.4 GB', '1.5 kB')
    """
    for limit, unit in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size >= limit:
            return f"{size / limit:.1f} {unit}"
    return f"{size:.0f} B"


def count_text(count: float) -> str:
    """A count for people.

    >>> count_text(134_515_008), count_text(24_576), count_text(3.1e13)
    ('134.5 M', '24.6 k', '31.0 T')
    """
    for limit, unit in ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if count >= limit:
            return f"{count / limit:.1f} {unit}"
    return f"{count:.0f}"


def time_text(seconds: float) -> str:
    """A duration for people.

    >>> time_text(42.4), time_text(200), time_text(8000)
    ('42 s', '3 min 20 s', '2 h 13 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
