"""Questions marked where a training text holds them."""

from __future__ import annotations

from small_attempts import attempt, evaluation
from tahr.evaluation.contamination import Mark, mark_questions

LONG = "A farmer has seventeen sheep and all but nine of them run away; how many sheep are left?"


def test_the_fullest_text_marks_a_question() -> None:
    asked = evaluation(attempt("a", prompt=LONG), attempt("b", prompt="What is the capital city of Mongolia today?"))
    texts = [
        ("x.jsonl:1", "Nothing of the kind."),
        ("x.jsonl:2", "He wrote: a farmer has seventeen sheep and all but nine of them run away. Fine."),
        ("x.jsonl:3", f"Q: {LONG} A: 9"),
    ]
    found = mark_questions([asked], iter(texts))
    assert found.marks == {"a": Mark(place="x.jsonl:3", share=1.0)}
    assert (found.num_questions, found.num_too_short, found.num_texts) == (2, 0, 3)


def test_short_questions_are_not_looked_for() -> None:
    found = mark_questions([evaluation(attempt("a", prompt="Why?"))], [("x", "Why? Because.")])
    assert (found.marks, found.num_too_short) == ({}, 1)
