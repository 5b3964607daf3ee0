"""Numbers and model output made fit for people to read."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence

_MAX_CHARACTERS = 1600
_NAME_CHARACTERS = 120

NO_ENDS = "not known"
"""What stands for an interval of which no end is known."""

# What a page must not hold as it stands: control characters other than tab and newline, and the characters that
# reorder a line or hide in it (Unicode's bidirectional controls, zero-width spaces, noncharacters).
_INVISIBLE = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufffe\uffff]"
)

_LEAST_SHARED = 12  # characters that are worth being said once


def visible_text(text: str, max_characters: int = _MAX_CHARACTERS) -> str:
    """Model output with hidden characters shown as ``\\u202e`` and so on, and the middle of a long text left out.

    What may have `_NAME_CHARACTERS` at most is a name, and stays on its line.
    """
    if len(text) > max_characters:
        half = max_characters // 2
        left_out = (
            "…" if max_characters <= _NAME_CHARACTERS else f"\n[ {len(text) - 2 * half:,} characters left out ]\n"
        )
        text = f"{text[:half]}{left_out}{text[-half:]}"
    text = text.encode("utf-8", "replace").decode("utf-8")
    return _INVISIBLE.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


def told_apart(names: Sequence[str]) -> tuple[str, list[str]]:
    """What all names begin with, up to a hyphen or a slash, and each name without it: in a narrow table only the rest
    tells them apart. Nothing is taken off where little would be.

    >>> told_apart(["eval-sums-tiny-20260105-1000", "eval-sums-tiny-20260105-1100"])
    ('eval-sums-tiny-20260105-', ['…1000', '…1100'])
    """
    first, last = min(names, default=""), max(names, default="")  # what these two share, all do
    differing = (place for place, (one, other) in enumerate(zip(first, last, strict=False)) if one != other)
    shared = first[: next(differing, 0)]
    cut = 1 + max(shared.rfind("-"), shared.rfind("/"))
    if cut < _LEAST_SHARED:
        return "", list(names)
    return shared[:cut], [f"…{name[cut:]}" for name in names]


def number(value: float | None, digits: int = 3) -> str:
    """A value to about `digits` significant digits: ``0.0123``, ``12,345``, ``1.2e-06``; an en dash for None."""
    if value is None:
        return "–"
    if not math.isfinite(value):
        return {math.inf: "∞", -math.inf: "−∞"}.get(value, "not a number")
    size = abs(value)
    if size >= 1000:
        text = f"{value:,.0f}"
    elif size >= 100 or value == int(value):
        text = f"{value:.0f}"
    elif size >= 1e-3:
        text = f"{value:.{max(0, digits - 1 - math.floor(math.log10(size)))}f}"
    else:
        text = f"{value:.1e}"
    return text.replace("-", "−", 1) if text.startswith("-") else text


def score(value: float) -> str:
    """A score to three places, ``0.420``."""
    return f"{value:.3f}" if math.isfinite(value) else number(value)


def signed(value: float) -> str:
    """A difference to three places with its sign, ``+0.210`` or ``−0.032``."""
    if not math.isfinite(value):
        return number(value)
    return f"{value:+.3f}".replace("-", "−")


def interval(low: float, high: float, *, sign: bool = True) -> str:
    """``+0.150 to +0.270``; an end that isn't known is left out."""
    return reach(low, high, signed if sign else score)


def reach(low: float, high: float, form: Callable[[float], str]) -> str:
    """``4.5 to 61``, ``at least 4.5``, ``at most 61``, or ``not known``: an infinite end is bounded by nothing."""
    known = (math.isfinite(low), math.isfinite(high))
    if known == (True, True):
        return f"{form(low)} to {form(high)}"
    return f"at least {form(low)}" if known[0] else f"at most {form(high)}" if known[1] else NO_ENDS


def p_text(p: float) -> str:
    """A p-value to two significant digits, ``0.031``; tiny ones as ``<0.0001``."""
    return "<0.0001" if p < 1e-4 else f"{p:.4f}" if p < 0.01 else f"{p:.3f}" if p < 0.1 else f"{p:.2f}"


def token_count(count: int | None) -> str:
    """``12 tokens``, ``1 token``, ``– tokens`` where nobody counted them."""
    return "1 token" if count == 1 else f"{'–' if count is None else count} tokens"


def duration(seconds: float) -> str:
    """``48 s``, ``9 min 32 s``, ``3 h 05 min``."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
