"""All that is measured of a reward model on one set of preferences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tahr.core.errors import InputError
from tahr.evaluation.preferences.contest import REWARD_BENCH
from tahr.evaluation.preferences.measures import (
    Accuracy,
    Calibration,
    LengthBias,
    accuracy,
    calibration,
    length_bias,
)
from tahr.evaluation.preferences.reward_bench import TIES, DomainScore, reward_bench_scores
from tahr.evaluation.preferences.scored import ScoredContest


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One set of preferences under a reward model. `accuracy`, `calibration` and `length` leave RewardBench 2's Ties
    out, where several answers are right, and are None where nothing else is there; `domains` is empty for other sets.

    Example: ``Judged(source="pairs.jsonl", format="tahr", num_excluded=0, accuracy=found, ...)``
    """

    source: str
    format: str
    num_excluded: int
    accuracy: Accuracy | None
    calibration: Calibration | None
    length: LengthBias | None
    domains: tuple[DomainScore, ...]
    contests: tuple[ScoredContest, ...]


def judge(source: str, format: str, scored: Sequence[ScoredContest], *, num_excluded: int, seed: int) -> Judged:
    """Every measure of one set. Raises InputError where no row of it could be scored."""
    if not scored:
        raise InputError(
            f"no row of {source} could be scored",
            received=f"{num_excluded} rows with an answer beyond the model's context, or refused by its template",
        )
    plain = [one for one in scored if one.contest.domain != TIES or format != REWARD_BENCH]
    return Judged(
        source=source,
        format=format,
        num_excluded=num_excluded,
        accuracy=accuracy(plain) if plain else None,
        calibration=calibration(plain) if plain else None,
        length=length_bias(plain) if plain else None,
        domains=reward_bench_scores(scored, seed=seed) if format == REWARD_BENCH else (),
        contests=tuple(scored),
    )
