import json
import time
from typing import Any

import pytest

from tahr.core.errors import InputError
from tahr.core.types import Message, Outcome, Task
from tahr.verifiers.structured.json_schema import JsonSchema

SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["name"],
    "additionalProperties": False,
    "properties": {"name": {"type": "string"}, "tags": {"type": "array", "uniqueItems": True}},
}


def task(answer: Any = None, example: str | None = '{"name": "Ada"}') -> Task:
    answer = {"schema": SCHEMA} if answer is None else answer
    meta = {} if example is None else {"example": example}
    prompt = (Message(role="user", content="Answer in JSON."),)
    return Task(prompt=prompt, answer=answer, verifier="json_schema", meta=meta)


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "Ada"}',
        ' \n{"name": "Ada", "tags": [1, "1", true, {}]}\n',
        'Here it is:\n```json\n{"name": "Ada"}\n```\nDone.',
        '```\n{"name": 1}\n```\nNo, rather\n```\n{"name": "Ada"}\n```',
        '<think>{"name": 1}</think>{"name": "Ada"}',
        '{"name": "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["}',
    ],
)
def test_json_that_keeps_the_schema_passes(text: str) -> None:
    verdict = JsonSchema().verify(task(), text)
    assert verdict.outcome is Outcome.PASS, verdict.note


@pytest.mark.parametrize(
    ("text", "parses"),
    [
        ('{"name": 5}', 1.0),
        ("3", 1.0),
        ("{}", 1.0),
        ('{"name": "Ada", "age": 5}', 1.0),
        ('{"name": "Ada", "tags": [1, 1.0]}', 1.0),
        ('{"name": "Ada", "tags": [{"a": 1, "b": 2}, {"b": 2, "a": 1}]}', 1.0),
        ("", 0.0),
        ("{'name': 'Ada'}", 0.0),
        ('{"name": "Ada"} and more', 0.0),
        ('{"name": "Ada", "name": "Eve"}', 0.0),
        ('{"name": NaN}', 0.0),
        ('{"name": 1e999}', 0.0),
        ("[" * 100_000, 0.0),
        ('{"a":' * 5_000 + "1" + "}" * 5_000, 0.0),
        ('{"name": ' + "9" * 5_000 + "}", 0.0),
        ('{"name": "' + "x" * 200_000 + '"}', 0.0),
    ],
)
def test_everything_else_fails(text: str, parses: float) -> None:
    verdict = JsonSchema().verify(task(), text)
    assert verdict.outcome is Outcome.FAIL
    assert verdict.reward is not None
    assert verdict.reward.parts == {"correct": 0.0, "parses": parses}


def test_one_value_may_be_demanded() -> None:
    wanted = task({"schema": {"type": "object"}, "value": {"n": 1, "ok": True}}, example=None)
    JsonSchema().check_task(wanted)
    assert json.loads(JsonSchema().gold(wanted)) == {"n": 1, "ok": True}
    assert JsonSchema().verify(wanted, '{"ok": true, "n": 1.0}').outcome is Outcome.PASS
    assert JsonSchema().verify(wanted, '{"ok": 1, "n": 1}').outcome is Outcome.FAIL


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({}, "needs a schema"),
        ({"schema": []}, "needs a schema"),
        ({"schema": {}}, "accepts everything"),
        ({"schema": {"type": "strin"}}, "the schema is invalid"),
        ({"schema": {"$ref": "#/$defs/missing"}}, "which is not in it"),
        ({"schema": {"$ref": "https://example.com/schema.json"}}, "which is not in it"),
    ],
)
def test_schemas_that_judge_nothing_are_refused(answer: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        JsonSchema().check_task(task(answer))


def test_recursive_schemas_work() -> None:
    tree = {"$ref": "#/$defs/node", "$defs": {"node": {"type": "array", "items": {"$ref": "#/$defs/node"}}}}
    nested = task({"schema": tree}, example="[[]]")
    JsonSchema().check_task(nested)
    assert JsonSchema().verify(nested, "[[], [[]]]").outcome is Outcome.PASS
    assert JsonSchema().verify(nested, "[[], [1]]").outcome is Outcome.FAIL


def test_an_example_is_needed_without_a_value() -> None:
    with pytest.raises(InputError, match="needs an example"):
        JsonSchema().check_task(task(example=None))


def test_slow_patterns_and_long_lists_are_bounded() -> None:
    slow = task({"schema": {"type": "string", "pattern": "(a|aa)+$"}}, example='"' + "a" * 25 + '"')
    started = time.perf_counter()
    assert JsonSchema().verify(slow, '"' + "a" * 60 + '!"').outcome is Outcome.TIMEOUT
    many = '{"name": "Ada", "tags": [' + ", ".join(f'{{"a": {i}}}' for i in range(6_000)) + "]}"
    assert JsonSchema().verify(task(), many).outcome is Outcome.PASS
    assert time.perf_counter() - started < 5


@pytest.mark.parametrize("text", ['"' + '\\"' * 49_000, '"' * 90_000, '{"a' + '\\"' * 40_000])
def test_unclosed_strings_take_linear_time(text: str) -> None:
    started = time.perf_counter()
    assert JsonSchema().verify(task(), text).outcome is Outcome.FAIL
    assert time.perf_counter() - started < 1


def test_digits_in_a_string_are_no_number() -> None:
    assert JsonSchema().verify(task(), '{"name": "' + "1" * 400 + '"}').outcome is Outcome.PASS


@pytest.mark.parametrize(
    ("number", "outcome"),
    [("19.99", Outcome.PASS), ("0.3", Outcome.PASS), ("1e300", Outcome.PASS), ("19.995", Outcome.FAIL)],
)
def test_multiples_are_of_decimals_as_written(number: str, outcome: Outcome) -> None:
    cents = task({"schema": {"type": "number", "multipleOf": 0.01}}, example="1")
    assert JsonSchema().verify(cents, number).outcome is outcome


@pytest.mark.parametrize(
    ("form", "good", "bad"),
    [
        ("date", "2024-02-29", "2023-02-29"),
        ("date-time", "2024-01-02T03:04:05Z", "2024-01-02 03:04:05"),
        ("time", "03:04:05+01:00", "03:04:05"),
        ("ipv4", "127.0.0.1", "127.0.0.256"),
        ("uuid", "123e4567-e89b-12d3-a456-426614174000", "123e4567"),
    ],
)
def test_formats_are_checked(form: str, good: str, bad: str) -> None:
    dated = task({"schema": {"type": "string", "format": form}}, example=json.dumps(good))
    assert JsonSchema().verify(dated, json.dumps(good)).outcome is Outcome.PASS
    assert JsonSchema().verify(dated, json.dumps(bad)).outcome is Outcome.FAIL


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"type": "object", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"allOf": [{"$ref": "#/$defs/a"}]}}},
        {"type": "object", "properties": {"x": {"not": {"$ref": "#/properties/x"}}}},
    ],
)
def test_schemas_that_never_end_are_refused(schema: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="refers to itself without end"):
        JsonSchema().check_task(task({"schema": schema}))


@pytest.mark.slow
def test_alternatives_that_double_with_every_level_are_bounded() -> None:
    lists = {"type": "array", "items": {"$ref": "#"}}
    nested = task({"schema": {"anyOf": [lists, lists | {"maxItems": 3}]}}, example="[]")
    JsonSchema().check_task(nested)
    started = time.perf_counter()
    verdict = JsonSchema().verify(nested, "[" * 31 + "1" + "]" * 31)
    assert (verdict.outcome, verdict.reward) == (Outcome.TIMEOUT, None)
    assert time.perf_counter() - started < 10


def test_bare_json_has_nothing_around_it() -> None:
    fenced = '```json\n{"name": "Ada"}\n```'
    assert JsonSchema(bare=True).verify(task(), fenced).outcome is Outcome.FAIL
    assert JsonSchema(bare=True).verify(task(), ' {"name": "Ada"} ').outcome is Outcome.PASS


def test_a_byte_order_mark_in_front_is_no_fault() -> None:
    seven = task({"schema": {"type": "integer"}}, example="7")
    assert JsonSchema().verify(seven, "\ufeff7\u200b").outcome is Outcome.PASS
    assert JsonSchema().verify(seven, "\ufeff\u200b").outcome is Outcome.FAIL
    note = JsonSchema().verify(seven, "7" * 301).note
    assert note == "JSON is not read where it has a number of more than 300 digits"
