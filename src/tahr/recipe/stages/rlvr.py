"""The stage ``rlvr``."""

from __future__ import annotations

import asyncio

from tahr.engines.embedded.lagged import LaggedEngine
from tahr.losses.presets import find_preset
from tahr.recipe.session import Session
from tahr.recipe.stages.stage import Place
from tahr.training.critic import Critic
from tahr.training.reference import Reference
from tahr.training.rlvr import Rlvr
from tahr.training.step import Policy


def train_rlvr(session: Session, place: Place) -> None:
    """Reinforcement learning from verifiable rewards."""
    config, policy = session.recipe.rlvr, place.policy
    assert config is not None  # the recipe's check refuses a stage without its section
    lag = config.schedule.max_policy_lag
    engine = _lagged_engine(session, policy, lag) if lag else session.engine()

    async def evaluate_step(step: int) -> None:
        if lag:  # evaluations are of the policy itself
            session.refresh_engine(policy.version)
        await session.evaluate(f"step-{step:06d}", "rlvr", step, "validation")

    session.progress.message(f"algorithm: {find_preset(config.algorithm).title}")
    has_critic = config.advantage.baseline == "critic"
    stage = Rlvr(
        config=config,
        policy=policy,
        engine=engine,
        collector=session.collector(engine),
        curriculum=session.curriculum(config.tasks, "rlvr", place.cursor),
        run=session.run,
        progress=session.progress,
        stop=session.stop,
        evaluate=evaluate_step,
        reference=Reference.open(session.run.folder, policy.model, at_start=place.saved is None)
        if config.loss.kl.coefficient
        else None,
        critic=Critic(policy.model, config.advantage, max_tokens=config.micro_batch_tokens) if has_critic else None,
    )
    if place.saved is not None:
        stage.restore(place.saved.more)
    asyncio.run(stage.train(first_step=place.first_step))


def _lagged_engine(session: Session, policy: Policy, lag: int) -> LaggedEngine:
    engine = LaggedEngine(
        policy.model,
        lag=lag,
        max_context=session.recipe.model.max_context,
        config=session.recipe.engine,
        decode=session.loaded.renderer.decode,
    )
    engine.load_weights(policy.model, policy.version)
    return engine
