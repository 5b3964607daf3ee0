"""The stage ``sft``."""

from __future__ import annotations

from tahr.recipe.session import Session
from tahr.recipe.stages.stage import Place
from tahr.training.sft import Sft


def train_sft(session: Session, place: Place) -> None:
    """Supervised fine-tuning on the task sets' own gold answers."""
    config, renderer = session.recipe.sft, session.loaded.renderer
    assert config is not None  # the recipe's check refuses a stage without its section
    Sft(
        config=config,
        policy=place.policy,
        renderer=renderer,
        encode=renderer.encode_answer,
        answer=session.verifiers.gold,
        curriculum=session.curriculum(dict.fromkeys(config.tasks, 1.0), "sft", place.cursor),
        run=session.run,
        progress=session.progress,
        stop=session.stop,
        max_context=session.recipe.model.max_context,
        run_seed=session.recipe.seed,
    ).train(first_step=place.first_step)
