"""Settings of the stages that learn from sampled answers without rewards in the loss."""

from __future__ import annotations

from collections.abc import Mapping

from tahr.models.source import resolve
from tahr.recipe.findings import Findings
from tahr.recipe.schema import Recipe
from tahr.recipe.teacher import teacher_config
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
    if section.sampling.temperature == 0 and section.group_size > 1:
        findings.conflict(
            "rejection_sampling.sampling.temperature",
            "greedy attempts at a task are all alike",
            received=f"0, with group_size = {section.group_size}",
            instead="a temperature above 0, or group_size = 1",
        )
    if section.sampling.stop:
        findings.conflict(
            "rejection_sampling.sampling.stop",
            "an answer that a text ends lacks the id that ends a turn: who learns it never learns to stop",
            received=list(section.sampling.stop),
            instead="none; answers that do not end by themselves are not kept",
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
