"""The stage ``rejection_sampling``."""

from __future__ import annotations

from collections.abc import Sequence

from tahr.core.errors import InputError
from tahr.core.types import Sample, Scored, Task
from tahr.data.mixture import Mixture
from tahr.models.fingerprint import model_hash
from tahr.models.load import LoadedModel
from tahr.models.same_tokens import difference
from tahr.recipe.session import Session
from tahr.recipe.stages.stage import Place
from tahr.recipe.teacher import check_same_teacher, load_teacher, teachers_collector
from tahr.rollout.samples import trajectory_samples
from tahr.training.examples import GoldAnswers
from tahr.training.rejection_sampling import STAGE, Learnable, RejectionSampling

BATCHES_IN_PART = 4
"""What is sampled at once fills the engine's batch about this often: at the end of each part it runs empty."""


def train_rejection_sampling(session: Session, place: Place) -> None:
    """Supervised fine-tuning on sampled answers that pass."""
    config, recipe = session.recipe.rejection_sampling, session.recipe
    assert config is not None  # the recipe's check refuses a stage without its section
    teacher = load_teacher(recipe, config.model) if config.model else None
    teacher_hash = teacher.fingerprint() if teacher else ""
    check_same_teacher(place, teacher_hash, "rejection_sampling.model", config.model)
    sets = {name: session.task_sets[name].split("train") for name in config.tasks}

    def refresh() -> str:
        """Sample from the policy as it is, unless a teacher is asked, whose weights never change."""
        if teacher is not None:
            return teacher_hash
        session.refresh_engine(place.policy.version)
        return model_hash(session.loaded.model)

    RejectionSampling(
        config=config,
        policy=place.policy,
        collector=session.collector() if teacher is None else teachers_collector(session, teacher),
        refresh=refresh,
        teacher_hash=teacher_hash,
        tasks=Mixture(sets, config.tasks, seed=recipe.seed + recipe.stages.index(STAGE)),
        learnable=_sampled if teacher is None else _learnable(session, teacher),
        run=session.run,
        progress=session.progress,
        stop=session.stop,
        max_context=recipe.model.max_context,
        part_size=max(1, BATCHES_IN_PART * recipe.engine.max_batch_size // config.group_size),
    ).train(first_step=place.first_step)


def _sampled(task: Task, scored: Scored) -> Sequence[Sample]:
    """The ids as they were sampled."""
    return trajectory_samples(scored.trajectory, 1.0, domain=task.domain)


def _learnable(session: Session, teacher: LoadedModel) -> Learnable:
    """A teacher's ids where the policy reads them the same way; else its text, encoded by the policy's tokenizer."""
    renderer = session.loaded.renderer
    unlike = difference(renderer, teacher.renderer)
    if not unlike:
        return _sampled
    session.progress.message(f"the teacher's answers are encoded anew: {unlike}")

    def encoded(task: Task, scored: Scored) -> Sequence[Sample]:
        answers = GoldAnswers(
            renderer=renderer,
            answer=lambda _: scored.text,
            max_context=session.recipe.model.max_context,
        )
        try:
            return [answers.sample(task)] if len(scored.trajectory.turns) == 1 else ()
        except InputError:  # too long in the policy's tokens, or with text that it refuses: not kept
            return ()

    return encoded
