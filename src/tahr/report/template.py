"""Where the pages' templates are, and how what they print becomes markup that can't harm and can be read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from tahr.report import text

if TYPE_CHECKING:
    from jinja2 import Environment

FOLDER = Path(__file__).parent
_MAX_CHARACTERS_OF_A_FILE = 200_000


def environment() -> Environment:
    """The templates: whatever they print is escaped and made readable."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    built = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        finalize=_readable,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    built.filters.update(_FILTERS)
    return built


def style(*names: str) -> str:
    """The content of style sheets, one after the other."""
    return "\n".join((FOLDER / name).read_text() for name in names)


def whole(content: str) -> str:
    """Markup of a text that is shown in full, up to a bound that no sensible file reaches."""
    return shown(content, _MAX_CHARACTERS_OF_A_FILE)


def shown(content: str, max_characters: int) -> str:
    """Markup of a text of which at most `max_characters` are shown, its beginning and its end."""
    from markupsafe import escape

    return escape(text.visible_text(content, max_characters))


def whisker(low: float, middle: float, high: float, bounds: tuple[float, float]) -> dict[str, float]:
    """Positions of an interval and its middle inside `bounds`, in percent."""
    start, end = bounds
    span = (end - start) or 1.0

    def place(value: float) -> float:
        return round(100 * (min(max(value, start), end) - start) / span, 2)

    return {"low": place(low), "middle": place(middle), "high": place(high), "zero": place(0.0)}


def _readable(value: object) -> object:
    """What the template prints: any text that is not markup yet, with hidden characters shown and a bounded length."""
    return text.visible_text(value) if type(value) is str else value


_FILTERS: Mapping[str, Callable[..., str]] = {
    one.__name__: one
    for one in (text.number, text.score, text.signed, text.duration, text.token_count, text.p_text, whole, shown)
}
