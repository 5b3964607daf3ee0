"""JSON that a schema describes."""

from __future__ import annotations

import json
from collections.abc import Iterator
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
from tahr.core.visible import without_blank_ends
from tahr.verifiers.example import needed_example
from tahr.verifiers.structured.fences import last_block
from tahr.verifiers.structured.json_keywords import BOUNDED_KEYWORDS, FORMATS, bounded_references, canonical, counting
from tahr.verifiers.structured.strict_json import MAX_JSON_CHARS, NotJsonError, read_json
from tahr.verifiers.text import outside_thinking

_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_SAME_VALUE = ("not", "if", "then", "else", "allOf", "anyOf", "oneOf")
"""Keywords whose schemas judge the very value that their owner judges."""


@verifiers.register("json_schema")
@dataclass(frozen=True, slots=True, kw_only=True)
class JsonSchema:
    """JSON that keeps a schema: the last fenced block, else the whole text. Strict JSON: no NaN, no key twice.

    `answer` is ``{"schema": {...}}``; with ``"value"`` among its keys the JSON must also equal that value.
    """

    max_depth: Annotated[int, Field(ge=1, le=200, description="most levels of nesting in the answer")] = 32
    bare: Annotated[bool, Field(description="the JSON must be the whole answer: no fence and no prose")] = False
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
        candidate = self._candidate(outside_thinking(text))
        try:
            value = read_json(candidate, max_depth=self.max_depth)
        except NotJsonError as error:
            return failed(str(error), parts={"parses": 0.0})
        try:
            fault = _fault(_validator(json.dumps(task.answer["schema"])), value)
        except TimeoutError as error:
            return Verdict(outcome=Outcome.TIMEOUT, reward=None, note=str(error))
        if fault is None and "value" in task.answer and canonical(value) != canonical(task.answer["value"]):
            fault = "keeps the schema, but is another value"
        if fault is None:
            return passed("keeps the schema", extracted=candidate[:200], parts={"parses": 1.0})
        return failed(fault, extracted=candidate[:200], parts={"parses": 1.0})

    def gold(self, task: Task) -> str:
        """The one value that counts as JSON, else the task's example."""
        return json.dumps(task.answer["value"]) if "value" in task.answer else needed_example(task, "json_schema")

    def _candidate(self, text: str) -> str:
        found = None if self.bare or len(text) > 2 * MAX_JSON_CHARS else last_block(text, "json")
        return without_blank_ends(text if found is None else found)


def _fault(validator: Validator, value: Any) -> str | None:
    with bounded_references():
        error: ValidationError | None = next(iter(validator.iter_errors(value)), None)
    return None if error is None else f"{error.json_path}: {error.message[:200]}"


@lru_cache(maxsize=1024)
def _validator(schema_text: str) -> Validator:
    """The validator of a schema. References outside the schema are never fetched: they are an error."""
    schema = json.loads(schema_text)
    kind: Any = validator_for(schema)
    try:
        kind.check_schema(schema)
        followed = {key: counting(kind.VALIDATORS[key]) for key in _REFERENCES if key in kind.VALIDATORS}
        bounded = extend(kind, BOUNDED_KEYWORDS | followed)
        validator: Any = bounded(schema, registry=References(), format_checker=FORMATS)
        for inner in _tables(schema):
            _refuse_loops(validator, inner, ())
    except SchemaError as error:
        wrong = f"the schema is invalid at {error.json_path}: {error.message}"
        raise InputError(wrong, received=schema_text[:200]) from None
    except Unresolvable as error:
        wrong = f"the schema refers to {error.ref!r}, which is not in it"
        raise InputError(wrong, received=schema_text[:200]) from None
    return validator


def _tables(schema: Any) -> Iterator[dict[str, Any]]:
    """Every table in the schema, itself among them."""
    if isinstance(schema, dict):
        table = cast("dict[str, Any]", schema)
        yield table
        for inner in table.values():
            yield from _tables(inner)
    elif isinstance(schema, list):
        for inner in cast("list[Any]", schema):
            yield from _tables(inner)


def _refuse_loops(validator: Any, schema: Any, above: tuple[int, ...]) -> None:
    """Raise InputError where judging a value by `schema` comes back to it with the same value: it would never end.

    Raises Unresolvable where a reference leads nowhere.
    """
    if not isinstance(schema, dict):
        return
    table = cast("dict[str, Any]", schema)
    if id(table) in above:
        raise InputError("the schema refers to itself without end", received=json.dumps(table)[:200])
    same: list[Any] = [
        validator._resolver.lookup(table[key]).contents for key in _REFERENCES if isinstance(table.get(key), str)
    ]
    for key in _SAME_VALUE:
        inner = table.get(key, [])
        same += inner if isinstance(inner, list) else [inner]
    for one in same:
        _refuse_loops(validator, one, (*above, id(table)))
