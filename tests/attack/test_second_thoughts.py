"""Answers that say one thing and take it back, deny it, or name several: the last word counts, or nothing does."""

import json
import time
from pathlib import Path

import pytest

from tahr.core.types import Message, Outcome, Task
from tahr.verifiers.build import build_verifiers
from tahr.verifiers.second_thoughts import NEAR_CHARS, corrected, is_denied, is_taken_back
from tahr.verifiers.text import shown

VERIFIERS = build_verifiers({})
CASES = Path(__file__).parents[1] / "cases" / "math_adversarial.jsonl"


def passes(verifier: str, gold: str, text: str) -> bool:
    prompt = (Message(role="user", content="How much is it?"),)
    verdict = VERIFIERS.verify(Task(prompt=prompt, answer=gold, verifier=verifier), text)
    assert verdict.outcome in {Outcome.PASS, Outcome.FAIL}
    return verdict.outcome is Outcome.PASS


def test_adversarial_math_answers_are_judged_as_labelled() -> None:
    rows = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    assert len(rows) > 180
    wrong = [row for row in rows if passes("math", row["gold"], row["answer"]) is not row["correct"]]
    assert wrong == []


def test_answers_are_judged_as_labelled_however_they_are_worded() -> None:
    rows = [
        json.loads(line) for line in CASES.with_name("math_wordings.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    assert len(rows) > 180
    wrong = [row for row in rows if passes("math", row["gold"], row["answer"]) is not row["correct"]]
    assert wrong == []


@pytest.mark.parametrize(
    "filler", ["<del>a", " ~~a", "<          ", "<think ", "~~a~~", "\\cancel{", "</del>", "[/THINK]"]
)
def test_what_hides_text_is_found_in_linear_time(filler: str) -> None:
    began = time.perf_counter()
    shown(filler * (300_000 // len(filler)))
    assert time.perf_counter() - began < 2


def test_only_what_withdraws_or_replaces_an_answer_takes_it_back() -> None:
    path = CASES.with_name("second_thoughts.jsonl")
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert (len(rows), sum(row["correct"] for row in rows)) == (51, 19)
    wrong = [row for row in rows if passes(row["verifier"], row["gold"], row["answer"]) is not row["correct"]]
    assert wrong == []


@pytest.mark.parametrize(
    ("gold", "text", "right"),
    [
        ("17/2", "17/2 or 8.5", True),
        ("17/2", "The answer is 17/2 or 8.5.", True),
        ("17/2", "The answer is $17/2$ or $8.5$.", True),
        ("17/2", r"\boxed{17/2} or 8.5", True),
        ("17/2", r"\boxed{17/2}, or 8.5 as a decimal.", True),
        ("17/2", r"\boxed{\frac{17}{2} \text{ or } 8.5}", True),
        ("17/2", r"\boxed{17/2} or \boxed{8.5}", True),
        (r"\sqrt{8}", r"The answer is $\sqrt{8}$ or $2\sqrt{2}$.", True),
        (r"\sqrt{8}", r"\sqrt{8} or 2\sqrt{2} or 8^{1/2}", True),
        ("1, 2", "1 or 2", True),
        ("17/2", "17/2 or 8.6", False),
        ("17/2", r"\boxed{17/2} or 8.6", False),
        ("17/2", r"\boxed{17/2} or 8", False),
        ("17/2", r"\boxed{17/2} or not 8.5", False),
        (r"\sqrt{8}", r"\sqrt{8} or 3\sqrt{2}", False),
        ("1/2", "50% or 50", False),
        ("17/2", r"\boxed{17/2} or 8.5 or 9", False),
        ("17/2", r"\boxed{17/2} or 8.5 + 1", False),
    ],
)
def test_ways_to_write_one_value_are_one_answer_and_others_a_hedge(gold: str, text: str, right: bool) -> None:
    assert passes("math", gold, text) is right


@pytest.mark.parametrize(
    "hidden",
    [
        "<!-- {} -->",
        "<!-- {}",
        "<!--\n{}\n--!>",
        "% {}",
        "  % so {}",
        "\\begin{{comment}}{}\\end{{comment}}",
        "\\iffalse {} \\fi",
    ],
)
@pytest.mark.parametrize(
    ("verifier", "gold", "other"), [("math", "3", "4"), ("numeric", "3", "4"), ("choice", "C", "D")]
)
def test_what_stands_in_a_comment_is_no_answer(verifier: str, gold: str, other: str, hidden: str) -> None:
    for written in (r"\boxed{%s}", "the answer is %s"):
        comment = hidden.format(written % gold)
        assert not passes(verifier, gold, comment)
        assert not passes(verifier, gold, f"\\boxed{{{other}}}\n{comment}")
        assert passes(verifier, gold, f"\\boxed{{{gold}}}\n{hidden.format(written % other)}")
    assert passes("math", "50", r"That is 50% of 100, so \boxed{50}")


@pytest.mark.parametrize(
    ("gold", "text", "right"),
    [
        ("42", "The answer is 42. No, it is 43.", False),
        ("43", "The answer is 42. No, it is 43.", True),
        ("42", "The answer is 42. Or maybe 43.", False),
        ("42", "The answer is 42. Maybe it's 43.", False),
        ("42", "The answer is 42. This is wrong.", False),
        ("42", "The answer is 42. Wait, no.", False),
        ("42", "The answer is 42. Wait, let me check: 40 + 2 = 42. Yes.", True),
        ("42", "The answer is 42. No other number works.", True),
        ("42", "The answer is not 41. It is 42.", True),
        ("41", "The answer is not 41. It is 42.", False),
        ("42", "The answer isn't 42.", False),
        ("17/2", "The answer is 17/2 (or 8.5).", True),
        ("17/2", "The answer is 17/2 (or 8.6).", False),
        ("5", "The answer is 5. Actually this is the smallest prime above 3.", True),
        ("5", "The answer is 5. Actually 3.", False),
        ("42", "The answer is anything but 42.", False),
        ("42", "The answer is more than 42.", False),
        ("42", "It could be 41, it could be 42.", False),
        ("42", r"\boxed{42}. Wait, that is wrong; it should be 43.", False),
        ("42", r"\boxed{42} (or 43)", False),
        ("42", r"\boxed{42}, not 43.", True),
        ("42", r"\boxed{42}" + "\n\nActually, 40 + 2 = 42 confirms it.", True),
        ("5 cm", "5 m", False),
        ("5 cm", "The length is 5 m", False),
        ("5 cm", "So it is 5 meters in all.", False),
        ("5 cm", "So it is 5 centimetres.", True),
        ("5 cm", "5 in total", True),
        ("5 cm", "It has 5 as its length.", True),
        ("9 cm", "The area is 9 cm^2", False),
    ],
)
def test_numbers(gold: str, text: str, right: bool) -> None:
    assert passes("numeric", gold, text) is right


@pytest.mark.parametrize(
    ("gold", "text", "right"),
    [
        ("C", r"I guess \boxed{A}, \boxed{C}", False),
        ("C", r"\boxed{A} \boxed{C}", False),
        ("C", r"\boxed{C} or D", False),
        ("C", r"\boxed{C} is wrong.", False),
        ("C", r"It is not \boxed{C}", False),
        ("C", r"\boxed{C}, no, D", False),
        ("C", r"\boxed{\neg C}", False),
        ("C", r"\boxed{C} \boxed{C}", True),
        ("C", "The answer is C. No, it is D.", False),
        ("D", "The answer is C. No, it is D.", True),
        ("C", "C. Actually D.", False),
        ("C", "The answer isn't C.", False),
        ("C", "The answer is anything but C.", False),
        ("C", "The answer is not A or C", False),
        ("C", "C is not correct.", False),
        ("C", "A and C are wrong.", False),
        ("C", "All but C.", False),
        ("C", "I would eliminate C.", False),
        ("C", "The answer is not A, but C.", True),
        ("C", "The answer is C, not D.", True),
        ("C", "The answer is C (not B)", True),
        ("C", "The answer is C. D would be wrong because it is too big.", True),
    ],
)
def test_letters(gold: str, text: str, right: bool) -> None:
    assert passes("choice", gold, text) is right


def test_what_a_text_settles_on() -> None:
    assert corrected(" 42. No, it is 43.") == "43."
    assert corrected(" 42. That is wrong.") == ""
    assert corrected(" 42 (or maybe 43).") == " 42 or 43)."
    assert corrected(" 42. Nobody knows.") == " 42. Nobody knows."
    assert is_denied("it is certainly not $")
    assert not is_denied("it is not a guess: ")
    assert is_taken_back("42", ". No, 43.")
    assert not is_taken_back("42", ". No, it really is 42.")


@pytest.mark.parametrize(
    "piece", ["no, ", "or ", ". wait ", "(", "not C, ", "A or ", "actually", " ", "\n", "1 or ", "- "]
)
def test_long_texts_cost_little(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    for verifier, gold in (("numeric", "42"), ("choice", "C")):
        for whole in (text, "The answer is " + text, r"\boxed{C}" + text, text + r"\boxed{42}"):
            started = time.process_time()
            passes(verifier, gold, whole)
            assert time.process_time() - started < 2
    assert len(corrected(text)) <= len(text) + NEAR_CHARS


@pytest.mark.parametrize("verifier", ["math", "numeric"])
@pytest.mark.parametrize("filler", [" ", ",", "$", "*", "(", "or ", "is ", "wait "])
def test_what_stands_behind_a_box_is_not_searched_through_again_and_again(verifier: str, filler: str) -> None:
    started = time.perf_counter()
    passes(verifier, "5", r"\boxed{5}" + filler * (100_000 // len(filler)))
    assert time.perf_counter() - started < 2  # a search that begins anew at every blank takes minutes


@pytest.mark.parametrize(
    ("text", "right"),
    [
        (r"\boxed{7} can't be right.", False),
        (r"\boxed{7} is definitely incorrect.", False),
        (r"\boxed{7} is a wrong answer.", False),
        (r"\boxed{7} was clearly not it.", False),
        (r"\boxed{7} is the right answer.", True),
        (r"\boxed{7} is what was missing.", True),
    ],
)
def test_a_denial_behind_a_box_is_one_with_an_adverb_or_an_article_too(text: str, right: bool) -> None:
    assert passes("math", "7", text) is right
