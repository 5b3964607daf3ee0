"""Evaluate one model outside a run, and write what was found."""

from __future__ import annotations

import asyncio
import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tahr.core.progress import Progress
from tahr.core.types import Task
from tahr.data.splits import build_task_sets
from tahr.evaluation.runner import evaluate
from tahr.evaluation.statistics import mean_score, part_names
from tahr.recipe.evaluation_plan import EvaluationPlan
from tahr.store.files import write_file
from tahr.store.records import Evaluation
from tahr.verifiers.build import VerifierSet, build_verifiers


def evaluate_model(plan: EvaluationPlan, *, progress: Progress) -> Evaluation:
    """Load the model and attempt the held-out tasks. Raises InputError and ResourceError as loading does."""
    import torch

    from tahr.engines.embedded.engine import EmbeddedEngine
    from tahr.models.load import load_model
    from tahr.rollout.collect import Collector

    if plan.threads:
        torch.set_num_threads(plan.threads)
    verifiers = build_verifiers(plan.verifiers)
    tasks = held_out_tasks(plan, verifiers)
    loaded = load_model(plan.model, seed=plan.seed)
    engine = EmbeddedEngine(
        loaded.model, max_context=plan.model.max_context, config=plan.engine, decode=loaded.renderer.decode
    )
    collector = Collector(engine=engine, renderer=loaded.renderer, verifiers=verifiers, run_seed=plan.seed)
    progress.phase("evaluating", total=len(tasks) * plan.eval.samples_per_task)
    return asyncio.run(
        evaluate(
            collector,
            tasks,
            config=plan.eval,
            name=loaded.source,
            stage="eval",
            step=0,
            split=plan.eval.split,
            on_progress=lambda done, total: progress.advance(1),
            decode=loaded.renderer.decode,
        )
    )


def held_out_tasks(plan: EvaluationPlan, verifiers: VerifierSet) -> list[Task]:
    """The first ``eval.num_tasks`` tasks of each set's held-out split. Raises InputError where a split is empty."""
    sets = build_task_sets(plan.tasks, verifiers)
    return [task for name in plan.eval.tasks for task in sets[name].split(plan.eval.split)[: plan.eval.num_tasks]]


def write_scores(path: Path, plan: EvaluationPlan, evaluation: Evaluation) -> None:
    """Write the plan, the scores with their intervals and every attempt as JSON, whole or not at all."""
    domains = sorted({row.domain for row in evaluation.rows})
    scores: list[dict[str, Any]] = []
    for domain in ["", *domains]:
        for part in ["reward", *part_names(evaluation)]:
            rows = [row for row in evaluation.rows if domain in ("", row.domain) and row.score is not None]
            if any(part == "reward" or part in row.parts for row in rows):
                mean = asdict(mean_score(evaluation, part=part, domain=domain))
                finite = {key: value if math.isfinite(value) else None for key, value in mean.items()}
                scores.append({"domain": domain, "part": part, **finite})
    content = {
        "model": plan.model.model_dump(mode="json"),
        "tasks": {name: one.model_dump(mode="json") for name, one in plan.tasks.items()},
        "verifiers": {name: one.model_dump(mode="json") for name, one in plan.verifiers.items()},
        "eval": plan.eval.model_dump(mode="json"),
        "seed": plan.seed,
        "scores": scores,
        "attempts": [asdict(row) for row in evaluation.rows],
    }
    write_file(path, json.dumps(content, indent=2, ensure_ascii=False).encode() + b"\n")
