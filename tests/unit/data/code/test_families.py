"""Every family's tests pass its reference and kill its mutants; canaries contradict."""

import ast
from random import Random

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
    assert {family.level for family in FAMILIES.values()} == {1, 2, 3, 4, 5}


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
    ("value", "other"), [(True, False), (3, 4), ("ab", "abx"), ([1, 2], [1, 3]), ([], [0]), ({"x": 1}, {"x": 2})]
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
