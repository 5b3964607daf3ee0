"""The ``[rlvr.advantage]`` and ``[rlvr.loss]`` sections of a recipe: independent switches.

`tahr.losses.presets` names the published algorithms, each a setting of them.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from tahr.core.config import Config


class CriticConfig(Config):
    """The learned critic of ``baseline = "critic"``: a copy of the model with a scalar head."""

    learning_rate: float = Field(default=1e-5, gt=0, le=1, description="constant learning rate of the critic")
    clip: float = Field(
        default=0.2, gt=0, description="a value moves at most this far from its old one before its loss is cut off"
    )
    passes: int = Field(default=1, ge=1, description="passes over a step's tokens")


class AdvantageConfig(Config):
    """How rewards become advantages: a baseline, then a scale. The defaults are GRPO's."""

    baseline: Literal["group_mean", "leave_one_out", "batch_mean", "greedy", "critic", "none"] = Field(
        default="group_mean",
        description="what is subtracted from each reward: the group's mean, that of the group's others, the batch's, "
        "the reward of a greedy attempt at the task, a learned value at each token (GAE), or nothing",
    )
    scale: Literal["group", "domain", "batch", "advantages", "group_mean", "none"] = Field(
        default="group",
        description="divide by the standard deviation of the group's, the domain's or the batch's rewards, by that of "
        "the batch's advantages, by the group's mean reward, or not at all. With a critic 'batch' whitens: all token "
        "advantages of a step are brought to mean 0 and deviation 1",
    )
    spread_in: Literal["correct", "reward"] = Field(
        default="correct",
        description="a group teaches only where its attempts differ in raw correctness, or in the whole reward "
        "(for tasks with partial credit)",
    )
    discount: float = Field(default=1.0, gt=0, le=1, description="of later rewards, a token (with a critic)")
    gae_lambda: float = Field(
        default=1.0, ge=0, le=1, description="1 trusts the rewards, 0 the critic (generalised advantage estimation)"
    )
    critic: CriticConfig = Field(default_factory=CriticConfig, description="the critic, with baseline = 'critic'")
    overlong_share: float = Field(
        default=0.0, ge=0, le=1, description="the last share of max_new_tokens in which length is penalised; 0 for none"
    )
    overlong_penalty: float = Field(default=1.0, ge=0, description="taken off the reward at max_new_tokens")
    domain_weights: dict[str, Annotated[float, Field(ge=0)]] = Field(
        default_factory=dict,
        description="times the advantages of these domains, after the scale, so that it can't cancel them; others: 1",
    )
    mask_truncated: bool = Field(
        default=False, description="leave attempts cut off by max_new_tokens out of the loss, not out of the baseline"
    )

    @property
    def needs_group(self) -> bool:
        """Whether a group of one attempt would always give 0."""
        return self.baseline in {"group_mean", "leave_one_out"} or self.scale in {"group", "group_mean"}


class KlConfig(Config):
    """The penalty for leaving the policy that the stage started from."""

    coefficient: float = Field(default=0.0, ge=0, description="weight of the penalty; 0 needs no reference policy")
    estimator: Literal["k1", "k2", "k3"] = Field(
        default="k3", description="log ratio; its half square; exp(-log ratio) - 1 + log ratio (never negative)"
    )
    place: Literal["loss", "reward"] = Field(
        default="loss", description="a term of each token's loss, or an attempt's sum taken off its reward"
    )
    gradient: Literal["exact", "estimator"] = Field(
        default="exact",
        description="in the loss: the KL divergence's own gradient in expectation, or that of the estimator's formula",
    )


class CorrectionConfig(Config):
    """Importance weights from the sampler's policy to the trainer's at the start of the update, without gradient."""

    form: Literal["none", "truncate", "clamp", "mask"] = Field(
        default="none", description="weights above `high` become it; clamped to low..high; outside low..high become 0"
    )
    level: Literal["token", "sequence", "geometric"] = Field(
        default="token", description="one weight a token; their product, or its geometric mean, for a whole sequence"
    )
    low: float = Field(default=0.5, ge=0, description="least weight (clamp, mask)")
    high: float = Field(default=2.0, gt=0, description="greatest weight")


class CovarianceConfig(Config):
    """Tokens whose log-probability and advantage vary together most, which make the entropy fall."""

    form: Literal["none", "clip", "kl"] = Field(
        default="none",
        description="take the policy gradient from some tokens between low and high, or hold the highest by a KL term",
    )
    share: float = Field(default=0.0002, gt=0, le=1, description="share of an update's tokens")
    low: float = Field(default=1.0, description="least covariance of a clipped token")
    high: float = Field(default=5.0, description="greatest covariance of a clipped token")
    coefficient: float = Field(default=1.0, ge=0, description="weight of the KL term")


class EntropyConfig(Config):
    """What the entropy of the policy at a token does to the loss."""

    bonus: float = Field(default=0.0, ge=0, description="weight of the entropy, which is maximised")
    top_share: float = Field(
        default=1.0, gt=0, le=1, description="only this share of an update's tokens, the most uncertain, teaches"
    )


class PolicyLossConfig(Config):
    """The policy loss: a surrogate of the ratio to the proximal policy, its correction, penalties, normalisation."""

    surrogate: Literal["clip", "cispo", "sapo", "gmpo", "dppo", "ratio", "logprob"] = Field(
        default="clip",
        description="ratio clipped (PPO); log-probability with a clipped weight; soft gate; geometric mean; masked by "
        "divergence; the bare ratio; the bare log-probability (REINFORCE)",
    )
    ratio: Literal["token", "sequence"] = Field(
        default="token", description="each token's ratio, or the geometric mean over its sequence"
    )
    proximal: Literal["sampler", "recomputed"] = Field(
        default="sampler",
        description="the ratio's denominator: what the sampler said, or the policy at the start of the step, computed "
        "anew by the trainer",
    )
    clip_low: float = Field(default=0.2, gt=0, description="clipped at 1 - clip_low (gmpo: at exp(-clip_low))")
    clip_high: float = Field(default=0.2, gt=0, description="clipped at 1 + clip_high (gmpo: at exp(clip_high))")
    dual_clip: float = Field(
        default=0.0, ge=0, description="bound of the ratio where the advantage is negative, above 1; 0 for none"
    )
    gates: tuple[float, float] = Field(
        default=(1.0, 1.05), description="temperatures of sapo's gate at positive and at negative advantages"
    )
    divergence: Literal["tv", "kl"] = Field(
        default="tv", description="dppo: total variation or KL of the sampled token against all others"
    )
    max_divergence: float = Field(default=0.2, gt=0, description="dppo: a token beyond it moves no further away")
    correction: CorrectionConfig = Field(
        default_factory=CorrectionConfig, description="for a sampler that is not the trainer's policy"
    )
    kl: KlConfig = Field(default_factory=KlConfig, description="KL penalty against the stage's first policy")
    covariance: CovarianceConfig = Field(default_factory=CovarianceConfig, description="clip-cov and kl-cov")
    entropy: EntropyConfig = Field(
        default_factory=EntropyConfig, description="entropy bonus, and training on uncertain tokens only"
    )
    aggregation: Literal["token_mean", "sequence_mean", "sequence_sum", "constant"] = Field(
        default="token_mean",
        description="mean over all tokens of an update; mean over sequences of each one's token mean, or of its token "
        "sum; or sum over tokens / (sequences x max_new_tokens)",
    )
    balance_domains: bool = Field(default=False, description="give every domain of an update the same total weight")
