"""IFBench, format: bullets, sub-bullets, other marks than bullets, and stairs of lines."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated

import regex
from pydantic import Field

from tahr.verifiers.instructions.kind import Finding, instructions
from tahr.verifiers.instructions.letters import compounds
from tahr.verifiers.instructions.markdown import unfenced
from tahr.verifiers.instructions.marks import closing_marks
from tahr.verifiers.instructions.response import Response
from tahr.verifiers.instructions.sentences import split_sentences

_BULLET = regex.compile(r"[ \t]*([*+\-\u2022])[ \t]+(?=.*[\p{L}\p{N}])")
_NUMBERED = regex.compile(r"[ \t]*\d{1,3}[.)][ \t]")


def _bullet(line: str) -> str:
    """The mark of a line that is a list item with something in it, else ""; ``**bold**`` is none."""
    match = _BULLET.match(line)
    return match[1] if match else ""


@instructions.register("format:list")
@dataclass(frozen=True, slots=True, kw_only=True)
class SeparatorList:
    """At least two lines that `sep` opens, each with something behind it, and no line that another list mark opens.

    The reference checker counts `sep` wherever it stands, so that two hyphens inside words are a list.
    """

    sep: Annotated[str, Field(min_length=1, max_length=50, pattern=r"^\S(?:.*\S)?$")]

    def kept(self, response: Response) -> Finding:
        """Whether the list has items and no bullets."""
        lines = [line.strip() for line in response.lines]
        items = [line for line in lines if line.startswith(self.sep) and compounds(line.removeprefix(self.sep))]
        if len(items) < 2:
            return Finding(False, f"{len(items)} items behind {self.sep!r}")
        others = [line for line in lines if not line.startswith(self.sep) and (_bullet(line) or _NUMBERED.match(line))]
        return Finding(not others, f"another list mark: {others[0][:40]!r}" if others else "")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return f"Answer with a list whose items begin with {self.sep} instead of a bullet, each on a line of its own."


@instructions.register("format:sub-bullets")
@dataclass(frozen=True, slots=True, kw_only=True)
class SubBullets:
    """At least two bullets ("* ..."), and behind each, before the next, at least one sub-bullet ("- ...").

    The reference checker passes a text without bullets, and any hyphen behind any asterisk.
    """

    def kept(self, response: Response) -> Finding:
        """Whether there are bullets and each has sub-bullets."""
        groups: list[int] = []
        for mark in map(_bullet, response.lines):
            if mark == "*":
                groups.append(0)
            elif mark == "-" and groups:
                groups[-1] += 1
        if len(groups) < 2:
            return Finding(False, f"{len(groups)} bullets, fewer than two")
        return Finding(all(groups), "" if all(groups) else f"bullet {groups.index(0) + 1} has no sub-bullet")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return "Use at least two bullet points that * opens, each with at least one sub-bullet that - opens below it."


@instructions.register("format:no_bullets_bullets")
@dataclass(frozen=True, slots=True, kw_only=True)
class SentencesThenBullets:
    """At least two sentences that end in a full stop, and behind them at least two bullets ("* ...").

    The reference checker counts sentences however they end, takes bold lines for bullets, and refuses a text that goes
    on behind the bullets.
    """

    def kept(self, response: Response) -> Finding:
        """Whether the sentences come before the bullets."""
        bullets = [index for index, line in enumerate(response.lines) if _bullet(line) == "*"]
        if len(bullets) < 2:
            return Finding(False, f"{len(bullets)} bullets, fewer than two")
        before = "\n".join(line for line in response.lines[: bullets[-2]] if not _bullet(line))
        stops = [part for part in split_sentences(before) if compounds(part) and "." in closing_marks(part)]
        return Finding(len(stops) >= 2, "" if len(stops) >= 2 else f"{len(stops)} sentences before the bullets")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return "Write at least two sentences that end in a full stop, then at least two bullet points that * opens."


@instructions.register("format:line_indent")
@dataclass(frozen=True, slots=True, kw_only=True)
class LineIndent:
    """At least two lines with words, each indented farther than the one before; a tab is four spaces.

    Blank lines, and the fence of a code block around the whole, are no lines. The reference checker passes one line.
    """

    def kept(self, response: Response) -> Finding:
        """Whether the indents grow."""
        lines = [line.expandtabs(4) for line in unfenced(response.text).split("\n") if compounds(line)]
        if len(lines) < 2:
            return Finding(False, "fewer than two lines")
        indents = [len(line) - len(line.lstrip()) for line in lines]
        wrong = next((pair for pair in pairwise(indents) if pair[1] <= pair[0]), None)
        return Finding(wrong is None, f"indents of {wrong[0]}, then {wrong[1]}" if wrong else "")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return "Indent each line farther than the one before it, like stairs."


@instructions.register("format:newline")
@dataclass(frozen=True, slots=True, kw_only=True)
class Newline:
    """At least two words, each on a line of its own; "well-known" and "don't" are one word each.

    The reference checker passes a single word.
    """

    def kept(self, response: Response) -> Finding:
        """Whether no line has two words."""
        lines = [words for line in response.lines if (words := compounds(line))]
        if len(lines) < 2:
            return Finding(False, "fewer than two lines")
        crowded = next((words for words in lines if len(words) > 1), None)
        return Finding(crowded is None, f"{crowded[0]!r} and {crowded[1]!r} share a line" if crowded else "")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return "Put every word on a line of its own."
