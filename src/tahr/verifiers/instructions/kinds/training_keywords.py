"""Training kinds: how often words stand in a response, and what kinds of words."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Any, cast

import regex
from pydantic import AfterValidator, BeforeValidator

from tahr.verifiers.instructions.counts import compare, exactly
from tahr.verifiers.instructions.kind import Finding, Positive, Relation, Word, instructions
from tahr.verifiers.instructions.response import Response, words_of
from tahr.verifiers.instructions.wording import times

_QUOTED = regex.compile(r'"([^"\n]{3,400})"')
_NOT_LETTER = regex.compile(r"[^\p{L}]+")
_A, _Z = ord("a"), ord("z")


def _only_one(value: Any) -> Any:
    """The item of a list of one: some data sets wrap a keyword so."""
    items = cast("list[Any]", value) if isinstance(value, list | tuple) else [value]
    return items[0] if len(items) == 1 else value


def _with_words(value: str) -> str:
    if not words_of(value):
        raise ValueError("a keyword needs a letter or a digit")
    return value


Keyword = Annotated[Word, BeforeValidator(_only_one), AfterValidator(_with_words)]
"""A word or a few in a row; a list of one counts as its item."""


@instructions.register("keywords:word_once")
@dataclass(frozen=True, slots=True, kw_only=True)
class WordOnce:
    """The keyword exactly once, in any case, on word boundaries."""

    keyword: Keyword

    def kept(self, response: Response) -> Finding:
        """Whether it is there once."""
        return exactly(response.count(self.keyword), 1, "times")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return f'Use the word "{self.keyword}" exactly once.'


@instructions.register("keywords:word_count_different_numbers")
@dataclass(frozen=True, slots=True, kw_only=True)
class WordCount:
    """The keyword at least, or less than, `frequency` times, in any case, on word boundaries."""

    keyword: Keyword
    frequency: Positive
    relation: Relation

    def kept(self, response: Response) -> Finding:
        """Whether its count is right in a text that has words."""
        if not response.words:
            return Finding(False, "no words")
        return compare(response.count(self.keyword), self.relation, self.frequency, "times")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return f'Use the word "{self.keyword}" {times(self.relation, self.frequency)}.'


@instructions.register("keywords:exclude_word_harder")
@dataclass(frozen=True, slots=True, kw_only=True)
class ExcludeWord:
    """The keyword, which the request itself uses, nowhere; in any case, on word boundaries.

    `instruction`, where it is given, is the request that the keyword was taken from. Raises ValueError where it isn't
    in there.
    """

    keyword: Keyword
    instruction: str | None = None

    def __post_init__(self) -> None:
        if self.instruction and not Response(self.instruction).count(self.keyword):
            raise ValueError(f"the keyword {self.keyword!r} doesn't stand in the instruction that it is taken from")

    def kept(self, response: Response) -> Finding:
        """Whether it is absent from a text that has words."""
        found = response.count(self.keyword)
        return Finding(bool(response.words) and not found, f"{self.keyword!r} {found} times" if found else "")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return f'Do not use the word "{self.keyword}".'


@instructions.register("count:count_increment_word")
@dataclass(frozen=True, slots=True, kw_only=True)
class IncrementingWords:
    """The first keyword exactly once and the second exactly twice, in any case, on word boundaries.

    Raises ValueError where each use of the second uses the first too.
    """

    keyword1: Keyword
    keyword2: Keyword

    def __post_init__(self) -> None:
        if Response(self.keyword2).count(self.keyword1):
            raise ValueError(f"{self.keyword2!r} twice means {self.keyword1!r} twice as well")

    def kept(self, response: Response) -> Finding:
        """Whether both counts are right."""
        once, twice = response.count(self.keyword1), response.count(self.keyword2)
        kept = (once, twice) == (1, 2)
        return Finding(kept, "" if kept else f"{self.keyword1!r} {once} times, {self.keyword2!r} {twice} times")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return f'Use the word "{self.keyword1}" exactly once and the word "{self.keyword2}" exactly twice.'


@instructions.register("count:count_unique")
@dataclass(frozen=True, slots=True, kw_only=True)
class UniqueWords:
    """At least two words, and none of them twice in any case."""

    def kept(self, response: Response) -> Finding:
        """Whether no word is repeated."""
        seen: set[str] = set()
        repeated = next((word for word in response.folded if word in seen or seen.add(word)), None)
        if repeated is not None:
            return Finding(False, f"{repeated!r} is repeated")
        return Finding(len(seen) > 1, "" if len(seen) > 1 else "fewer than two words")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return "Do not use any word more than once."


@instructions.register("keywords:no_adjacent_consecutive")
@dataclass(frozen=True, slots=True, kw_only=True)
class NoConsecutiveInitials:
    """At least two words, and none begins with the letter of a to z that follows the first letter of the word before.

    Accents and case don't matter ("Édouard fell" breaks it), and the order does: "big apples" keeps it.
    """

    def kept(self, response: Response) -> Finding:
        """Whether no two neighbours begin with consecutive letters."""
        for left, right in pairwise(response.words):
            if _initial(right) - _initial(left) == 1:
                return Finding(False, f"{left!r} and {right!r}")
        return Finding(len(response.words) > 1, "" if len(response.words) > 1 else "fewer than two words")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return (
            "No word may begin with the letter of the alphabet that comes right after the first letter of the word "
            'before it ("all birds" is not allowed).'
        )


def _initial(word: str) -> int:
    """The code of the first letter, bare and small; 0, which nothing follows, where it isn't one of a to z."""
    code = ord(unicodedata.normalize("NFD", word[0].lower())[0])
    return code if _A <= code <= _Z else 0


@instructions.register("keywords:palindrome")
@dataclass(frozen=True, slots=True, kw_only=True)
class Palindrome:
    """A word of at least three letters that reads the same backwards, or such a sentence or quoted phrase.

    Case, spaces and marks don't matter. One letter said over and over ("aaa") is none.
    """

    def kept(self, response: Response) -> Finding:
        """Whether there is one."""
        candidates = [*response.words, *response.sentences, *_QUOTED.findall(response.text)]
        found = next(filter(_palindrome, candidates), None)
        return Finding(found is not None, "no palindrome" if found is None else f"{found[:60]!r}")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return "Use at least one palindrome of three or more letters."


def _palindrome(text: str) -> bool:
    letters = _NOT_LETTER.sub("", text).casefold()
    wordlike = not any(character.isdigit() for character in text)
    return wordlike and len(letters) > 2 and letters == letters[::-1] and len(set(letters)) > 1
