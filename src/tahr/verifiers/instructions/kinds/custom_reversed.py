"""IFBench, custom: sentences read backwards, and a story from A to Z."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from tahr.verifiers.instructions.kind import Finding, instructions
from tahr.verifiers.instructions.letters import ALPHABET, initial, unmarked
from tahr.verifiers.instructions.lexicon import STOP_WORDS
from tahr.verifiers.instructions.response import Response, words_of

_ARTICLES = frozenset({"a", "an", "the"})
_NO_NOUNS = STOP_WORDS - {"us"}  # "the US"
_ANSWER = ("bald", "eagle")


@instructions.register("custom:word_reverse")
@dataclass(frozen=True, slots=True, kw_only=True)
class WordReverse:
    """A sentence of at least four words that, read from its last word to its first, says "bald eagle" and has every
    article before what it belongs to.

    The reference checker passes the two words alone.
    """

    def kept(self, response: Response) -> Finding:
        """Whether it makes sense backwards only."""
        words = tuple(reversed(response.folded))
        if len(words) < 4:
            return Finding(False, "no sentence")
        if _ANSWER not in set(pairwise(words)):
            return Finding(False, 'no "bald eagle" backwards')
        stray = any(one in _ARTICLES and other in _NO_NOUNS for one, other in pairwise((*words, "the")))
        return Finding(not stray, "an article without a noun, read backwards" if stray else "")

    def describe(self) -> str:
        """The task."""
        return "Say in a sentence which animal is the national symbol of the USA, with its words in reverse order."


@instructions.register("custom:character_reverse")
@dataclass(frozen=True, slots=True, kw_only=True)
class CharacterReverse:
    """A sentence of at least three words that, read from its last letter to its first, says "bald eagle" and has more
    function words ("the", "is") than it has forwards.

    The reference checker passes "elgae dlab" anywhere in any text.
    """

    def kept(self, response: Response) -> Finding:
        """Whether it makes sense backwards only."""
        words = tuple(word.casefold() for word in words_of(response.text[::-1]))
        if len(words) < 3:
            return Finding(False, "no sentence")
        if _ANSWER not in set(pairwise(words)):
            return Finding(False, 'no "bald eagle" backwards')
        backwards = sum(word in STOP_WORDS for word in words)
        forwards = sum(word in STOP_WORDS for word in response.folded)
        return Finding(backwards > forwards, "" if backwards > forwards else "no sentence backwards")

    def describe(self) -> str:
        """The task."""
        return "Say in a sentence which animal is the national symbol of the USA, with its letters in reverse order."


@instructions.register("custom:sentence_alphabet")
@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceAlphabet:
    """Exactly 26 sentences, the first beginning with "a", the second with "b", and so on to "z".

    The reference checker fails a sentence that begins with a quotation mark.
    """

    def kept(self, response: Response) -> Finding:
        """Whether number and letters are right."""
        sentences = response.sentences
        if len(sentences) != len(ALPHABET):
            return Finding(False, f"{len(sentences)} sentences instead of 26")
        first = [words_of(unmarked(sentence)) for sentence in sentences]
        wrong = next((i for i, words in enumerate(first) if not words or initial(words[0]) != ALPHABET[i]), None)
        return Finding(
            wrong is None, f"sentence {wrong + 1} does not begin with {ALPHABET[wrong]!r}" if wrong is not None else ""
        )

    def describe(self) -> str:
        """The task."""
        return "Tell a story in 26 sentences whose first words begin with the letters of the alphabet in order."
