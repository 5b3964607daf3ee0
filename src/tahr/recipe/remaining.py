"""What of a recipe is still ahead of a run that goes on."""

from __future__ import annotations

from collections.abc import Collection

from tahr.recipe.schema import Recipe, StageName
from tahr.store.checkpoints import Checkpoint


def stages_over(recipe: Recipe, checkpoint: Checkpoint | None) -> tuple[StageName, ...]:
    """The stages that a run of `recipe` has behind it where it goes on from `checkpoint`: they read nothing more."""
    if checkpoint is None or checkpoint.stage not in recipe.stages:
        return ()
    place = [str(stage) for stage in recipe.stages].index(checkpoint.stage)
    at_end = checkpoint.step >= getattr(recipe, checkpoint.stage).steps
    return recipe.stages[: place + at_end]


def remaining(recipe: Recipe, over: Collection[StageName]) -> Recipe:
    """`recipe` without the stages that are `over`: what must be at hand for the rest of a run."""
    ahead = tuple(stage for stage in recipe.stages if stage not in over)
    return recipe.model_copy(update={**dict.fromkeys(over), "stages": ahead})
