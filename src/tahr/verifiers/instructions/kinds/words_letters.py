"""IFBench, words: what letters, vowels, consonants and syllables every word has."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from tahr.verifiers.instructions.kind import Finding, instructions
from tahr.verifiers.instructions.letters import ALPHABET, VOWELS, compounds, has_cluster, initial, is_prime, letters
from tahr.verifiers.instructions.lexicon import PALINDROMES
from tahr.verifiers.instructions.response import Response
from tahr.verifiers.instructions.syllables import parities


@instructions.register("words:alphabet")
@dataclass(frozen=True, slots=True, kw_only=True)
class Alphabet:
    """At least two words, each beginning with the letter after that of the word before it, "a" after "z".

    The first letter is free; "well-known" is one word, an accent makes no other letter. The reference checker passes a
    single word.
    """

    def kept(self, response: Response) -> Finding:
        """Whether each word has its letter."""
        words = compounds(response.text)
        if len(words) < 2:
            return Finding(False, "fewer than two words")
        places = [ALPHABET.find(initial(word)) for word in words]
        if -1 in places:
            return Finding(False, f"{words[places.index(-1)]!r} begins with no letter of the alphabet")
        wrong = next((i for i, (one, other) in enumerate(pairwise(places), 1) if (one + 1) % 26 != other), None)
        return Finding(wrong is None, f"{words[wrong]!r} follows {words[wrong - 1]!r}" if wrong else "")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return "Let each word begin with the next letter of the alphabet, and go on with A after Z."


@instructions.register("words:consonants")
@dataclass(frozen=True, slots=True, kw_only=True)
class Consonants:
    """Each word has two consonants next to each other; "y" is one only before a vowel ("canyon", not "my").

    The reference checker takes every "y" for a consonant.
    """

    def kept(self, response: Response) -> Finding:
        """Whether every word has some."""
        words = compounds(response.text)
        without = next((word for word in words if not has_cluster(word)), "")
        return Finding(bool(words) and not without, f"{without!r} has none" if without else "")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return "Use only words in which at least two consonants stand next to each other."


@instructions.register("words:vowel")
@dataclass(frozen=True, slots=True, kw_only=True)
class Vowel:
    """One paragraph, of at least four vowels, with at most three different ones of a, e, i, o and u.

    Accents make no other vowel. The reference checker overlooks accented vowels, and passes a text without any.
    """

    def kept(self, response: Response) -> Finding:
        """Whether it is one paragraph with as few vowels."""
        if len(response.paragraphs) != 1:
            return Finding(False, f"{len(response.paragraphs)} paragraphs instead of one")
        found = [mark for word in response.words for mark in letters(word) if mark in VOWELS]
        if len(found) < 4:
            return Finding(False, "fewer than four vowels")
        different = sorted(set(found))
        return Finding(len(different) <= 3, f"uses {', '.join(different)}")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return "Write one paragraph in which at most three different vowels occur."


@instructions.register("words:palindrome")
@dataclass(frozen=True, slots=True, kw_only=True)
class Palindrome:
    """At least ten different words of at least five letters that read the same backwards, from a list of such words.

    The reference checker counts one word ten times, and strings that are no words ("abcba", "11111").
    """

    def kept(self, response: Response) -> Finding:
        """Whether there are ten."""
        found = len(PALINDROMES.intersection(map(letters, set(response.folded))))
        return Finding(found >= 10, "" if found >= 10 else f"{found} of at least 10 palindromes")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return "Use at least ten different palindromes that are single words of five or more letters."


@instructions.register("words:prime_lengths")
@dataclass(frozen=True, slots=True, kw_only=True)
class PrimeLengths:
    """The length of each word in letters is a prime number; marks inside a word have no length ("don't" has four).

    The reference checker passes a text without words, and knows no prime above 97.
    """

    def kept(self, response: Response) -> Finding:
        """Whether all are prime."""
        words = compounds(response.text)
        wrong = next((word for word in words if not is_prime(len(letters(word)))), "")
        return Finding(bool(words) and not wrong, f"{wrong!r} has {len(letters(wrong))} letters" if wrong else "")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return "Use only words whose number of letters is prime."


@instructions.register("words:odd_even_syllables")
@dataclass(frozen=True, slots=True, kw_only=True)
class OddEvenSyllables:
    """At least two words, with an odd and an even number of syllables in turn, whichever comes first.

    Syllables are counted by rules of spelling; a word that is spoken in two ways ("every") may stand for either.
    Numbers and words of other scripts can't be counted: such a text is undecided. The reference checker
    miscounts about one word in 25 of running text ("using", "having"), and passes a single word.
    """

    def kept(self, response: Response) -> Finding:
        """Whether they alternate; None where a word's syllables can't be counted."""
        words = compounds(response.text)
        if len(words) < 2:
            return Finding(False, "fewer than two words")
        possible = [parities(letters(word)) for word in words]
        if not all(possible):
            return Finding(None, f"the syllables of {words[possible.index(frozenset())]!r} can't be counted")
        for first in (0, 1):
            wrong = next((i for i, counts in enumerate(possible) if (first + i) % 2 not in counts), None)
            if wrong is None:
                return Finding(True)
        return Finding(False, "two neighbouring words are both odd or both even")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return "Let words with an odd and with an even number of syllables alternate."
