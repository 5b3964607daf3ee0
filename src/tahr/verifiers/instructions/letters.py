"""Words as letters make them: initials, vowels, clusters of consonants, palindromes, prime lengths."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

import regex

ALPHABET = "abcdefghijklmnopqrstuvwxyz"
VOWELS = frozenset("aeiou")
_COMPOUND = regex.compile(r"[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:['\-\u2010\u2011][\p{L}\p{N}][\p{L}\p{M}\p{N}]*)*")
_LEADING_MARK = regex.compile(r"^\s*(?:(?:[-*+\u2022]|#{1,6}|\d{1,3}[.)])\s+)+")
_CLUSTER = regex.compile(r"[b-df-hj-np-tv-xz]{2}|[b-df-hj-np-tv-xz]y(?=[aeiou])")


def compounds(text: str) -> list[str]:
    """Words as written in which hyphens join: "a well-known fact" has three.

    What is said of every word (its initial, its length, its syllables) is said of a compound as a whole.
    """
    return _COMPOUND.findall(text)


def unmarked(sentence: str) -> str:
    """A sentence without the list mark, number or heading mark that stands before it."""
    return _LEADING_MARK.sub("", sentence)


@lru_cache(maxsize=65536)
def plain(text: str) -> str:
    """Case-folded and without accents: "Élan" is "elan"."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(mark for mark in decomposed if not unicodedata.combining(mark))


def initial(word: str) -> str:
    """The first letter or digit of a word, without case and accent."""
    return plain(word)[:1]


def letters(word: str) -> str:
    """The letters and digits of a word, without case and accents: "Don't" is "dont"."""
    return "".join(mark for mark in plain(word) if mark.isalnum())


def has_cluster(word: str) -> bool:
    """Whether two consonants stand together. A "y" is a consonant before a vowel ("canyon"), else a vowel ("my")."""
    return bool(_CLUSTER.search(letters(word)))


def is_prime(number: int) -> bool:
    """Whether a number is prime."""
    return number > 1 and all(number % divisor for divisor in range(2, int(number**0.5) + 1))
