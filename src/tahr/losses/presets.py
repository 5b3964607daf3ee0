"""The published algorithms, each a setting of the switches in `tahr.losses.config`.

A preset holds only what it sets apart from the defaults; ``[rlvr] algorithm = "dapo"`` starts from it, and whatever
else the recipe says goes before it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from tahr.core.errors import UnknownNameError

Settings = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """One algorithm. `advantage`, `loss` and `stage` hold what it sets in those sections of ``[rlvr]``.

    `differs` says how ours is not the paper's, or not what widely used code computes.

    Example: ``Preset(name="dr_grpo", title="Dr.GRPO", paper="Liu et al. 2025, arXiv:2503.20783", differs="nothing",
    advantage={"scale": "none"}, loss={"aggregation": "constant"})``
    """

    name: str
    title: str
    paper: str
    differs: str
    advantage: Settings = field(default_factory=lambda: MappingProxyType({}))
    loss: Settings = field(default_factory=lambda: MappingProxyType({}))
    stage: Settings = field(default_factory=lambda: MappingProxyType({}))

    @property
    def settings(self) -> dict[str, Any]:
        """What it sets, as a part of the ``[rlvr]`` section."""
        sections = {"advantage": dict(self.advantage), "loss": dict(self.loss)}
        return {**{name: section for name, section in sections.items() if section}, **self.stage}


DEFAULT = "grpo"
_ON_POLICY = "one update a step by default, so that the clip acts only with schedule.updates_per_step above 1"
_LARGE_CLIP = {"clip_low": 1.0, "clip_high": 1.0}

_PRESETS = (
    Preset(
        name="grpo",
        title="GRPO, as it is mostly run today",
        paper="Shao et al. 2024, arXiv:2402.03300, section 4.1",
        differs="no KL term, and a mean over all tokens of an update; the published form is grpo_published. The "
        "group's deviation is the population's, with no epsilon. " + _ON_POLICY,
    ),
    Preset(
        name="grpo_published",
        title="GRPO as published",
        paper="Shao et al. 2024, arXiv:2402.03300, equation 3",
        differs="the deviation is the population's, with no epsilon; groups without spread are replaced",
        loss={
            "aggregation": "sequence_mean",
            "kl": {"coefficient": 0.04, "estimator": "k3", "gradient": "estimator"},
        },
    ),
    Preset(
        name="dr_grpo",
        title="Dr.GRPO",
        paper="Liu et al. 2025, arXiv:2503.20783, section 3.1",
        differs="nothing; the divisor is sequences x max_new_tokens, not the padded length of some implementations",
        advantage={"scale": "none"},
        loss={"aggregation": "constant"},
    ),
    Preset(
        name="dapo",
        title="DAPO",
        paper="Yu et al. 2025, arXiv:2503.14476",
        differs="dynamic sampling goes on up to max_resampled_groups extra groups, not until a batch is full; the "
        "overlong buffer is its share of the longest answer, a fifth",
        advantage={"overlong_share": 0.2},
        loss={"clip_low": 0.2, "clip_high": 0.28, "aggregation": "token_mean"},
        stage={"schedule": {"max_resampled_groups": 16}},
    ),
    Preset(
        name="rloo",
        title="RLOO",
        paper="Ahmadian et al. 2024, arXiv:2402.14740, section 3.3",
        differs="no KL in the reward by default (set loss.kl with place = 'reward'); with "
        "several updates a step, older samples are taken for new ones",
        advantage={"baseline": "leave_one_out", "scale": "none"},
        loss={"surrogate": "logprob", "aggregation": "sequence_sum"},
    ),
    Preset(
        name="reinforce",
        title="REINFORCE with the batch's mean as baseline",
        paper="Williams 1992, Machine Learning 8",
        differs="the baseline is this batch's mean reward, not a running one",
        advantage={"baseline": "batch_mean", "scale": "none"},
        loss={"surrogate": "logprob", "aggregation": "sequence_sum"},
    ),
    Preset(
        name="reinforce_pp",
        title="REINFORCE++",
        paper="Hu 2025, arXiv:2501.03262",
        differs="the KL penalty (k1, in the reward) is an attempt's sum, not each token's sum of later ones; rewards "
        "are whitened over attempts, not over tokens",
        advantage={"baseline": "batch_mean", "scale": "batch"},
        loss={"kl": {"coefficient": 0.001, "estimator": "k1", "place": "reward"}},
    ),
    Preset(
        name="reinforce_pp_baseline",
        title="REINFORCE++ with the group's mean as baseline",
        paper="Hu 2025, arXiv:2501.03262, section 3.2",
        differs="advantages are scaled by the batch's deviation over attempts, not over tokens",
        advantage={"baseline": "group_mean", "scale": "advantages"},
        loss={"kl": {"coefficient": 0.001, "estimator": "k2"}},
    ),
    Preset(
        name="ppo",
        title="PPO with a learned critic",
        paper="Schulman et al. 2017, arXiv:1707.06347; GAE: 2016, arXiv:1506.02438",
        differs="the critic is a copy of the starting model with a new head that starts at 0; advantages are whitened "
        "over a step's tokens; no KL in the reward by default",
        advantage={"baseline": "critic", "scale": "batch", "gae_lambda": 0.95},
    ),
    Preset(
        name="gspo",
        title="GSPO",
        paper="Zheng et al. 2025, arXiv:2507.18071",
        differs="nothing; the clip is that of its section 5.1. " + _ON_POLICY,
        loss={"ratio": "sequence", "clip_low": 3e-4, "clip_high": 4e-4, "aggregation": "sequence_mean"},
    ),
    Preset(
        name="cispo",
        title="CISPO",
        paper="MiniMax 2025, arXiv:2506.13585, equation 4",
        differs="weights are cut at 0.2 above 1 (the paper does not state its bound; a system's clip cap may mean the "
        "bound itself, here it is the distance from 1); none is raised from below",
        loss={"surrogate": "cispo", "clip_low": 1.0, "clip_high": 0.2},
    ),
    Preset(
        name="sapo",
        title="SAPO",
        paper="Qwen 2025, arXiv:2511.20347",
        differs="nothing",
        loss={"surrogate": "sapo", "aggregation": "sequence_mean"},
    ),
    Preset(
        name="gmpo",
        title="GMPO",
        paper="Zhao et al. 2025, arXiv:2507.20673",
        differs="nothing; the bounds are e**-0.4 and e**0.4",
        loss={"surrogate": "gmpo", "clip_low": 0.4, "clip_high": 0.4, "aggregation": "sequence_mean"},
    ),
    Preset(
        name="dppo",
        title="DPPO, binary total variation",
        paper="Qi et al. 2026, arXiv:2602.04879",
        differs="the binary approximation only, not the top-k one; the sampler is the old policy",
        loss={"surrogate": "dppo", "divergence": "tv", "max_divergence": 0.2},
    ),
    Preset(
        name="maxrl",
        title="MaxRL",
        paper="Tajwar et al. 2026, arXiv:2602.02710",
        differs="no epsilon is added to the group's mean reward; a group that is all wrong teaches nothing",
        advantage={"scale": "group_mean"},
        loss={"surrogate": "logprob"},
    ),
    Preset(
        name="remax",
        title="ReMax",
        paper="Li et al. 2024, arXiv:2310.10505",
        differs="several attempts at a task share its greedy attempt",
        advantage={"baseline": "greedy", "scale": "none"},
        loss={"surrogate": "logprob", "aggregation": "sequence_sum"},
    ),
    Preset(
        name="dual_clip",
        title="GRPO with a dual clip",
        paper="Ye et al. 2020, arXiv:1912.09729, equation 4",
        differs="the second bound acts where the advantage is negative only, as published",
        loss={"dual_clip": 3.0},
    ),
    Preset(
        name="decoupled",
        title="Decoupled PPO objective, for stale samples",
        paper="Hilton et al. 2022, arXiv:2110.00641; AReaL 2025, arXiv:2505.24298",
        differs="the proximal policy is the one at the start of the step; the sampler's weight is cut at 5",
        loss={"proximal": "recomputed", "correction": {"form": "truncate", "high": 5.0}},
    ),
    Preset(
        name="tis",
        title="Truncated importance sampling, by token",
        paper="Yao et al. 2025, 'Your Efficient RL Framework Secretly Brings You Off-Policy RL Training'",
        differs="nothing; weights are cut at 2",
        loss={"proximal": "recomputed", "correction": {"form": "truncate", "high": 2.0}},
    ),
    Preset(
        name="sequence_mis",
        title="Masked importance sampling, by sequence",
        paper="Liu et al. 2025, 'When Speed Kills Stability'",
        differs="a lower bound of 0.5 too; the mask is of whole sequences",
        loss={"proximal": "recomputed", "correction": {"form": "mask", "level": "sequence", "low": 0.5, "high": 2.0}},
    ),
    Preset(
        name="icepop",
        title="IcePop",
        paper="Ling team 2025, 'Small Leak Can Sink a Great Ship'",
        differs="nothing; tokens whose weight is outside 0.5 to 5 leave the policy gradient",
        loss={"proximal": "recomputed", "correction": {"form": "mask", "low": 0.5, "high": 5.0}},
    ),
    Preset(
        name="high_entropy",
        title="The 20% most uncertain tokens",
        paper="Wang et al. 2025, arXiv:2506.01939",
        differs="the share is of an update's tokens, not of a micro-batch's",
        loss={"entropy": {"top_share": 0.2}, "clip_high": 0.28},
    ),
    Preset(
        name="clip_cov",
        title="Clip-Cov",
        paper="Cui et al. 2025, arXiv:2505.22617, section 4.2",
        differs="covariances are those of the whole update at its start, not of each micro-batch as it comes",
        loss={"covariance": {"form": "clip"}, **_LARGE_CLIP},
    ),
    Preset(
        name="kl_cov",
        title="KL-Cov",
        paper="Cui et al. 2025, arXiv:2505.22617, section 4.2",
        differs="as clip_cov; the penalty is the k3 estimate of KL(proximal || policy), not the size of the log-ratio",
        loss={"surrogate": "ratio", "covariance": {"form": "kl", "share": 0.002}},
    ),
)

PRESETS: Mapping[str, Preset] = MappingProxyType({preset.name: preset for preset in _PRESETS})


def find_preset(name: str) -> Preset:
    """The preset called `name`. Raises UnknownNameError, with the nearest, where there is none."""
    if name not in PRESETS:
        raise UnknownNameError("algorithm", name, PRESETS)
    return PRESETS[name]


def over_preset(given: Mapping[str, Any], preset: Preset) -> dict[str, Any]:
    """`given` values laid over the preset's, section by section."""
    return _merge(preset.settings, given)


def _merge(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(below)
    for name, value in above.items():
        under = merged.get(name)
        merged[name] = (
            _merge(under, value)  # pyright: ignore[reportUnknownArgumentType]
            if isinstance(under, Mapping) and isinstance(value, Mapping)
            else value
        )
    return merged
