"""What a stage is to the run that goes through it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from tahr.recipe.session import Session
from tahr.training.checkpoint import Saved
from tahr.training.config import OptimizerConfig
from tahr.training.step import Policy


class StageSection(Protocol):
    """What every stage's section of a recipe has."""

    @property
    def steps(self) -> int:
        """Steps of the stage."""
        ...

    @property
    def optimizer(self) -> OptimizerConfig:
        """The optimizer that the stage begins with."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a stage begins: the policy, what a checkpoint of the stage held (None at its start), the first step.

    Example: ``Place(policy=policy, saved=None, first_step=1)``
    """

    policy: Policy
    saved: Saved | None
    first_step: int

    @property
    def cursor(self) -> int:
        """How many examples or tasks the stage has drawn so far."""
        return int(self.saved.state["cursor"]) if self.saved else 0


Train = Callable[[Session, Place], None]
"""Go through a stage from a place to its end, or to the step after which a stop was asked for; that step is saved."""
