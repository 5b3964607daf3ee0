"""What judges say in practice, and how each is read."""

import json
from pathlib import Path

import pytest

from tahr.judges.pairwise import CHOICES
from tahr.judges.reading import own_lines, read_choice, read_number
from tahr.judges.rubric import YES_NO

CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "cases" / "judge_answers.jsonl").read_text(encoding="utf-8").splitlines()
]


@pytest.mark.parametrize("kind", ["rating", "choice", "yes_no"])
def test_each_shape_is_read_as_it_is_meant(kind: str) -> None:
    cases = [case for case in CASES if case["kind"] == kind]
    assert len(cases) > 8
    wrong = []
    for case in cases:
        lines = own_lines(case["said"], "3fa9c2d1e0b4")
        found = (
            read_number(lines, 1, 5)
            if kind == "rating"
            else read_choice(lines, CHOICES if kind == "choice" else YES_NO)
        )
        if found != case["read"]:
            wrong.append((case["said"], case["read"], found))
    assert wrong == []


def test_every_number_of_the_scale_is_read_and_none_beside_it() -> None:
    found = [read_number([f"Rating: {number}"], 1, 5) for number in range(-1, 8)]
    assert found == ["unreadable", "unreadable", 1, 2, 3, 4, 5, "unreadable", "unreadable"]
    assert [read_number([f"Score: {number}"], 0, 10) for number in (0, 10, 11)] == [0, 10, "unreadable"]
