"""The preference loss of an update, batch by batch, and what it says about the pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from tahr.losses.preference import PairLogprobs, implicit_rewards, kto_baseline, preference_losses
from tahr.losses.preference_config import PreferenceLossConfig
from tahr.training.batch import Batch
from tahr.training.pair_batch import PairBatch, pair_batches
from tahr.training.pairs import EncodedPair
from tahr.training.reference_logprobs import ReferenceLogprobs
from tahr.training.step import Policy

ROUNDING_OF_AN_ANSWER = 1e-4
"""Nats by which the log-probability of an answer of some hundred tokens may differ between two ways of batching it."""

ROUNDING_OF_A_TOKEN = 1e-6
"""The same for the mean of an answer's tokens."""

_POLICY = ("policy_chosen", "policy_rejected")


@dataclass(slots=True)
class PreferenceObjective:
    """The mean loss of `num_pairs` pairs, in the order of `batches`; it keeps what the metrics need.

    `reference` is None with a loss that has none; then the metrics have no drift.

    Example: ``step(policy, [one.batch for one in batches], PreferenceObjective(config, reference, 32, batches))``
    """

    config: PreferenceLossConfig
    reference: ReferenceLogprobs | None
    num_pairs: int
    batches: Sequence[PairBatch] = ()
    baseline: Tensor | None = None
    _seen: list[PairLogprobs] = field(default_factory=list[PairLogprobs])
    _losses: list[Tensor] = field(default_factory=list[Tensor])

    def __call__(self, batch: Batch, policy_logprobs: Tensor, _entropies: Tensor) -> Tensor:
        """The batch's part of the update's loss."""
        part = self.batches[len(self._seen)]
        assert part.batch is batch
        return self.observe(part, policy_logprobs)

    def observe(self, part: PairBatch, policy_logprobs: Tensor) -> Tensor:
        """The loss of some of the pairs, from the log-probabilities (M,) of their tokens."""
        pairs = self._logprobs(part, policy_logprobs)
        losses = preference_losses(pairs, self.config, self.baseline)
        self._seen.append(replace(pairs, **{name: getattr(pairs, name).detach() for name in _POLICY}))
        self._losses.append(losses.detach())
        return losses.sum() / self.num_pairs

    def _logprobs(self, part: PairBatch, policy_logprobs: Tensor) -> PairLogprobs:
        policy_chosen, policy_rejected = part.sums(policy_logprobs)
        if self.reference is None:
            reference_chosen, reference_rejected = torch.zeros_like(policy_chosen), torch.zeros_like(policy_rejected)
        else:
            reference_chosen, reference_rejected = self.reference.of(part.pairs, policy_logprobs.device)
        lengths = [[float(len(answer)) for answer in pair.answers] for pair in part.pairs]
        chosen_lengths, rejected_lengths = torch.tensor(lengths, device=policy_logprobs.device).unbind(1)
        return PairLogprobs(
            policy_chosen=policy_chosen,
            policy_rejected=policy_rejected,
            reference_chosen=reference_chosen,
            reference_rejected=reference_rejected,
            chosen_lengths=chosen_lengths,
            rejected_lengths=rejected_lengths,
        )

    def metrics(self) -> dict[str, float]:
        """Means over the pairs seen so far.

        `preference_loss`; ``accuracy`` of the implicit rewards, a tie counting half, and the share of ``ties``;
        ``chosen_reward``, ``rejected_reward`` and their ``margin``; ``chosen_logprob`` and ``rejected_logprob`` of
        whole answers in nats, with a reference also how far each has moved from it (``chosen_drift``,
        ``rejected_drift``: a chosen answer that the policy gives up has a negative one); the lengths in tokens;
        ``kl_baseline`` with KTO.
        """
        rewards = [implicit_rewards(pairs, self.config) for pairs in self._seen]
        chosen, rejected = (torch.cat(side) for side in zip(*rewards, strict=True))
        ties = ((chosen - rejected).abs() <= self._rounding).float()
        columns = {
            "preference_loss": torch.cat(self._losses),
            "accuracy": torch.where(ties > 0, 0.5, (chosen > rejected).float()),
            "ties": ties,
            "chosen_reward": chosen,
            "rejected_reward": rejected,
            "margin": chosen - rejected,
            "chosen_logprob": torch.cat([one.policy_chosen for one in self._seen]),
            "rejected_logprob": torch.cat([one.policy_rejected for one in self._seen]),
            "chosen_length": torch.cat([one.chosen_lengths for one in self._seen]),
            "rejected_length": torch.cat([one.rejected_lengths for one in self._seen]),
        }
        if self.reference is not None:
            columns["chosen_drift"] = torch.cat([one.chosen_ratio for one in self._seen])
            columns["rejected_drift"] = torch.cat([one.rejected_ratio for one in self._seen])
        found = {name: float(column.double().mean()) for name, column in columns.items()}
        return found if self.baseline is None else found | {"kl_baseline": float(self.baseline)}

    @property
    def _rounding(self) -> float:
        """Implicit rewards that differ by no more are equal: the reference was asked in batches of other shapes."""
        of_a_token = self.config.name in ("dpo_norm", "ipo", "simpo", "orpo")
        return self.config.strength * (ROUNDING_OF_A_TOKEN if of_a_token else ROUNDING_OF_AN_ANSWER)


def crossed(pairs: Sequence[EncodedPair], *, max_context: int) -> list[EncodedPair]:
    """The prompt of each pair with the answers to the next one that asks something else, for `kto_baseline`.

    Those that don't fit into the context are left out, and so is what has no other prompt beside it.
    """
    found: list[EncodedPair] = []
    for place, pair in enumerate(pairs):
        following = (*pairs[place + 1 :], *pairs[:place])
        other = next((one for one in following if one.prompt != pair.prompt), None)
        if other is not None and len(pair.prompt) + max(map(len, other.answers)) <= max_context:
            found.append(
                EncodedPair(
                    id=f"{pair.id}/{other.id}", prompt=pair.prompt, chosen=other.chosen, rejected=other.rejected
                )
            )
    return found


@torch.no_grad()
def measure_baseline(
    policy: Policy, pairs: Sequence[EncodedPair], reference: ReferenceLogprobs, *, max_tokens: int
) -> Tensor:
    """`kto_baseline` of a step from its `crossed` pairs; 0 where there are none."""
    ours: list[Tensor] = []
    theirs: list[Tensor] = []
    for part in pair_batches(pairs, max_tokens=max_tokens, device=policy.device):
        logprobs, _ = policy.logprobs(part.batch.tokens, part.batch.rows, part.batch.targets)
        ours += part.sums(logprobs)
        theirs += reference.of(part.pairs, policy.device)
    if not ours:
        return torch.zeros((), device=policy.device)
    return kto_baseline(torch.cat(ours), torch.cat(theirs))
