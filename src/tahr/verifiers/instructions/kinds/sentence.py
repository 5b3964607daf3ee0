"""IFBench, sentence: keywords in a certain sentence, growing sentences, growing alliterations."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby, pairwise

from tahr.verifiers.instructions.kind import Finding, Positive, Word, instructions
from tahr.verifiers.instructions.letters import compounds, initial, unmarked
from tahr.verifiers.instructions.response import Response, words_of


@instructions.register("sentence:keyword")
@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceKeyword:
    """Sentence `N` has the keyword, as a whole word in any case.

    The reference checker finds "eat" in "weather".
    """

    word: Word
    N: Positive

    def kept(self, response: Response) -> Finding:
        """Whether the sentence is there and has it."""
        if len(response.sentences) < self.N:
            return Finding(False, f"{len(response.sentences)} sentences, fewer than {self.N}")
        there = Response(response.sentences[self.N - 1]).count(self.word) > 0
        return Finding(there, "" if there else f"no {self.word!r} in sentence {self.N}")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return f'Use the word "{self.word}" in sentence number {self.N}.'


@instructions.register("sentence:increment")
@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceIncrement:
    """At least two sentences, each exactly `small_n` words longer than the one before it.

    The reference checker passes a single sentence.
    """

    small_n: Positive

    def kept(self, response: Response) -> Finding:
        """Whether each step is as asked."""
        lengths = [len(words_of(unmarked(sentence))) for sentence in response.sentences]
        if len(lengths) < 2:
            return Finding(False, "fewer than two sentences")
        wrong = next((pair for pair in pairwise(lengths) if pair[1] - pair[0] != self.small_n), None)
        return Finding(wrong is None, f"{wrong[0]} words, then {wrong[1]}" if wrong else "")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return f"Write several sentences, each exactly {self.small_n} words longer than the one before it."


@instructions.register("sentence:alliteration_increment")
@dataclass(frozen=True, slots=True, kw_only=True)
class AlliterationIncrement:
    """At least two sentences, the longest run of words with one first letter growing from each to the next.

    A first sentence without alliteration has a run of one; accents and case make no other letter. The reference checker
    adds all runs of a sentence up, and passes a single sentence.
    """

    def kept(self, response: Response) -> Finding:
        """Whether the runs grow."""
        runs = [_longest_run([initial(word) for word in compounds(unmarked(part))]) for part in response.sentences]
        if len(runs) < 2:
            return Finding(False, "fewer than two sentences")
        wrong = next((pair for pair in pairwise(runs) if pair[1] <= pair[0]), None)
        return Finding(wrong is None, f"a run of {wrong[0]}, then one of {wrong[1]}" if wrong else "")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return (
            "Write several sentences; in each, let a longer run of neighbouring words begin with the same letter than "
            "in the sentence before it."
        )


def _longest_run(initials: list[str]) -> int:
    """Length of the longest run of equal letters; numbers make none."""
    return max((len(list(run)) for letter, run in groupby(initials) if letter.isalpha()), default=0)
