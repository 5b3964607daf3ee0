import sys

import pytest

from tahr.core.json_text import MAX_DEPTH, parse_json


@pytest.fixture
def no_limit():
    """The interpreter's own bound, as far up as libraries put it."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(10**6)
    yield
    sys.setrecursionlimit(limit)


@pytest.mark.parametrize("text", ["[" * 200_000, b'{"a":' * 200_000, "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1)])
def test_no_text_overflows_the_stack(no_limit: None, text: str | bytes) -> None:
    with pytest.raises(ValueError, match="nested more than 200 levels deep"):
        parse_json(text)


def test_many_brackets_are_not_deep() -> None:
    assert parse_json("[" + ",".join(["[[]]"] * 500) + "]") == [[[]]] * 500
    assert parse_json('["' + "[" * 500 + '"]') == ["[" * 500]
    assert parse_json("[" * MAX_DEPTH + "]" * MAX_DEPTH)


@pytest.mark.parametrize("text", [b"\xff", "", "{", b"[1,]"])
def test_what_is_no_json_is_a_value_error(text: str | bytes) -> None:
    with pytest.raises(ValueError):
        parse_json(text)


def test_a_byte_order_mark_in_front_of_bytes_is_left_out() -> None:
    assert parse_json(b'\xef\xbb\xbf{"a": NaN}', parse_constant=str) == {"a": "NaN"}
