"""The dev side of ``[eval] suites``, asked before the stages of a run and after each."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tahr.evaluation.runner import evaluation_row
from tahr.evaluation.statistics import mean_score
from tahr.evaluation.suites.asking import sampling_in
from tahr.evaluation.suites.config import SuiteConfig
from tahr.evaluation.suites.load import load_suite, suite_tasks
from tahr.recipe.schema import StageName
from tahr.recipe.suite_asking import ask_questions
from tahr.recipe.suite_guard import first_setting
from tahr.recipe.suite_model import Asked, conditions_of, size_of
from tahr.recipe.unseen_guard import contamination
from tahr.store.evaluations import read_evaluation
from tahr.store.journal import EvaluationJournal
from tahr.verifiers.build import VerifierSet, build_verifiers

if TYPE_CHECKING:
    from tahr.recipe.session import Session


async def evaluate_suite(session: Session, name: str, suite_name: str, stage: StageName, step: int) -> None:
    """Ask the suite's dev questions in its first setting, at most ``eval.num_tasks`` of each set, and keep the result
    as `name`. The other side stays unseen: no setting asks it here."""
    config = session.recipe.eval
    assert config is not None
    suite = load_suite(suite_name)
    setting_name, setting = first_setting(suite, suite_name)
    verifiers = _suite_verifiers(session, suite_name, suite)
    drawn = suite_tasks(suite, verifiers, "dev", config.num_tasks)
    of_suite, sampling = suite.sampling, sampling_in(suite, setting)
    collector = replace(session.collector(), verifiers=verifiers, run_seed=of_suite.seed)
    decode = collector.renderer.decode
    conditions = conditions_of(
        suite=suite_name,
        setting=setting_name,
        asked=setting,
        source=session.recipe.model.source,
        training=f"{session.run.folder.name}, {stage} step {step}",
        weights=session.loaded.fingerprint(),
        size=size_of(session.loaded.model),
        sampling=sampling,
        of_suite=of_suite,
        contaminated=contamination(session.recipe),
    )
    session.progress.phase(f"evaluating ({name})", total=len(drawn) * of_suite.samples_per_task)
    with EvaluationJournal(session.run.folder, name=name, stage=stage, step=step, split="dev") as journal:
        found = await ask_questions(
            drawn,
            setting,
            Asked(collector=collector, row=lambda task, scored: evaluation_row(task, scored, decode)),
            journal=journal,
            samples_per_task=of_suite.samples_per_task,
            sampling=sampling,
            conditions=conditions,
            num_cached=lambda: 0,
            progress=session.progress,
        )
    mean = mean_score(read_evaluation(found.path, texts=False)).mean if found.num_scored else None
    session.progress.evaluation(name, mean)


def _suite_verifiers(session: Session, name: str, suite: SuiteConfig) -> VerifierSet:
    """The suite's verifiers, told of the run and kept for the next stage: a model of theirs is loaded once a run."""
    if name not in session.suite_verifiers:
        verifiers = build_verifiers(suite.verifiers)
        verifiers.enter_run(session.run.folder)
        session.suite_verifiers[name] = verifiers
    return session.suite_verifiers[name]
