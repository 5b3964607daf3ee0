"""The order in which a run goes through its stages, each with an evaluation after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tahr.models.save import load_trainable_state
from tahr.recipe.preferences.pool import fetch_pool
from tahr.recipe.remaining import remaining, stages_over
from tahr.recipe.schema import Recipe, StageName
from tahr.recipe.scorers import judged_by_own_model
from tahr.recipe.session import Session
from tahr.recipe.stages.distillation import train_distillation
from tahr.recipe.stages.dpo import train_dpo
from tahr.recipe.stages.rejection_sampling import train_rejection_sampling
from tahr.recipe.stages.reward_model import train_reward_model
from tahr.recipe.stages.rlvr import train_rlvr
from tahr.recipe.stages.sft import train_sft
from tahr.recipe.stages.stage import Place, StageSection, Train
from tahr.recipe.teacher import fetch_teachers
from tahr.recipe.unseen_guard import guarded_hashes
from tahr.store.checkpoints import Checkpoint
from tahr.training.checkpoint import load_checkpoint, read_checkpoint
from tahr.training.step import Policy

KEEPS_POLICY: frozenset[StageName] = frozenset({"reward_model"})
"""Stages that train something else: the policy after them is the policy before."""

STAGES: Mapping[StageName, Train] = {
    "sft": train_sft,
    "rejection_sampling": train_rejection_sampling,
    "distillation": train_distillation,
    "dpo": train_dpo,
    "rlvr": train_rlvr,
    "reward_model": train_reward_model,
}


def go(session: Session, checkpoint: Checkpoint | None = None) -> bool:
    """Evaluate, and go through every stage (from where `checkpoint` left off), each with an evaluation after it.

    Returns whether every stage reached its end; a stop that was asked for ends the run before that.
    """
    stages = session.recipe.stages
    first = stages.index(_stage_name(checkpoint, stages)) if checkpoint else 0
    begun = first + 1 if checkpoint else 0
    fetch_teachers(remaining(session.recipe, stages_over(session.recipe, checkpoint)))
    if "dpo" in stages[begun:] and session.recipe.dpo is not None and session.recipe.dpo.build is not None:
        fetch_pool(session.recipe.dpo.build, where="dpo.build")
    session.run.record(guarded=guarded_hashes(session.recipe))
    session.evaluate_once("before", stages[0], 0)
    _evaluate_ends(session, stages[:first])
    for stage in stages[first:]:
        if session.stop.asked:
            return False
        _go_through(session, stage, checkpoint)
        checkpoint = None
        is_last = stage == stages[-1]
        if session.stop.asked and not (is_last and _reached_end(session)):
            return False
        # what a stage gained is its own only where the model was evaluated between it and the one before
        _evaluate_end(session, stage)
    return True


def _evaluate_end(session: Session, stage: StageName) -> None:
    evaluation = _evaluation_after(session, stage)
    if evaluation is not None:
        session.evaluate_once(*evaluation)


def _evaluation_after(session: Session, stage: StageName) -> tuple[str, StageName, int] | None:
    """The name, stage and step of the evaluation at the end of `stage`; None where the policy was measured already.

    After the stage that trains the reward model which judges them, evaluated tasks are measured for the first time:
    before the stages that follow.
    """
    stages, steps = session.recipe.stages, section_of(session.recipe, stage).steps
    if stage == stages[-1]:
        return "after", stage, steps
    if stage not in KEEPS_POLICY:
        return f"after-{stage}", stage, steps
    if judged_by_own_model(session.recipe, session.task_sets):
        return "before", stages[stages.index(stage) + 1], 0
    return None


def _evaluate_ends(session: Session, stages: Sequence[StageName]) -> None:
    """The evaluations after stages that lie behind: another run's, from which they were taken over, measured other
    things. A stage whose end was not kept has none."""
    ends = {one.stage: one for one in session.run.checkpoints()}
    done = {found.name for found in session.run.evaluations()}
    for stage in stages:
        steps = section_of(session.recipe, stage).steps
        evaluation = _evaluation_after(session, stage)
        missing = session.recipe.eval and evaluation and evaluation[0] not in done
        if missing and stage in ends and ends[stage].step == steps:
            saved = read_checkpoint(ends[stage].folder)
            load_trainable_state(session.loaded.model, saved.weights)
            session.refresh_engine(int(saved.state["policy_version"]))
            _evaluate_end(session, stage)


def section_of(recipe: Recipe, stage: StageName) -> StageSection:
    """The section of a stage that `recipe` lists."""
    section: StageSection | None = getattr(recipe, stage)
    assert section is not None  # the recipe's check refuses a stage without its section
    return section


def _go_through(session: Session, stage: StageName, checkpoint: Checkpoint | None) -> None:
    section = section_of(session.recipe, stage)
    policy = Policy(session.loaded.model, section.optimizer, max_context=session.recipe.model.max_context)
    policy.version = session.version
    saved = None if checkpoint is None else load_checkpoint(checkpoint.folder, policy)
    first_step = int(saved.state["step"]) + 1 if saved else 1
    session.refresh_engine(policy.version)
    if first_step <= section.steps:
        STAGES[stage](session, Place(policy=policy, saved=saved, first_step=first_step))
    session.refresh_engine(policy.version)


def _reached_end(session: Session) -> bool:
    latest, last = session.run.latest_checkpoint(), session.recipe.stages[-1]
    return latest is not None and latest.stage == last and latest.step >= section_of(session.recipe, last).steps


def _stage_name(checkpoint: Checkpoint, stages: tuple[StageName, ...]) -> StageName:
    return next(stage for stage in stages if stage == checkpoint.stage)
