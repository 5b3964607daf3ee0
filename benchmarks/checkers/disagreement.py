"""One disagreement, and what explains it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Right = Literal["ours", "theirs", "open"]
"""Who is right by the words of the instruction; "open" where its words allow both readings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """What two checkers say about one instruction and one response. `ours` None: not decidable.

    `theirs` is the reference's verdict, or "raises: ...". `mode` is "strict", or "loose" where only the loose verdicts
    differ. `note` is our reason.

    Example: ``Disagreement(name="punctuation:no_comma", args={}, origin="made", text="One、two", mode="strict",
    ours=False, theirs=True, note="1 commas")``
    """

    name: str
    args: Mapping[str, Any]
    origin: str
    text: str
    mode: Literal["strict", "loose"]
    ours: bool | None
    theirs: bool | str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """Why some disagreements about the instructions `names` exist, who is right, and which they are.

    Example: ``Cause(names=("punctuation:no_comma",), title="commas of other scripts", right="ours", why="...",
    applies=lambda found: not found.ours)``
    """

    names: tuple[str, ...]
    title: str
    right: Right
    why: str
    applies: Callable[[Disagreement], bool]


def stricter(found: Disagreement) -> bool:
    """Whether only we refuse the response."""
    return found.ours is False and found.theirs is True


def laxer(found: Disagreement) -> bool:
    """Whether only we accept it."""
    return found.ours is True and found.theirs is not True
