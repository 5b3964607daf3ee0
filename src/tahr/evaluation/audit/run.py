"""The audit itself: collect the checks, have them made, and put what came of them in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from tahr.core.errors import InputError
from tahr.core.types import Task
from tahr.evaluation.audit.checks import Bench, Check, Checked, Section
from tahr.evaluation.audit.conclude import Judgements, conclude
from tahr.evaluation.audit.findings import Audit
from tahr.evaluation.audit.hostile import hostile_checks
from tahr.evaluation.audit.material import Material
from tahr.evaluation.audit.mutations import value_mutations, value_of, whole_mutations
from tahr.evaluation.audit.policies import policies
from tahr.evaluation.bulk.judges import Verifiers, built_verifiers
from tahr.verifiers.build import VerifierSet
from tahr.verifiers.limit import reason_of

NUM_REPEATED = 1000
"""Most checks that are made twice."""

REPEAT_SECONDS, LEAST_REPEATED = 20.0, 100
"""About how long that may take, and how many are made twice for all that: a verifier that runs programs is slow."""

NUM_WARM = 64
"""Checks made beforehand, so that what is loaded at first use is in nobody's time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditJob:
    """What is audited and how: `verifiers` holds a recipe's sections, `seconds` is the limit for one check.

    Example: ``AuditJob(verifier="numeric", num_tasks=200, seconds=10.0)``
    """

    verifier: str
    verifiers: Verifiers = field(default_factory=dict[str, Mapping[str, object]])
    num_tasks: int = 200
    seconds: float = 10.0


def audit(job: AuditJob, material: Material, *, on_progress: Callable[[int, int], None] | None = None) -> Audit:
    """Audit a verifier. `on_progress` is told checks made and checks in all.

    Every check runs in a process of its own, so that a verifier that hangs or takes its process with it is found out
    rather than obeyed. Raises InputError where there is neither a task nor a labelled answer, or the verifier refuses
    every task.
    """
    if not material.tasks and not material.pairs:
        raise InputError(
            f"there is nothing to audit the verifier {job.verifier!r} on",
            received="no built-in set, and no task source that needs no arguments",
            instead="--tasks FILE (prompt, answer, example), --pairs FILE (gold, answer, correct), or --recipe RECIPE",
        )
    tasks, golds, faults = _golds(_chosen(material, job.num_tasks), built_verifiers(job.verifiers))
    judged = _judged(job, material, tasks, golds, on_progress)
    return conclude(job.verifier, judged, sources=material.sources, num_tasks=len(tasks), gold_faults=faults)


def _chosen(material: Material, count: int) -> list[Task]:
    """At most `count` tasks: those of labelled answers, then others from all of their sources alike."""
    labelled = {pair.task.id for pair in material.pairs}
    first = [task for task in material.tasks if task.id in labelled][:count]
    others = [task for task in material.tasks if task.id not in labelled]
    wanted = min(count - len(first), len(others))
    return first + [others[index * len(others) // wanted] for index in range(wanted)]


def _golds(tasks: Sequence[Task], verifiers: VerifierSet) -> tuple[list[Task], dict[str, str], list[str]]:
    """The tasks that can be judged, each one's own right answer where one is known, and what is wrong with the rest."""
    judgeable: list[Task] = []
    golds: dict[str, str] = {}
    faults: list[str] = []
    refused: list[InputError] = []
    for task in tasks:
        verifier = verifiers.get(task.verifier)
        try:
            verifier.check_task(task)
            judgeable.append(task)
            gold: object = verifier.gold(task)
        except InputError as error:
            refused.append(error)
            continue
        except Exception as error:  # noqa: BLE001 - what a verifier does wrong is what an audit looks for
            faults.append(f"check_task or gold failed: {reason_of(error)}"[:300])
            continue
        if isinstance(gold, str):
            golds[task.id] = gold
        elif gold is not None:
            faults.append(f"gold returned {type(gold).__name__}, not text")
    if refused and not judgeable:
        raise refused[0]
    if refused:
        faults.append(f"it can't judge {len(refused)} of {len(tasks)} tasks: {refused[0].wrong}"[:300])
    return judgeable, golds, faults


def _judged(
    job: AuditJob,
    material: Material,
    tasks: Sequence[Task],
    golds: Mapping[str, str],
    on_progress: Callable[[int, int], None] | None,
) -> Judgements:
    bench, second = (Bench(job.verifiers, seconds=job.seconds) for _ in range(2))
    done: list[Checked] = []

    def judge(checks: Sequence[Check], total: int) -> list[Checked]:
        found: list[Checked] = []
        for start in range(0, len(checks), 64):
            found += bench.judge(checks[start : start + 64])
            if on_progress is not None:
                on_progress(len(done) + len(found), total)
        done.extend(found)
        return found

    try:
        plain = [
            Check(section=Section.PLAIN, label="the answer alone", task=task, text=value)
            for task in tasks
            if (value := value_of(task)) is not None
        ]
        checks = [*_gold_checks(tasks, golds), *_pair_checks(material), *_floor_checks(tasks, golds)]
        checks += whole_mutations(golds, tasks) + hostile_checks(tasks or [pair.task for pair in material.pairs])
        bench.judge([one for one in checks if one.section is not Section.HOSTILE][:NUM_WARM])
        total = len(plain) + len(checks) + NUM_REPEATED
        values = [one.check.task for one in judge(plain, total) if one.has_passed]
        checks += value_mutations(values) if len(values) > 1 else []
        total = len(plain) + len(checks) + min(NUM_REPEATED, len(checks))
        judge(checks, total)
        repeated = [one for one in done if not (one.check.section is Section.HOSTILE or one.is_absent)]
        number = num_repeated([one.judged.seconds for one in repeated])
        repeated = list(reversed(repeated[:: max(1, len(repeated) // number)][:number]))  # another order, a new process
        again = second.judge([one.check for one in repeated])
        if on_progress is not None:
            on_progress(total, total)
        return Judgements(first=tuple(done), again=tuple(zip(repeated, again, strict=True)))
    finally:
        bench.close()
        second.close()


def num_repeated(seconds: Sequence[float]) -> int:
    """How many of the checks that took `seconds` are made again."""
    affordable = int(REPEAT_SECONDS * len(seconds) / max(sum(seconds), 1e-9))
    return max(LEAST_REPEATED, min(NUM_REPEATED, affordable))


def _gold_checks(tasks: Sequence[Task], golds: Mapping[str, str]) -> list[Check]:
    return [
        Check(section=Section.GOLD, label="the task's own answer", task=task, text=golds[task.id], right=True)
        for task in tasks
        if task.id in golds
    ]


def _pair_checks(material: Material) -> list[Check]:
    return [
        Check(section=Section.PAIR, label=pair.label, task=pair.task, text=pair.text, right=pair.correct)
        for pair in material.pairs
    ]


def _floor_checks(tasks: Sequence[Task], golds: Mapping[str, str]) -> list[Check]:
    by_id = {task.id: task for task in tasks}
    return [
        Check(section=Section.FLOOR, label=policy, task=by_id[key], text=text)
        for policy, answers in policies(tasks, golds).items()
        for key, text in answers.items()
    ]
