import math
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tahr.core.errors import InputError
from tahr.evaluation.statistics import compare, correct_rate, mean_score, part_names, task_scores
from tahr.store.records import Evaluation, EvaluationRow

Scores = Mapping[str, Sequence[float | None]]


def evaluation(scores: Scores, *, domains: Mapping[str, str] | None = None, name: str = "before") -> Evaluation:
    """Each task's scores; the part "correct" is 1 where the score is 1, and "half" is half of it."""
    rows = tuple(
        EvaluationRow(
            task_id=task,
            domain=(domains or {}).get(task, "d"),
            index=index,
            prompt="?",
            answer="5",
            text="5",
            score=score,
            parts={} if score is None else {"half": score / 2, "correct": float(score == 1.0)},
            outcome="pass",
            note="",
            num_tokens=1,
            finish_reason="stop",
        )
        for task, values in scores.items()
        for index, score in enumerate(values)
    )
    return Evaluation(name=name, stage="rlvr", step=0, split="test", rows=rows)


def test_differences_are_paired_by_task_whatever_the_order() -> None:
    before = evaluation({"a": [0.0], "b": [0.5], "c": [1.0]})
    after = evaluation({"c": [1.0], "a": [0.5], "b": [1.0]})
    overall, domain = compare(before, after)
    assert (overall.domain, domain.domain, overall.num_tasks) == ("", "d", 3)
    assert overall.difference == pytest.approx(1 / 3)
    assert (overall.before.mean, overall.after.mean) == pytest.approx((0.5, 5 / 6))


def test_attempts_at_a_task_are_averaged_first() -> None:
    assert task_scores(evaluation({"a": [0.0, 1.0, None], "b": [1.0], "c": [None]})) == {"a": 0.5, "b": 1.0}
    # Copying each attempt adds no information, so no interval may shrink.
    few = compare(evaluation({"a": [0.0], "b": [1.0]}), evaluation({"a": [1.0], "b": [1.0]}))[0]
    many = compare(evaluation({"a": [0.0] * 50, "b": [1.0] * 50}), evaluation({"a": [1.0] * 50, "b": [1.0] * 50}))[0]
    assert (few.low, few.high) == (many.low, many.high)


def test_absent_rewards_are_left_out_and_counted() -> None:
    before = evaluation({"a": [0.0, None], "b": [1.0], "c": [None], "d": [1.0]})
    after = evaluation({"a": [1.0, None], "b": [None], "c": [1.0], "e": [0.0]})
    overall = compare(before, after)[0]
    assert (overall.num_tasks, overall.difference) == (1, 1.0)
    assert (overall.num_unpaired, overall.num_excluded) == (4, 4)
    mean = mean_score(before)
    assert (mean.num_tasks, mean.num_excluded) == (3, 2)
    assert mean.mean == pytest.approx(2 / 3)


def test_domains_stand_apart() -> None:
    domains = {"a": "sums", "b": "sums", "c": "words"}
    before = evaluation({"a": [0.0], "b": [0.0], "c": [1.0]}, domains=domains)
    after = evaluation({"a": [1.0], "b": [1.0], "c": [0.0]}, domains=domains)
    found = {one.domain: one.difference for one in compare(before, after)}
    assert found == {"": pytest.approx(1 / 3), "sums": 1.0, "words": -1.0}
    assert mean_score(after, domain="sums").mean == 1.0


def test_a_part_of_the_reward_can_be_compared() -> None:
    before, after = evaluation({"a": [0.5], "b": [0.0]}), evaluation({"a": [1.0], "b": [0.0]})
    assert compare(before, after, part="correct")[0].difference == 0.5
    assert compare(before, after, part="half")[0].difference == 0.125
    assert compare(before, after, part="half")[0].part == "half"
    assert part_names(before) == ["correct", "half"]


def test_one_task_says_nothing_about_the_spread() -> None:
    overall = compare(evaluation({"a": [0.0]}), evaluation({"a": [1.0]}))[0]
    assert (overall.low, overall.high, overall.standard_error) == (pytest.approx(-0.95), 1.0, math.inf)
    assert not overall.is_significant


def test_where_all_tasks_agree_the_interval_is_that_of_the_share_that_might_not() -> None:
    # 0.025 ** (1 / 10) = 0.69150: at most 30.85% of the tasks differ, as Clopper and Pearson have it for 0 of 10
    right, wrong = evaluation({str(n): [1.0] for n in range(10)}), evaluation({str(n): [0.0] for n in range(10)})
    assert (mean_score(right).low, mean_score(right).high) == (pytest.approx(0.69150, abs=1e-5), 1.0)
    assert (mean_score(wrong).low, mean_score(wrong).high) == (0.0, pytest.approx(0.30850, abs=1e-5))
    better = compare(wrong, right)[0]
    assert (better.low, better.high) == (pytest.approx(1 - 2 * 0.30850, abs=1e-5), 1.0)
    assert better.is_significant
    # five tasks that all improved don't settle it, six do: as in a sign test, 2 / 2**5 = 0.06 and 2 / 2**6 = 0.03
    for n, settles in ((5, False), (6, True)):
        few = {str(i): [0.0] for i in range(n)}, {str(i): [1.0] for i in range(n)}
        assert compare(evaluation(few[0]), evaluation(few[1]))[0].is_significant is settles


def test_no_interval_leaves_the_range_of_the_scores() -> None:
    before = evaluation({"a": [0.0], "b": [0.1], "c": [0.9]})
    after = evaluation({"a": [1.0], "b": [1.0], "c": [0.9]})
    overall = compare(before, after)[0]
    assert (overall.before.low, overall.after.high, overall.high) == (0.0, 1.0, 1.0)
    penalties = mean_score(evaluation({"a": [-2.0], "b": [1.0]}))
    assert (penalties.low, penalties.high) == (-2.0, 1.0)


def test_identical_scores_differ_by_nothing() -> None:
    same = evaluation({"a": [0.0], "b": [1.0], "c": [0.3]})
    for method in ("t", "bootstrap"):
        overall = compare(same, same, method=method)[0]
        # three tasks without a difference leave room for 1 - 0.025 ** (1 / 3) = 70.76% of tasks with one
        assert (overall.difference, overall.minimum_detectable) == (0.0, 0.0)
        assert (overall.low, overall.high) == pytest.approx((-0.70760, 0.70760), abs=1e-5)
        assert not overall.is_significant


def test_nothing_in_common_is_refused() -> None:
    with pytest.raises(InputError, match="no task in common"):
        compare(evaluation({"a": [1.0]}), evaluation({"b": [1.0]}))
    with pytest.raises(InputError, match="value of 'style'"):
        compare(evaluation({"a": [1.0]}), evaluation({"a": [1.0]}), part="style")
    with pytest.raises(InputError, match="no value of 'style'"):
        mean_score(evaluation({"a": [1.0]}), part="style")
    with pytest.raises(InputError, match="in 'sums'"):
        correct_rate(evaluation({"a": [1.0]}), domain="sums")


def test_the_bootstrap_repeats_and_agrees_with_the_t_interval() -> None:
    before = evaluation({str(n): [(n * 7 % 10) / 10] for n in range(60)})
    after = evaluation({str(n): [(n * 3 % 10) / 10 + 0.1] for n in range(60)})
    t = compare(before, after)[0]
    first = compare(before, after, method="bootstrap")[0]
    assert compare(before, after, method="bootstrap")[0] == first
    assert compare(before, after, method="bootstrap", seed=1)[0] != first
    assert (first.low, first.high) == pytest.approx((t.low, t.high), abs=0.02)


def test_a_higher_level_is_wider() -> None:
    scores = evaluation({str(n): [n % 2] for n in range(20)})
    narrow, wide = mean_score(scores, level=0.8), mean_score(scores, level=0.99)
    assert wide.low < narrow.low < narrow.mean < narrow.high < wide.high


values = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=20)


@settings(max_examples=50, deadline=None)
@given(values)
def test_swapping_the_sides_turns_the_sign(pairs: list[tuple[float, float]]) -> None:
    before = evaluation({str(n): [pair[0]] for n, pair in enumerate(pairs)})
    after = evaluation({str(n): [pair[1]] for n, pair in enumerate(pairs)})
    there, back = compare(before, after)[0], compare(after, before)[0]
    assert (there.difference, there.low, there.high) == pytest.approx((-back.difference, -back.high, -back.low))
    assert there.difference == pytest.approx(there.after.mean - there.before.mean, abs=1e-12)
    assert there.low <= there.difference <= there.high
