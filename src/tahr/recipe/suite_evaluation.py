"""The dev side of ``[eval] suites``, asked before the stages of a run and after each."""

from __future__ import annotations

from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING

from tahr.core.protocols import Sampling
from tahr.evaluation.runner import SEED_STEP, evaluation_row
from tahr.evaluation.statistics import mean_score
from tahr.evaluation.suites.asking import asked_in
from tahr.evaluation.suites.load import load_suite, suite_tasks
from tahr.models.fingerprint import weights_hash
from tahr.recipe.schema import StageName
from tahr.recipe.suite_guard import first_setting, suite_label
from tahr.store.records import Conditions, Evaluation
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
    sampling = suite.sampling
    max_new_tokens = setting.max_new_tokens or sampling.max_new_tokens
    session.progress.phase(f"evaluating ({name})", total=len(drawn) * sampling.samples_per_task)
    begun = monotonic()
    collector = replace(session.collector(), verifiers=verifiers, run_seed=sampling.seed)
    decode = collector.renderer.decode
    groups = await collector.collect(
        [asked_in(task, setting) for task in drawn],
        group_size=sampling.samples_per_task,
        sampling=Sampling(
            max_new_tokens=max_new_tokens,
            temperature=sampling.temperature,
            top_p=sampling.top_p,
            top_k=sampling.top_k,
        ),
        purpose="evaluate",
        step=SEED_STEP,
        on_scored=lambda _: session.progress.advance(),
    )
    rows = [
        # by the id of the question itself, so that settings can be compared on it
        replace(evaluation_row(group.task, one, decode), task_id=task.id, cluster=str(task.meta.get("cluster", "")))
        for task, group in zip(drawn, groups, strict=True)
        for one in group.scored
    ]
    parameters = list(session.loaded.model.parameters())
    found = Evaluation(
        name=name,
        stage=stage,
        step=step,
        split="dev",
        rows=tuple(rows),
        conditions=Conditions(
            suite=suite_label(suite_name),
            setting=setting_name,
            model=session.loaded.source,
            training=f"{session.run.folder.name}, {stage} step {step}",
            weights=weights_hash(session.loaded.model),
            num_parameters=sum(one.numel() for one in parameters),
            num_bytes=sum(one.numel() * one.element_size() for one in parameters),
            seed=sampling.seed,
            temperature=sampling.temperature,
            max_new_tokens=max_new_tokens,
            samples_per_task=sampling.samples_per_task,
            seconds=monotonic() - begun,
            num_cached=0,
        ),
    )
    session.run.write_evaluation(found)
    scored = any(row.score is not None for row in rows)
    session.progress.evaluation(name, mean_score(found).mean if scored else None)
