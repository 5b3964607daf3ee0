import ast
import string

import pytest

from tahr.core.errors import InputError
from tahr.data.catalog import describe
from tahr.data.sources.arithmetic import LEVELS, Arithmetic
from tahr.data.sources.countdown import Countdown
from tahr.data.sources.letters import ReverseText, Sort
from tahr.data.sources.text_constraints import TextConstraints
from tahr.data.sources.word_problems import WordProblems
from tahr.verifiers.countdown import evaluate

ALPHABET = set("abcdefghijklmnopqrstuvwxyz0123456789 .,:+-*/=()?'")


def work_out(node: ast.expr) -> int:
    """An independent reading of a generated expression; division must come out even."""
    if isinstance(node, ast.BinOp):
        left, right = work_out(node.left), work_out(node.right)
        if isinstance(node.op, ast.Div):
            assert left % right == 0
            return left // right
        return {ast.Add: left + right, ast.Sub: left - right, ast.Mult: left * right}[type(node.op)]
    assert isinstance(node, ast.Constant)
    assert isinstance(node.value, int)
    return node.value


@pytest.mark.parametrize("level", LEVELS)
def test_arithmetic_answers_are_right(level: int) -> None:
    signs: set[str] = set()
    for task in Arithmetic(levels=(level,)).generate(50, seed=3):
        expression = task.meta["expression"]
        assert str(work_out(ast.parse(expression, mode="eval").body)) == task.answer
        assert sum(character.isspace() for character in expression) == 2 * (LEVELS[level].num_terms - 1)
        signs |= set(expression) & set("+-*/")
    assert signs <= set(LEVELS[level].operations)
    assert "/" in signs or "/" not in LEVELS[level].operations


def test_arithmetic_prompts_can_be_short_enough_for_a_character_model() -> None:
    (task,) = Arithmetic(levels=(2,), template="{expression}=", spaces=False).generate(1, seed=0)
    assert set(task.prompt[0].content) <= ALPHABET
    assert task.prompt[0].content.endswith("=")
    with pytest.raises(InputError, match=r"no \{expression\}"):
        Arithmetic(template="what?")


def test_arithmetic_operands_can_be_sized() -> None:
    for task in Arithmetic(levels=(1,), digits=4).generate(20, seed=0):
        assert [len(term) for term in task.meta["expression"].split(" + ")] == [4, 4]


def test_a_small_space_gives_all_it_has() -> None:
    assert len(Arithmetic(levels=(1,)).generate(1000, seed=0)) == 100
    assert len(ReverseText(min_length=1, max_length=1).generate(1000, seed=0)) == 26


def test_reversed_text() -> None:
    tasks = ReverseText(min_length=3, max_length=6).generate(500, seed=0)
    for task in tasks:
        asked = task.prompt[0].content
        letters = asked.removeprefix("reverse: ")
        assert task.answer == letters[::-1]
        assert 3 <= len(letters) <= 6
        assert set(letters) <= set(string.ascii_lowercase)
        assert set(asked) <= ALPHABET
        assert len(asked) <= 15
    assert {len(task.answer) for task in tasks} == {3, 4, 5, 6}


def test_sorting() -> None:
    for task in Sort(items="numbers", max_number=200).generate(100, seed=0):
        numbers = [int(item) for item in task.prompt[0].content.removeprefix("sort: ").split()]
        assert task.answer == " ".join(map(str, sorted(numbers)))
    (task, *_) = Sort().generate(1, seed=0)
    assert task.answer == " ".join(sorted(task.prompt[0].content.removeprefix("sort: ").split()))


@pytest.mark.parametrize("use_all", [False, True])
def test_countdown_can_always_be_solved(use_all: bool) -> None:
    for task in Countdown(min_numbers=3, max_numbers=5, use_all=use_all).generate(200, seed=0):
        value, used = evaluate(task.meta["example"])
        numbers = list(task.answer["numbers"])
        assert value == task.answer["target"]
        assert 1 <= value <= 100
        assert value not in numbers
        for number in used:
            numbers.remove(number)
        assert not (use_all and numbers)


def test_countdown_settings_that_reach_nothing_are_refused() -> None:
    with pytest.raises(InputError, match="hardly any draw"):
        Countdown(min_numbers=10, max_numbers=10, max_number=1000, max_target=10, use_all=True).generate(100, seed=0)
    with pytest.raises(InputError, match=r"no \{target\}"):
        Countdown(template="{numbers}")


def test_text_constraints_are_many_and_say_what_they_demand() -> None:
    tasks = TextConstraints().generate(4000, seed=0)
    assert len({task.prompt[0].content for task in tasks}) == 4000
    for task in tasks[:200]:
        asked = task.prompt[0].content
        kinds = {constraint["kind"]: constraint for constraint in task.answer}
        assert set(kinds) == {"contains", "lowercase", "no_commas", "sentence"}
        assert f"Use the word {kinds['contains']['words'][0]}." in asked
        assert "lower case" in asked
        assert "commas" in asked


def test_text_constraints_can_be_chosen() -> None:
    kinds = ("lowercase", "no_commas", "contains", "ends_with", "no_letter", "excludes", "no_digits")
    tasks = TextConstraints(kinds=kinds, min_constraints=1, max_constraints=3).generate(300, seed=0)
    seen = {constraint["kind"] for task in tasks for constraint in task.answer}
    assert seen == {*kinds, "sentence"}
    assert {len(task.answer) for task in tasks} == {2, 3, 4}
    with pytest.raises(InputError, match="max_constraints must not be above"):
        TextConstraints(kinds=("lowercase",), max_constraints=2)
    with pytest.raises(InputError, match="listed twice"):
        TextConstraints(kinds=("lowercase", "lowercase"))


def test_word_problems_are_worked_out() -> None:
    for task in WordProblems(levels=(1, 2, 3, 4)).generate(300, seed=0):
        *steps, last = task.meta["example"].splitlines()
        assert last == f"#### {task.answer}"
        assert int(task.answer) >= 1
        for step in steps:
            left, _, right = step.partition(" = ")
            assert evaluate(left)[0] == int(right)
        assert task.meta["level"] <= len(steps) <= 2 * task.meta["level"]


def test_the_catalogue_teaches() -> None:
    rows = {row.name: row for row in describe()}
    assert {"arithmetic", "countdown", "file", "hub", "reasoning_gym", "reverse_text", "sort"} < set(rows)
    lengths = {argument.name: argument for argument in rows["reverse_text"].arguments}
    assert (lengths["min_length"].type, lengths["min_length"].default) == ("int", "3")
    for row in rows.values():
        assert row.summary
        assert all(argument.description for argument in row.arguments), row.name
