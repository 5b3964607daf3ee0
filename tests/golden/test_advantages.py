"""Advantages worked by hand."""

from __future__ import annotations

import pytest

from tahr.core.errors import InputError
from tahr.losses.advantages import generalised_advantages, group_advantages, overlong_penalty
from tahr.losses.config import AdvantageConfig


def advantages(groups, *, greedy=(), **settings):
    return group_advantages(groups, AdvantageConfig(**settings), greedy=greedy)


def test_grpo_divides_the_centred_rewards_by_the_population_deviation():
    # mean 0.25, deviation sqrt(3 * 0.25^2 + 0.75^2) / 2 = 0.4330127
    got = advantages([[1.0, 0.0, 0.0, 0.0]])[0]
    assert got == pytest.approx([1.7320508, -0.5773503, -0.5773503, -0.5773503])


def test_dr_grpo_only_centres():
    assert advantages([[1.0, 0.0, 0.0, 0.0]], scale="none")[0] == [0.75, -0.25, -0.25, -0.25]


def test_leave_one_out_subtracts_the_mean_of_the_others():
    got = advantages([[1.0, 0.0, 0.5]], baseline="leave_one_out", scale="none")[0]
    assert got == pytest.approx([0.75, -0.75, 0.0])


def test_the_batch_mean_is_one_for_all_groups():
    assert advantages([[1.0, 0.0], [1.0, 1.0]], baseline="batch_mean", scale="none") == [[0.25, -0.75], [0.25, 0.25]]


def test_a_greedy_attempt_is_the_baseline_of_its_task():
    got = advantages([[1.0, 0.0], [0.5, None]], baseline="greedy", scale="none", greedy=[1.0, 0.25])
    assert got == [[0.0, -1.0], [0.25, None]]
    assert advantages([[1.0]], baseline="greedy", scale="none", greedy=[None]) == [[None]]


def test_no_baseline_keeps_the_rewards():
    assert advantages([[1.0, 0.5]], baseline="none", scale="none")[0] == [1.0, 0.5]


def test_maxrl_divides_by_the_groups_mean():
    # mean 0.25: (1 - 0.25) / 0.25 = 3, (0 - 0.25) / 0.25 = -1
    assert advantages([[1.0, 0.0, 0.0, 0.0]], scale="group_mean")[0] == [3.0, -1.0, -1.0, -1.0]


def test_the_overlong_penalty_rises_over_the_last_share():
    # the last quarter of 100 tokens: nothing at 75, 15 / 25 at 90, all at 100
    def penalty(num_tokens):
        return overlong_penalty(num_tokens, max_new_tokens=100, share=0.25, penalty=2.0)

    assert [penalty(n) for n in (1, 75, 90, 100)] == pytest.approx([0.0, 0.0, 1.2, 2.0])
    assert overlong_penalty(100, max_new_tokens=100, share=0.0, penalty=1.0) == 0.0


def test_generalised_advantages_by_hand():
    # deltas: 0 + 0.5 * 0.2 - 0.4 = -0.3; 1 - 0.2 = 0.8; the first one adds 0.5 * 0.5 * 0.8
    got = generalised_advantages([0.0, 1.0], [0.4, 0.2], discount=0.5, gae_lambda=0.5)
    assert got == pytest.approx([-0.1, 0.8])


def test_dividing_by_a_mean_near_0_is_refused_where_rewards_can_cancel():
    """The mean of 0.3 and three times -0.1 is rounding noise; divided by it, one group would outweigh all others."""
    assert advantages([[1.0, 0.0, 0.0, 0.0]], scale="group_mean") == [[3.0, -1.0, -1.0, -1.0]]
    with pytest.raises(InputError, match="needs rewards of 0 and more"):
        advantages([[0.3, -0.1, -0.1, -0.1]], scale="group_mean")
