from collections.abc import Sequence
from dataclasses import replace

import pytest

from tahr.core.errors import InputError, UnknownNameError
from tahr.core.types import Message, Task, Verdict, passed
from tahr.data.config import TaskSetConfig
from tahr.data.splits import TaskSet, build_task_sets, split_of
from tahr.verifiers.build import VerifierSet, build_verifiers
from tahr.verifiers.config import VerifierConfig


def task(number: int, answer: str = "1", verifier: str = "exact") -> Task:
    return Task(prompt=(Message(role="user", content=f"question {number}"),), answer=answer, verifier=verifier)


class Given:
    """A source of the tasks that are put here."""

    def __init__(self, *, case: str = "plain") -> None:
        self.case = case

    def generate(self, count: int, seed: int) -> Sequence[Task]:
        tasks = [task(number) for number in range(100)]
        if self.case == "twice":
            return [*tasks, *tasks[:30]]
        if self.case == "own_domains":
            return [replace(one, domain="theirs") for one in tasks]
        if self.case == "bad_answer":
            return [*tasks, task(100, answer="")]
        if self.case.startswith("clumsy"):
            return [task(1, answer=self.case[-1], verifier="given_source:Clumsy")]
        if self.case == "source_fails":
            raise RuntimeError("no tasks today")
        if self.case == "gold_fails":
            return [replace(one, meta={"example": "2"}) for one in tasks]
        return tasks


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "given_source", sys.modules[Given.__module__])


def given(verifiers: VerifierSet, case: str = "plain", name: str = "words", **config: object) -> TaskSet:
    section = TaskSetConfig.read(
        {"source": "given_source:Given", "args": {"case": case}, **config}, where="tasks.words"
    )
    return build_task_sets({name: section}, verifiers)[name]


def questions(tasks: Sequence[Task]) -> set[str]:
    return {one.prompt[0].content for one in tasks}


def test_splits_are_fixed_by_content_and_share_nothing(verifiers: VerifierSet) -> None:
    tasks = given(verifiers, test_percent=20, validation_percent=10)
    assert (len(tasks.train), len(tasks.validation), len(tasks.test)) == (74, 8, 18)  # fixed by the hash for ever
    sides = [questions(side) for side in (tasks.train, tasks.validation, tasks.test)]
    assert len(set.union(*sides)) == 100
    again = given(verifiers, test_percent=20, validation_percent=10)
    assert again == tasks


def test_shares_are_near_what_is_asked_for(verifiers: VerifierSet) -> None:
    config = TaskSetConfig(source="reverse_text", num_tasks=5000)
    tasks = build_task_sets({"words": config}, verifiers)["words"]
    assert len(tasks.train) + len(tasks.validation) + len(tasks.test) == 5000
    assert len(tasks.test) == pytest.approx(500, abs=100)
    assert len(tasks.validation) == pytest.approx(500, abs=100)


def test_the_side_of_a_question_depends_on_nothing_but_the_question() -> None:
    for number in range(200):
        one = task(number)
        other = replace(one, answer="2", verifier="numeric", domain="x", meta={"level": 3})
        spaced = replace(one, prompt=(Message(role="user", content=f"  question\n {number} "),))
        sides = {split_of(each, validation_percent=20, test_percent=20) for each in (one, other, spaced)}
        assert len(sides) == 1


def test_a_longer_set_keeps_every_question_on_its_side(verifiers: VerifierSet) -> None:
    short, long = (
        build_task_sets({"w": TaskSetConfig(source="reverse_text", num_tasks=count)}, verifiers)["w"]
        for count in (200, 400)
    )
    assert questions(short.test) <= questions(long.test)
    assert questions(short.train) <= questions(long.train)


def test_sets_with_the_same_questions_at_other_shares_are_kept_apart(verifiers: VerifierSet) -> None:
    source = {"source": "given_source:Given"}
    sets = build_task_sets(
        {
            "few": TaskSetConfig.read({**source, "test_percent": 5, "validation_percent": 5}, where=""),
            "many": TaskSetConfig.read({**source, "test_percent": 40, "validation_percent": 20}, where=""),
            "judged": TaskSetConfig.read({**source, "test_percent": 10, "verifier": "numeric"}, where=""),
        },
        verifiers,
    )
    tested = set.union(*(questions(tasks.test) for tasks in sets.values()))
    held_out = tested.union(*(questions(tasks.validation) for tasks in sets.values()))
    for tasks in sets.values():
        assert not questions(tasks.train) & held_out
        assert not questions(tasks.validation) & tested
    assert sets["few"].num_moved > 0
    assert sets["many"].num_moved == 0


def test_equal_tasks_are_dropped_and_counted(verifiers: VerifierSet) -> None:
    tasks = given(verifiers, "twice")
    assert tasks.num_duplicates == 30
    assert len(tasks.train) + len(tasks.validation) + len(tasks.test) == 100


def test_the_domain_is_the_sets_unless_the_source_or_the_recipe_says_so(verifiers: VerifierSet) -> None:
    assert {one.domain for one in given(verifiers).train} == {"words"}
    assert {one.domain for one in given(verifiers, "own_domains").train} == {"theirs"}
    assert {one.domain for one in given(verifiers, "own_domains", domain="ours").train} == {"ours"}


def test_another_verifier_can_be_named() -> None:
    verifiers = build_verifiers({"lenient": VerifierConfig(verifier="exact", args={"ignore_case": True})})
    assert {one.verifier for one in given(verifiers, verifier="lenient").train} == {"lenient"}


def test_an_empty_split_is_refused_when_it_is_used(verifiers: VerifierSet) -> None:
    tasks = given(verifiers, test_percent=0)
    assert tasks.test == ()
    assert len(tasks.split("train")) == len(tasks.train)
    with pytest.raises(InputError, match="the test split of the task set 'words' is empty"):
        tasks.split("test")


@pytest.mark.parametrize(
    ("case", "message"), [("bad_answer", r"tasks\.words, task .* exact verifier"), ("gold_fails", "does not pass")]
)
def test_tasks_that_their_verifier_can_not_judge_are_refused(verifiers: VerifierSet, case: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        given(verifiers, case)


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ({"source": "revers_text"}, "did you mean 'reverse_text'"),
        ({"source": "reverse_text", "args": {"min_lenth": 2}}, r"tasks\.w\.args\.min_lenth.*did you mean 'min_length'"),
        ({"source": "reverse_text", "args": {"min_length": 9}}, r"tasks\.w\.args: min_length must not be above"),
        ({"source": "reverse_text", "verifier": "exakt"}, "did you mean 'exact'"),
        ({"source": "reverse_text", "test_percent": 60, "validation_percent": 40}, "leave nothing to train on"),
        ({"source": "fractions:Fraction"}, "is not a task source"),
        ({"source": "no_such_module:Source"}, "could not be imported"),
        ({"source": "file", "args": {"path": "nowhere.jsonl"}}, r"tasks\.w: there is no file"),
    ],
)
def test_wrong_sections_are_refused(verifiers: VerifierSet, section: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        build_task_sets({"w": TaskSetConfig.read(section, where="tasks.w")}, verifiers)


class Clumsy:
    """A verifier that fails before it has judged anything: in `check_task`, or by a gold answer that is no text."""

    def check_task(self, task: Task) -> None:
        if task.answer == "1":
            raise KeyError("level")

    def verify(self, task: Task, text: str) -> Verdict:
        return passed()

    def gold(self, task: Task) -> str:
        return 7  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("answer", "message"),
    [("1", r"words, task .* 'given_source:Clumsy' failed before .*\n.*KeyError: 'level'"), ("2", "gave no text")],
)
def test_a_verifier_that_fails_on_a_task_is_named_with_it(answer: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        given(build_verifiers({}), f"clumsy_{answer}")


def test_a_source_that_fails_is_named(verifiers: VerifierSet) -> None:
    with pytest.raises(
        InputError, match=r"tasks\.words: the task source 'given_source:Given' failed\n.*no tasks today"
    ):
        given(verifiers, "source_fails")


def test_unknown_names_stay_unknown_name_errors(verifiers: VerifierSet) -> None:
    with pytest.raises(UnknownNameError):
        build_task_sets({"w": TaskSetConfig(source="nothing_like_it")}, verifiers)
