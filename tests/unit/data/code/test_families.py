"""Every family's tests pass its reference and kill its mutants; canaries contradict."""

import ast
from random import Random
from string import Template

import pytest

from tahr.core.errors import InputError, UnknownNameError
from tahr.core.plain_values import from_json
from tahr.data.code.families import FAMILIES
from tahr.data.code.impossible import altered
from tahr.data.code.mutants import mutants
from tahr.data.code.stepped import StepLimitError, Stepped
from tahr.data.code.suites import WeakSuiteError, kills, make_tests
from tahr.data.sources.code import CodeTasks


def test_there_are_families_of_every_level() -> None:
    assert len(FAMILIES) >= 30
    assert {family.level for family in FAMILIES.values()} == {0, 1, 2, 3, 4, 5}


def num_problems(name: str, enough: int) -> int:
    """How many different problems 400 draws give, at most `enough`."""
    found: set[tuple[str, str]] = set()
    for seed in range(400):
        problem = FAMILIES[name].problem(Random(seed))
        found.add((problem.asks, problem.source))
        if len(found) == enough:
            break
    return len(found)


def test_every_family_above_level_1_has_fifty_problems() -> None:
    numbers = {name: num_problems(name, 50) for name, family in FAMILIES.items() if family.level >= 2}
    assert len(numbers) >= 38
    assert {name: number for name, number in numbers.items() if number < 50} == {}


@pytest.mark.parametrize(
    ("name", "values", "argument", "expected"),
    [
        ("kth_largest", {"k": 2, "default": 0, "reverse": "True", "values_code": "abs(number - 3)"}, [1, 5, 9, -3], 2),
        ("digit_sum", {"base": 10, "what_code": "digit * digit", "which_code": "digit != 2"}, 1234, 26),
        ("run_lengths", {"least": 3, "form_code": "char + str(length)", "short_code": "'-'"}, "aaabbc", "a3--"),
        ("is_mirrored", {"least": 3, "case_code": "char", "test_code": "char != '.'"}, "aB.bA", False),
        ("is_mirrored", {"least": 5, "case_code": "char.lower()", "test_code": "char != '.'"}, "aB.bA", False),
        ("is_mirrored", {"least": 4, "case_code": "char.lower()", "test_code": "char != '.'"}, "aB.bA", True),
        ("longest_run", {"relation_code": "second > first", "test_code": "second % 3 != 0"}, [3, 4, 5, 6, 7, 2], 2),
        ("merge_ranges", {"gap": 1, "kept_code": "pair[0] >= 5"}, [[7, 9], [1, 2], [6, 6], [3, 4]], [[6, 9]]),
        ("matrix_sum", {"what_code": "j * value", "cells_code": "j >= i + 0"}, [[5, 6, 7], [1, 2, 3]], 28),
        ("longest_with_few_letters",
         {"kinds_code": "len(set(part)) == 2", "twist_code": "part[0] != part[-1]"}, "abac", 2),
        ("best_stretch",
         {"low": 2, "high": 3, "bad": 0, "value_code": "part[0] + part[-1]", "goal_code": "value < best"},
         [4, 1, 2, 9], 3),
    ],
)  # fmt: skip
def test_a_twist_changes_what_is_returned(
    name: str, values: dict[str, object], argument: object, expected: object
) -> None:
    family = FAMILIES[name]
    source = f"def {family.signature}:\n{Template(family.body).substitute(values)}"
    assert Stepped(ast.parse(source), name)(argument) == expected


QUICK = tuple(FAMILIES)[:2]


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in FAMILIES]
)
def test_a_suite_passes_the_reference_and_kills_its_mutants(name: str) -> None:
    for seed in range(20):
        random = Random(seed)
        problem = FAMILIES[name].problem(random)
        try:
            tests = make_tests(problem, random, num_public=3, num_hidden=8)
            break
        except WeakSuiteError:
            continue
    else:
        raise AssertionError("no draw has strong tests")
    reference = Stepped(ast.parse(problem.source), name)
    assert not any(kills(one, reference) for one in (*tests.public, *tests.hidden))
    dead = sum(any(kills(one, Stepped(each.tree, name)) for one in tests.hidden) for each in mutants(problem.source))
    assert dead + len(problem.wrong) == tests.num_killed
    assert tests.num_killed >= 3
    assert tests.num_equivalent <= tests.num_killed
    shown = {repr(one.args) for one in tests.public}
    assert shown.isdisjoint(repr(one.args) for one in tests.hidden)


EVERYTHING = """
def f(items, limit=2):
    total, found = 0, {}
    for place, item in enumerate(items):
        if item > limit and place % 2 == 0 or not item:
            total += item * 3
        elif item in (1, 2):
            continue
        found[item] = max(place, 1) if item else -1
    while total > 9:
        total = total - 4
        total *= 1
    text = f"{total:>4} of {len(items)}"
    return [text.strip(), sorted(found), [abs(one) * 0.5 for one in range(total)]]
"""


def outcome(function: Stepped, argument: list[int]) -> str:
    try:
        return repr(function(argument))
    except NameError:  # of a local name too: together it stays one where its only assignment is dropped
        return "NameError"
    except Exception as error:  # noqa: BLE001 - mutants raise whatever they like
        return type(error).__name__


def test_mutants_compiled_together_do_what_each_does_apart() -> None:
    together = list(Stepped.mutants(EVERYTHING, "f"))
    apart = [Stepped(one.tree, "f") for one in mutants(EVERYTHING)]
    assert len(together) == len(apart) == 63
    inputs = ([], [1], [3, 0, 7, 2], [5, 5, 2, 1, 9, 0])
    results = [[outcome(one, list(given)) for given in inputs] for one in together]
    assert results == [[outcome(one, list(given)) for given in inputs] for one in apart]
    right = [outcome(Stepped(ast.parse(EVERYTHING), "f"), list(given)) for given in inputs]
    assert right[2] == repr(["6 of 4", [0, 3, 7], [0.0, 0.5, 1.0, 1.5, 2.0, 2.5]])
    assert sum(result == right for result in results) == 15


def test_steps_are_counted_anew_in_each_call() -> None:
    function = Stepped(ast.parse("def f(n):\n    for _ in range(n):\n        pass\n    return n"), "f", max_steps=10)
    assert (function(9), function.num_steps, function(4), function.num_steps) == (9, 10, 4, 5)
    with pytest.raises(StepLimitError):
        function(10)


def test_mutants_of_one_line_are_these() -> None:
    assert [ast.unparse(one.tree).splitlines()[1].strip() for one in mutants("def f(x):\n    return x + 1")] == [
        "return x - 1",
        "return x + 2",
        "return x + 0",
    ]


def test_a_mutant_that_never_ends_or_grows_is_stopped() -> None:
    endless = Stepped(ast.parse("def f(x):\n    while x >= 0:\n        x += 1"), "f")
    growing = Stepped(ast.parse("def f(x):\n    for _ in range(99):\n        x = x * x\n    return x"), "f")
    for function in (endless, growing):
        with pytest.raises(StepLimitError):
            function(3)


@pytest.mark.parametrize(
    ("value", "other"),
    [
        (True, False),
        (3, 4),
        ("ab", "abx"),
        ([1, 2], [1, 3]),
        ([], [0]),
        ({"x": 1}, {"x": 2}),
        ({}, {"x": 1}),
        ((1, 2.5), (1, 3.5)),
        ({3: (1, 2)}, {3: (1, 3)}),
    ],
)
def test_altered_values_differ(value: object, other: object) -> None:
    assert altered(value) == other


def test_canaries_contradict_the_reference() -> None:
    for task in CodeTasks(families=("clamp", "sum_matching"), impossible_share=1.0).generate(6, seed=0):
        space: dict[str, object] = {}
        exec(task.meta["example"].split("```")[1].removeprefix("python"), space)
        function = space[task.answer["entry_point"]]
        assert task.answer["impossible"] is True
        assert task.meta["impossible"] in {"one_off", "conflicting"}
        wrong = [
            test
            for test in task.answer["hidden"]
            if function(*map(from_json, test["args"])) != from_json(test["expected"])  # type: ignore[operator]
        ]
        assert len(wrong) == 1


def test_programs_read_and_print() -> None:
    (task,) = CodeTasks(families=("clamp",), kind="stdio").generate(1, seed=0)
    assert task.answer["kind"] == "stdio"
    assert all(int(test["stdin"]) is not None and int(test["stdout"]) is not None for test in task.answer["hidden"])


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(UnknownNameError, match="clamp"):
        CodeTasks(families=("clmap",))
    with pytest.raises(InputError, match="no family is left"):
        CodeTasks(families=("clamp",), levels=(5,))
