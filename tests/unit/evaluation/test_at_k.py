"""pass@k, maj@k and best-of-k: literal values, and every subset counted one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tahr.core.errors import InputError
from tahr.evaluation.at_k import best_of_k, maj_at_k, pass_at_k


def over_subsets(n: int, k: int, rule: Callable[[tuple[int, ...]], float]) -> float:
    return fmean(rule(subset) for subset in combinations(range(n), k))


def brute_maj(answers: Sequence[str | None], correct: Sequence[float], k: int) -> float:
    def rule(subset: tuple[int, ...]) -> float:
        votes = Counter(answers[i] for i in subset if answers[i] is not None)
        if not votes:
            return 0.0
        top = [answer for answer, count in votes.items() if count == max(votes.values())]
        return fmean(fmean(correct[i] for i in subset if answers[i] == answer) for answer in top)

    return over_subsets(len(answers), k, rule)


def brute_best(scores: Sequence[float], values: Sequence[float], k: int) -> float:
    def rule(subset: tuple[int, ...]) -> float:
        highest = max(scores[i] for i in subset)
        return fmean(values[i] for i in subset if scores[i] == highest)

    return over_subsets(len(scores), k, rule)


@st.composite
def samples(draw: st.DrawFn) -> tuple[int, list[str | None], list[float], list[float], list[int]]:
    n = draw(st.integers(1, 8))
    k = draw(st.integers(1, n))
    answers = draw(st.lists(st.sampled_from([None, "a", "b", "c", "d"]), min_size=n, max_size=n))
    values = draw(st.lists(st.sampled_from([0.0, 0.25, 1.0]), min_size=n, max_size=n))
    scores = draw(st.lists(st.sampled_from([-1.0, 0.0, 0.5, 2.0]), min_size=n, max_size=n))
    return k, answers, values, scores, [int(value == 1) for value in values]


@settings(max_examples=150, deadline=None)
@given(samples())
def test_each_equals_the_mean_over_all_subsets(
    drawn: tuple[int, list[str | None], list[float], list[float], list[int]],
) -> None:
    k, answers, values, scores, correct = drawn
    n = len(answers)
    assert pass_at_k(correct, k) == pytest.approx(over_subsets(n, k, lambda s: max(correct[i] for i in s)), abs=1e-12)
    assert best_of_k(scores, values, k) == pytest.approx(brute_best(scores, values, k), abs=1e-12)
    assert maj_at_k(answers, values, k) == pytest.approx(brute_maj(answers, values, k), abs=1e-12)
    assert best_of_k(correct, correct, k) == pytest.approx(pass_at_k(correct, k), abs=1e-12)


def test_pass_at_k_of_the_published_example() -> None:
    # 200 samples of which 10 are right: 1 - C(190, 100) / C(200, 100), as a fraction of whole numbers
    assert pass_at_k([1] * 10 + [0] * 190, 1) == pytest.approx(0.05)
    assert pass_at_k([1] * 10 + [0] * 190, 100) == pytest.approx(0.9992289739372822, abs=1e-15)
    assert pass_at_k([0] * 5, 5) == 0
    assert pass_at_k([1] + [0] * 4, 5) == 1


def test_majority_by_hand() -> None:
    # of 3 samples, pairs: 55 -> 1; 56, 56 -> a tie, half
    assert maj_at_k(["5", "5", "6"], [1, 1, 0], 2) == pytest.approx(2 / 3)
    # the most frequent answer of all is wrong: right at k = 1 in 2 of 5, never at k = 5
    answers, correct = ["7", "7", "7", "5", "5"], [0, 0, 0, 1, 1]
    assert maj_at_k(answers, correct, 1) == pytest.approx(0.4)
    assert maj_at_k(answers, correct, 3) == pytest.approx(0.3)  # 3 of the 10 triples hold both 5s
    assert maj_at_k(answers, correct, 5) == 0


def test_samples_without_an_answer_have_no_vote() -> None:
    assert maj_at_k([None, None, None, "5"], [0, 0, 0, 1], 4) == 1
    assert maj_at_k([None, None, None, "5"], [0, 0, 0, 1], 2) == pytest.approx(0.5)
    assert maj_at_k([None, None], [1, 1], 1) == 0


def test_best_of_k_by_hand() -> None:
    # pairs: (0.9, 0.5) -> 0 twice; the tied pair -> 1/2
    assert best_of_k([0.9, 0.5, 0.5], [0.0, 1.0, 0.0], 2) == pytest.approx(1 / 6)
    # a selector that says nothing is worth the mean at every k
    assert [best_of_k([0.0] * 4, [1.0, 0.0, 0.0, 0.0], k) for k in (1, 2, 4)] == [0.25, 0.25, 0.25]


def test_many_samples_stay_exact() -> None:
    n = 1200
    assert maj_at_k([str(i) for i in range(n)], [1.0] * n, 7) == pytest.approx(1.0, abs=1e-12)
    two = ["a"] * 600 + ["b"] * 600  # a mirror image: each wins half
    assert maj_at_k(two, [1.0] * 600 + [0.0] * 600, 40) == pytest.approx(0.5, abs=1e-12)
    assert pass_at_k([1] + [0] * (n - 1), 300) == pytest.approx(0.25, abs=1e-12)


@pytest.mark.parametrize("k", [0, 4, -1])
def test_k_outside_the_samples_is_refused(k: int) -> None:
    for call in (
        lambda: pass_at_k([1, 0, 1], k),
        lambda: best_of_k([1, 2, 3], [1, 0, 1], k),
        lambda: maj_at_k(["a", "b", None], [1, 0, 0], k),
    ):
        with pytest.raises(InputError, match="k is not within"):
            call()


def test_wrong_samples_are_refused() -> None:
    with pytest.raises(InputError, match=r"received: 0\.5"):
        pass_at_k([1, 0.5], 1)
    with pytest.raises(InputError, match="one of each"):
        best_of_k([1.0], [1.0, 0.0], 1)
    with pytest.raises(InputError, match="not a number"):
        best_of_k([float("nan"), 1.0], [1.0, 0.0], 1)
