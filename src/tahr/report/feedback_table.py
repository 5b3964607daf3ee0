"""What an experiment with two sources of labels found, for the terminal and for a file."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from tahr.evaluation.statistics import Difference
from tahr.report.text import interval, score, signed, visible_text

if TYPE_CHECKING:
    from rich.table import Table


def feedback_table(
    sources: tuple[str, str], gains: Mapping[str, Mapping[str, Difference]], between: Mapping[str, Difference]
) -> Table:
    """Each source's gain on the held-out tasks by reward part, and the difference of the two models."""
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text("What each source taught", style="italic"), title_justify="left", header_style="dim")
    for name in ("measure", "trained on"):
        table.add_column(name)
    for name in ("before", "after", "difference", "95% interval", "tasks"):
        table.add_column(name, justify="right")
    for part in between:
        for name in sources:
            if part in gains[name]:
                one = gains[name][part]
                table.add_row(part, Text(visible_text(name, 60)), score(one.before.mean), *_cells(one))
        one = between[part]
        label = Text(visible_text(f"{sources[1]} − {sources[0]}", 80), style="bold")
        table.add_row(part, label, "", "", *_cells(one)[1:], end_section=True)
    table.caption = (
        "paired by task, 95% t intervals over tasks; one run a source, so that the chance of training itself "
        "(its seed) is not in the intervals"
    )
    table.caption_justify = "left"
    return table


def plain_values(value: Any) -> Any:
    """A result as JSON values: dataclasses as objects, paths as text, what is not finite as null."""
    if is_dataclass(value) and not isinstance(value, type):
        return plain_values(asdict(value))
    if isinstance(value, Mapping):
        return {str(key): plain_values(one) for key, one in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, tuple | list):
        return [plain_values(one) for one in cast("list[Any]", value)]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return str(value) if isinstance(value, Path) else value


def _cells(one: Difference) -> tuple[str, str, str, str]:
    return score(one.after.mean), signed(one.difference), interval(one.low, one.high), str(one.num_tasks)
