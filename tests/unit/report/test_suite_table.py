"""The tables of a suite against figures worked out by hand."""

from __future__ import annotations

import math

import pytest

from small_attempts import attempt, evaluation
from tahr.evaluation.statistics import wilson_interval
from tahr.report.suite_table import pair_differences, pair_table, suite_lines, suite_table, suite_values


def kept(task: str, strict: dict[str, float], loose_share: float, **more: float):
    """A response to one prompt: which instructions it keeps strictly, and the share kept loosely."""
    share = sum(strict.values()) / (len(strict) + more.get("undetectable", 0.0))
    parts = {
        "correct": float(share == 1),
        "strict": float(share == 1),
        "loose": float(loose_share == 1),
        "share": share,
        "loose_share": loose_share,
        "undetectable": 0.0,
        "vacuous": 0.0,
        **strict,
        **more,
    }
    return attempt(task, correct=parts["correct"], parts=parts)


RESPONSES = evaluation(
    kept("a", {"x": 1.0}, 1.0),
    kept("b", {"x": 1.0, "y": 0.0, "z": 0.0}, 2 / 3),
    kept("c", {"x": 1.0}, 1.0, undetectable=1.0),  # two instructions, of which one can't be decided
    attempt("d", correct=None),
)


def test_ifevals_four_numbers():
    lines = {line.measure: line for line in suite_lines(RESPONSES)}
    assert list(lines) == [
        "correct",
        "prompts, strict",
        "prompts, loose",
        "instructions, strict",
        "instructions, loose",
    ]
    assert lines["prompts, strict"].score.mean == pytest.approx(1 / 3)
    assert lines["prompts, loose"].score.mean == pytest.approx(2 / 3)
    # of 1 + 3 + 2 instructions, 1 + 1 + 1 are kept strictly, 1 + 2 + 2 loosely
    assert lines["instructions, strict"].score.mean == pytest.approx(3 / 6)
    assert lines["instructions, loose"].score.mean == pytest.approx(5 / 6)
    assert [(line.num_tasks, line.num_excluded) for line in lines.values()] == [(3, 1), (3, 1), (3, 1), (6, 1), (6, 1)]
    # residuals 1 - 1/2, 1 - 3/2, 1 - 2/2 over 2 instructions a prompt: their deviation by the root of 3
    spread = math.sqrt((0.25**2 + 0.25**2) / 2 / 3)
    assert lines["instructions, strict"].score.standard_error == pytest.approx(spread)


def test_a_domain_has_a_line_where_there_are_several():
    found = evaluation(attempt("a"), attempt("b", correct=0.0), attempt("c", domain="other"))
    lines = suite_lines(found)
    assert [(line.domain, line.score.mean) for line in lines] == [("", 2 / 3), ("d", 0.5), ("other", 1.0)]
    assert (lines[0].score.low, lines[0].score.high) == pytest.approx(wilson_interval(2 / 3, 3))


def test_pairs_are_paired_by_question_and_left_out_where_a_side_is_missing():
    without = evaluation(attempt("a", correct=0.0), attempt("b", correct=0.0), attempt("c"), name="bare")
    with_ = evaluation(attempt("a"), attempt("b"), attempt("c"), name="steps")
    [(names, one)] = pair_differences([without, with_], [("bare", "steps"), ("bare", "other")])
    assert names == ("bare", "steps") and one.difference == pytest.approx(2 / 3) and one.num_tasks == 3
    assert pair_table([without], [("bare", "steps")]) is None
    nothing = evaluation(attempt("a", correct=None), name="steps")
    assert pair_differences([without, nothing], [("bare", "steps")]) == []


def test_values_are_json_and_a_setting_without_rewards_has_a_row():
    nothing = evaluation(attempt("a", correct=None))
    assert suite_lines(nothing) == [] and suite_table([nothing]).row_count == 1
    single = suite_values([evaluation(attempt("a"))], [])
    assert single["scores"][0]["score"]["standard_error"] is None  # unknown for one question
    assert single["attempts"][0]["setting"] == "bare"
