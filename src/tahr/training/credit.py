"""Groups to training samples: rewards less penalties, a baseline, and where there is one the critic's word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean

from tahr.core.types import Group, Sample
from tahr.losses.kl import kl_estimate
from tahr.rollout.samples import Credited, credit, length_penalty, to_samples, trajectory_samples
from tahr.training.batch import make_batches
from tahr.training.config import RlvrConfig
from tahr.training.critic import Critic, per_sample
from tahr.training.reference import Reference
from tahr.training.step import Policy


@dataclass(slots=True, kw_only=True)
class Crediting:
    """Who gets credit for a step's rewards, and what is taken off them.

    Example: ``Crediting(config=recipe.rlvr, policy=policy, reference=None, critic=None)``
    """

    config: RlvrConfig
    policy: Policy
    reference: Reference | None
    critic: Critic | None
    _critic_samples: list[Sample] = field(default_factory=list[Sample])
    _penalties: list[float] = field(default_factory=list[float])

    def credit(self, groups: Sequence[Group], greedy: Sequence[float | None]) -> list[Credited]:
        """Every attempt's advantage; with a critic its reward, which `samples` then spreads over the tokens."""
        return credit(
            groups,
            self.config.advantage,
            max_new_tokens=self.config.sampling.max_new_tokens,
            penalties=self._attempt_penalties(groups),
            greedy=greedy,
        )

    def samples(self, credited: Sequence[Credited]) -> list[Sample]:
        """What is trained on."""
        samples = to_samples(credited, mask_truncated=self.config.advantage.mask_truncated)
        if self.critic is None or not samples:
            return samples
        self._critic_samples = samples
        penalties = self._token_penalties(samples) if self._kl_in_reward else []
        self._penalties = [sum(of_sample) for of_sample in penalties]
        return self.critic.advantages(samples, penalties)

    def learn(self) -> dict[str, float]:
        """Fit the critic, where there is one, to the samples made last."""
        if self.critic is None or not self._critic_samples:
            return {}
        samples, self._critic_samples = self._critic_samples, []
        return self.critic.learn(samples)

    def metrics(self, groups: Sequence[Group]) -> dict[str, float]:
        """What is taken off an attempt's reward on average, where anything is: ``overlong_penalty``, ``kl_penalty``."""
        advantage, limit = self.config.advantage, self.config.sampling.max_new_tokens
        lengths = [
            length_penalty(one, advantage, limit)
            for group in groups
            for one in group.scored
            if one.reward is not None and advantage.overlong_share
        ]
        taken = {"overlong_penalty": lengths, "kl_penalty": self._penalties}
        return {name: fmean(values) for name, values in taken.items() if values}

    @property
    def _kl_in_reward(self) -> bool:
        kl = self.config.loss.kl
        return self.reference is not None and kl.coefficient > 0 and kl.place == "reward"

    def _attempt_penalties(self, groups: Sequence[Group]) -> list[list[float]]:
        """What each attempt's KL takes off its reward; nothing here where the critic takes it off token by token."""
        if not self._kl_in_reward or self.critic is not None:
            return []
        owners: list[tuple[int, int]] = []
        samples: list[Sample] = []
        for place, group in enumerate(groups):
            for index, scored in enumerate(group.scored):
                of_attempt = trajectory_samples(scored.trajectory, 0.0)
                samples += of_attempt
                owners += [(place, index)] * len(of_attempt)
        penalties = [[0.0] * len(group.scored) for group in groups]
        for (place, index), of_sample in zip(owners, self._token_penalties(samples), strict=True):
            penalties[place][index] += sum(of_sample)
        self._penalties = [one for of_group in penalties for one in of_group]
        return penalties

    def _token_penalties(self, samples: Sequence[Sample]) -> list[list[float]]:
        """The weighted KL estimate of each loss token of each sample, sampler against reference."""
        assert self.reference is not None
        kl = self.config.loss.kl
        batches = make_batches(
            samples, [0.0] * len(samples), max_tokens=self.config.micro_batch_tokens, device=self.policy.device
        )
        values = []
        for batch in batches:
            logprobs = self.reference.logprobs(self.policy, batch, temperature=self.config.sampling.temperature)
            values.append(kl.coefficient * kl_estimate(batch.sampler_logprobs - logprobs, kl.estimator))
        return per_sample(batches, values, len(samples))
