"""Groups to training samples: which groups teach, what each attempt's advantage is, which tokens it falls on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tahr.core.types import FinishReason, Group, Sample, Scored, Trajectory
from tahr.losses.advantages import group_advantages, has_spread, overlong_penalty
from tahr.losses.config import AdvantageConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class Credited:
    """A group with one advantage for each attempt, None where its reward is absent.

    Example: ``Credited(group=group, advantages=(1.0, -1.0, None))``
    """

    group: Group
    advantages: tuple[float | None, ...]


def differs(group: Group, config: AdvantageConfig) -> bool:
    """Whether the attempts differ in raw correctness or in the whole reward, as ``config.spread_in`` says.

    Equality is on the numbers themselves: eight rewards of 0.1 have no spread, whatever their standard deviation
    comes out as.
    """
    if config.spread_in == "reward":
        return has_spread(group.rewards)
    return has_spread([correctness(scored) for scored in group.scored])


def teaches(group: Group, config: AdvantageConfig) -> bool:
    """Whether the attempts differ; without a baseline or a scale of the group's own, every reward teaches by itself."""
    if not config.needs_group:
        return any(reward is not None for reward in group.rewards)
    return differs(group, config)


def correctness(scored: Scored) -> float | None:
    """Raw correctness: the reward part ``correct``, or the reward where there is no such part; None where absent."""
    return None if scored.reward is None else scored.reward.parts.get("correct", scored.reward.value)


def credit(
    groups: Sequence[Group],
    config: AdvantageConfig,
    *,
    max_new_tokens: int = 0,
    penalties: Sequence[Sequence[float]] = (),
    greedy: Sequence[float | None] = (),
) -> list[Credited]:
    """Advantages of all groups, before any is left out: a filter can't shift a baseline.

    What is taken off a reward first: the penalty for length, which needs `max_new_tokens`, and `penalties`, one number
    for each attempt of each group. `greedy` has the reward of a greedy attempt at each group's task. With
    ``baseline="critic"`` the advantages are the rewards. What comes out is multiplied by the weight of the group's
    domain, last of all, so that no division by a spread takes it out again.
    """
    shaped: list[list[float | None]] = []
    for place, group in enumerate(groups):
        taken = penalties[place] if penalties else [0.0] * len(group.scored)
        shaped.append(
            [
                None if one.reward is None else one.reward.value - off - length_penalty(one, config, max_new_tokens)
                for one, off in zip(group.scored, taken, strict=True)
            ]
        )
    advantages = group_advantages(shaped, config, domains=[group.task.domain for group in groups], greedy=greedy)
    weights = [config.domain_weights.get(group.task.domain, 1.0) for group in groups]
    return [
        Credited(group=group, advantages=tuple(None if one is None else weight * one for one in of_group))
        for group, of_group, weight in zip(groups, advantages, weights, strict=True)
    ]


def length_penalty(scored: Scored, config: AdvantageConfig, max_new_tokens: int) -> float:
    """What the attempt's length takes off its reward."""
    return overlong_penalty(
        scored.trajectory.num_sampled_tokens,
        max_new_tokens=max_new_tokens,
        share=config.overlong_share,
        penalty=config.overlong_penalty,
    )


def to_samples(credited: Sequence[Credited], *, mask_truncated: bool = False) -> list[Sample]:
    """Every sampled token of every attempt that has a reward, with its attempt's advantage.

    With `mask_truncated`, attempts that were cut off are left out whole; their rewards have been in the baseline.
    """
    return [
        sample
        for one in credited
        for scored, advantage in zip(one.group.scored, one.advantages, strict=True)
        if advantage is not None and not (mask_truncated and is_truncated(scored))
        for sample in trajectory_samples(scored.trajectory, advantage, domain=one.group.task.domain)
    ]


def is_truncated(scored: Scored) -> bool:
    """Whether the attempt ended because its budget did."""
    turns = scored.trajectory.turns
    return not turns or turns[-1].completion.finish_reason == FinishReason.LENGTH


def trajectory_samples(trajectory: Trajectory, advantage: float, *, domain: str = "") -> list[Sample]:
    """One sample for a trajectory, or one a branch where a later prompt does not continue the earlier tokens.

    Each sampled token is in the loss of exactly one sample; what the environment put in between is masked.
    """
    samples: list[Sample] = []
    token_ids: list[int] = []
    logprobs: list[float] = []
    mask: list[bool] = []
    prompt_length = 0

    def close() -> None:
        if any(mask):
            advantages = tuple(advantage if sampled else 0.0 for sampled in mask)
            samples.append(
                Sample(
                    token_ids=tuple(token_ids),
                    loss_mask=tuple(mask),
                    logprobs=tuple(logprobs),
                    advantages=advantages,
                    prompt_length=prompt_length,
                    domain=domain,
                )
            )

    for turn in trajectory.turns:
        prompt, completion = turn.prompt_token_ids, turn.completion
        if not token_ids or prompt[: len(token_ids)] != tuple(token_ids):
            close()
            token_ids, logprobs, mask, prompt_length = [], [], [], len(prompt)
        injected = prompt[len(token_ids) :]
        token_ids.extend((*injected, *completion.token_ids))
        logprobs.extend((*(0.0 for _ in injected), *completion.logprobs))
        mask.extend((*(False for _ in injected), *(True for _ in completion.token_ids)))
    close()
    return samples
