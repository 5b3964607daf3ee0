"""The table of a race, and the sentence that it comes to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tahr.evaluation.race import COSTS, Cost, Place, Race
from tahr.report.text import interval, number, score, signed, told_apart, visible_text

if TYPE_CHECKING:
    from rich.table import Table

UNITS: dict[Cost, str] = {"size": "MB of weights", "tokens": "tokens an attempt", "time": "seconds an attempt"}


_MANY = 100_000
"""Questions that nobody has: a difference so near the margin is never settled."""


def race_table(found: Race) -> Table:
    """One row an entry, the best first; a star marks what is on the frontier of that cost."""
    from rich.markup import escape
    from rich.table import Table
    from rich.text import Text

    part = visible_text(found.part, 40)
    shared, names = told_apart([place.name for place in found.places])
    of_whom = f" of {visible_text(shared, 90)}…" if shared else ""
    title = f"Race{of_whom} on {found.num_tasks} questions, within {found.margin:g} of the best"
    table = Table(title=Text(title, style="italic"), title_justify="left", header_style="dim")
    table.add_column("entry")
    for name in (escape(part), "95% interval", "less the best", "interval", "standing", *UNITS.values()):
        table.add_column(name, justify="left" if name == "standing" else "right")
    for place, name in zip(found.places, names, strict=True):
        of = place.difference
        table.add_row(
            escape(visible_text(name, 70)),
            score(place.score.mean),
            interval(place.score.low, place.score.high, sign=False),
            "–" if of is None else signed(of.difference),
            "–" if of is None else interval(of.low, of.high),
            standing_text(place, found.margin),
            *(cost_text(place, cost) + ("*" if cost in place.frontier else " ") for cost in COSTS),
        )
    left_out = f"; {found.num_left_out} questions that not all answered are left out" if found.num_left_out else ""
    table.caption = (
        f"intervals of differences hold together at {found.level:.0%}; * nothing scores as high for less{left_out}"
    )
    table.caption_justify = "left"
    return table


def cost_text(place: Place, cost: Cost) -> str:
    """A cost in the unit of its column; an en dash where it isn't known."""
    value = place.costs[cost]
    return number(value / 1e6 if value is not None and cost == "size" else value)


def standing_text(place: Place, margin: float) -> str:
    """A standing in words."""
    if place.standing != "undecided":
        return {"best": "the best", "within": f"within {margin:g}", "worse": f"worse by {margin:g}"}[place.standing]
    needed = place.num_to_settle
    return "undecided" if needed is None or needed > _MANY else f"undecided, takes about {number(needed)} questions"


def race_text(found: Race) -> str:
    """What the race shows, for people: the cheapest by each cost, and what stays open."""
    words: dict[Cost, str] = {"size": "smallest", "tokens": "one of fewest tokens", "time": "fastest"}
    winners = [f"the {words[cost]} is {name}" for cost, name in found.cheapest.items()]
    shown = "; ".join(winners) or "no cost is known of all that are within it"
    unknown = [words[cost] for cost in COSTS if cost not in found.cheapest] if winners else []
    text = f"Within {found.margin:g} of {found.places[0].name} in {found.part}: {shown}."
    if unknown:
        text += f" Not all costs are known: no {' and no '.join(unknown)}."
    open_ones = [place.name for place in found.places if place.standing == "undecided"]
    if open_ones:
        text += f" Undecided on these {found.num_tasks} questions: {', '.join(open_ones)}."
    return visible_text(text)
