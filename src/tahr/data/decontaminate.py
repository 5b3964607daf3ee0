"""Whether a training text holds an evaluation's question: exact n-grams of words as `tahr.data.normalised` writes them.

A text is contaminated by a question when at least `share` of the question is found in it, as n-grams of `ngram` words
that both have. Of a question shorter than that, all of it must occur in a row; one of fewer than `SHORTEST` words would
be found anywhere, and is not looked for. Two ways to measure the share:

- "words": the share of the question's words that lie in a common n-gram, as in Tulu 3 (Lambert et al. 2024, section
  3.2: 8-grams, more than half of a test instance's tokens, within one training instance; it counts tokens and leaves
  in data sets with few such rows, here every such row goes);
- "ngrams": the share of the question's n-grams that the text has.

Exact: n-grams are compared as 64-bit hashes first, and every hit is verified on the words themselves, so that no
collision removes a row and none is missed. An index takes 16 bytes for each n-gram of the questions, and their words.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tahr.core.types import Message
from tahr.data.normalised import readings, words

SHORTEST = 3
"""Words of the shortest question that is looked for."""

Measure = Literal["words", "ngrams"]
Hashes = NDArray[np.uint64]
Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A question that a text holds, and how much of it.

    Example: ``Hit(question="ifeval 1001", share=0.83)``
    """

    question: str
    share: float


class QuestionIndex:
    """The questions of evaluations, to be looked for in any number of texts.

    `questions` are pairs of an id and a text. `num_too_short` counts those that are not looked for.
    """

    def __init__(
        self,
        questions: Iterable[tuple[str, str]],
        *,
        ngram: int = 8,
        share: float = 0.5,
        measure: Measure = "words",
    ) -> None:
        self._share = share
        self._measure: Measure = measure
        self._ids: list[str] = []
        self._words: list[tuple[str, ...]] = []
        self.num_too_short = 0
        for name, text in questions:
            found = tuple(map(sys.intern, words(text)))
            if len(found) < SHORTEST:
                self.num_too_short += 1
            else:
                self._ids.append(name)
                self._words.append(found)
        by_length: dict[int, list[int]] = {}
        for number, found in enumerate(self._words):
            by_length.setdefault(min(ngram, len(found)), []).append(number)
        self._parts = {n: _Part.of(n, numbers, self._words) for n, numbers in sorted(by_length.items())}

    def __len__(self) -> int:
        """Questions that are looked for."""
        return len(self._ids)

    def find(self, text: str) -> list[Hit]:
        """Every question that contaminates `text`, the fullest first."""
        shares: dict[int, float] = {}
        for found in readings(text):
            for number, share in self._shares(found):
                shares[number] = max(share, shares.get(number, 0.0))
        hits = [Hit(question=self._ids[number], share=share) for number, share in shares.items()]
        return sorted(hits, key=lambda hit: (-hit.share, hit.question))

    def _shares(self, found: tuple[str, ...]) -> Iterator[tuple[int, float]]:
        """The questions that contaminate a text of these words, by number, and their shares."""
        hashed = _hashes(found)
        for n, part in self._parts.items():
            grams: set[tuple[str, ...]] | None = None
            for number in part.candidates(hashed, self._share, self._measure):
                grams = _grams(found, n) if grams is None else grams
                share = self._exact_share(number, n, grams)
                if share >= self._share:
                    yield number, share

    def _exact_share(self, number: int, n: int, grams: set[tuple[str, ...]]) -> float:
        """The share of a question that lies in `grams`, on the words themselves."""
        question = self._words[number]
        places = [place for place in range(len(question) - n + 1) if question[place : place + n] in grams]
        if self._measure == "ngrams":
            return len(places) / (len(question) - n + 1)
        return len({word for place in places for word in range(place, place + n)}) / len(question)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """The n-grams of the questions of one n: sorted hashes, where each one's entries begin, and the entries, which are
    the n-gram's place among all words of these questions, laid one after another."""

    n: int
    hashes: Hashes
    begins: NDArray[np.int32]
    entries: NDArray[np.int32]
    numbers: Sequence[int]
    starts: Places  # where each question's words begin; one more for the end

    @classmethod
    def of(cls, n: int, numbers: Sequence[int], questions: Sequence[tuple[str, ...]]) -> _Part:
        lengths = [len(questions[number]) for number in numbers]
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        hashes = np.concatenate([_rolled(_hashes(questions[number]), n) for number in numbers])
        offsets = [np.arange(start, end - n + 1) for start, end in pairwise(starts)]
        entries = np.concatenate(offsets).astype(np.int32)
        order = np.argsort(hashes, kind="stable")
        unique, begins = np.unique(hashes[order], return_index=True)
        begins = np.concatenate([begins, [len(entries)]]).astype(np.int32)
        return cls(n=n, hashes=unique, begins=begins, entries=entries[order], numbers=numbers, starts=starts)

    def candidates(self, hashed: Hashes, share: float, measure: Measure) -> list[int]:
        """Questions of which, by the hashes, at least `share` is in a text whose words are `hashed`."""
        grams = _rolled(hashed, self.n)
        places = np.searchsorted(self.hashes, grams)
        inside = places < len(self.hashes)
        grams, places = grams[inside], places[inside]
        places = np.unique(places[self.hashes[places] == grams])
        if not len(places):
            return []
        spans = [self.entries[self.begins[place] : self.begins[place + 1]] for place in places]
        entries = np.sort(np.concatenate(spans).astype(np.int64))
        owners = np.searchsorted(self.starts, entries, side="right") - 1
        lengths = np.diff(self.starts)
        if measure == "ngrams":
            shares = np.bincount(owners, minlength=len(lengths)) / (lengths - self.n + 1)
        else:  # each n-gram covers its words up to where the next one of the same question begins
            following = np.append(entries[1:], np.iinfo(np.int64).max)
            covered = np.minimum(following - entries, self.n)
            shares = np.bincount(owners, weights=covered, minlength=len(lengths)) / lengths
        return [self.numbers[int(index)] for index in np.flatnonzero(shares >= share)]


def _grams(found: Sequence[str], n: int) -> set[tuple[str, ...]]:
    return {tuple(found[place : place + n]) for place in range(len(found) - n + 1)}


def _hashes(found: Sequence[str]) -> Hashes:
    """A hash of each word; Python's own, which differ from one process to the next, and never leave this one."""
    return np.fromiter(map(hash, found), dtype=np.int64, count=len(found)).view(np.uint64)


_FACTORS = np.array([Random(place).getrandbits(64) | 1 for place in range(64)], dtype=np.uint64)


def _rolled(hashed: Hashes, n: int) -> Hashes:
    """A hash of each n-gram; none where there are fewer words. Sums wrap around at 2**64."""
    if len(hashed) < n:
        return np.empty(0, dtype=np.uint64)
    total = np.zeros(len(hashed) - n + 1, dtype=np.uint64)
    for place in range(n):
        total += hashed[place : place + len(total)] * _FACTORS[place]
    return total


def question_text(prompt: Sequence[Message]) -> str:
    """What a prompt asks: its messages but for the system's, which many prompts share."""
    return "\n".join(message.content for message in prompt if message.role != "system")
