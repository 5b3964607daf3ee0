"""Training kinds: which word stands at the beginning, at the end or at a place in between."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import regex
from pydantic import Field

from tahr.verifiers.instructions.kind import Finding, instructions
from tahr.verifiers.instructions.kinds.training_keywords import Keyword
from tahr.verifiers.instructions.response import Response, words_of

Ordinal = Annotated[int, Field(ge=1, le=1000)]
_LIST_NUMBER = regex.compile(r"^\s*\d{1,3}[.)]\s+")
SHOWN = 60  # characters of a sentence that a note quotes


def sentence_words(sentence: str) -> tuple[str, ...]:
    """Folded words of a sentence, the number of a list item left out."""
    return _folded(_LIST_NUMBER.sub("", sentence))


def _folded(text: str) -> tuple[str, ...]:
    return tuple(word.casefold() for word in words_of(text))


@instructions.register("first_word:first_word_sent")
@dataclass(frozen=True, slots=True, kw_only=True)
class FirstWordOfSentences:
    """Every sentence begins with the word, in any case; the number of a list item is no word of its sentence."""

    first_word: Keyword

    def kept(self, response: Response) -> Finding:
        """Whether all sentences do."""
        wanted = _folded(self.first_word)
        for sentence in response.sentences:
            if sentence_words(sentence)[: len(wanted)] != wanted:
                return Finding(False, f"{sentence[:SHOWN]!r} begins otherwise")
        return Finding(bool(response.sentences), "" if response.sentences else "no sentence")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return f'Begin every sentence with the word "{self.first_word}".'


@instructions.register("first_word:first_word_answer")
@dataclass(frozen=True, slots=True, kw_only=True)
class FirstWordOfAnswer:
    """The response begins with the word, in any case; marks before it (quotes, emphasis) don't matter."""

    first_word: Keyword

    def kept(self, response: Response) -> Finding:
        """Whether it does."""
        wanted = _folded(self.first_word)
        kept = response.folded[: len(wanted)] == wanted
        return Finding(kept, "" if kept else f"begins with {' '.join(response.words[: len(wanted)])[:SHOWN]!r}")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return f'Begin your answer with the word "{self.first_word}".'


@instructions.register("last_word:last_word_sent")
@dataclass(frozen=True, slots=True, kw_only=True)
class LastWordOfSentences:
    """Every sentence ends with the word, in any case, before its closing marks."""

    last_word: Keyword

    def kept(self, response: Response) -> Finding:
        """Whether all sentences do."""
        wanted = _folded(self.last_word)
        for sentence in response.sentences:
            if _folded(sentence)[-len(wanted) :] != wanted:
                return Finding(False, f"{sentence[-SHOWN:]!r} ends otherwise")
        return Finding(bool(response.sentences), "" if response.sentences else "no sentence")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return f'End every sentence with the word "{self.last_word}", followed only by punctuation.'


@instructions.register("last_word:last_word_answer")
@dataclass(frozen=True, slots=True, kw_only=True)
class LastWordOfAnswer:
    """The response ends with the word, in any case, before its closing marks."""

    last_word: Keyword

    def kept(self, response: Response) -> Finding:
        """Whether it does."""
        wanted = _folded(self.last_word)
        kept = response.folded[-len(wanted) :] == wanted
        return Finding(kept, "" if kept else f"ends with {' '.join(response.words[-len(wanted) :])[:SHOWN]!r}")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return f'End your answer with the word "{self.last_word}".'


@instructions.register("keywords:keyword_specific_position")
@dataclass(frozen=True, slots=True, kw_only=True)
class KeywordAtPosition:
    """The keyword, in any case, as word `m` of sentence `n`, both counted from 1; marks aren't words."""

    keyword: Keyword
    n: Ordinal
    m: Ordinal

    def kept(self, response: Response) -> Finding:
        """Whether it stands there."""
        if len(response.sentences) < self.n:
            return Finding(False, f"only {len(response.sentences)} sentences")
        wanted = _folded(self.keyword)
        found = sentence_words(response.sentences[self.n - 1])[self.m - 1 : self.m - 1 + len(wanted)]
        return Finding(found == wanted, "" if found == wanted else f"{' '.join(found)[:SHOWN]!r} stands there")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return f'Word {self.m} of sentence {self.n} must be "{self.keyword}".'


@instructions.register("keywords:start_end")
@dataclass(frozen=True, slots=True, kw_only=True)
class StartEnd:
    """The first word, in any case, stands at the very end again, with not even a mark after it."""

    def kept(self, response: Response) -> Finding:
        """Whether it does, and the response has more than the one word."""
        words = response.folded
        if len(words) < 2:
            return Finding(False, "fewer than two words")
        if not response.text.endswith(response.words[-1]):
            return Finding(False, f"ends with {response.text[-1]!r}")
        return Finding(words[0] == words[-1], "" if words[0] == words[-1] else f"{words[0]!r} and {words[-1]!r}")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return "Begin and end your answer with the same word, and write nothing after it, not even punctuation."
