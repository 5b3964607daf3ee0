"""Intervals of 95% hold the truth in 93% to 97% of 2,000 evaluations drawn from a known truth."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import ndtri

from tahr.evaluation.clustered import clustered_mean
from tahr.evaluation.paired import side_score, spread_of_differences

TRIALS = 2000
Sizes = Callable[[np.random.Generator], list[int]]
Numbers = NDArray[np.float64]


def coverage(trial: Callable[[np.random.Generator], bool], seed: int) -> float:
    generator = np.random.default_rng(seed)
    return sum(trial(generator) for _ in range(TRIALS)) / TRIALS


def even(count: int, size: int) -> Sizes:
    return lambda generator: [size] * count


def uneven(count: int) -> Sizes:
    return lambda generator: [int(size) for size in generator.integers(1, 12, count)]


def ability(generator: np.random.Generator, sizes: Sequence[int], alike: float) -> tuple[Numbers, list[str]]:
    """A standard normal value a task, of which clusters share the part `alike`, and the tasks' clusters."""
    shared = np.repeat(generator.normal(size=len(sizes)), sizes)
    own = generator.normal(size=len(shared))
    clusters = [str(place) for place, size in enumerate(sizes) for _ in range(size)]
    return np.sqrt(alike) * shared + np.sqrt(1 - alike) * own, clusters


@pytest.mark.parametrize(
    ("sizes", "alike"),
    [
        pytest.param(even(10, 1), 0.0, id="10 tasks"),
        pytest.param(even(200, 1), 0.0, id="200 tasks"),
        pytest.param(even(5, 6), 0.3, id="5 clusters of 6"),
        pytest.param(uneven(6), 0.2, id="6 uneven clusters"),
        pytest.param(uneven(12), 0.4, id="12 uneven clusters"),
        pytest.param(uneven(30), 0.6, id="30 uneven clusters, much alike"),
    ],
)
def test_means_of_scores(sizes: Sizes, alike: float) -> None:
    def trial(generator: np.random.Generator) -> bool:
        values, clusters = ability(generator, sizes(generator), alike)
        found = clustered_mean(list(values), clusters)
        return found.low <= 0 <= found.high

    assert 0.93 <= coverage(trial, 1) <= 0.97


@pytest.mark.parametrize(
    ("sizes", "alike"),
    [
        pytest.param(even(40, 1), 0.0, id="40 tasks"),
        pytest.param(even(10, 5), 0.3, id="10 clusters of 5"),
        pytest.param(uneven(25), 0.3, id="25 uneven clusters"),
    ],
)
def test_shares_of_right_answers(sizes: Sizes, alike: float) -> None:
    truth = 0.35

    def trial(generator: np.random.Generator) -> bool:
        values, clusters = ability(generator, sizes(generator), alike)
        right = (values < ndtri(truth)).astype(float)
        found = side_score(list(right), clusters, len(right))
        return found.low <= truth <= found.high

    assert 0.93 <= coverage(trial, 2) <= 0.97


@pytest.mark.parametrize(
    ("sizes", "attempts"),
    [
        pytest.param(even(100, 1), 1, id="100 tasks, right or wrong"),
        pytest.param(even(30, 1), 4, id="30 tasks, 4 attempts"),
        pytest.param(even(20, 5), 1, id="20 clusters of 5, right or wrong"),
        pytest.param(even(8, 6), 4, id="8 clusters of 6, 4 attempts"),
        pytest.param(uneven(15), 4, id="15 uneven clusters, 4 attempts"),
    ],
)
def test_paired_differences(sizes: Sizes, attempts: int) -> None:
    """Two models on the same questions; the second gains more on some clusters than on others."""

    def chances(z: Numbers) -> Numbers:
        return 1 / (1 + np.exp(-2 * z))

    many = np.random.default_rng(0).normal(size=(2, 1_000_000))
    truth = float((chances(many[0] + 0.4 + 0.4 * many[1]) - chances(many[0])).mean())

    def trial(generator: np.random.Generator) -> bool:
        drawn = sizes(generator)
        values, clusters = ability(generator, drawn, 0.3)
        gains = 0.4 + 0.4 * np.repeat(generator.normal(size=len(drawn)), drawn)
        first, second = (generator.binomial(attempts, chances(z)) / attempts for z in (values, values + gains))
        found = spread_of_differences([list(first), list(second)], clusters, step=1 / attempts)
        return found.low <= truth <= found.high

    assert 0.93 <= coverage(trial, 3) <= 0.97
