"""The text constraints, one small class each: what is kept is decided on words, never on substrings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Protocol

from pydantic import Field

from tahr.core.registry import Registry
from tahr.verifiers.prose import Prose

Phrase = Annotated[str, Field(min_length=1, max_length=200, pattern=r"\w")]
Words = Annotated[tuple[Phrase, ...], Field(min_length=1, max_length=20)]
Count = Annotated[int, Field(ge=1, le=10_000)]


class Constraint(Protocol):
    """Something that a text keeps or breaks; the text has at least one word."""

    def kept(self, text: Prose) -> bool:
        """Whether `text` keeps it."""
        ...


constraint_kinds: Registry[type[Constraint]] = Registry("text constraint")


@constraint_kinds.register("lowercase")
@dataclass(frozen=True, slots=True, kw_only=True)
class Lowercase:
    """No capital letter."""

    def kept(self, text: Prose) -> bool:
        """Whether there are small letters and no capital ones."""
        return text.text.islower()


@constraint_kinds.register("uppercase")
@dataclass(frozen=True, slots=True, kw_only=True)
class Uppercase:
    """No small letter."""

    def kept(self, text: Prose) -> bool:
        """Whether there are capital letters and no small ones."""
        return text.text.isupper()


@constraint_kinds.register("no_commas")
@dataclass(frozen=True, slots=True, kw_only=True)
class NoCommas:
    """No comma of any script."""

    def kept(self, text: Prose) -> bool:
        """Whether there is none."""
        return not any(mark in text.text for mark in ",\u060c\u3001\uff0c\ufe50\u201a")


@constraint_kinds.register("no_digits")
@dataclass(frozen=True, slots=True, kw_only=True)
class NoDigits:
    """No digit of any script."""

    def kept(self, text: Prose) -> bool:
        """Whether there is none."""
        return not any(mark.isdigit() for mark in text.text)


@constraint_kinds.register("no_letter")
@dataclass(frozen=True, slots=True, kw_only=True)
class NoLetter:
    """The letter appears nowhere, small or capital."""

    letter: Annotated[str, Field(min_length=1, max_length=1, pattern=r"[^\W\d_]")]

    def kept(self, text: Prose) -> bool:
        """Whether it is absent."""
        return self.letter.casefold() not in text.text.casefold()


@constraint_kinds.register("contains")
@dataclass(frozen=True, slots=True, kw_only=True)
class Contains:
    """Every one of the words or phrases appears, on word boundaries, in any case."""

    words: Words

    def kept(self, text: Prose) -> bool:
        """Whether all appear."""
        return all(text.contains(word) for word in self.words)


@constraint_kinds.register("excludes")
@dataclass(frozen=True, slots=True, kw_only=True)
class Excludes:
    """None of the words or phrases appears, on word boundaries, in any case."""

    words: Words

    def kept(self, text: Prose) -> bool:
        """Whether none appears."""
        return not any(text.contains(word) for word in self.words)


@constraint_kinds.register("min_words")
@dataclass(frozen=True, slots=True, kw_only=True)
class MinWords:
    """At least `count` words."""

    count: Count

    def kept(self, text: Prose) -> bool:
        """Whether there are enough."""
        return len(text.words) >= self.count


@constraint_kinds.register("max_words")
@dataclass(frozen=True, slots=True, kw_only=True)
class MaxWords:
    """At most `count` words."""

    count: Count

    def kept(self, text: Prose) -> bool:
        """Whether there are few enough."""
        return len(text.words) <= self.count


@constraint_kinds.register("sentences")
@dataclass(frozen=True, slots=True, kw_only=True)
class Sentences:
    """Exactly `count` sentences."""

    count: Count

    def kept(self, text: Prose) -> bool:
        """Whether it is that many."""
        return text.num_sentences == self.count


@constraint_kinds.register("starts_with")
@dataclass(frozen=True, slots=True, kw_only=True)
class StartsWith:
    """The first words are the phrase, in any case."""

    phrase: Phrase

    def kept(self, text: Prose) -> bool:
        """Whether they are."""
        wanted = Prose.of(self.phrase).words
        return text.words[: len(wanted)] == wanted


@constraint_kinds.register("ends_with")
@dataclass(frozen=True, slots=True, kw_only=True)
class EndsWith:
    """The last words are the phrase, in any case; what follows may only be punctuation."""

    phrase: Phrase

    def kept(self, text: Prose) -> bool:
        """Whether they are."""
        wanted = Prose.of(self.phrase).words
        return text.words[-len(wanted) :] == wanted


@constraint_kinds.register("sentence")
@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """One whole sentence with a plausible share of different words; what keeps junk from being the best answer."""

    min_words: Count = 5
    max_words: Count = 20
    max_repeats: Annotated[Count, Field(description="most times that one word may stand in it")] = 3
    min_distinct: Annotated[float, Field(ge=0, le=1, description="share of different words")] = 0.7

    def kept(self, text: Prose) -> bool:
        """Whether the text is one sentence within the bounds."""
        num_words = len(text.words)
        return (
            self.min_words <= num_words <= self.max_words
            and text.num_sentences == 1
            and text.ends_as_sentence
            and text.most_repeated()[1] <= self.max_repeats
            and len(set(text.words)) >= self.min_distinct * num_words
        )
