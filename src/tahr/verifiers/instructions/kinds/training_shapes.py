"""Training kinds: how words, sentences and paragraphs are set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import regex
from pydantic import Field

from tahr.verifiers.instructions.kind import Finding, instructions
from tahr.verifiers.instructions.response import Response, words_of
from tahr.verifiers.instructions.sentences import split_sentences

Small = Annotated[int, Field(ge=1, le=200)]
DIVIDER = r"(?m)^[ \t]*\*[ \t]*\*[ \t]*\*[ \t]*$"
"""The divider *** or * * * on a line of its own."""

_JOINT = regex.compile(r"""([.!?\u2026]["')\]]*)-(?=\S)""")
_BRACKETED = regex.compile(r"\[[^\[\]\s]*[\p{L}\p{N}][^\[\]\s]*\]")
_WRAPPED = regex.compile(r"<<([^<>]*)>>")


@instructions.register("detectable_format:sentence_hyphens")
@dataclass(frozen=True, slots=True, kw_only=True)
class HyphenatedSentences:
    """At least two sentences, each joined to the next by one hyphen without spaces: ``It rains.-We stay.``"""

    def kept(self, response: Response) -> Finding:
        """Whether the text is its sentences joined by hyphens."""
        text = response.text.strip()
        sentences = [part for part in split_sentences(_JOINT.sub(r"\1 ", text)) if words_of(part)]
        if len(sentences) < 2:
            return Finding(False, "no two sentences joined by a hyphen")
        joined = "-".join(sentences) == text
        return Finding(joined, "" if joined else "sentences are not all joined by a bare hyphen")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return "Write at least two sentences and join them with hyphens instead of spaces (It rains.-We stay.)."


@instructions.register("detectable_format:square_brackets")
@dataclass(frozen=True, slots=True, kw_only=True)
class BracketedWords:
    """Every word in square brackets of its own; marks may stand inside or outside them."""

    def kept(self, response: Response) -> Finding:
        """Whether all words are, and there is one."""
        rest = _BRACKETED.sub(" ", response.text)
        bare = words_of(rest)
        if bare or "[" in rest or "]" in rest:
            return Finding(False, f"{bare[0]!r} is not in brackets" if bare else "brackets that hold no word")
        return Finding(rest != response.text, "" if rest != response.text else "no word")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return "Put every word in square brackets of its own: [like] [this]."


@instructions.register("detectable_format:bigram_wrapping")
@dataclass(frozen=True, slots=True, kw_only=True)
class WrappedBigrams:
    """All words, two by two, in double angular brackets; a last odd one may stand alone, with or without them."""

    def kept(self, response: Response) -> Finding:
        """Whether all are, and there is a pair."""
        groups = [len(group.split()) for group in _WRAPPED.findall(response.text)]
        *between, tail = _WRAPPED.split(response.text)[::2]
        if not groups or any(map(words_of, between)):
            return Finding(False, "words outside the brackets" if groups else "no wrapped pair")
        if any(size != 2 for size in groups[:-1]) or groups[-1] not in {1, 2}:
            return Finding(False, "brackets that do not hold two words")
        alone = len(tail.split()) if words_of(tail) else 0
        kept = 2 in groups and (alone == 0 or (alone == 1 and groups[-1] == 2))
        return Finding(kept, "" if kept else "words outside the brackets")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return "Wrap the words two by two in double angular brackets: <<we walk>> <<every day>>."


@instructions.register("paragraphs:paragraphs")
@dataclass(frozen=True, slots=True, kw_only=True)
class TwoDividedParagraphs:
    """Two paragraphs with the divider *** on a line between them; one at either end of the text separates nothing."""

    def kept(self, response: Response) -> Finding:
        """Whether there are two, each with words."""
        return _two(response.divided(DIVIDER))

    def describe(self) -> str:
        """The sentence that asks for it."""
        return "Write exactly two paragraphs, with a line that holds only *** between them."


@instructions.register("paragraphs:paragraphs2")
@dataclass(frozen=True, slots=True, kw_only=True)
class TwoSpacedParagraphs:
    """Two paragraphs with blank lines between them, and blank lines nowhere else."""

    def kept(self, response: Response) -> Finding:
        """Whether there are two, each with words."""
        return _two(response.paragraphs)

    def describe(self) -> str:
        """The sentence that asks for it."""
        return "Write exactly two paragraphs, with one blank line between them and none anywhere else."


def _two(parts: tuple[str, ...]) -> Finding:
    if len(parts) != 2:
        return Finding(False, f"{len(parts)} paragraphs instead of 2")
    return Finding(all(map(words_of, parts)), "" if all(map(words_of, parts)) else "a paragraph without words")


@instructions.register("count:counting_composition")
@dataclass(frozen=True, slots=True, kw_only=True)
class Composition:
    """Three paragraphs between dividers (* * * or ***), of `n_sent` sentences each, of `n_words` words each."""

    n_sent: Small
    n_words: Small

    def kept(self, response: Response) -> Finding:
        """Whether all three counts are right."""
        parts = response.divided(DIVIDER)
        if len(parts) != 3:
            return Finding(False, f"{len(parts)} paragraphs instead of 3")
        for number, part in enumerate(parts, 1):
            sizes = [size for size in map(len, map(words_of, split_sentences(part))) if size]
            if len(sizes) != self.n_sent:
                return Finding(False, f"paragraph {number} has {len(sizes)} sentences")
            if wrong := [size for size in sizes if size != self.n_words]:
                return Finding(False, f"a sentence of paragraph {number} has {wrong[0]} words")
        return Finding(True)

    def describe(self) -> str:
        """The sentence that asks for it."""
        return (
            "Write three paragraphs with a line that holds only * * * between them, each of exactly "
            f"{self.n_sent} sentences, and each sentence of exactly {self.n_words} words."
        )
