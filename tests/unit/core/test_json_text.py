import sys

import pytest

from tahr.core.json_text import MAX_DEPTH, has_half_character, parse_json, without_half_characters


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


@pytest.mark.parametrize("value", ["a\ud800", {"\udfff": 1}, {"a": [1, ("b\udc80",)]}])
def test_half_of_a_character_is_found_however_deep(value: object) -> None:
    assert has_half_character(value)


@pytest.mark.parametrize(
    "value", ["", "\U0001f410 é", {"a": [1, None, float("nan")]}, parse_json('"\\ud83d\\udc10"'), 7]
)
def test_whole_characters_are_no_halves(value: object) -> None:
    assert not has_half_character(value)


def test_each_half_becomes_one_sign() -> None:
    assert without_half_characters("a\ud800\udbffb\U0001f410") == "a\ufffd\ufffdb\U0001f410"
