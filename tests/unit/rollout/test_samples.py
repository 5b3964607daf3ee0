from __future__ import annotations

from small_rollouts import group, trajectory, turn
from tahr.core.types import broken, failed, passed
from tahr.losses.config import AdvantageConfig
from tahr.rollout.samples import credit, teaches, trajectory_samples


def test_a_single_turn_masks_the_prompt():
    (sample,) = trajectory_samples(trajectory(turn([1, 2], [3, 4])), 1.5)
    assert sample.token_ids == (1, 2, 3, 4)
    assert sample.loss_mask == (False, False, True, True)
    assert sample.advantages == (0.0, 0.0, 1.5, 1.5)
    assert sample.logprobs == (0.0, 0.0, -0.1 * 3, -0.1 * 4)
    assert sample.prompt_length == 2


def test_without_a_baseline_equal_rewards_and_single_attempts_teach():
    plain = AdvantageConfig(baseline="none", scale="none")
    assert teaches(group(passed()), plain)
    assert teaches(group(failed("a"), failed("b")), plain)
    assert not teaches(group(broken("lost")), plain)


def test_a_trajectory_without_turns_gives_no_sample():
    assert trajectory_samples(trajectory(), 1.0) == []


def test_domain_weights_act_after_the_scale():
    groups = [group(passed(), failed("a"), broken("lost"))]
    domain = groups[0].task.domain
    for scale, plain in (("group", 1.0), ("none", 0.5)):
        (one,) = credit(groups, AdvantageConfig(scale=scale, domain_weights={domain: 3.0, "other": 9.0}))
        assert one.advantages == (3.0 * plain, -3.0 * plain, None)
