"""Settings of the stages that learn from sampled answers without rewards in the loss."""

from __future__ import annotations

from collections.abc import Mapping

from tahr.models.source import resolve
from tahr.recipe.findings import Findings
from tahr.recipe.schema import Recipe
from tahr.recipe.teacher import teacher_config
from tahr.training.distillation_config import DistillationConfig
from tahr.training.rejection_config import RejectionSamplingConfig


def find_rejection_conflicts(recipe: Recipe, section: RejectionSamplingConfig, findings: Findings) -> None:
    """File what contradicts itself in ``[rejection_sampling]``."""
    _weights("rejection_sampling", section.tasks, findings)
    _teacher(recipe, "rejection_sampling.model", section.model, findings)
    if section.steps % section.rounds:
        findings.conflict(
            "rejection_sampling.rounds",
            "every round has an equal part of the steps",
            received=f"{section.rounds} rounds, {section.steps} steps",
            instead="a divisor of steps",
        )
    _greedy("rejection_sampling", section, findings)
    if section.sampling.stop:
        findings.conflict(
            "rejection_sampling.sampling.stop",
            "an answer that a text ends lacks the id that ends a turn: who learns it never learns to stop",
            received=list(section.sampling.stop),
            instead="none; answers that do not end by themselves are not kept",
        )


def find_distillation_conflicts(recipe: Recipe, section: DistillationConfig, findings: Findings) -> None:
    """File what contradicts itself in ``[distillation]``."""
    _weights("distillation", section.tasks, findings)
    _teacher(recipe, "distillation.teacher", section.teacher, findings)
    _greedy("distillation", section, findings)
    if section.loss.estimate == "exact":
        return
    if section.loss.divergence != "reverse_kl":
        findings.conflict(
            "distillation.loss.estimate",
            "tokens that the student sampled estimate KL(student || teacher) alone",
            received=f"'sampled', with divergence = {section.loss.divergence!r}",
            instead="estimate = 'exact', or divergence = 'reverse_kl'",
        )
    sampling = section.sampling
    filtered = (sampling.top_p, sampling.top_k, sampling.min_p, sampling.temperature) != (1.0, 0, 0.0, 1.0)
    if filtered or section.teacher_share:
        findings.conflict(
            "distillation.loss.estimate",
            "the estimate from sampled tokens is right only where they are drawn from the student itself",
            received=f"temperature {sampling.temperature:g}, top_p {sampling.top_p:g}, top_k {sampling.top_k}, "
            f"min_p {sampling.min_p:g}, teacher_share {section.teacher_share:g}",
            instead="temperature = 1, no filters and teacher_share = 0; or estimate = 'exact'",
        )


def _greedy(stage: str, section: RejectionSamplingConfig | DistillationConfig, findings: Findings) -> None:
    if section.sampling.temperature == 0 and section.group_size > 1:
        findings.conflict(
            f"{stage}.sampling.temperature",
            "greedy attempts at a task are all alike",
            received=f"0, with group_size = {section.group_size}",
            instead="a temperature above 0, or group_size = 1",
        )


def _weights(stage: str, tasks: Mapping[str, float], findings: Findings) -> None:
    for name, weight in tasks.items():
        if weight <= 0:
            findings.conflict(f"{stage}.tasks.{name}", "a weight must be above 0", received=weight)


def _teacher(recipe: Recipe, where: str, source: str, findings: Findings) -> None:
    """Whether there is such a model."""
    if source == "scratch":
        findings.conflict(where, "random weights have nothing to teach", instead="a model that has learnt something")
    elif source:
        findings.try_to(where, lambda: resolve(teacher_config(recipe, source)))
