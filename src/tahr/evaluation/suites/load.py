"""From a suite's name or file to its tasks."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from tahr.core.config import explain
from tahr.core.errors import InputError, UnknownNameError
from tahr.core.protocols import environments, task_sources
from tahr.core.types import Message, Task
from tahr.data.config import TaskSetConfig
from tahr.data.decontaminate import question_text
from tahr.data.splits import NUM_BUCKETS, Verifiers, bucket_of, build_task_sets
from tahr.environments import SingleTurn as SingleTurn  # registers tahr's own environments
from tahr.evaluation.suites.config import SuiteConfig, SuiteSplit, SuiteTasks

BUILT_IN = Path(__file__).parent / "built_in"

ALL = 10_000_000
"""Tasks asked of a finite source of which all are wanted."""


def suite_names() -> list[str]:
    """The suites that come with tahr, sorted."""
    return sorted(path.stem for path in BUILT_IN.glob("*.toml"))


def is_suite(name_or_path: str) -> bool:
    """Whether `name_or_path` is a suite: one that comes with tahr, or a TOML file with [tasks] that is no recipe."""
    if name_or_path in suite_names():
        return True
    path = Path(name_or_path)
    return path.suffix == ".toml" and path.is_file() and not {"model", "eval"} & read_suite(name_or_path).keys()


def load_suite(name_or_path: str) -> SuiteConfig:
    """The suite of that name, or in that file. Raises InputError where there is none, or what is wrong with it."""
    return parse_suite(read_suite(name_or_path), origin=name_or_path)


def read_suite(name_or_path: str) -> dict[str, Any]:
    """The parsed TOML of a suite, not validated. Raises InputError where there is none or it is not TOML."""
    path = Path(name_or_path)
    if path.suffix != ".toml":
        if name_or_path not in suite_names():
            raise UnknownNameError("suite", name_or_path, [*suite_names(), "a file SUITE.toml"])
        path = BUILT_IN / f"{name_or_path}.toml"
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(
            f"the suite can't be read: {error.strerror}",
            received=path,
            instead=f"a file, or {', '.join(suite_names())}",
        ) from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"{path} is not TOML in UTF-8: {error}") from None


def parse_suite(values: Mapping[str, Any], *, origin: str) -> SuiteConfig:
    """Validate parsed TOML; types are strict, as TOML has its own.

    Raises InputError with one line for each fault, and for an environment that there is none of.
    """
    try:
        suite = SuiteConfig.model_validate_json(json.dumps(values, default=str), strict=True)
    except ValidationError as error:
        faults = explain(error, SuiteConfig, "")
        raise InputError("\n".join([f"the suite {origin} has faults:", *(f"  {fault}" for fault in faults)])) from None
    for setting in suite.settings.values():
        if setting.environment is not None:
            environments.get(setting.environment)
    return suite


def side_of(task: Task, unseen_percent: int) -> SuiteSplit:
    """The side of a suite's split that a question is on.

    It is `unseen` where the bucket of its words is among the lowest. The lowest are a recipe's test and validation
    splits too, so that with 20 percent and a recipe's defaults, unseen is what the recipe holds out of the same source.
    The words are ``meta["split_by"]`` (a passage, which lies on one side with all that is asked about it), else
    ``meta["question"]`` (the question without the wording that is ours), else the prompt.
    """
    words = task.meta.get("split_by") or task.meta.get("question")
    prompt = (Message(role="user", content=words),) if isinstance(words, str) else task.prompt
    return "unseen" if bucket_of(prompt) * 100 < unseen_percent * NUM_BUCKETS else "dev"


def published_text(task: Task) -> str:
    """What is looked for in training rows: the question as published, else the prompt without its system message."""
    words = task.meta.get("question")
    return words if isinstance(words, str) else question_text(task.prompt)


def suite_tasks(
    suite: SuiteConfig, verifiers: Verifiers, split: SuiteSplit = "all", num_tasks: int | None = None
) -> list[Task]:
    """The suite's tasks on one side of its split, at most `num_tasks` of each set; none twice.

    Each has its domain, and its cluster (if any) as ``meta["cluster"]``. Within a set they stand in the order of their
    ids: the first few are a sample of all. `verifiers` are built from ``suite.verifiers``. Raises InputError: an
    unknown source or verifier, a task that its verifier refuses, a missing cluster, nothing on this side;
    MissingExtraError and OutOfReachError where a source's data can't be had.
    """
    tasks: dict[str, Task] = {}
    for name, config in suite.tasks.items():
        drawn = set_tasks(name, config, verifiers)
        chosen = [task for task in drawn if split in ("all", side_of(task, suite.unseen_percent))]
        for task in chosen[:num_tasks]:
            tasks.setdefault(task.id, task)
    if not tasks:
        raise InputError(
            f"the suite has no {split} questions",
            received=f"unseen_percent = {suite.unseen_percent}",
            instead="another split, or more tasks",
        )
    return list(tasks.values())


def is_finite(config: SuiteTasks) -> bool:
    """Whether a set's source says that it ends, as published ones do and generators don't."""
    return getattr(task_sources.get(config.source), "finite", False) is True


def set_tasks(name: str, config: SuiteTasks, verifiers: Verifiers) -> list[Task]:
    """All tasks of one set, checked as a recipe's are, in the order of their ids. Raises as `suite_tasks` does."""
    if config.num_tasks is None and not is_finite(config):
        raise InputError(
            f"tasks.{name}: the source {config.source!r} goes on for ever, or doesn't say that it ends",
            received="no num_tasks",
            instead=f"num_tasks in [tasks.{name}]",
        )
    drawn = TaskSetConfig(
        source=config.source,
        args=config.args,
        num_tasks=config.num_tasks or ALL,
        seed=config.seed,
        verifier=config.verifier,
        domain=config.domain,
    )
    tasks = build_task_sets({name: drawn}, verifiers)[name]
    whole = (*tasks.test, *tasks.validation, *tasks.train)
    return sorted((_clustered(task, name, config.cluster) for task in whole), key=lambda task: task.id)


def _clustered(task: Task, name: str, key: str | None) -> Task:
    if key is None:
        return task
    value = task.meta.get(key)
    if value is None or value == "":
        raise InputError(
            f"tasks.{name}: a task has no {key!r} in its meta to be its cluster",
            received=", ".join(sorted(task.meta)) or "an empty meta",
            instead=f"another cluster in [tasks.{name}], or none; a file's column comes there by kept = [{key!r}]",
        )
    return replace(task, meta={**task.meta, "cluster": f"{name}: {value}"})
