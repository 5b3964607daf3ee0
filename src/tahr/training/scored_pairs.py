"""Pairs as whole conversations of token ids, and what their scores say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev
from typing import Protocol, Self

from tahr.core.errors import InputError
from tahr.core.preferences import Pair
from tahr.core.types import Message
from tahr.losses.reward_metrics import length_correlation, top_credit


class Conversations(Protocol):
    """Who writes whole conversations as token ids: `tahr.models.reward.RewardModel`."""

    def conversation(self, prompt: Sequence[Message], answer: str) -> tuple[int, ...]:
        """The ids of a prompt with its answer. Raises InputError where the template refuses them."""
        ...

    def refuse_special(self, prompt: Sequence[Message], answer: str) -> None:
        """Raise InputError where a text would be read as special tokens."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenPair:
    """Two conversations that differ in their last answer.

    Example: ``TokenPair(chosen=(1, 9, 7, 42, 2), rejected=(1, 9, 7, 43, 44, 2), margin=None)``
    """

    chosen: tuple[int, ...]
    rejected: tuple[int, ...]
    margin: float | None

    @property
    def answers(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Chosen, then rejected."""
        return self.chosen, self.rejected


def tokenize_pairs(
    pairs: Iterable[Pair], model: Conversations, *, max_context: int
) -> tuple[list[TokenPair], dict[str, int]]:
    """The pairs that can be learnt from, and why how many others can't: a cut answer would be another answer."""
    kept: list[TokenPair] = []
    too_long = num_equal = num_refused = 0
    reason = ""
    for pair in pairs:
        try:
            for text in (pair.chosen, pair.rejected):
                model.refuse_special(pair.prompt, text)
            chosen, rejected = (model.conversation(pair.prompt, text) for text in (pair.chosen, pair.rejected))
        except InputError as error:
            num_refused += 1
            reason = reason or error.cause
            continue
        if chosen == rejected:
            num_equal += 1
        elif max(len(chosen), len(rejected)) > max_context:
            too_long += 1
        else:
            kept.append(TokenPair(chosen=chosen, rejected=rejected, margin=pair.margin))
    left_out = {
        "too long for the context": too_long,
        "with equal answers": num_equal,
        f"that can't be rendered ({reason})": num_refused,
    }
    return kept, {why: count for why, count in left_out.items() if count}


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredPair:
    """A pair's scores, and its conversations' lengths in tokens.

    Example: ``ScoredPair(chosen=1.5, rejected=-0.2, chosen_length=40, rejected_length=52)``
    """

    chosen: float
    rejected: float
    chosen_length: int
    rejected_length: int

    @classmethod
    def of(cls, pair: TokenPair, chosen: float, rejected: float) -> Self:
        """The scores of a pair."""
        lengths = len(pair.chosen), len(pair.rejected)
        return cls(chosen=chosen, rejected=rejected, chosen_length=lengths[0], rejected_length=lengths[1])


def pair_metrics(scored: Sequence[ScoredPair]) -> dict[str, float]:
    """``accuracy`` (a tie is half right), ``margin`` (mean of chosen less rejected), ``score_mean``, ``score_std`` and
    ``length_correlation`` (of score and length within a pair; absent where there is none).

    >>> pair_metrics([ScoredPair(chosen=1.0, rejected=0.0, chosen_length=3, rejected_length=2)])
    {'accuracy': 1.0, 'margin': 1.0, 'score_mean': 0.5, 'score_std': 0.5, 'length_correlation': 1.0}
    """
    if not scored:
        return {}
    scores = [(one.chosen, one.rejected) for one in scored]
    flat = [score for pair in scores for score in pair]
    metrics = {
        "accuracy": fmean(top_credit([chosen], [rejected]) for chosen, rejected in scores),
        "margin": fmean(chosen - rejected for chosen, rejected in scores),
        "score_mean": fmean(flat),
        "score_std": pstdev(flat),
    }
    found = length_correlation(scores, [(one.chosen_length, one.rejected_length) for one in scored])
    return metrics if found is None else {**metrics, "length_correlation": found}
