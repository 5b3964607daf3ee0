"""Every preset from rewards to gradients against an implementation of its own: `reference.policy_reference`.

The batch is ragged (1, 3, 2, 7, 4 and 2 sampled tokens), has tool tokens in between and an absent reward; ratios lie on
both sides of every bound and advantages have both signs. All in float64.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field, replace

import pytest
import torch

from reference import advantage_reference as by_hand
from reference.policy_reference import Token, k1, loss_and_gradient
from reference.published import PUBLISHED
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
from tahr.losses.aggregation import token_weights
from tahr.losses.kl import kl_estimate
from tahr.losses.policy import PolicyTokens, policy_loss
from tahr.losses.presets import PRESETS
from tahr.losses.selection import covariance_clipped, covariance_held, covariances, most_uncertain
from tahr.rollout.samples import credit, to_samples
from tahr.training.config import RlvrConfig
from tahr.training.critic import Critic

MAX_NEW_TOKENS = 8
GREEDY = [0.5, 0.25]
DOMAINS = ["sums", "words"]
# for each attempt: its domain's place, the sampled tokens of each of its turns, its verdict
ATTEMPTS = [
    (0, (1,), passed()),
    (0, (2, 1), failed("wrong")),
    (0, (2,), failed("nearly", value=0.25)),
    (1, (3, 4), failed("half", value=0.5)),
    (1, (4,), passed()),
    (1, (2,), broken("lost")),
]
TOOL_TOKENS = 5


@dataclass
class Attempt:
    """One attempt's tokens, tool tokens included, as the reference has them; and the critic's values."""

    domain: int
    turns: tuple[int, ...]
    verdict: object
    tokens: list[Token] = field(default_factory=list)
    values: list[float] = field(default_factory=list)

    @property
    def sampled(self) -> list[Token]:
        return [token for token in self.tokens if token.sampled]


def draw_attempts(seed: int, drift: float) -> list[Attempt]:
    """Log-probabilities that lie up to `drift` from one policy to the next."""
    draw = random.Random(seed)
    attempts = []
    for domain, turns, verdict in ATTEMPTS:
        one = Attempt(domain, turns, verdict)
        for number, size in enumerate(turns):
            if number:
                one.tokens += [Token(sampled=False)] * TOOL_TOKENS
            for _ in range(size):
                sampler = draw.choice([draw.uniform(-6, -1.6), draw.uniform(-1.6, -0.4)])
                proximal = min(sampler + draw.uniform(-drift, drift), -0.01)
                policy = min(proximal + draw.uniform(-drift, drift), -0.02)
                reference = policy + draw.uniform(-drift, drift)
                one.tokens.append(Token(policy, sampler, proximal, reference, draw.uniform(0, 3)))
        one.values = [draw.uniform(-1, 1) for _ in one.sampled]
        attempts.append(one)
    return attempts


def to_groups(attempts: list[Attempt]) -> list[Group]:
    """The same attempts as tahr has them: prompts, turns, completions."""
    groups = []
    for domain, name in enumerate(DOMAINS):
        task = Task(prompt=(Message(role="user", content=name),), answer="", verifier="exact", domain=name)
        scored = []
        for one in attempts:
            if one.domain != domain:
                continue
            ids, turns, left = [10 + domain], [], list(one.sampled)
            for number, size in enumerate(one.turns):
                ids = ids + [7] * TOOL_TOKENS if number else ids
                part, left = left[:size], left[size:]
                completion = Completion(
                    token_ids=tuple(range(20, 20 + size)),
                    logprobs=tuple(token.sampler for token in part),
                    finish_reason=FinishReason.STOP,
                    policy_version=0,
                )
                turns.append(Turn(prompt_token_ids=tuple(ids), completion=completion))
                ids = [*ids, *completion.token_ids]
            trajectory = Trajectory(
                task_id=task.id, group_id=name, index=0, turns=tuple(turns), stop_reason=StopReason.FINISHED
            )
            scored.append(Scored(trajectory=trajectory, text="", verdict=one.verdict))
        groups.append(Group(task=task, scored=tuple(scored)))
    return groups


class KnownCritic(Critic):
    """A critic whose values are given instead of computed."""

    def __init__(self, config, values):
        self._config, self._given = config, values
        self._max_tokens, self._head = 1000, torch.nn.Linear(1, 1)

    def _values(self, batch):
        left = [list(of_sample) for of_sample in self._given]
        return torch.tensor([left[s].pop(0) for s in batch.sequences.tolist()], dtype=torch.float64)


def tahr_samples(config: RlvrConfig, attempts: list[Attempt]):
    """Samples with advantages, as the trainer makes them."""
    groups, kl = to_groups(attempts), config.loss.kl
    penalties = []
    if kl.coefficient and kl.place == "reward":
        for domain in range(len(DOMAINS)):
            gaps = [
                torch.tensor([t.sampler - t.reference for t in one.sampled], dtype=torch.float64)
                for one in attempts
                if one.domain == domain
            ]
            penalties.append([kl.coefficient * float(kl_estimate(gap, kl.estimator).sum()) for gap in gaps])
    credited = credit(groups, config.advantage, max_new_tokens=MAX_NEW_TOKENS, penalties=penalties, greedy=GREEDY)
    samples = to_samples(credited)
    if config.advantage.baseline == "critic":
        values = [one.values for one in attempts if one.verdict.reward is not None]
        samples = KnownCritic(config.advantage, values).advantages(samples)
    return samples


def tahr_tokens(config: RlvrConfig, attempts: list[Attempt]) -> PolicyTokens:
    """What the policy loss is given, flat and without masked tokens, in float64."""
    samples = tahr_samples(config, attempts)
    kept = [one for one in attempts if one.verdict.reward is not None]
    weights = token_weights(
        [sample.num_loss_tokens for sample in samples], config.loss.aggregation, max_new_tokens=MAX_NEW_TOKENS
    )
    columns = []
    for number, (sample, one) in enumerate(zip(samples, kept, strict=True)):
        places = [place for place, in_loss in enumerate(sample.loss_mask) if in_loss]
        for place, token in zip(places, one.sampled, strict=True):
            columns.append(
                (
                    token.policy,
                    sample.logprobs[place],
                    sample.advantages[place],
                    weights[number],
                    token.proximal,
                    token.reference,
                    token.entropy,
                    number,
                )
            )
    policy, sampler, advantages, weight, proximal, reference, entropies, sequences = torch.tensor(
        columns, dtype=torch.float64
    ).unbind(1)
    loss = config.loss
    tokens = PolicyTokens(
        policy_logprobs=policy.clone().requires_grad_(),
        sampler_logprobs=sampler,
        advantages=advantages,
        weights=weight,
        sequences=sequences.long(),
        proximal_logprobs=proximal if loss.proximal == "recomputed" else None,
        reference_logprobs=reference if loss.kl.coefficient and loss.kl.place == "loss" else None,
    )
    gate, held = None, None
    covariance = covariances(policy, advantages)
    if loss.entropy.top_share < 1:
        gate = most_uncertain(entropies, loss.entropy.top_share)
    if loss.covariance.form == "clip":
        gate = ~covariance_clipped(covariance, loss.covariance, seed=3)
    if loss.covariance.form == "kl":
        held = covariance_held(covariance, loss.covariance)
    return replace(tokens, gate=gate, held=held)


def reference_rewards(name: str, attempts: list[Attempt]) -> list[list[float | None]]:
    published = PUBLISHED[name]
    rewards: list[list[float | None]] = [[] for _ in DOMAINS]
    for one in attempts:
        value = None if one.verdict.reward is None else one.verdict.reward.value
        if value is not None and published.overlong_share:
            cache = published.overlong_share * MAX_NEW_TOKENS
            value += by_hand.overlong(len(one.sampled), longest=MAX_NEW_TOKENS, cache=cache)
        if value is not None:
            value -= published.reward_kl * sum(k1(t.sampler - t.reference)[0] for t in one.sampled)
        rewards[one.domain].append(value)
    return rewards


def reference_sequences(name: str, attempts: list[Attempt]) -> list[list[Token]]:
    """The attempts that are learned from, with an advantage at each sampled token."""
    published = PUBLISHED[name]
    of_attempts = [
        value
        for row in by_hand.advantages(
            reference_rewards(name, attempts), baseline=published.baseline, scale=published.scale, greedy=GREEDY
        )
        for value in row
    ]
    kept = [(one, value) for one, value in zip(attempts, of_attempts, strict=True) if value is not None]
    of_tokens = [[value] * len(one.sampled) for one, value in kept]
    if published.gae:
        discount, trace = published.gae
        of_tokens = by_hand.whitened(
            [
                by_hand.gae([0.0] * (len(one.sampled) - 1) + [value], one.values, discount=discount, trace=trace)
                for one, value in kept
            ]
        )
    sequences = []
    for (one, _), values in zip(kept, of_tokens, strict=True):
        left = list(values)
        sequences.append([replace(t, advantage=left.pop(0)) if t.sampled else t for t in one.tokens])
    return sequences


def reference_choice(name: str, sequences: list[list[Token]], tokens: PolicyTokens):
    """The tokens left out and the tokens held; where a draw decides, tahr's, once it is found to be a possible one."""
    published = PUBLISHED[name]
    places = [(n, t) for n, s in enumerate(sequences) for t, _ in enumerate(x for x in s if x.sampled)]
    sampled = [token for sequence in sequences for token in sequence if token.sampled]
    covariance = by_hand.covariances([t.policy for t in sampled], [t.advantage for t in sampled])
    if published.top_entropy < 1:
        chosen = by_hand.least_certain([t.entropy for t in sampled], published.top_entropy)
        return {place for number, place in enumerate(places) if number not in chosen}, set()
    if published.clip_covariance:
        low, high = published.clip_covariance
        candidates = {number for number, value in enumerate(covariance) if low < value < high}
        assert tokens.gate is not None
        clipped = {number for number, kept in enumerate(tokens.gate.tolist()) if not kept}
        assert len(clipped) == 1  # 0.0002 of 17 tokens, at least one
        assert clipped <= candidates
        return {places[number] for number in clipped}, set()
    if published.hold_share:
        return set(), {places[max(range(len(places)), key=covariance.__getitem__)]}
    return set(), set()


def test_every_preset_is_published():
    assert PUBLISHED.keys() == PRESETS.keys()


@pytest.mark.parametrize("drift", [1.5, 0.3, 3e-4])
@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("name", PRESETS)
def test_loss_and_gradient_equal_the_references(name, seed, drift):
    attempts = draw_attempts(seed, drift)
    config = RlvrConfig(tasks={"any": 1.0}, steps=1, algorithm=name)
    tokens = tahr_tokens(config, attempts)
    loss = policy_loss(tokens, config.loss)
    loss.backward()
    sequences = reference_sequences(name, attempts)
    left_out, held = reference_choice(name, sequences, tokens)
    expected, gradient = loss_and_gradient(
        sequences, PUBLISHED[name].loss, max_new_tokens=MAX_NEW_TOKENS, left_out=left_out, held=held
    )
    assert float(loss.detach()) == pytest.approx(expected, rel=1e-10, abs=1e-10)
    assert tokens.policy_logprobs.grad is not None
    assert tokens.policy_logprobs.grad.tolist() == pytest.approx(gradient, rel=1e-10, abs=1e-10)
    # far from the sampler no whole sequence's weight is within the bounds
    assert any(gradient) or (name == "sequence_mis" and drift > 1)


def test_the_batch_reaches_both_sides_of_every_bound():
    """The comparison above means something: ratios below, within and above the clip, under both signs."""
    attempts = draw_attempts(0, 1.5)
    found = {
        (token.advantage > 0, "low" if ratio < 0.8 else "high" if ratio > 1.28 else "within")
        for sequence in reference_sequences("grpo", attempts)
        for token in sequence
        if token.sampled
        for ratio in [math.exp(token.policy - token.sampler)]
    }
    assert len(found) == 6
