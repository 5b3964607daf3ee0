"""Statistics against numbers from published tables and worked out by hand."""

from __future__ import annotations

import pytest

from tahr.evaluation.statistics import compare, correct_rate, mean_interval, minimum_detectable
from tahr.store.records import Evaluation, EvaluationRow


def evaluation(name: str, scores: dict[str, float]) -> Evaluation:
    rows = tuple(
        EvaluationRow(
            task_id=task,
            domain="d",
            index=0,
            prompt="?",
            answer="5",
            text="5",
            score=score,
            parts={"correct": score},
            outcome="pass",
            note="",
            num_tokens=1,
            finish_reason="stop",
        )
        for task, score in scores.items()
    )
    return Evaluation(name=name, stage="rlvr", step=0, split="test", rows=rows)


# Two-sided 95% points of Student's t from the printed table (NIST/SEMATECH e-Handbook, 1.3.6.7.2).
@pytest.mark.parametrize(
    ("freedom", "quantile"), [(1, 12.706), (2, 4.303), (4, 2.776), (9, 2.262), (29, 2.045), (99, 1.984)]
)
def test_t_interval(freedom: int, quantile: float) -> None:
    n = freedom + 1
    values = [1.0] + [0.0] * freedom
    # Mean 1/n; the sum of squares about it is 1 - 1/n; so the standard error is sqrt((1 - 1/n) / (n - 1) / n) = 1/n.
    one = mean_interval(values, bounds=(-100.0, 100.0))
    assert one.standard_error == pytest.approx(1 / n)
    assert (one.high - one.mean) / one.standard_error == pytest.approx(quantile, abs=6e-4)
    assert (one.mean - one.low) == pytest.approx(one.high - one.mean)


def test_paired_difference_by_hand() -> None:
    # Differences 0.5, 0.25, 0.0, 0.75, 0.5: mean 0.4, squares about it 0.01 + 0.0225 + 0.16 + 0.1225 + 0.01 = 0.325,
    # variance 0.08125, standard error sqrt(0.08125 / 5) = 0.127475; t(4) = 2.776445; half width 0.353929.
    before = evaluation("before", {"a": 0.0, "b": 0.5, "c": 1.0, "d": 0.25, "e": 0.5})
    after = evaluation("after", {"a": 0.5, "b": 0.75, "c": 1.0, "d": 1.0, "e": 1.0})
    overall = compare(before, after)[0]
    assert overall.difference == pytest.approx(0.4)
    assert overall.standard_error == pytest.approx(0.1274755, abs=1e-7)
    assert (overall.low, overall.high) == pytest.approx((0.046071, 0.753929), abs=1e-6)
    assert overall.is_significant
    # 1.959964 + 0.841621 standard errors.
    assert overall.minimum_detectable == pytest.approx(0.357134, abs=1e-6)


def test_pairing_finds_what_two_separate_intervals_hide() -> None:
    before = evaluation("before", {str(n): n / 10 for n in range(10)})
    after = evaluation("after", {str(n): n / 10 + 0.05 + 0.001 * (n % 2) for n in range(10)})
    overall = compare(before, after)[0]
    assert overall.low > 0.05
    assert overall.before.high > overall.after.low


# Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17 (1998), table I:
# method 3 (score, without continuity correction).
@pytest.mark.parametrize(
    ("right", "tasks", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_interval(right: int, tasks: int, low: float, high: float) -> None:
    one = correct_rate(evaluation("after", {str(n): float(n < right) for n in range(tasks)}))
    assert one.mean == pytest.approx(right / tasks)
    assert (one.low, one.high) == pytest.approx((low, high), abs=5e-5)


def test_wilson_at_certainty() -> None:
    one = correct_rate(evaluation("after", {str(n): 1.0 for n in range(20)}))
    assert (one.low, one.high) == pytest.approx((0.8389, 1.0), abs=5e-5)


def test_minimum_detectable_effect() -> None:
    # (1.959964 + 0.841621) * 0.1 and, at 99% and 90% power, (2.575829 + 1.281552) * 0.1.
    assert minimum_detectable(0.1) == pytest.approx(0.2801585, abs=1e-7)
    assert minimum_detectable(0.1, level=0.99, power=0.9) == pytest.approx(0.3857381, abs=1e-7)
