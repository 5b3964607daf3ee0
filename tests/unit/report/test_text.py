import math

import pytest

from tahr.report.text import (
    duration,
    interval,
    number,
    p_text,
    reach,
    score,
    signed,
    token_count,
    told_apart,
    visible_text,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        (0, "0"),
        (1.0, "1"),
        (0.42345, "0.423"),
        (-0.0123456, "−0.0123"),
        (12.345, "12.3"),
        (123.4, "123"),
        (12345.6, "12,346"),
        (3e-5, "3.0e-05"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
        (math.nan, "not a number"),
    ],
)
def test_number(value: float | None, text: str) -> None:
    assert number(value) == text


def test_scores_and_differences() -> None:
    assert (score(0.5), signed(0.21), signed(-0.0321), signed(0.0)) == ("0.500", "+0.210", "−0.032", "+0.000")
    assert interval(-0.1, 0.2) == "−0.100 to +0.200"
    assert interval(0.1, 0.2, sign=False) == "0.100 to 0.200"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.4, "0 s"), (59, "59 s"), (572, "9 min 32 s"), (11100, "3 h 05 min"), (3599.9, "1 h 00 min")],
)
def test_duration(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_hidden_characters_become_visible() -> None:
    assert visible_text("a\x00b\x1b[31m\u202edcba\u2066\ufeff") == r"a\u0000b\u001b[31m\u202edcba\u2066\ufeff"
    assert visible_text("tab\tand\nline é 漢 🙂") == "tab\tand\nline é 漢 🙂"
    assert visible_text("half \ud83d") == "half ?"


def test_long_text_loses_its_middle() -> None:
    text = visible_text("a" * 1000 + "b" * 5_000_000 + "c" * 1000, 200)
    assert text == "a" * 100 + "\n[ 5,001,800 characters left out ]\n" + "c" * 100


def test_a_long_name_loses_its_middle_and_stays_on_its_line() -> None:
    assert visible_text("a" * 30 + "b" * 30, 20) == "a" * 10 + "…" + "b" * 10


def test_tokens_that_nobody_counted_are_a_dash():
    assert [token_count(count) for count in (12, 1, 0, None)] == ["12 tokens", "1 token", "0 tokens", "– tokens"]


def test_an_end_that_nothing_bounds_is_worded():
    assert reach(4.47, math.inf, number) == "at least 4.47"
    assert reach(-math.inf, 3.0, number) == "at most 3"
    assert interval(-math.inf, math.inf) == "not known"
    assert reach(1.0, 2.0, number) == "1 to 2"


def test_p_values_have_two_digits():
    assert [p_text(p) for p in (0.5, 0.031, 1 / 1001, 1e-9)] == ["0.50", "0.031", "0.0010", "<0.0001"]


def test_names_of_which_only_the_end_differs_are_told_apart() -> None:
    assert told_apart(["eval-sums-tiny-1000", "eval-sums-tiny-1100"]) == ("eval-sums-tiny-", ["…1000", "…1100"])
    for names in ([], ["one"], ["one", "one"], ["ab-1", "ab-2"], ["eval-sums-tiny", "other"]):
        assert told_apart(names) == ("", names)
