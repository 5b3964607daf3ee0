"""Settings of ``[rlvr.advantage]`` and ``[rlvr.loss]`` that contradict one another or have no effect."""

from __future__ import annotations

from tahr.losses.config import AdvantageConfig, CorrectionConfig, PolicyLossConfig
from tahr.recipe.findings import Findings
from tahr.training.config import RlvrConfig


def find_loss_conflicts(rlvr: RlvrConfig, findings: Findings) -> None:
    """File every contradiction within the algorithm."""
    kl_in_reward = rlvr.loss.kl.coefficient > 0 and rlvr.loss.kl.place == "reward"
    if rlvr.advantage.scale == "group_mean" and (rlvr.advantage.overlong_share or kl_in_reward):
        findings.conflict(
            "rlvr.advantage.scale",
            "dividing by a group's mean reward needs rewards of 0 and more, and penalties take them below",
            received="group_mean, with a penalty for length or KL",
            instead="no penalties in the reward, or scale = 'group' or 'none'",
        )
    _advantage(rlvr.advantage, findings)
    _surrogate(rlvr.loss, findings)
    _correction(rlvr.loss, findings)
    _bounds(rlvr.loss.correction, findings)
    if rlvr.schedule.max_policy_lag and rlvr.loss.surrogate == "logprob":
        findings.warn(
            "rlvr.loss.surrogate",
            "'logprob' takes stale samples for the policy's own; with schedule.max_policy_lag above 0 it drifts. "
            "algorithm = 'decoupled' is made for that",
        )


def _advantage(config: AdvantageConfig, findings: Findings) -> None:
    if config.baseline == "critic" and config.scale not in ("none", "batch"):
        findings.conflict(
            "rlvr.advantage.scale",
            "a critic's advantages are of tokens, not of groups",
            received=config.scale,
            instead="'batch', which whitens them over the step, or 'none'",
        )
    if config.baseline == "batch_mean" and config.scale in ("group", "domain"):
        findings.conflict(
            "rlvr.advantage.scale",
            "with the batch's mean as baseline, groups without spread would stay unscaled beside the others",
            received=config.scale,
            instead="'batch', 'advantages' or 'none'",
        )
    if config.baseline != "critic":
        for name in ("discount", "gae_lambda"):
            if getattr(config, name) != 1.0:
                findings.conflict(
                    f"rlvr.advantage.{name}",
                    "has an effect with a critic only",
                    received=getattr(config, name),
                    instead="1.0, or baseline = 'critic'",
                )


def _surrogate(loss: PolicyLossConfig, findings: Findings) -> None:
    if loss.ratio == "sequence" and loss.surrogate in ("gmpo", "dppo", "logprob"):
        reasons = {
            "gmpo": "gmpo averages over the sequence itself, after the clip",
            "dppo": "dppo judges token by token",
            "logprob": "there is no ratio in it",
        }
        findings.conflict("rlvr.loss.ratio", reasons[loss.surrogate], received="sequence", instead="'token'")
    if loss.surrogate == "clip" and loss.clip_low > 1:
        findings.conflict(
            "rlvr.loss.clip_low", "a ratio is never below 0", received=loss.clip_low, instead="at most 1, for no bound"
        )
    if loss.dual_clip:
        if loss.surrogate != "clip":
            findings.conflict("rlvr.loss.dual_clip", "is a part of 'clip'", received=loss.surrogate, instead="0")
        elif loss.dual_clip <= 1 + loss.clip_high:
            findings.conflict(
                "rlvr.loss.dual_clip",
                "must lie beyond the clip",
                received=loss.dual_clip,
                instead=f"above {1 + loss.clip_high:g}, commonly 3",
            )
    if min(loss.gates) <= 0:
        findings.conflict("rlvr.loss.gates", "temperatures are above 0", received=loss.gates, instead="[1.0, 1.05]")


def _correction(loss: PolicyLossConfig, findings: Findings) -> None:
    if loss.correction.form != "none" and loss.proximal == "sampler":
        findings.conflict(
            "rlvr.loss.correction",
            "corrects from the sampler to the proximal policy, which here is the sampler",
            received=f"form = {loss.correction.form!r} with proximal = 'sampler'",
            instead="proximal = 'recomputed'",
        )


def _bounds(correction: CorrectionConfig, findings: Findings) -> None:
    if correction.form != "none" and (correction.high < 1 or (correction.form != "truncate" and correction.low > 1)):
        findings.conflict(
            "rlvr.loss.correction",
            "the bounds leave out 1, the weight of a sampler that is the trainer's policy",
            received=f"{correction.low:g} to {correction.high:g}",
            instead="low below 1, high above",
        )
