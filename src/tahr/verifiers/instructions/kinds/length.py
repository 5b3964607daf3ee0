"""How many words, sentences and paragraphs."""

from __future__ import annotations

from dataclasses import dataclass

from tahr.core.errors import InputError
from tahr.verifiers.instructions.counts import compare, exactly
from tahr.verifiers.instructions.kind import Finding, Positive, Relation, Word, instructions
from tahr.verifiers.instructions.response import Response, words_of
from tahr.verifiers.instructions.wording import counted, ordinal, plural

DIVIDER = r"(?m)^[ \t]*\*{3}[ \t]*$"
"""A line of three asterisks and nothing else."""


@instructions.register("length_constraints:number_words")
@dataclass(frozen=True, slots=True, kw_only=True)
class NumberWords:
    """At least, or less than, so many words."""

    num_words: Positive
    relation: Relation

    def kept(self, response: Response) -> Finding:
        """Whether there are."""
        return compare(len(response.words), self.relation, self.num_words, "words")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return f"Answer with {counted(self.relation, self.num_words, 'word')}."


@instructions.register("length_constraints:number_sentences")
@dataclass(frozen=True, slots=True, kw_only=True)
class NumberSentences:
    """At least, or less than, so many sentences."""

    num_sentences: Positive
    relation: Relation

    def kept(self, response: Response) -> Finding:
        """Whether there are."""
        return compare(len(response.sentences), self.relation, self.num_sentences, "sentences")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return f"Answer with {counted(self.relation, self.num_sentences, 'sentence')}."


@instructions.register("length_constraints:number_paragraphs")
@dataclass(frozen=True, slots=True, kw_only=True)
class NumberParagraphs:
    """Exactly so many paragraphs, with a line of three asterisks between them."""

    num_paragraphs: Positive

    def kept(self, response: Response) -> Finding:
        """Whether there are; each has a word in it."""
        parts = response.divided(DIVIDER)
        if not all(map(words_of, parts)):
            return Finding(False, "a paragraph without words")
        return exactly(len(parts), self.num_paragraphs, "paragraphs between lines of ***")

    def describe(self) -> str:
        """The sentence that asks for it."""
        paragraphs = plural(self.num_paragraphs, "paragraph")
        return f"Write exactly {paragraphs}. Put a line with only *** between paragraphs."


@instructions.register("length_constraints:nth_paragraph_first_word")
@dataclass(frozen=True, slots=True, kw_only=True)
class NthParagraphFirstWord:
    """Exactly so many paragraphs with blank lines between them, and the n-th begins with a given word."""

    num_paragraphs: Positive
    nth_paragraph: Positive
    first_word: Word

    def __post_init__(self) -> None:
        if self.nth_paragraph > self.num_paragraphs:
            raise InputError(
                "nth_paragraph is beyond num_paragraphs",
                received=f"{self.nth_paragraph} of {self.num_paragraphs}",
                instead="a paragraph that there is",
            )

    def kept(self, response: Response) -> Finding:
        """Whether both hold."""
        paragraphs = [paragraph for paragraph in response.paragraphs if words_of(paragraph)]
        count = exactly(len(paragraphs), self.num_paragraphs, "paragraphs")
        if not count.kept:
            return count
        wanted = [word.casefold() for word in words_of(self.first_word)]
        first = [word.casefold() for word in words_of(paragraphs[self.nth_paragraph - 1])[: len(wanted)]]
        begins = " ".join(first)
        return Finding(first == wanted, "" if first == wanted else f"paragraph {self.nth_paragraph} begins {begins!r}")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return (
            f"Write exactly {plural(self.num_paragraphs, 'paragraph')} with a blank line between paragraphs. "
            f'The {ordinal(self.nth_paragraph)} paragraph must begin with the word "{self.first_word}".'
        )
