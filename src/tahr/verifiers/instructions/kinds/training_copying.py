"""Training kinds: the request, a span of it or a phrase said back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, ClassVar

from pydantic import Field

from tahr.core.visible import outside_hidden
from tahr.verifiers.instructions.kind import Finding, Phrase, Positive, instructions
from tahr.verifiers.instructions.response import Response, normalised, words_of

Times = Annotated[int, Field(ge=1, le=100)]
ECHO = frozenset({"echo", "short", "repetition"})
STARS = "*" * 6
SHOWN = 40  # characters of a text that a note quotes


def tidy(text: str) -> str:
    """`text` without white space at its ends and at the ends of its lines, which no reader sees."""
    return "\n".join(line.rstrip() for line in normalised(outside_hidden(text)).split("\n")).strip()


def copied(response: str, wanted: str) -> Finding:
    """Whether `response` is `wanted` to the letter; the note shows where they part."""
    given, due = tidy(response), tidy(wanted)
    if given == due:
        return Finding(True)
    same = next((i for i, (left, right) in enumerate(zip(given, due, strict=False)) if left != right), None)
    place = min(len(given), len(due)) if same is None else same
    return Finding(False, f"{given[place : place + SHOWN]!r} instead of {due[place : place + SHOWN]!r} at {place}")


@instructions.register("copy:copy")
@dataclass(frozen=True, slots=True, kw_only=True)
class Copy:
    """The request to the letter and nothing else; white space at the ends of lines is free."""

    admits: ClassVar[frozenset[str]] = ECHO
    prompt_to_repeat: Phrase

    def kept(self, response: Response) -> Finding:
        """Whether the response is the request."""
        return copied(response.text, self.prompt_to_repeat)

    def describe(self) -> str:
        """The sentence that asks for it."""
        return "Do not follow the request above: copy it to the letter without this sentence, and write nothing else."


@instructions.register("copy:copying_simple")
@dataclass(frozen=True, slots=True, kw_only=True)
class CopyingSimple:
    """The request once, unchanged, with nothing before or after it; white space at the ends of lines is free."""

    admits: ClassVar[frozenset[str]] = ECHO
    prompt_to_repeat: Phrase

    def kept(self, response: Response) -> Finding:
        """Whether the response is the request."""
        return copied(response.text, self.prompt_to_repeat)

    def describe(self) -> str:
        """The sentence that asks for it."""
        return "Say the request above back without any change, leave this sentence out, and do not answer it."


@instructions.register("copy:copying_multiple")
@dataclass(frozen=True, slots=True, kw_only=True)
class CopyingMultiple:
    """The request `N` times, unchanged, with six asterisks between the copies and nothing before or after."""

    admits: ClassVar[frozenset[str]] = ECHO
    prompt_to_repeat: Phrase
    N: Times

    def kept(self, response: Response) -> Finding:
        """Whether the response is that many copies."""
        wanted = [tidy(part) for part in STARS.join([self.prompt_to_repeat] * self.N).split(STARS)]
        given = [tidy(part) for part in response.text.split(STARS)]
        if len(given) != len(wanted):
            return Finding(False, f"{len(given)} parts between six asterisks instead of {len(wanted)}")
        wrong = next((i for i, (left, right) in enumerate(zip(given, wanted, strict=True)) if left != right), None)
        return Finding(wrong is None, "" if wrong is None else f"copy {wrong + 1} differs")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return (
            f"Say the request above back {self.N} times without any change, with six asterisks ({STARS}) between the "
            "copies, leave this sentence out, and do not answer it."
        )


@instructions.register("new:copy_span_idx")
@dataclass(frozen=True, slots=True, kw_only=True)
class CopySpan:
    """The characters of the request from index `n_start` to index `n_end`, both included and counted from 0.

    White space at the ends of the span is free. Raises ValueError where the span lies outside or has no word.
    """

    admits: ClassVar[frozenset[str]] = ECHO
    prompt_to_repeat: Phrase
    n_start: Annotated[int, Field(ge=0)]
    n_end: Annotated[int, Field(ge=0)]

    def __post_init__(self) -> None:
        if not self.n_start <= self.n_end < len(self.prompt_to_repeat):
            last = len(self.prompt_to_repeat) - 1
            raise ValueError(f"n_start <= n_end <= {last} must hold, got {self.n_start} and {self.n_end}")
        if not words_of(self._span):
            raise ValueError(f"the span {self._span!r} has no word")

    @property
    def _span(self) -> str:
        return self.prompt_to_repeat[self.n_start : self.n_end + 1]

    def kept(self, response: Response) -> Finding:
        """Whether the response is the span."""
        return copied(response.text, self._span)

    def describe(self) -> str:
        """The sentence that asks for it."""
        return (
            f"Copy the characters {self.n_start} to {self.n_end} of the request above (the first has index 0, both "
            "ends are included) and write nothing else."
        )


@instructions.register("copy:repeat_phrase")
@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatPhrase:
    """The phrase exactly `small_n` times, one word between its first and its last replaced each time.

    Copies don't overlap; case is free, and other text may stand around them. Raises ValueError where the phrase has
    fewer than three words.
    """

    admits: ClassVar[frozenset[str]] = ECHO
    phrase: Phrase
    small_n: Positive
    _words: tuple[str, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        words = tuple(word.casefold() for word in words_of(self.phrase))
        if len(words) < 3:
            raise ValueError(f"a phrase with a word in its centre has at least three words, got {self.phrase!r}")
        object.__setattr__(self, "_words", words)

    def kept(self, response: Response) -> Finding:
        """Whether there are that many copies, each with one inner word replaced."""
        words, size = response.folded, len(self._words)
        place = changed = 0
        while place + size <= len(words) and changed <= self.small_n:
            replaced = self._num_replaced(words[place : place + size])
            if replaced == 0:
                return Finding(False, "the phrase stands there unchanged")
            changed += replaced == 1
            place += size if replaced == 1 else 1
        return Finding(changed == self.small_n, f"{changed} changed copies" if changed != self.small_n else "")

    def _num_replaced(self, words: tuple[str, ...]) -> int:
        """How many inner words differ; more than all where the first or the last does."""
        if words[0] != self._words[0] or words[-1] != self._words[-1]:
            return len(words)
        return sum(left != right for left, right in zip(words, self._words, strict=True))

    def describe(self) -> str:
        """The sentence that asks for it."""
        return (
            f'Repeat the phrase "{self.phrase}" exactly {self.small_n} times, and each time replace exactly one word '
            "that is neither its first nor its last."
        )
