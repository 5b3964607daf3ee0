from __future__ import annotations

import math
from collections import Counter, OrderedDict, defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tahr.sandbox.inside import values
from tahr.sandbox.inside.values import MalformedError, NotPlainError, decode, encode

atoms = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary()
    | st.complex_numbers(allow_nan=False)
)
keys = st.none() | st.booleans() | st.integers() | st.text() | st.tuples(st.integers(), st.text())
plain = st.recursive(
    atoms,
    lambda inner: (
        st.lists(inner)
        | st.lists(inner).map(tuple)
        | st.dictionaries(keys, inner)
        | st.sets(keys)
        | st.frozensets(keys)
    ),
    max_leaves=20,
)


def shape(value: object) -> object:
    """The value with the type of every part beside it, since True == 1 == 1.0."""
    if isinstance(value, (list, tuple)):
        return type(value), [shape(one) for one in value]
    if isinstance(value, dict):
        return [(shape(key), shape(one)) for key, one in value.items()]
    return type(value), value


@given(plain)
def test_every_plain_value_survives_exactly(value: object) -> None:
    assert shape(decode(encode(value))) == shape(value)


def test_the_bytes_are_these() -> None:
    assert encode([1, (True, None), "é", b"x", {"k": -255}]) == b"l5:i1:t2:TNs2:\xc3\xa9b1:xd1:s1:ki-ff:"
    assert encode(1.0) == b"f\x00\x00\x00\x00\x00\x00\xf0?"


def test_values_that_json_loses() -> None:
    huge = 10**5000
    assert decode(encode(huge)) == huge
    assert math.isnan(decode(encode(math.nan)))
    assert math.copysign(1, decode(encode(-0.0))) == -1
    assert decode(encode("\ud800")) == "\ud800"


class Number(int):
    pass


@pytest.mark.parametrize("value", [Number(3), object(), [{1: (Number(3),)}], range(3), iter([]), len])
def test_other_types_are_refused(value: object) -> None:
    with pytest.raises(NotPlainError, match="a value of type"):
        encode(value)


def test_endless_and_exploding_values_are_refused() -> None:
    loop: list[object] = []
    loop.append(loop)
    with pytest.raises(NotPlainError, match="deeper"):
        encode(loop)
    doubled: list[object] = []
    for _ in range(40):
        doubled = [doubled, doubled]
    with pytest.raises(NotPlainError, match="parts"):
        encode(doubled)


@pytest.mark.parametrize(
    "data",
    [
        b"", b"i", b"i:", b"i1", b"ig:", b"i0x1:", b"i 1:", b"i1_0:", b"l2:N", b"l-1:", b"l99999999999:", b"s5:ab",
        b"s1:\xff", b"f123", b"NN", b"q1:", b"e1:l0:", b"d1:l0:N", b"l1:" * 100 + b"N", b"s\xd9\xa1:a",
    ],
)  # fmt: skip
def test_malformed_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(MalformedError):
        decode(data)


@given(st.binary(max_size=60))
def test_any_bytes_decode_or_are_malformed(data: bytes) -> None:
    try:
        decode(data)
    except MalformedError:
        return


def test_colliding_keys_cost_no_square() -> None:
    colliding = {(2**61 - 1) * (index + 2**62): None for index in range(3000)}
    data = b"d3000:" + b"".join(encode(key) + b"N" for key in colliding)
    with pytest.raises(MalformedError, match="keys"):
        decode(data)


def test_relatives_of_plain_types_where_they_are_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(values, "_ENCODERS", dict(values._ENCODERS))
    with pytest.raises(NotPlainError):
        encode(Counter("aab"))
    values.accept_relatives()
    for value, same in ((Counter("aab"), {"a": 2, "b": 1}), (defaultdict(int, a=1), {"a": 1}), (OrderedDict(), {})):
        assert shape(decode(encode([value]))) == shape([same])
    with pytest.raises(NotPlainError, match="'Table'"):
        encode(type("Table", (Counter,), {})())


def test_numbers_of_numpy_where_they_are_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    numpy = pytest.importorskip("numpy")
    monkeypatch.setattr(values, "_ENCODERS", dict(values._ENCODERS))
    values.accept_numpy()
    given = [numpy.int64(3), numpy.uint8(4), numpy.float64(0.5), numpy.float32(0.5), numpy.bool_(True)]
    assert shape(decode(encode(given))) == shape([3, 4, 0.5, 0.5, True])
    for value in (numpy.array([1]), numpy.datetime64("2020-01-01"), numpy.str_("a")):
        with pytest.raises(NotPlainError):
            encode(value)
