"""Settings of preference tuning that contradict one another."""

from __future__ import annotations

from tahr.judges.build import check_judge
from tahr.models.config import ModelConfig
from tahr.models.source import resolve
from tahr.preference.config import BuildConfig
from tahr.recipe.findings import Findings
from tahr.training.dpo_config import DpoConfig

USUAL_RATE = 1e-4
"""Ten times what adapters are usually given; with more, the policy leaves the reference within a few updates."""


def find_dpo_conflicts(dpo: DpoConfig, findings: Findings) -> None:
    """File what contradicts itself in ``[dpo]``."""
    if dpo.loss.name == "kto" and dpo.batch_size == 1:
        findings.conflict(
            "dpo.batch_size",
            "kto measures its baseline between the prompts of an update, and there is one alone",
            received=1,
            instead="2 or more, or another loss",
        )
    if dpo.evaluate_every > dpo.steps:
        findings.warn("dpo.evaluate_every", "longer than the stage: no measurement happens within it")
    if dpo.evaluate_every and not dpo.num_held_out_sets:
        findings.conflict(
            "dpo.evaluate_every",
            "no set holds pairs out to measure on",
            received="validation_percent = 0 everywhere",
            instead="validation_percent above 0 in one of [dpo.pairs.NAME]",
        )
    if dpo.build is not None:
        _find_build_conflicts(dpo.build, findings)
    if dpo.learning_rate > USUAL_RATE:
        findings.warn(
            "dpo.learning_rate",
            "far above what preference tuning is done with: chosen answers tend to lose probability too",
            received=dpo.learning_rate,
            instead="1e-7 to 1e-6 for all weights, about 1e-5 for adapters",
        )


def _find_build_conflicts(build: BuildConfig, findings: Findings) -> None:
    """Models and judges of ``[dpo.build]`` that there are not; it does not contradict itself where it was read."""
    for name, model in build.models.items():
        if model.source:
            held = ModelConfig(source=model.source, max_context=model.max_context)
            findings.try_to(f"dpo.build.models.{name}.source", lambda held=held: resolve(held))
    findings.try_to("dpo.build.judge", lambda: check_judge(build.judge, models=build.models, where="dpo.build.judge"))
