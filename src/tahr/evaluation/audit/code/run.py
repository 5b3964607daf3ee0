"""The audit of the verifier of programs: exploits, honest programs and their variations, mistakes, and the rate."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count, islice
from random import Random
from typing import Any

from tahr.core.construct import construct
from tahr.core.errors import TahrError
from tahr.core.protocols import Verifier, task_sources, verifiers
from tahr.core.types import Outcome, Task, Verdict
from tahr.data.code.mutants import applied, changes_of
from tahr.evaluation.audit.code.exploits import Exploit, exploits
from tahr.evaluation.audit.code.findings import CodeAudit, Honest
from tahr.evaluation.audit.code.rates import measure_rates
from tahr.evaluation.audit.code.variations import VARIATIONS
from tahr.evaluation.audit.findings import Example, Group, Rate
from tahr.verifiers.code.answer import program_in

REFERENCES = "HumanEval's reference solutions"
MAX_EXAMPLES = 5
SECONDS = 1.0
"""Longest time of one test of an exploit or a mistake, unless the verifier's own is shorter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How much is judged: HumanEval's tasks, how many of them in each variation, mistakes of each kind, and seconds for
    each way of grading.

    Example: ``Sizes(references=20, variations=5, mistakes=40, rate_seconds=0.5)``
    """

    references: int = 164
    variations: int = 20
    mistakes: int = 100
    rate_seconds: float = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Program:
    """A program to judge, for a task."""

    task: Task
    source: str

    @property
    def text(self) -> str:
        return f"```python\n{self.source}\n```"


Progress = Callable[[int, int], None]


def audit_code(
    arguments: Mapping[str, Any], sizes: Sizes | None = None, *, on_progress: Progress | None = None
) -> CodeAudit:
    """Audit the verifier "code" with these arguments. `on_progress` is told programs judged and programs in all."""
    sizes = sizes or Sizes()
    verifier = construct(verifiers.get("code"), arguments, where="verifiers.code.args")
    seconds = min(float(arguments.get("wall_seconds", SECONDS)), SECONDS)
    impatient = construct(verifiers.get("code"), {**arguments, "wall_seconds": seconds}, where="verifiers.code.args")
    references, missing = _references(sizes.references)
    honest = {REFERENCES: references} | {
        name: [_Program(task=one.task, source=rewrite(one.source, _name(one.task))) for one in part]
        for (name, rewrite), part in zip(VARIATIONS.items(), _parts(references, sizes.variations), strict=False)
    }
    honest = {name: programs for name, programs in honest.items() if programs}
    wrong = {"of HumanEval": _mistakes(references, sizes.mistakes)} if references else {}
    wrong["of generated tasks"] = _mistakes(_generated(sizes.mistakes), sizes.mistakes)
    total = len(exploits()) + sum(map(len, [*honest.values(), *wrong.values()]))
    judge = _Judge(total, on_progress)
    beaten = list(zip(exploits(), judge(impatient, exploits()), strict=True))
    return CodeAudit(
        exploits=_by_kind(beaten),
        honest=tuple(_honest(name, judge(verifier, programs), programs) for name, programs in honest.items()),
        mistakes=tuple(_honest(name, judge(impatient, programs), programs) for name, programs in wrong.items()),
        rates=measure_rates(verifier, sizes.rate_seconds),
        missing=missing,
    )


class _Judge:
    """Verdicts of programs, two a core at once; tells how many there are."""

    def __init__(self, total: int, tell: Progress | None) -> None:
        self._total, self._tell, self._done = total, tell, 0

    def __call__(self, verifier: Verifier, programs: Sequence[_Program | Exploit]) -> list[Verdict]:
        found: list[Verdict] = []
        with ThreadPoolExecutor(2 * len(os.sched_getaffinity(0))) as pool:
            tasks, texts = [one.task for one in programs], [one.text for one in programs]
            for verdict in pool.map(verifier.verify, tasks, texts):
                found.append(verdict)
                self._done += 1
                if self._tell is not None:
                    self._tell(self._done, self._total)
        return found


def _references(number: int) -> tuple[list[_Program], str]:
    """HumanEval's solutions, and what is missing where they are not here."""
    try:
        tasks = construct(task_sources.get("humaneval"), {}, where="humaneval").generate(number, 0)
    except TahrError as error:
        return [], f"HumanEval is not judged: {error.wrong}; {error.instead}"
    return [_gold(task) for task in tasks], ""


def _parts(programs: Sequence[_Program], size: int) -> Iterator[Sequence[_Program]]:
    """For each variation others of the programs, so that all have their turn."""
    for start in count(step=size):
        yield [programs[(start + place) % len(programs)] for place in range(min(size, len(programs)))]


def _generated(number: int) -> list[_Program]:
    source = construct(task_sources.get("code"), {}, where="code")
    return [_gold(task) for task in source.generate(max(10, number // 4), 0)]


def _gold(task: Task) -> _Program:
    return _Program(task=task, source=program_in(str(task.meta["example"]), _name(task)) or "")


def _name(task: Task) -> str:
    return str(task.answer["entry_point"])


def _mistakes(programs: Sequence[_Program], number: int) -> list[_Program]:
    """One small mistake in each of many programs: wrong, and no cheating."""
    random = Random(0)
    trees = [ast.parse(program.source) for program in programs]
    orders = [random.sample(changes, len(changes)) for changes in map(changes_of, trees)]
    rounds = (
        _Program(task=program.task, source=ast.unparse(applied(tree, changes[place])))
        for place in range(max(map(len, orders), default=0))
        for program, tree, changes in zip(programs, trees, orders, strict=True)
        if place < len(changes)
    )
    return list(islice(rounds, number))


def _by_kind(judged: Sequence[tuple[Exploit, Verdict]]) -> tuple[Group, ...]:
    kinds = dict.fromkeys(exploit.kind for exploit, _ in judged)
    return tuple(_group(kind, [(one, verdict) for one, verdict in judged if one.kind == kind]) for kind in kinds)


def _group(kind: str, judged: Sequence[tuple[Exploit, Verdict]]) -> Group:
    lost = [
        Example(label=one.name, answer=one.expected, text=one.code, outcome=verdict.outcome.value, note=verdict.note)
        for one, verdict in judged
        if not one.is_beaten(verdict)
    ]
    return Group(name=kind, agreed=Rate(count=len(judged) - len(lost), total=len(judged)), examples=tuple(lost))


def _honest(name: str, verdicts: Sequence[Verdict], programs: Iterable[_Program]) -> Honest:
    is_flagged = [verdict.outcome is Outcome.CHEAT for verdict in verdicts]
    return Honest(
        name=name,
        passed=Rate(count=sum(verdict.outcome is Outcome.PASS for verdict in verdicts), total=len(verdicts)),
        flagged=Rate(count=sum(is_flagged), total=len(verdicts)),
        examples=tuple(
            f"{one.task.meta.get('id') or _name(one.task)}: {verdict.note[:200]}"
            for one, verdict in zip(programs, verdicts, strict=True)
            if verdict.outcome is Outcome.CHEAT
        )[:MAX_EXAMPLES],
    )
