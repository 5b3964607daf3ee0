from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tahr.core.errors import InputError
from tahr.core.plain_values import from_json, to_json

atoms = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary()
keys = st.booleans() | st.integers() | st.text() | st.tuples(st.integers(), st.text())
names = st.text() | st.sampled_from(["$tuple", "$set", "$dict", "$float", "$other"])
plain = st.recursive(
    atoms | st.complex_numbers(allow_nan=False),
    lambda inner: (
        st.lists(inner)
        | st.lists(inner).map(tuple)
        | st.dictionaries(names, inner)
        | st.dictionaries(keys, inner)
        | st.sets(keys)
        | st.frozensets(keys)
    ),
    max_leaves=20,
)


def shape(value: Any) -> Any:
    """The value with the type of every part beside it, since True == 1 == 1.0."""
    if isinstance(value, (list, tuple)):
        return type(value), [shape(one) for one in value]
    if isinstance(value, dict):
        return dict, [(shape(key), shape(one)) for key, one in value.items()]
    if isinstance(value, (set, frozenset)):
        return type(value), {(type(one), one) for one in value}
    return type(value), value


@given(plain)
def test_every_plain_value_comes_back_from_json_text(value: Any) -> None:
    assert shape(from_json(json.loads(json.dumps(to_json(value))))) == shape(value)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ([1, 2.5, "a", None, True], [1, 2.5, "a", None, True]),
        ((1, (2,)), {"$tuple": [1, {"$tuple": [2]}]}),
        ({3, 1}, {"$set": [1, 3]}),
        (frozenset(), {"$frozenset": []}),
        (b"hi", {"$bytes": "aGk="}),
        (1j, {"$complex": [0.0, 1.0]}),
        (math.inf, {"$float": "inf"}),
        ({"a": (1,)}, {"a": {"$tuple": [1]}}),
        ({1: "a"}, {"$dict": [[1, "a"]]}),
        ({"$set": 1}, {"$dict": [["$set", 1]]}),
        ({"$set": 1, "b": 2}, {"$set": 1, "b": 2}),
    ],
)
def test_how_values_are_written(value: Any, written: Any) -> None:
    assert to_json(value) == written
    assert shape(from_json(written)) == shape(value)


def test_nan_comes_back() -> None:
    assert math.isnan(from_json(to_json(math.nan)))


class Number(int):
    pass


@pytest.mark.parametrize("value", [object(), Number(3), [range(3)], {"a": print}, bytearray(b"x")])
def test_what_is_not_plain_is_refused(value: Any) -> None:
    with pytest.raises(InputError, match="must be plain"):
        to_json(value)


@pytest.mark.parametrize(
    "written",
    [
        {"$tuple": 5},
        {"$tuple": {"a": 1}},
        {"$set": [[1]]},
        {"$set": [{"$set": [1]}]},
        {"$bytes": "a"},
        {"$bytes": "\u00e9\u00e9"},
        {"$bytes": 3},
        {"$complex": [1, 2, 3]},
        {"$complex": ["x", 1]},
        {"$float": "abc"},
        {"$float": None},
        {"$dict": [1]},
        {"$dict": [[1, 2, 3]]},
        {"$dict": [[[1], 2]]},
    ],
)
def test_malformed_tables_are_refused(written: Any) -> None:
    with pytest.raises(InputError, match=r"malformed \$"):
        from_json(written)
