"""Advantages worked by hand; names refer to the faults that other trainers shipped."""

from __future__ import annotations

import pytest

from tahr.losses.advantages import deviation, group_advantages, has_spread
from tahr.losses.config import AdvantageConfig


def advantages(groups, **settings):
    return group_advantages(groups, AdvantageConfig(**settings))


def test_grpo_divides_the_centred_rewards_by_the_population_deviation():
    # mean 0.25, deviation sqrt(3 * 0.25^2 + 0.75^2) / 2 = 0.4330127
    got = advantages([[1.0, 0.0, 0.0, 0.0]])[0]
    assert got == pytest.approx([1.7320508, -0.5773503, -0.5773503, -0.5773503])


def test_dr_grpo_only_centres():
    assert advantages([[1.0, 0.0, 0.0, 0.0]], scale="none")[0] == [0.75, -0.25, -0.25, -0.25]


def test_leave_one_out_subtracts_the_mean_of_the_others():
    got = advantages([[1.0, 0.0, 0.5]], baseline="leave_one_out", scale="none")[0]
    assert got == pytest.approx([0.75, -0.75, 0.0])


def test_no_baseline_keeps_the_rewards():
    assert advantages([[1.0, 0.5]], baseline="none", scale="none")[0] == [1.0, 0.5]


def test_group_and_batch_scaling_are_not_swapped():
    """N10: [0, 1] has deviation 0.5; [0, 4] has 2; together [0, 1, 0, 4] has 1.6393596."""
    groups = [[0.0, 1.0], [0.0, 4.0]]
    assert advantages(groups, scale="group") == [[-1.0, 1.0], [-1.0, 1.0]]
    by_batch = advantages(groups, scale="batch")
    assert by_batch[0] == pytest.approx([-0.3049972, 0.3049972])
    assert by_batch[1] == pytest.approx([-1.2199886, 1.2199886])


@pytest.mark.parametrize("value", [0.1, 0.5, 1 / 3, 0.7])
def test_equal_rewards_have_no_spread_whatever_floats_say(value):
    """N7: the float deviation of eight times 0.1 is not 0."""
    assert not has_spread([value] * 8)
    assert deviation([value] * 8) == 0.0
    for baseline in ("group_mean", "leave_one_out"):
        assert advantages([[value] * 8], baseline=baseline)[0] == [0.0] * 8


def test_all_members_of_a_group_with_one_success_stay():
    """N6: with a leave-one-out spread, the success itself would see three equal rewards."""
    assert has_spread([1.0, 0.0, 0.0, 0.0])
    assert all(a != 0 for a in advantages([[1.0, 0.0, 0.0, 0.0]], baseline="leave_one_out")[0])


def test_zero_is_a_reward_and_an_absent_one_leaves_the_baseline():
    """N9 and B4."""
    assert advantages([[1.0, 0.0, None]], scale="none")[0] == [0.5, -0.5, None]
    assert advantages([[0.0, 0.0, None]], scale="none")[0] == [0.0, 0.0, None]
    assert advantages([[None, None]])[0] == [None, None]


@pytest.mark.parametrize("settings", [{}, {"scale": "batch"}, {"baseline": "leave_one_out", "scale": "none"}])
def test_a_constant_added_to_all_rewards_changes_nothing(settings):
    groups = [[1.0, 0.0, 0.25], [0.5, 0.75, 0.0]]
    moved = [[reward + 8.0 for reward in rewards] for rewards in groups]
    for left, right in zip(advantages(groups, **settings), advantages(moved, **settings), strict=True):
        assert left == pytest.approx(right)


def test_estimators_that_need_a_group_say_so():
    """N11: a group of one is refused when the recipe is read."""
    assert AdvantageConfig().needs_group
    assert AdvantageConfig(baseline="leave_one_out", scale="none").needs_group
    assert not AdvantageConfig(baseline="none", scale="none").needs_group
