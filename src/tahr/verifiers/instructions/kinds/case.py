"""Capital and small letters."""

from __future__ import annotations

from dataclasses import dataclass

from tahr.verifiers.instructions.counts import compare
from tahr.verifiers.instructions.kind import Finding, Positive, Relation, instructions
from tahr.verifiers.instructions.language import language_of
from tahr.verifiers.instructions.response import Response
from tahr.verifiers.instructions.wording import counted


@instructions.register("change_case:english_capital")
@dataclass(frozen=True, slots=True, kw_only=True)
class EnglishCapital:
    """English, in capital letters only."""

    def kept(self, response: Response) -> Finding:
        """Whether there is no small letter, and the text isn't in another language as far as that can be told."""
        return _in_english(response.text, response.text.isupper(), "small letters")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return "Use only capital letters."


@instructions.register("change_case:english_lowercase")
@dataclass(frozen=True, slots=True, kw_only=True)
class EnglishLowercase:
    """English, in small letters only."""

    def kept(self, response: Response) -> Finding:
        """Whether there is no capital letter, and the text isn't in another language as far as that can be told."""
        return _in_english(response.text, response.text.islower(), "capital letters")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return "Use only lower case letters, no capital letters."


@instructions.register("change_case:capital_word_frequency")
@dataclass(frozen=True, slots=True, kw_only=True)
class CapitalWordFrequency:
    """At least, or less than, so many words in capital letters. "I" and "A" are no such words, "NASA" is one."""

    capital_frequency: Positive
    capital_relation: Relation

    def kept(self, response: Response) -> Finding:
        """Whether there are; such a word has two letters or more and no small one."""
        count = sum(word.isupper() and sum(map(str.isalpha, word)) >= 2 for word in response.words)
        return compare(count, self.capital_relation, self.capital_frequency, "words in capitals")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return f"Write {counted(self.capital_relation, self.capital_frequency, 'word')} in all capital letters."


def _in_english(text: str, case_kept: bool, otherwise: str) -> Finding:
    if not case_kept:
        return Finding(False, otherwise)
    language = language_of(text)
    return Finding(language in {None, "en"}, "" if language in {None, "en"} else f"in the language {language!r}")
