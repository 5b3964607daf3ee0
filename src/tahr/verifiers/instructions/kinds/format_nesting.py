"""IFBench, format: nested brackets, nested quotes, and quotes that are explained."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from tahr.verifiers.instructions.kind import Finding, instructions
from tahr.verifiers.instructions.markdown import without_code
from tahr.verifiers.instructions.response import Response, words_of

_CLOSES = {")": "(", "]": "[", "}": "{"}
LEVELS_OF_BRACKETS, LEVELS_OF_QUOTES = 5, 3


@dataclass(slots=True)
class _Open:
    """An open mark: the levels that are complete inside it, and whether it has text of its own."""

    kind: str
    levels: int = 0
    has_text: bool = False


class _Nest:
    """Open marks, outermost first, and the deepest nest that was closed."""

    def __init__(self) -> None:
        self.deepest = 0
        self._open: list[_Open] = []
        self._kinds: Counter[str] = Counter()

    def top(self) -> str:
        return self._open[-1].kind if self._open else ""

    def holds(self, kind: str) -> bool:
        return self._kinds[kind] > 0

    def text(self) -> None:
        if self._open:
            self._open[-1].has_text = True

    def open(self, kind: str) -> None:
        self._open.append(_Open(kind))
        self._kinds[kind] += 1

    def close(self, kind: str, *, all_have_text: bool) -> None:
        """Complete the innermost `kind`; marks left open inside it were no nesting."""
        inside = 0
        while True:
            last = self._open.pop()
            self._kinds[last.kind] -= 1
            inside = max(inside, last.levels)
            if last.kind == kind:
                break
        complete = inside + 1 if last.has_text or (inside and not all_have_text) else 0
        self.deepest = max(self.deepest, complete)
        if self._open:
            self._open[-1].levels = max(self._open[-1].levels, complete)


def bracket_depth(text: str) -> int:
    """Levels of the deepest nest of closed ``()``, ``[]`` and ``{}`` around some text; stray closing marks ("a)", ":)")
    are passed over.
    """
    nest = _Nest()
    for mark in text:
        if mark in "([{":
            nest.open(mark)
        elif mark in _CLOSES:
            if nest.holds(_CLOSES[mark]):
                nest.close(_CLOSES[mark], all_have_text=False)
        elif mark.isalnum():
            nest.text()
    return nest.deepest


def quote_depth(text: str) -> int:
    """Levels of the deepest nest of closed quotes of alternating kinds (``"`` and ``'``), each with text of its own.

    An apostrophe inside a word is no quote.
    """
    nest = _Nest()
    for index, mark in enumerate(text):
        if mark not in "\"'":
            if mark.isalnum():
                nest.text()
            continue
        before = text[index - 1] if index else " "
        after = text[index + 1] if index + 1 < len(text) else " "
        if mark == "'" and before.isalnum() and after.isalnum():
            continue
        ends = not before.isspace()
        if ends and nest.top() == mark:
            nest.close(mark, all_have_text=True)
        elif not after.isspace() and not before.isalnum() and nest.top() != mark:
            nest.open(mark)
        elif ends and nest.holds(mark):
            nest.close(mark, all_have_text=True)
    return nest.deepest


@instructions.register("format:parentheses")
@dataclass(frozen=True, slots=True, kw_only=True)
class Parentheses:
    """Parentheses, brackets or braces, each closed by its own kind, nested at least five deep around some text.

    The reference checker is satisfied once the innermost is closed, and begins anew at every stray closing mark.
    """

    def kept(self, response: Response) -> Finding:
        """Whether they are as deep."""
        depth = bracket_depth(response.text)
        return Finding(depth >= LEVELS_OF_BRACKETS, f"{depth} levels")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return "Nest parentheses, [brackets] and {braces} at least five levels deep."


@instructions.register("format:quotes")
@dataclass(frozen=True, slots=True, kw_only=True)
class Quotes:
    """Quotes in quotes in quotes: at least three levels, double and single in turn, each with words of its own.

    The reference checker takes apostrophes ("don't") for quotes.
    """

    def kept(self, response: Response) -> Finding:
        """Whether they are as deep."""
        depth = quote_depth(response.text)
        return Finding(depth >= LEVELS_OF_QUOTES, f"{depth} levels")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return "Nest quotes at least three levels deep, with double and single quotation marks in turn."


@instructions.register("format:quote_unquote")
@dataclass(frozen=True, slots=True, kw_only=True)
class QuoteUnquote:
    """At least one phrase in double quotes, and behind each, before the next and the end, three words without quotes.

    Code is left out. The reference checker passes a text without quotes, and one mark or letter as an explanation.
    """

    def kept(self, response: Response) -> Finding:
        """Whether each quote is explained."""
        text = without_code(response.text).replace("\u00ab", '"').replace("\u00bb", '"')
        pieces = text.split('"')
        if len(pieces) < 3:
            return Finding(False, "no quoted phrase")
        if len(pieces) % 2 == 0:
            return Finding(False, "a quotation mark that is not closed")
        bare = next((i for i in range(2, len(pieces), 2) if len(words_of(pieces[i])) < 3), None)
        return Finding(bare is None, f'no explanation behind "{pieces[bare - 1][:40]}"' if bare else "")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return "Quote at least one phrase, and explain each phrase that you quote right behind it, outside the quotes."
