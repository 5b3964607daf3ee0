"""A text that must keep a list of constraints; each is a part of the reward."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, ClassVar, cast

from pydantic import Field

from tahr.core.construct import construct
from tahr.core.errors import InputError
from tahr.core.protocols import verifiers
from tahr.core.ranges import PARTIAL, RewardRange
from tahr.core.types import Task, Verdict, failed, passed
from tahr.core.visible import outside_hidden, without_blanks
from tahr.verifiers.constraint_kinds import Constraint, constraint_kinds
from tahr.verifiers.example import needed_example
from tahr.verifiers.prose import Prose
from tahr.verifiers.text import outside_thinking


@verifiers.register("constraints")
@dataclass(frozen=True, slots=True, kw_only=True)
class Constraints:
    """The share of a task's text constraints that the answer keeps; correct where it keeps all.

    `answer` is a list of tables such as ``{"kind": "contains", "words": ["river"]}``. A text without words, of fewer
    than three different words, of mainly one word, or that says the question back keeps nothing. Each constraint is a
    part of the reward under its kind (a second one of a kind is "contains_2").
    """

    refuse_junk: Annotated[bool, Field(description="junk (see above) keeps nothing, whatever it would keep")] = True

    reward_range: ClassVar[RewardRange] = PARTIAL
    passes_unfinished: ClassVar[bool] = True

    def check_task(self, task: Task) -> None:
        """Raise InputError where a constraint is unknown or malformed, there is none, or no example answer."""
        if not isinstance(task.answer, list) or not task.answer:
            raise InputError(
                "the constraints verifier needs a list of at least one constraint as the answer",
                received=repr(task.answer)[:200],
                instead='[{"kind": "lowercase"}, {"kind": "contains", "words": ["river"]}]',
            )
        _read(_key(task.answer))
        needed_example(task, "constraints")

    def verify(self, task: Task, text: str) -> Verdict:
        """PASS where all are kept; else FAIL worth the share kept."""
        constraints = _read(_key(task.answer))
        prose = Prose.of(without_blanks(outside_hidden(outside_thinking(text))))
        junk = self._junk(task, prose)
        if junk:
            return failed(junk, parts=dict.fromkeys(constraints, 0.0), extracted=prose.text[:200])
        parts = {name: float(constraint.kept(prose)) for name, constraint in constraints.items()}
        broken = [name for name, kept in parts.items() if not kept]
        if not broken:
            return passed(f"keeps all {len(parts)}", parts=parts, extracted=prose.text[:200])
        share = sum(parts.values()) / len(parts)
        return failed(f"breaks {', '.join(broken)}", value=share, parts=parts, extracted=prose.text[:200])

    def gold(self, task: Task) -> str:
        """The example that the task carries."""
        return needed_example(task, "constraints")

    def _junk(self, task: Task, prose: Prose) -> str:
        if not prose.words:
            return "no words"
        if not self.refuse_junk:
            return ""
        return prose.junk(task.prompt[-1].content if task.prompt else "")


def _key(answer: Any) -> str:
    return json.dumps(answer)


@lru_cache(maxsize=16384)
def _read(answer: str) -> Mapping[str, Constraint]:
    """The constraints of a task by the names of their parts."""
    named: dict[str, Constraint] = {}
    seen: Counter[str] = Counter()
    for index, table in enumerate(json.loads(answer)):
        where = f"answer[{index}]"
        if not isinstance(table, dict) or not isinstance(cast("dict[str, Any]", table).get("kind"), str):
            raise InputError(f"{where} is no constraint", received=repr(table)[:200], instead='{"kind": "lowercase"}')
        arguments = cast("dict[str, Any]", table)
        kind = arguments["kind"]
        part = constraint_kinds.get(kind)
        seen[kind] += 1
        name = kind if seen[kind] == 1 else f"{kind}_{seen[kind]}"
        named[name] = construct(part, {key: value for key, value in arguments.items() if key != "kind"}, where=where)
    return named
