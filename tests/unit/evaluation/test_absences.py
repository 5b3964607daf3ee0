"""Why attempts have no reward, counted."""

from __future__ import annotations

from collections import Counter

from small_attempts import attempt
from tahr.evaluation.absences import MOST_REASONS, count_reasons, frequent_reasons, reasons_text


def test_reasons_are_the_first_lines_of_notes_and_nothing_with_a_reward_is_counted() -> None:
    busy = "m: the server refused with status 500\n  received: 'one'\n  instead:  x"
    notes = [busy, busy.replace("one", "two"), "the verifier took longer than 2 s", "  "]
    rows = [attempt(str(n), correct=None, note=note, outcome="error") for n, note in enumerate(notes)]
    assert count_reasons([*rows, attempt("x", note="right")]) == {
        "m: the server refused with status 500": 2,
        "the verifier took longer than 2 s": 1,
        "no reason told (error, ended by stop)": 1,
    }


def test_the_most_frequent_are_told_and_the_rest_is_counted() -> None:
    reasons = Counter({"a": 1200, "b": 3, "c": 1, "d": 1})
    assert frequent_reasons(reasons, 2) == [("a", 1200), ("b", 3), ("2 other reasons", 2)]
    assert frequent_reasons(reasons, 3)[-1] == ("another reason", 1)
    assert reasons_text(reasons) == "1,200 times: a; 3 times: b; once: c; once: another reason"
    assert reasons_text(Counter()) == ""


def test_notes_that_are_all_different_take_a_bounded_room() -> None:
    found = count_reasons(attempt(correct=None, note=f"bad number {n}") for n in range(MOST_REASONS + 50))
    assert (len(found), found["other reasons"]) == (MOST_REASONS + 1, 50)
