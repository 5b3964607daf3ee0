"""Contests with the scores of their answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from tahr.core.errors import InputError
from tahr.core.types import Message
from tahr.evaluation.preferences.contest import Contest

AT_ONCE = 32
"""Contests that are handed to the model together."""


class Scorer(Protocol):
    """Who scores conversations: `tahr.models.reward.RewardModel`."""

    @property
    def max_context(self) -> int:
        """The most tokens of a conversation."""
        ...

    def conversation(self, prompt: Sequence[Message], answer: str) -> tuple[int, ...]:
        """The token ids of a prompt with its answer. Raises InputError where the template refuses them."""
        ...

    def score_groups(self, groups: Sequence[Sequence[Sequence[int]]]) -> list[list[float]]:
        """The score of each conversation of each group."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredContest:
    """`scores` and `lengths` (tokens of the whole conversation) of all answers, the chosen ones first.

    Example: ``ScoredContest(contest=contest, scores=(1.2, 0.3, -0.5, 0.1), lengths=(40, 52, 44, 61))``
    """

    contest: Contest
    scores: tuple[float, ...]
    lengths: tuple[int, ...]

    @property
    def chosen(self) -> tuple[float, ...]:
        """Scores of the better answers."""
        return self.scores[: len(self.contest.chosen)]

    @property
    def rejected(self) -> tuple[float, ...]:
        """Scores of the worse answers."""
        return self.scores[len(self.contest.chosen) :]

    @property
    def pairs(self) -> list[tuple[float, float, int]]:
        """Every better answer against every worse one: both scores, and by how much the better one is longer."""
        cut = len(self.contest.chosen)
        return [
            (self.scores[good], self.scores[bad], self.lengths[good] - self.lengths[bad])
            for good in range(cut)
            for bad in range(cut, len(self.scores))
        ]


def score_contests(
    contests: Sequence[Contest], scorer: Scorer, *, on_done: Callable[[int], None]
) -> tuple[list[ScoredContest], int]:
    """Every contest that can be scored, and how many can't: an answer beyond the context, or one that the template
    refuses, leaves nothing to compare the others with."""
    scored: list[ScoredContest] = []
    num_excluded = 0
    for start in range(0, len(contests), AT_ONCE):
        part = contests[start : start + AT_ONCE]
        read = [(contest, _conversations(contest, scorer)) for contest in part]
        fitting = [(contest, found) for contest, found in read if found is not None]
        num_excluded += len(part) - len(fitting)
        scores = scorer.score_groups([found for _, found in fitting])
        scored += [
            ScoredContest(contest=contest, scores=tuple(of_one), lengths=tuple(map(len, found)))
            for (contest, found), of_one in zip(fitting, scores, strict=True)
        ]
        on_done(len(part))
    return scored, num_excluded


def _conversations(contest: Contest, scorer: Scorer) -> list[tuple[int, ...]] | None:
    try:
        found = [scorer.conversation(contest.prompt, answer) for answer in contest.answers]
    except InputError:
        return None
    return None if max(map(len, found)) > scorer.max_context else found
