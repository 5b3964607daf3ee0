"""Training kinds: marks that must not be used, and counts of letters and of words in lowercase."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from tahr.verifiers.instructions.counts import compare
from tahr.verifiers.instructions.kind import Count, Finding, Positive, Relation, instructions
from tahr.verifiers.instructions.response import Response
from tahr.verifiers.instructions.wording import counted, times

DOTS = ".\u2024\u2025\u2026\u3002\ufe52\uff0e\uff61"
"""Full stops, leaders and ellipses of every script."""

EXCLAMATIONS = "!\u00a1\u203c\u2048\u2049\u2755\u2757\ufe57\uff01"
"""Exclamation marks: plain, inverted, doubled, full-width, small and as emoji."""


def _without(response: Response, marks: str, name: str) -> Finding:
    found = sum(map(response.text.count, marks))
    if found:
        return Finding(False, f"{found} {name}")
    return Finding(bool(response.words), "" if response.words else "no words")


@instructions.register("punctuation:punctuation_dot")
@dataclass(frozen=True, slots=True, kw_only=True)
class NoDot:
    """Words without a full stop or an ellipsis of any script, in numbers and names neither."""

    def kept(self, response: Response) -> Finding:
        """Whether there is none."""
        return _without(response, DOTS, "dots")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return "Do not use any dots, neither as full stops nor anywhere else."


@instructions.register("punctuation:punctuation_exclamation")
@dataclass(frozen=True, slots=True, kw_only=True)
class NoExclamation:
    """Words without an exclamation mark of any script."""

    def kept(self, response: Response) -> Finding:
        """Whether there is none."""
        return _without(response, EXCLAMATIONS, "exclamation marks")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return "Do not use any exclamation marks."


@instructions.register("count:lowercase_counting")
@dataclass(frozen=True, slots=True, kw_only=True)
class FewLowercaseWords:
    """Words, of which at most `N` have letters in lowercase only; "don't" is one word."""

    N: Count

    def kept(self, response: Response) -> Finding:
        """Whether there are few enough in a text that has words."""
        found = sum(map(str.islower, response.words))
        if found > self.N:
            return Finding(False, f"{found} words in lowercase")
        return Finding(bool(response.words), "" if response.words else "no words")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return f"Use at most {self.N} words that are all in lowercase."


@instructions.register("letters:letter_counting")
@dataclass(frozen=True, slots=True, kw_only=True)
class LetterTotal:
    """At least, or less than, `N` letters of any script; digits, marks and spaces don't count."""

    admits: ClassVar[frozenset[str]] = frozenset({"short"})
    N: Positive
    relation: Relation

    def kept(self, response: Response) -> Finding:
        """Whether the count is right in a text that has words."""
        if not response.words:
            return Finding(False, "no words")
        return compare(sum(map(str.isalpha, response.text)), self.relation, self.N, "letters")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return f"Answer with {counted(self.relation, self.N, 'letter')}."


@instructions.register("letters:letter_counting2")
@dataclass(frozen=True, slots=True, kw_only=True)
class LetterCount:
    """The letter, small or capital, at least, or less than, `let_frequency` times."""

    letter: Annotated[str, Field(min_length=1, max_length=1, pattern=r"\S")]
    let_frequency: Positive
    let_relation: Relation

    def kept(self, response: Response) -> Finding:
        """Whether the count is right in a text that has words."""
        if not response.words:
            return Finding(False, "no words")
        count = response.text.casefold().count(self.letter.casefold())
        return compare(count, self.let_relation, self.let_frequency, "times")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return f'Use the letter "{self.letter}" {times(self.let_relation, self.let_frequency)}.'
