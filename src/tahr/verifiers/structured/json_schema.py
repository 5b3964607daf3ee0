"""JSON that a schema describes."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, ClassVar, cast

from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import extend, validator_for
from pydantic import Field
from referencing import Registry as References
from referencing.exceptions import Unresolvable

from tahr.core.errors import InputError
from tahr.core.protocols import verifiers
from tahr.core.ranges import BINARY, RewardRange
from tahr.core.types import Outcome, Task, Verdict, failed, passed
from tahr.verifiers.example import needed_example
from tahr.verifiers.structured.json_keywords import BOUNDED_KEYWORDS, PATTERN_SECONDS, canonical
from tahr.verifiers.text import outside_thinking

_FENCE = re.compile(r"^[ \t]*```[ \t]*(?:json|JSON)?[ \t]*\n(.*?)^[ \t]*```[ \t]*$", re.DOTALL | re.MULTILINE)
MAX_JSON_CHARS = 100_000
MAX_DIGITS = 300  # of one number in the answer; a longer one is beyond what a float holds
_LONG_NUMBER = re.compile(rf"\d{{{MAX_DIGITS + 1}}}")


@verifiers.register("json_schema")
@dataclass(frozen=True, slots=True, kw_only=True)
class JsonSchema:
    """JSON that keeps a schema: the last fenced block, else the whole text. Strict JSON: no NaN, no key twice.

    `answer` is ``{"schema": {...}}``; with ``"value"`` among its keys the JSON must also equal that value.
    """

    max_depth: Annotated[int, Field(ge=1, le=200, description="most levels of nesting in the answer")] = 32

    reward_range: ClassVar[RewardRange] = BINARY

    def check_task(self, task: Task) -> None:
        """Raise InputError where the schema is missing or invalid, can't be violated, or an example is missing."""
        answer: Any = task.answer
        if not isinstance(answer, dict) or not isinstance(answer.get("schema"), dict):
            raise InputError(
                "the json_schema verifier needs a schema as the answer",
                received=repr(answer)[:200],
                instead='{"schema": {"type": "object", "required": ["name"]}}',
            )
        if not answer["schema"] and "value" not in answer:
            raise InputError("an empty schema accepts everything", received="{}", instead="a schema with a type")
        _validator(json.dumps(answer["schema"]))
        self.gold(task)

    def verify(self, task: Task, text: str) -> Verdict:
        """PASS where the text is JSON that keeps the schema; the part ``parses`` says whether it is JSON at all."""
        try:
            candidate = _candidate(outside_thinking(text))
            value = self._parse(candidate)
        except _NotJsonError as error:
            return failed(f"not JSON: {error}", parts={"parses": 0.0})
        try:
            fault = _fault(_validator(json.dumps(task.answer["schema"])), value)
        except TimeoutError:
            note = f"a pattern of the schema took longer than {PATTERN_SECONDS} s to match"
            return Verdict(outcome=Outcome.TIMEOUT, reward=None, note=note)
        if fault is None and "value" in task.answer and canonical(value) != canonical(task.answer["value"]):
            fault = "keeps the schema, but is another value"
        if fault is None:
            return passed("keeps the schema", extracted=candidate[:200], parts={"parses": 1.0})
        return failed(fault, extracted=candidate[:200], parts={"parses": 1.0})

    def gold(self, task: Task) -> str:
        """The one value that counts as JSON, else the task's example."""
        return json.dumps(task.answer["value"]) if "value" in task.answer else needed_example(task, "json_schema")

    def _parse(self, text: str) -> Any:
        if len(text) > MAX_JSON_CHARS:
            raise _NotJsonError(f"longer than {MAX_JSON_CHARS} characters")
        if _depth(text) > self.max_depth:
            raise _NotJsonError(f"nested more than {self.max_depth} levels deep")
        if _LONG_NUMBER.search(text):
            raise _NotJsonError(f"a number of more than {MAX_DIGITS} digits")
        try:
            return json.loads(
                text, object_pairs_hook=_distinct_keys, parse_constant=_refuse_constant, parse_float=_finite
            )
        except ValueError as error:
            raise _NotJsonError(str(error)[:200]) from None


class _NotJsonError(Exception):
    """The text is no JSON that this verifier reads."""


def _candidate(text: str) -> str:
    fenced = _FENCE.findall(text) if "```" in text and len(text) <= 2 * MAX_JSON_CHARS else []
    return (fenced[-1] if fenced else text).strip()


def _depth(text: str) -> int:
    """Deepest nesting of brackets outside strings, counted before the recursive parser sees the text."""
    depth = deepest = 0
    for bracket in re.findall(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', text):
        if bracket in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif bracket in "]}":
            depth -= 1
    return deepest


def _distinct_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        raise _NotJsonError("a key stands twice in one object")
    return table


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise _NotJsonError(f"{digits[:40]} is beyond what a float holds")
    return number


def _refuse_constant(name: str) -> Any:
    raise _NotJsonError(f"{name} is not JSON")


def _fault(validator: Validator, value: Any) -> str | None:
    error: ValidationError | None = next(iter(validator.iter_errors(value)), None)
    return None if error is None else f"{error.json_path}: {error.message[:200]}"


@lru_cache(maxsize=1024)
def _validator(schema_text: str) -> Validator:
    """The validator of a schema. References outside the schema are never fetched: they are an error."""
    schema = json.loads(schema_text)
    kind = validator_for(schema)
    try:
        kind.check_schema(schema)
        bounded = extend(kind, BOUNDED_KEYWORDS)
        validator: Any = bounded(schema, registry=References())
        _resolve_all(validator, schema)
    except SchemaError as error:
        wrong = f"the schema is invalid at {error.json_path}: {error.message}"
        raise InputError(wrong, received=schema_text[:200]) from None
    except Unresolvable as error:
        wrong = f"the schema refers to {error.ref!r}, which is not in it"
        raise InputError(wrong, received=schema_text[:200]) from None
    return validator


def _resolve_all(validator: Any, schema: Any) -> None:
    """Raise Unresolvable where a ``$ref`` of the schema leads nowhere."""
    if isinstance(schema, dict):
        table = cast("dict[str, Any]", schema)
        if isinstance(table.get("$ref"), str):
            validator._resolver.lookup(table["$ref"])
        for inner in table.values():
            _resolve_all(validator, inner)
    elif isinstance(schema, list):
        for inner in cast("list[Any]", schema):
            _resolve_all(validator, inner)
