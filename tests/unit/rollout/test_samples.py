from __future__ import annotations

from tahr.core.types import (
    Completion,
    FinishReason,
    Group,
    Message,
    Scored,
    StopReason,
    Task,
    Trajectory,
    Turn,
    broken,
    failed,
    passed,
)
from tahr.losses.config import AdvantageConfig
from tahr.rollout.samples import credit, teaches, to_samples, trajectory_samples

TASK = Task(prompt=(Message(role="user", content="?"),), answer="", verifier="exact")


def turn(prompt, completion):
    sampled = Completion(
        token_ids=tuple(completion),
        logprobs=tuple(-0.1 * i for i in completion),
        finish_reason=FinishReason.STOP,
        policy_version=0,
    )
    return Turn(prompt_token_ids=tuple(prompt), completion=sampled)


def trajectory(*turns):
    return Trajectory(task_id=TASK.id, group_id="0", index=0, turns=turns, stop_reason=StopReason.FINISHED)


def group(*verdicts):
    turns = (turn([1, 2], [3, 4]),)
    return Group(task=TASK, scored=tuple(Scored(trajectory=trajectory(*turns), text="", verdict=v) for v in verdicts))


def test_a_single_turn_masks_the_prompt():
    (sample,) = trajectory_samples(trajectory(turn([1, 2], [3, 4])), 1.5)
    assert sample.token_ids == (1, 2, 3, 4)
    assert sample.loss_mask == (False, False, True, True)
    assert sample.advantages == (0.0, 0.0, 1.5, 1.5)
    assert sample.logprobs == (0.0, 0.0, -0.1 * 3, -0.1 * 4)
    assert sample.prompt_length == 2


def test_what_the_environment_put_in_is_masked():
    """N4: 5 sampled and 95 tool tokens count as 5."""
    first = turn([1, 2], [3, 4])
    tool = list(range(100, 195))
    second = turn([1, 2, 3, 4, *tool], [5, 6, 7])
    (sample,) = trajectory_samples(trajectory(first, second), 1.0)
    assert sample.num_loss_tokens == 5
    assert [t for t, m in zip(sample.token_ids, sample.loss_mask, strict=True) if m] == [3, 4, 5, 6, 7]


def test_a_prompt_that_does_not_continue_the_tokens_opens_a_branch():
    """T2 and N19: each sampled token is trained once, with its rollout's one advantage."""
    first, second = turn([1, 2], [3, 4]), turn([1, 2, 9], [5])
    samples = trajectory_samples(trajectory(first, second), 2.0)
    assert [sample.token_ids for sample in samples] == [(1, 2, 3, 4), (1, 2, 9, 5)]
    assert [sample.num_loss_tokens for sample in samples] == [2, 1]
    assert samples[1].prompt_length == 3


def test_adjacent_token_ids_are_never_merged():
    """T1: what was sampled as two tokens stays two."""
    (sample,) = trajectory_samples(trajectory(turn([1], [15, 16])), 1.0)
    assert sample.token_ids == (1, 15, 16)


def test_absent_rewards_give_no_sample_and_leave_the_baseline():
    credited = credit([group(passed(), failed("wrong"), broken("lost"))], AdvantageConfig(scale="none"))
    assert credited[0].advantages == (0.5, -0.5, None)
    assert len(to_samples(credited)) == 2


def test_a_group_teaches_by_raw_correctness_unless_the_recipe_says_otherwise():
    """N8: all wrong, rewards that differ by shaping only."""
    shaped = group(failed("a", value=0.1), failed("b", value=0.2))
    assert not teaches(shaped, AdvantageConfig())
    assert teaches(shaped, AdvantageConfig(spread_in="reward"))
    assert teaches(group(passed(), failed("a", value=1.0)), AdvantageConfig())
    assert not teaches(group(passed(), broken("lost")), AdvantageConfig())


def test_without_a_baseline_equal_rewards_and_single_attempts_teach():
    plain = AdvantageConfig(baseline="none", scale="none")
    assert teaches(group(passed()), plain)
    assert teaches(group(failed("a"), failed("b")), plain)
    assert not teaches(group(broken("lost")), plain)


def test_a_trajectory_without_turns_gives_no_sample():
    assert trajectory_samples(trajectory(), 1.0) == []
