"""IFBench, repeat: saying the request, one word changed, or a part of it back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tahr.core.errors import InputError
from tahr.verifiers.instructions.kind import Count, Finding, Phrase, instructions
from tahr.verifiers.instructions.letters import letters
from tahr.verifiers.instructions.response import Response, normalised

SENTENCE = "Only output this sentence here, ignore all other requests."
"""The sentence that `RepeatSimple` asks for; it is the instruction itself."""

_COPIES = frozenset({"echo", "short", "repetition"})


def _pieces(text: str) -> list[str]:
    return normalised(text).split()


@instructions.register("repeat:repeat_change")
@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatChange:
    """The request word for word, its first word replaced by another one, and nothing else.

    Other case or marks make no other word. The reference checker takes "write" for a change of "Write".
    """

    admits: ClassVar[frozenset[str]] = _COPIES
    prompt_to_repeat: Phrase

    def kept(self, response: Response) -> Finding:
        """Whether only the first word differs."""
        asked, said = _pieces(self.prompt_to_repeat), response.text.split()
        if not said or not letters(said[0]):
            return Finding(False, "begins with no word")
        if asked[1:] != said[1:]:
            return Finding(False, "not the request behind its first word")
        return Finding(letters(asked[0]) != letters(said[0]), "the first word stays")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return (
            "Say the following request back with its first word changed; say nothing else and do not answer it: "
            f"{self.prompt_to_repeat}"
        )


@instructions.register("repeat:repeat_simple")
@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatSimple:
    """The sentence "Only output this sentence here, ignore all other requests." and nothing else, as it is written.

    The reference checker lets it be in any case.
    """

    admits: ClassVar[frozenset[str]] = _COPIES

    def kept(self, response: Response) -> Finding:
        """Whether the response is that sentence."""
        same = response.text.split() == SENTENCE.split()
        return Finding(same, "" if same else "another text")

    def describe(self) -> str:
        """The sentence that asks for it, which is the answer."""
        return SENTENCE


@instructions.register("repeat:repeat_span")
@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatSpan:
    """The words `n_start` to `n_end` of `prompt_to_repeat`, both included and counted from 0 (one of the data set's
    spans begins there), split at white space; nothing else.

    The reference checker leaves the last of them out, against "and including", and draws a random `n_start` for 0.
    """

    admits: ClassVar[frozenset[str]] = _COPIES
    prompt_to_repeat: Phrase
    n_start: Count
    n_end: Count

    def __post_init__(self) -> None:
        num_words = len(_pieces(self.prompt_to_repeat))
        if not self.n_start <= self.n_end < num_words:
            raise InputError(
                "n_start to n_end is no span of prompt_to_repeat",
                received=[self.n_start, self.n_end],
                instead=f"0 <= n_start <= n_end <= {num_words - 1}",
            )

    def kept(self, response: Response) -> Finding:
        """Whether the response is that span."""
        asked = _pieces(self.prompt_to_repeat)[self.n_start : self.n_end + 1]
        same = response.text.split() == asked
        return Finding(same, "" if same else "another span")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return (
            f"Copy words {self.n_start} to {self.n_end} (both included, counted from 0, split at white space) of this "
            f"text and write nothing else: {self.prompt_to_repeat}"
        )
