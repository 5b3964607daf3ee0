"""Task sets: generated or read, checked by their verifiers, and split so that no question is on two sides."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from tahr.core.construct import construct
from tahr.core.errors import InputError, MissingExtraError, OutOfReachError
from tahr.core.protocols import TaskSource, Verifier, task_sources
from tahr.core.types import Message, Outcome, Task, Verdict
from tahr.data import sources as sources  # registers tahr's own sources
from tahr.data.config import Split, TaskSetConfig

NUM_BUCKETS = 10_000


class Verifiers(Protocol):
    """The verifiers of a run (`tahr.verifiers.build.VerifierSet`)."""

    def get(self, name: str) -> Verifier:
        """A verifier by name."""
        ...

    def verify(self, task: Task, text: str) -> Verdict:
        """The verdict of the task's verifier; never raises."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSet:
    """A named set of tasks in three splits that share no question.

    `num_duplicates` counts equal tasks that were dropped, `num_moved` those left out because another task set of the
    recipe holds the same question out. `evaluation_only` says that the source keeps its tasks out of training, and
    `num_without_gold` counts tasks to which no right answer is known. `num_skipped` counts rows that the source could
    not read, `num_unproven` tasks left out because the answer that came with them is wrong by their own tests; both
    only where the source was told to go on without them.

    Example: ``TaskSet(name="words", train=(task,), validation=(), test=(other,), num_duplicates=0, num_moved=0)``
    """

    name: str
    train: tuple[Task, ...]
    validation: tuple[Task, ...]
    test: tuple[Task, ...]
    num_duplicates: int = 0
    num_moved: int = 0
    num_without_gold: int = 0
    num_skipped: int = 0
    num_unproven: int = 0
    evaluation_only: bool = False

    def split(self, name: Split) -> tuple[Task, ...]:
        """The tasks of one split. Raises InputError where there are none."""
        tasks = {"train": self.train, "validation": self.validation, "test": self.test}[name]
        if not tasks and name == "train" and self.evaluation_only:
            raise InputError(
                f"the task set {self.name!r} is a benchmark: its tasks are for evaluation only",
                received="used for training",
                instead=f"other tasks to train on, or tasks.{self.name}.train_on_benchmark = true and no claim from it",
            )
        if not tasks:
            sizes = f"train {len(self.train)}, validation {len(self.validation)}, test {len(self.test)}"
            raise InputError(
                f"the {name} split of the task set {self.name!r} is empty",
                received=sizes,
                instead=f"more num_tasks in [tasks.{self.name}], or another share for the split",
            )
        return tasks


def build_task_sets(configs: Mapping[str, TaskSetConfig], verifiers: Verifiers) -> dict[str, TaskSet]:
    """The task sets of a recipe; every task is one that its verifier can judge and whose own answer, if known, passes.

    Raises InputError: an unknown source or verifier, wrong arguments, a task that its verifier refuses.
    """
    sets = {name: _build(name, config, verifiers) for name, config in configs.items()}
    return _keep_apart(sets)


def bucket(task: Task) -> int:
    """A number in [0, `NUM_BUCKETS`) from the question alone.

    Verifier, answer and names are left out on purpose: the same question under another verifier falls on the same side.
    """
    return bucket_of(task.prompt)


def bucket_of(prompt: Sequence[Message], *, within: bool = False) -> int:
    """The bucket of a prompt, whatever it belongs to: a task, a chat, a pair of answers.

    `within` gives one that is independent of the first, to split what one side of a split holds.
    """
    digits = question_key(prompt)[8:16] if within else question_key(prompt)[:8]
    return int(digits, 16) % NUM_BUCKETS


def question_key(prompt: Sequence[Message]) -> str:
    """32 hex digits that stand for a prompt, spaces aside."""
    messages = [[message.role, " ".join(message.content.split())] for message in prompt]
    return hashlib.blake2b(json.dumps(messages).encode(), digest_size=16).hexdigest()


def split_of(task: Task, *, validation_percent: int, test_percent: int) -> Split:
    """The split that a task belongs to."""
    place = bucket(task) * 100
    if place < test_percent * NUM_BUCKETS:
        return "test"
    if place < (test_percent + validation_percent) * NUM_BUCKETS:
        return "validation"
    return "train"


def _build(name: str, config: TaskSetConfig, verifiers: Verifiers) -> TaskSet:
    where = f"tasks.{name}"
    if config.test_percent + config.validation_percent > 99:
        raise InputError(
            f"{where}: test_percent and validation_percent leave nothing to train on",
            received=f"{config.test_percent} + {config.validation_percent}",
            instead="shares that add up to at most 99",
        )
    part: type[Any] = task_sources.get(config.source)
    source: Any = construct(part, config.args, where=f"{where}.args")
    if not isinstance(source, TaskSource):
        raise InputError(
            f"{where}: {config.source!r} is not a task source: it must have generate(count, seed)",
            received=type(source).__qualname__,
        )
    try:
        generated = source.generate(config.num_tasks, config.seed)
    except (MissingExtraError, OutOfReachError):
        raise
    except InputError as error:
        raise InputError(f"{where}: {error.wrong}", received=error.received, instead=error.instead) from error
    except Exception as error:
        raise InputError(
            f"{where}: the task source {config.source!r} failed", received=f"{type(error).__name__}: {error}"
        ) from error
    drawn = [_adapted(task, name, config) for task in generated]
    tasks = list({task.id: task for task in drawn}.values())
    num_distinct = len(tasks)
    if getattr(source, "drops_unproven", False) is True:
        tasks = [proven for task in tasks if (proven := _proven(task, where, verifiers)) is not None]
        num_without_gold = sum(_gold(task, where, verifiers) is None for task in tasks)
    else:
        num_without_gold = sum(not _has_gold(task, where, verifiers) for task in tasks)
    held_out = getattr(source, "evaluation_only", False) is True and not config.train_on_benchmark
    sides: dict[Split, list[Task]] = {"train": [], "validation": [], "test": []}
    for task in tasks:
        test_percent = 100 - config.validation_percent if held_out else config.test_percent
        sides[split_of(task, validation_percent=config.validation_percent, test_percent=test_percent)].append(task)
    return TaskSet(
        name=name,
        train=tuple(sides["train"]),
        validation=tuple(sides["validation"]),
        test=tuple(sides["test"]),
        num_duplicates=len(drawn) - num_distinct,
        num_without_gold=num_without_gold,
        num_skipped=len(getattr(source, "skipped", ())),
        num_unproven=num_distinct - len(tasks),
        evaluation_only=held_out,
    )


def _adapted(task: Task, name: str, config: TaskSetConfig) -> Task:
    """The task under the set's verifier and domain; a domain that the source itself gives stays."""
    domain = config.domain or (name if task.domain == "default" else task.domain)
    return replace(task, verifier=config.verifier or task.verifier, domain=domain)


def _has_gold(task: Task, where: str, verifiers: Verifiers) -> bool:
    """Whether a right answer is known, which then passes. Raises InputError unless the verifier can judge the task."""
    gold = _gold(task, where, verifiers)
    if gold is None:
        return False
    verdict = verifiers.verify(task, gold)
    if verdict.outcome is not Outcome.PASS:
        raise _failing(task, where, gold, verdict)
    return True


def _proven(task: Task, where: str, verifiers: Verifiers) -> Task | None:
    """The task with the first of its examples that passes, or as it is where it has none; None where all fail.

    Raises InputError where the verifier can't judge the task or breaks.
    """
    more = task.meta.get("more_examples") or ()
    meta = {key: value for key, value in task.meta.items() if key != "more_examples"}
    for example in (task.meta.get("example"), *more):
        tried = replace(task, meta=meta | ({"example": example} if example else {}))
        gold = _gold(tried, where, verifiers)
        if gold is None:
            return tried
        verdict = verifiers.verify(tried, gold)
        if verdict.outcome is Outcome.PASS:
            return tried
        if verdict.outcome is Outcome.ERROR:  # says nothing about the example
            raise _failing(tried, where, gold, verdict)
    return None


def _failing(task: Task, where: str, gold: str, verdict: Verdict) -> InputError:
    return InputError(
        f"{where}, task {task.id}: the verifier {task.verifier!r} does not pass the task's own answer",
        received=f"{gold[:200]!r}: {verdict.outcome} ({verdict.note[:200]})",
        instead="an answer in the verifier's terms, or another verifier",
    )


def _gold(task: Task, where: str, verifiers: Verifiers) -> str | None:
    """The task's own answer as its verifier knows it. Raises InputError unless the verifier can judge the task."""
    try:
        verifier = verifiers.get(task.verifier)
        verifier.check_task(task)
        gold: Any = verifier.gold(task)
    except InputError as error:
        shown = task.prompt[-1].content[:80] if task.prompt else ""
        raise InputError(f"{where}, task {task.id} ({shown!r}): {error}") from error
    except Exception as error:
        raise InputError(
            f"{where}, task {task.id}: the verifier {task.verifier!r} failed before it judged anything",
            received=f"{type(error).__name__}: {error}",
            instead="mend its check_task and gold, or another verifier",
        ) from error
    if gold is not None and not isinstance(gold, str):
        raise InputError(
            f"{where}, task {task.id}: the verifier {task.verifier!r} gave no text as the task's own answer",
            received=repr(gold)[:200],
            instead="a gold that returns str or None, or another verifier",
        )
    return gold


def _keep_apart(sets: Mapping[str, TaskSet]) -> dict[str, TaskSet]:
    """Leave out of training what any set holds out, and out of validation what any set tests on.

    Sets with equal shares already agree; this settles sets that split the same questions at different shares.
    """
    tested = {question_key(task.prompt) for tasks in sets.values() for task in tasks.test}
    held_out = tested | {question_key(task.prompt) for tasks in sets.values() for task in tasks.validation}
    return {name: _without(tasks, tested, held_out) for name, tasks in sets.items()}


def _without(tasks: TaskSet, tested: set[str], held_out: set[str]) -> TaskSet:
    train = _outside(tasks.train, held_out)
    validation = _outside(tasks.validation, tested)
    num_moved = len(tasks.train) - len(train) + len(tasks.validation) - len(validation)
    return replace(tasks, train=train, validation=validation, num_moved=num_moved)


def _outside(tasks: Sequence[Task], keys: set[str]) -> tuple[Task, ...]:
    return tuple(task for task in tasks if question_key(task.prompt) not in keys)
