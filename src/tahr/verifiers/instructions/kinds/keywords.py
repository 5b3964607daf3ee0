"""Words that must, or must not, be used. A word is a word: "Leo" isn't found in "Leonard"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from tahr.verifiers.instructions.counts import compare
from tahr.verifiers.instructions.kind import Finding, Positive, Relation, Word, Words, instructions
from tahr.verifiers.instructions.response import Response
from tahr.verifiers.instructions.wording import listed, times


@instructions.register("keywords:existence")
@dataclass(frozen=True, slots=True, kw_only=True)
class Existence:
    """Every keyword or phrase stands in the response, in any case."""

    keywords: Words

    def kept(self, response: Response) -> Finding:
        """Whether all are there."""
        missing = [word for word in self.keywords if not response.count(word)]
        return Finding(not missing, f"without {listed(missing)}" if missing else "")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return f"Use the {'word' if len(self.keywords) == 1 else 'words'} {listed(self.keywords)}."


@instructions.register("keywords:forbidden_words")
@dataclass(frozen=True, slots=True, kw_only=True)
class ForbiddenWords:
    """None of the words or phrases stands in the response, in any case."""

    forbidden_words: Words

    def kept(self, response: Response) -> Finding:
        """Whether none is there."""
        found = [word for word in self.forbidden_words if response.count(word)]
        return Finding(not found, f"uses {listed(found)}" if found else "")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return f"Do not use the {'word' if len(self.forbidden_words) == 1 else 'words'} {listed(self.forbidden_words)}."


@instructions.register("keywords:frequency")
@dataclass(frozen=True, slots=True, kw_only=True)
class Frequency:
    """One keyword stands in the response at least, or less than, so many times, in any case."""

    keyword: Word
    frequency: Positive
    relation: Relation

    def kept(self, response: Response) -> Finding:
        """Whether it is there as often."""
        return compare(response.count(self.keyword), self.relation, self.frequency, "times")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return f'Use the word "{self.keyword}" {times(self.relation, self.frequency)}.'


@instructions.register("keywords:letter_frequency")
@dataclass(frozen=True, slots=True, kw_only=True)
class LetterFrequency:
    """One letter (or, as some prompts have it, one mark such as "#") at least, or less than, so many times."""

    letter: Annotated[str, Field(min_length=1, max_length=1, pattern=r"\S")]
    let_frequency: Positive
    let_relation: Relation

    def kept(self, response: Response) -> Finding:
        """Whether it is there as often, small and capital counted together."""
        count = response.text.casefold().count(self.letter.casefold())
        return compare(count, self.let_relation, self.let_frequency, "times")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return f"Let the letter {self.letter} appear {times(self.let_relation, self.let_frequency)}."
