"""Intervals of a benchmark's domains where all prompts came out alike."""

from __future__ import annotations

import pytest

from tahr.core.types import Message
from tahr.evaluation.preferences.contest import Contest
from tahr.evaluation.preferences.reward_bench import reward_bench_scores
from tahr.evaluation.preferences.scored import ScoredContest


def scored(domain: str, *won: bool) -> list[ScoredContest]:
    return [
        ScoredContest(
            contest=Contest(
                id=str(place),
                domain=domain,
                prompt=(Message(role="user", content="?"),),
                chosen=("a",),
                rejected=("b",),
            ),
            scores=(float(right), 0.5),
            lengths=(2, 2),
        )
        for place, right in enumerate(won)
    ]


def test_a_domain_without_a_miss_is_not_certain() -> None:
    math, mean = reward_bench_scores(scored("Math", True))
    assert (math.score, math.high) == (1.0, 1.0)
    assert math.low == pytest.approx(0.025)  # of one prompt, by Clopper and Pearson
    assert (mean.low, mean.high) == (math.low, math.high)


def test_such_a_domain_enters_the_mean_by_its_own_ends() -> None:
    math, safety, mean = reward_bench_scores(scored("Math", True, False) * 4 + scored("Safety", *[True] * 10))
    assert safety.low == pytest.approx(0.025**0.1)
    assert mean.score == pytest.approx(0.75)
    assert mean.low == pytest.approx(0.75 - ((0.5 - math.low) ** 2 + (1 - 0.025**0.1) ** 2) ** 0.5 / 2)
    assert mean.high == pytest.approx(0.75 + (math.high - 0.5) / 2)
