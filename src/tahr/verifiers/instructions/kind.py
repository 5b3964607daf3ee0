"""What an instruction is, where the kinds of instructions are registered, and how a task's are read."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, Literal, Protocol, cast

from pydantic import Field

from tahr.core.construct import construct
from tahr.core.errors import InputError, UnknownNameError, nearest_name
from tahr.core.registry import Registry
from tahr.verifiers.instructions.response import Response

Relation = Literal["at least", "less than"]
Phrase = Annotated[str, Field(min_length=1, max_length=10_000, pattern=r"\S")]
Word = Annotated[str, Field(min_length=1, max_length=200, pattern=r"\w")]
Words = Annotated[tuple[Word, ...], Field(min_length=1, max_length=50)]
Count = Annotated[int, Field(ge=0, le=100_000)]
Positive = Annotated[int, Field(ge=1, le=100_000)]


@dataclass(frozen=True, slots=True)
class Finding:
    """Whether an instruction is kept, and why in a few words. `kept` None: it can't be decided from this text.

    Example: ``Finding(False, "2 of at least 3 sentences")``
    """

    kept: bool | None
    note: str = ""


class Instruction(Protocol):
    """One instruction with its arguments: a frozen dataclass whose fields are the arguments' names in the data set.

    What a right answer may look like that would be junk elsewhere is said by a class variable ``admits``, a frozenset
    of "short" (fewer than 3 different words), "repetition" (few different words) and "echo" (says the prompt back).
    """

    def kept(self, response: Response) -> Finding:
        """Whether `response` keeps it; never raises, whatever the response is."""
        ...

    def describe(self) -> str:
        """The sentence that asks for it in a prompt."""
        ...


class _Instructions(Registry[type[Instruction]]):
    """Ids have colons (``keywords:existence``), and they come from data: none is ever taken for an import path."""

    def get(self, name: str) -> type[Instruction]:
        if name in self._parts:
            return self._parts[name]
        for point in self._entry_points():
            if point.name == name:
                return point.load()
        raise UnknownNameError(self.kind, name, self.names())


instructions: Registry[type[Instruction]] = _Instructions("instruction")


def admits(instruction: Instruction) -> frozenset[str]:
    """What would be junk elsewhere and is no fault where this instruction is given."""
    return getattr(type(instruction), "admits", frozenset[str]())


def read_instruction(table: Any, *, where: str) -> Instruction:
    """The instruction of ``{"id": "keywords:existence", "args": {...}}`` found at `where`.

    Arguments that are null count as not given, as data sets write them. Raises InputError, naming the key: no such
    table, an unknown id, a missing, unknown or malformed argument.
    """
    if not isinstance(table, dict):
        raise InputError(f"{where} is no instruction", received=repr(table)[:200], instead='{"id": ..., "args": {...}}')
    entry = cast("dict[str, Any]", table)
    unknown = sorted(set(entry) - {"id", "args"})
    if unknown or not isinstance(entry.get("id"), str):
        raise InputError(
            f"{where} needs an id and may have args" + (f"; unknown: {', '.join(unknown)}" if unknown else ""),
            received=repr(table)[:200],
            instead='{"id": "keywords:existence", "args": {"keywords": ["river"]}}',
        )
    args: Any = entry.get("args") or {}
    if not isinstance(args, Mapping):
        raise InputError(f"{where}.args must be a table", received=repr(args)[:200])
    given = {str(key): value for key, value in cast("Mapping[Any, Any]", args).items() if value is not None}
    try:
        part = instructions.get(entry["id"])
    except UnknownNameError as error:
        nearest = error.nearest or _nearest_ending(entry["id"])
        near = f"did you mean {nearest!r}? " if nearest else ""
        known = f"one of {len(instructions.names())} ids, such as {', '.join(instructions.names()[:3])}"
        raise InputError(f"{where}.id: {error.wrong}", received=entry["id"], instead=near + known) from None
    return construct(part, given, where=f"{where}.args ({entry['id']})")


def _nearest_ending(name: str) -> str | None:
    """The id whose part behind the colon is closest to that of `name`."""
    endings = {known.partition(":")[2]: known for known in instructions.names()}
    nearest = nearest_name(name.rpartition(":")[2], endings)
    return endings[nearest] if nearest else None


def read_instructions(answer: Any) -> tuple[tuple[str, Instruction], ...]:
    """A task's instructions with the names of their parts: the id, and "id_2" for a second one of it.

    Raises InputError: no list, an empty one, or an instruction that can't be read.
    """
    if not isinstance(answer, list) or not answer:
        raise InputError(
            "the instructions verifier needs a list of at least one instruction as the answer",
            received=repr(answer)[:200],
            instead='[{"id": "punctuation:no_comma"}, {"id": "keywords:existence", "args": {"keywords": ["river"]}}]',
        )
    return _read(json.dumps(answer))


@lru_cache(maxsize=16384)
def _read(answer: str) -> tuple[tuple[str, Instruction], ...]:
    named: list[tuple[str, Instruction]] = []
    seen: Counter[str] = Counter()
    for index, table in enumerate(json.loads(answer)):
        instruction = read_instruction(table, where=f"answer[{index}]")
        name = table["id"]
        seen[name] += 1
        named.append((name if seen[name] == 1 else f"{name}_{seen[name]}", instruction))
    return tuple(named)
