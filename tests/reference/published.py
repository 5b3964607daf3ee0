"""The published algorithms in the words of the reference: what each preset of tahr must compute.

Constants are those of the papers that `tahr.losses.presets` cites, with the differences that it states.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from reference.policy_reference import (
    Algorithm,
    by_sequence,
    by_token,
    cispo,
    clipped,
    dppo,
    gmpo,
    k2,
    k3,
    plain_logprob,
    plain_ratio,
    sapo,
)


@dataclass(frozen=True)
class Published:
    """How rewards become advantages, and the loss. `reward_kl` weighs the sum of k1 that is taken off a reward."""

    baseline: str
    scale: str
    loss: Algorithm
    reward_kl: float = 0.0
    overlong_share: float = 0.0
    gae: tuple[float, float] | None = None
    top_entropy: float = 1.0
    clip_covariance: tuple[float, float] | None = None
    hold_share: float = 0.0


PPO_CLIP = by_token(clipped(0.8, 1.2))
GRPO_LOSS = Algorithm(PPO_CLIP, "token_mean")
REINFORCE_LOSS = Algorithm(by_token(plain_logprob), "sequence_sum")


def corrected(level: str, form: str, low: float, high: float) -> Algorithm:
    return Algorithm(PPO_CLIP, "token_mean", recomputed=True, correction=(level, form, low, high))


PUBLISHED = {
    "grpo": Published("group_mean", "group", GRPO_LOSS),
    "grpo_published": Published("group_mean", "group", Algorithm(PPO_CLIP, "sequence_mean", kl=(0.04, k3))),
    "dr_grpo": Published("group_mean", "none", Algorithm(PPO_CLIP, "constant")),
    "dapo": Published("group_mean", "group", Algorithm(by_token(clipped(0.8, 1.28)), "token_mean"), overlong_share=0.2),
    "rloo": Published("leave_one_out", "none", REINFORCE_LOSS),
    "reinforce": Published("batch_mean", "none", REINFORCE_LOSS),
    "reinforce_pp": Published("batch_mean", "batch", GRPO_LOSS, reward_kl=0.001),
    "reinforce_pp_baseline": Published("group_mean", "advantages", Algorithm(PPO_CLIP, "token_mean", kl=(0.001, k2))),
    "ppo": Published("none", "none", GRPO_LOSS, gae=(1.0, 0.95)),
    "gspo": Published("group_mean", "group", Algorithm(by_sequence(clipped(1 - 3e-4, 1 + 4e-4)), "sequence_mean")),
    "cispo": Published("group_mean", "group", Algorithm(by_token(cispo(0.0, 1.2)), "token_mean")),
    "sapo": Published("group_mean", "group", Algorithm(by_token(sapo(1.0, 1.05)), "sequence_mean")),
    "gmpo": Published("group_mean", "group", Algorithm(gmpo(math.exp(-0.4), math.exp(0.4)), "sequence_mean")),
    "dppo": Published("group_mean", "group", Algorithm(by_token(dppo(0.2, "tv")), "token_mean")),
    "maxrl": Published("group_mean", "group_mean", Algorithm(by_token(plain_logprob), "token_mean")),
    "remax": Published("greedy", "none", REINFORCE_LOSS),
    "dual_clip": Published("group_mean", "group", Algorithm(by_token(clipped(0.8, 1.2, dual=3.0)), "token_mean")),
    "decoupled": Published("group_mean", "group", corrected("token", "truncate", 0.0, 5.0)),
    "tis": Published("group_mean", "group", corrected("token", "truncate", 0.0, 2.0)),
    "sequence_mis": Published("group_mean", "group", corrected("sequence", "mask", 0.5, 2.0)),
    "icepop": Published("group_mean", "group", corrected("token", "mask", 0.5, 5.0)),
    "high_entropy": Published(
        "group_mean", "group", Algorithm(by_token(clipped(0.8, 1.28)), "token_mean"), top_entropy=0.2
    ),
    "clip_cov": Published(
        "group_mean", "group", Algorithm(by_token(clipped(0.0, 2.0)), "token_mean"), clip_covariance=(1.0, 5.0)
    ),
    "kl_cov": Published(
        "group_mean", "group", Algorithm(by_token(plain_ratio), "token_mean", hold=1.0), hold_share=0.002
    ),
}
