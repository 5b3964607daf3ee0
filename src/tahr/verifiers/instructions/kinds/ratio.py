"""IFBench, ratio: shares of stop words, of trigrams, and of kinds of sentences."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from tahr.core.errors import InputError
from tahr.verifiers.instructions.kind import Finding, Phrase, instructions
from tahr.verifiers.instructions.lexicon import STOP_WORDS
from tahr.verifiers.instructions.marks import closing_marks
from tahr.verifiers.instructions.response import Response, words_of

Percentage = Annotated[float, Field(ge=0, le=100, description="percent")]
TOLERANCE = 2.0
"""Percent points that a trigram overlap may be off, as the prompt says."""


def sentence_types(response: Response) -> Counter[str]:
    """How many sentences are declarative (end in a full stop), interrogative or exclamatory; others are "unmarked"."""
    return Counter(_type(closing_marks(sentence)) for sentence in response.sentences)


def _type(marks: str) -> str:
    if any(mark in marks for mark in "?\uff1f\u203d\u2048\u2049"):
        return "interrogative"
    if any(mark in marks for mark in "!\uff01"):
        return "exclamatory"
    return "declarative" if any(mark in marks for mark in ".\u2026\u3002\u0964") else "unmarked"


def is_stop_word(word: str) -> bool:
    """Whether a case-folded word is a function word; contractions ("don't", "I'm") are."""
    return word.endswith("n't") or word.split("'")[0] in STOP_WORDS


@instructions.register("ratio:stop_words")
@dataclass(frozen=True, slots=True, kw_only=True)
class StopWords:
    """At most `percentage` percent of the words are English function words, contractions among them.

    The reference checker counts words and stop words by two different rules: "don't" is two words.
    """

    percentage: Percentage

    def kept(self, response: Response) -> Finding:
        """Whether there are as few."""
        words = response.folded
        if not words:
            return Finding(False, "no words")
        percent = 100 * sum(map(is_stop_word, words)) / len(words)
        return Finding(percent <= self.percentage, f"{percent:.1f}% stop words")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return f"Let at most {self.percentage:g}% of your words be stop words."


@instructions.register("ratio:overlap")
@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """Of the response's different runs of three words, `percentage` percent (2 points more or less) stand in
    `reference_text`; in any case, marks left out.

    The reference checker takes three characters for a trigram, spaces and all: the common endings of English alone give
    two unrelated texts an overlap far above the smaller percentages that it asks for.
    """

    admits: ClassVar[frozenset[str]] = frozenset({"echo"})
    reference_text: Phrase
    percentage: Percentage

    def __post_init__(self) -> None:
        if len(words_of(self.reference_text)) < 3:
            raise InputError("reference_text has no three words", received=self.reference_text, instead="a longer text")

    def kept(self, response: Response) -> Finding:
        """Whether the share is as asked."""
        own = _trigrams(response.folded)
        if not own:
            return Finding(False, "fewer than three words")
        reference = _trigrams(tuple(word.casefold() for word in words_of(self.reference_text)))
        percent = 100 * len(own & reference) / len(own)
        return Finding(abs(percent - self.percentage) <= TOLERANCE, f"{percent:.1f}% of the trigrams")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return (
            f"Let {self.percentage:g}% of the trigrams (runs of three words) of your response, {TOLERANCE:g} points "
            f"more or less, be taken from this text: {self.reference_text}"
        )


def _trigrams(words: tuple[str, ...]) -> set[tuple[str, str, str]]:
    return set(zip(words, words[1:], words[2:], strict=False))


@instructions.register("ratio:sentence_type")
@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceType:
    """Twice as many declarative as interrogative sentences, at least one of these; exclamations are free.

    The reference checker passes a text without any sentence.
    """

    def kept(self, response: Response) -> Finding:
        """Whether it is two to one."""
        types = sentence_types(response)
        statements, questions = types["declarative"], types["interrogative"]
        return Finding(statements == 2 * questions > 0, f"{statements} statements and {questions} questions")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return "Write exactly two declarative sentences for each question."


@instructions.register("ratio:sentence_balance")
@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceBalance:
    """As many declarative as interrogative and exclamatory sentences, at least one of each.

    The reference checker passes a text without any of them.
    """

    def kept(self, response: Response) -> Finding:
        """Whether the three are equal."""
        types = sentence_types(response)
        counts = [types[name] for name in ("declarative", "interrogative", "exclamatory")]
        note = "{} statements, {} questions and {} exclamations".format(*counts)
        return Finding(counts[0] == counts[1] == counts[2] > 0, note)

    def describe(self) -> str:
        """The sentence that asks for it."""
        return "Write as many statements as questions as exclamations."


@instructions.register("ratio:sentence_words")
@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceWords:
    """Three sentences, each of at least two words, equally long in characters, with no word used twice.

    The reference checker does not look at the words.
    """

    def kept(self, response: Response) -> Finding:
        """Whether number, lengths and words are right."""
        sentences = response.sentences
        if len(sentences) != 3:
            return Finding(False, f"{len(sentences)} sentences instead of 3")
        lengths = [len(sentence) for sentence in sentences]
        if len(set(lengths)) > 1:
            return Finding(False, f"sentences of {lengths} characters")
        if any(len(words_of(sentence)) < 2 for sentence in sentences):
            return Finding(False, "a sentence of one word")
        twice = [word for word, times in Counter(response.folded).items() if times > 1]
        return Finding(not twice, f"{twice[0]!r} is used twice" if twice else "")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return "Answer in three sentences of equally many characters, and use no word twice."
