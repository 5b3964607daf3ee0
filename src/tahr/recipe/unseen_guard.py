"""What every training run keeps out without being told: the unseen side of the published suites that come with tahr.

Kept out are the suites whose questions lie in installed packages, as reading these needs no network and well under a
second. The others are named, each with why (`UnseenGuard.left`):

- a suite of the hub, or of a package that isn't installed, can't be read; ``eval.suites`` has the hub's read as well;
- a generated suite has no list of questions: its unseen side is what a recipe's default split holds out of the same
  source, so that no training split by default has any.

``train_on_unseen = true``, or ``train_on_benchmark`` of a task set, say that this is meant to be learnt. A run of such
a recipe is contaminated, and so is every model that starts from it (`contamination`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from tahr.core.construct import construct
from tahr.core.errors import InputError, MissingExtraError, TahrError
from tahr.core.protocols import task_sources
from tahr.core.types import Task
from tahr.data.decontaminate import question_text
from tahr.evaluation.suites.config import SuiteConfig
from tahr.evaluation.suites.load import ALL, is_finite, load_suite, published_text, side_of, suite_names
from tahr.recipe.schema import Recipe
from tahr.store.manifest import MANIFEST_NAME
from tahr.store.run import Run

ON_HUB = "on a hub"
GENERATED = "generated: a default split holds their unseen side out"

_LONGEST_LINEAGE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteQuestion:
    """One question of a suite: an id for people, its words as asked and as published, and whether its set is finite.

    Example: ``SuiteQuestion(id="gsm8k 9f86d081884c7d65", asked="How many? Think step by step.", published="How many?",
    is_published=True)``
    """

    id: str
    asked: str
    published: str
    is_published: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class UnseenGuard:
    """The unseen questions of each suite that is kept out, and why each of the others is not.

    Example: ``UnseenGuard(suites={"ifeval": (question,)}, left={"gsm8k": "on a hub"})``
    """

    suites: Mapping[str, tuple[SuiteQuestion, ...]]
    left: Mapping[str, str]

    def why_left(self) -> dict[str, list[str]]:
        """The suites that are not kept out, by the reason."""
        found: dict[str, list[str]] = {}
        for name, why in self.left.items():
            found.setdefault(why, []).append(name)
        return found


@lru_cache(maxsize=1)
def unseen_guard() -> UnseenGuard:
    """The guard as this machine has it. Reads installed packages, never a hub; what can't be read is named."""
    suites: dict[str, tuple[SuiteQuestion, ...]] = {}
    left: dict[str, str] = {}
    drawn: dict[str, list[Task]] = {}
    for name in suite_names():
        suite = load_suite(name)
        why = _out_of_reach(suite)
        if not why:
            try:
                suites[name] = tuple(_unseen(name, suite, drawn))
            except MissingExtraError as error:
                why = f"not installed: {error.instead}" if error.instead else "not installed"
            except TahrError as error:
                why = error.cause
        if why:
            left[name] = why
    return UnseenGuard(suites=suites, left=left)


def guarded_suites(recipe: Recipe) -> Mapping[str, tuple[SuiteQuestion, ...]]:
    """The suites whose unseen questions this recipe keeps out, told or not; none with ``train_on_unseen``."""
    return {} if recipe.train_on_unseen else unseen_guard().suites


def guarded_hashes(recipe: Recipe) -> dict[str, str]:
    """For each suite whose unseen questions are kept out a hash of these."""
    return {name: _hash(questions) for name, questions in guarded_suites(recipe).items()}


def contamination(recipe: Recipe) -> str:
    """The settings by which this recipe, or the run that its model comes from, says that it learns from questions of
    evaluations; empty where none does."""
    values = recipe.model_dump(mode="json")
    return "; ".join(dict.fromkeys(filter(None, (_settings(values), *map(contamination_of, _taught_by(values))))))


def contamination_of(source: str) -> str:
    """The same of a model's source: a run's folder, or one inside it; empty for what is no run of tahr.

    Followed are the model that each run started from, and those whose answers it learnt: teachers, and pools of models.
    """
    found: list[str] = []
    waiting, seen = [source], set[Path]()
    while waiting and len(seen) < _LONGEST_LINEAGE:
        run = _run_of(waiting.pop(0))
        if run is None or run.folder.resolve() in seen:
            continue
        seen.add(run.folder.resolve())
        settings = _settings(run.recipe)
        if settings:
            found.append(f"{run.folder.name}: {settings}")
        waiting += _taught_by(run.recipe)
    return "; ".join(found)


def _taught_by(recipe: Mapping[str, Any]) -> Iterator[str]:
    """Sources of the models that a recipe's own learns from, the one that it starts from first."""
    yield str((recipe.get("model") or {}).get("source", ""))
    yield str((recipe.get("distillation") or {}).get("teacher") or "")
    yield str((recipe.get("rejection_sampling") or {}).get("model") or "")
    pool = ((recipe.get("dpo") or {}).get("build") or {}).get("models") or {}
    for one in pool.values():
        yield str(one.get("source") or "")


def _settings(recipe: Mapping[str, Any]) -> str:
    named = ["train_on_unseen"] if recipe.get("train_on_unseen") else []
    tasks: Mapping[str, Any] = recipe.get("tasks") or {}
    named += [f"tasks.{name}.train_on_benchmark" for name, one in tasks.items() if one.get("train_on_benchmark")]
    return ", ".join(named)


def _run_of(source: str) -> Run | None:
    path = Path(source).expanduser()
    if not source or not path.exists():
        return None
    for folder in (path, *path.resolve().parents[:2]):
        try:
            if (folder / MANIFEST_NAME).is_file():
                return Run.open(folder)
        except (InputError, OSError):
            return None
    return None


def _out_of_reach(suite: SuiteConfig) -> str:
    """Why a suite is not even tried; empty where it is to be read."""
    if not all(is_finite(config) for config in suite.tasks.values()):
        return GENERATED
    packaged = (getattr(task_sources.get(config.source), "packaged", None) for config in suite.tasks.values())
    return "" if all(packaged) else ON_HUB


def _unseen(name: str, suite: SuiteConfig, drawn: dict[str, list[Task]]) -> Iterator[SuiteQuestion]:
    """The questions on the unseen side, not verified: only their words matter here.

    `drawn` has all tasks of each source so far: arguments of a packaged one add what stands around its questions.
    """
    for set_name, config in suite.tasks.items():
        if config.source not in drawn:
            source: Any = construct(task_sources.get(config.source), {}, where=f"tasks.{set_name}.args")
            drawn[config.source] = list(source.generate(ALL, config.seed))
        for task in drawn[config.source]:
            if side_of(task, suite.unseen_percent) == "unseen":
                asked, published = question_text(task.prompt), published_text(task)
                yield SuiteQuestion(id=f"{name} {task.id}", asked=asked, published=published, is_published=True)


def _hash(questions: tuple[SuiteQuestion, ...]) -> str:
    text = "\0".join(sorted(one.published for one in questions))
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
