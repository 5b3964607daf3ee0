"""The dev side of ``[eval] suites``, asked before the stages of a run and after each."""

from __future__ import annotations

from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING

from tahr.evaluation.runner import SEED_STEP, evaluation_row
from tahr.evaluation.statistics import mean_score
from tahr.evaluation.suites.asking import asked_in, own_row, sampling_in
from tahr.evaluation.suites.load import load_suite, suite_tasks
from tahr.models.fingerprint import weights_hash
from tahr.recipe.schema import StageName
from tahr.recipe.suite_guard import first_setting
from tahr.recipe.suite_model import conditions_of, size_of
from tahr.store.records import Evaluation
from tahr.verifiers.build import build_verifiers

if TYPE_CHECKING:
    from tahr.recipe.session import Session


async def evaluate_suite(session: Session, name: str, suite_name: str, stage: StageName, step: int) -> None:
    """Ask the suite's dev questions in its first setting, at most ``eval.num_tasks`` of each set, and keep the result
    as `name`. The other side stays unseen: no setting asks it here."""
    config = session.recipe.eval
    assert config is not None
    suite = load_suite(suite_name)
    setting_name, setting = first_setting(suite, suite_name)
    verifiers = build_verifiers(suite.verifiers)
    drawn = suite_tasks(suite, verifiers, "dev", config.num_tasks)
    of_suite, sampling = suite.sampling, sampling_in(suite, setting)
    session.progress.phase(f"evaluating ({name})", total=len(drawn) * of_suite.samples_per_task)
    begun = monotonic()
    collector = replace(session.collector(), verifiers=verifiers, run_seed=of_suite.seed)
    decode = collector.renderer.decode
    groups = await collector.collect(
        [asked_in(task, setting) for task in drawn],
        group_size=of_suite.samples_per_task,
        sampling=sampling,
        purpose="evaluate",
        step=SEED_STEP,
        on_scored=lambda _: session.progress.advance(),
    )
    seconds = monotonic() - begun
    rows = [
        own_row(evaluation_row(group.task, one, decode), task)
        for task, group in zip(drawn, groups, strict=True)
        for one in group.scored
    ]
    conditions = conditions_of(
        suite=suite_name,
        setting=setting_name,
        source=session.recipe.model.source,
        training=f"{session.run.folder.name}, {stage} step {step}",
        weights=weights_hash(session.loaded.model),
        size=size_of(session.loaded.model),
        sampling=sampling,
        of_suite=of_suite,
    )
    found = Evaluation(
        name=name,
        stage=stage,
        step=step,
        split="dev",
        rows=tuple(rows),
        conditions=replace(conditions, seconds=seconds),
    )
    session.run.write_evaluation(found)
    scored = any(row.score is not None for row in rows)
    session.progress.evaluation(name, mean_score(found).mean if scored else None)
