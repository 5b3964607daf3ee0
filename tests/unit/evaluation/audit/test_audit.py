"""An audit finds the rates that can be counted by hand, and calls a broken verifier broken."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tahr.core.errors import InputError
from tahr.core.types import Message, Task
from tahr.evaluation.audit.findings import Audit, Floor, Rate
from tahr.evaluation.audit.material import Material, built_in, pairs_from_file, tasks_from_file, tasks_from_sources
from tahr.evaluation.audit.mutations import value_mutations
from tahr.evaluation.audit.run import AuditJob, audit, num_repeated
from tahr.verifiers.build import build_verifiers

ANSWERS = ("1", "1", "1", "-1", "7", "A", "A", "yes")


def tasks(verifier: str, answers: tuple[str, ...] = ANSWERS) -> Material:
    made = [
        Task(prompt=(Message(role="user", content=f"Question {index}?"),), answer=answer, verifier=verifier)
        for index, answer in enumerate(answers)
    ]
    return Material(tasks=tuple(made), sources=("a test",))


@pytest.fixture(scope="module")
def audited() -> Callable[[str], Audit]:
    found: dict[str, Audit] = {}

    def one(name: str) -> Audit:
        if name not in found:
            found[name] = audit(AuditJob(verifier=name, seconds=0.5), tasks(name))
        return found[name]

    return one


def floor(found: Audit, policy: str) -> Floor:
    (one,) = [one for one in found.floors if one.policy == policy]
    return one


def group(found: Audit, name: str) -> Rate:
    (one,) = [one for one in (*found.rephrased, *found.spoilt) if one.name == name]
    return one.agreed


@pytest.mark.parametrize(
    ("count", "total", "low", "high"),
    # Newcombe, Statistics in Medicine 17 (1998), table I, method 3
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_a_rate_has_wilsons_interval(count: int, total: int, low: float, high: float) -> None:
    assert Rate(count=count, total=total).interval == pytest.approx((low, high), abs=5e-5)


def test_a_rate_of_nothing_says_nothing() -> None:
    assert Rate(count=0, total=0).share is None
    assert Rate(count=0, total=0).interval == (0.0, 1.0)


@pytest.mark.slow
def test_floors_are_counted(audited: Callable[[str], Audit]) -> None:
    found = audited("hostile_verifiers:equal")
    assert [one.policy for one in found.floors] == [
        "empty",
        "nothing visible",
        "a full stop",
        "a refusal",
        "one word over and over",
        "the prompt said back",
        "best constant",
    ]
    assert floor(found, "empty").passes == Rate(count=0, total=8)
    best = floor(found, "best constant")
    assert (best.text, best.passes) == ("1", Rate(count=4, total=8))  # 1 three times, and -1
    assert best.reward is not None
    assert (best.reward.mean, best.reward.num_tasks) == (0.5, 8)


@pytest.mark.slow
def test_what_partial_credit_gives_for_nothing_shows(audited: Callable[[str], Audit]) -> None:
    found = audited("hostile_verifiers:generous")
    empty = floor(found, "empty")
    assert empty.passes.count == 0
    assert empty.reward is not None
    assert empty.reward.mean == 0.5
    assert floor(found, "best constant").reward.mean == 0.5 + 3 / 16  # type: ignore[union-attr]


@pytest.mark.slow
def test_mutations_are_counted(audited: Callable[[str], Audit]) -> None:
    strict, loose = audited("hostile_verifiers:equal"), audited("hostile_verifiers:gullible")
    assert group(strict, "white space around") == Rate(count=8, total=8)
    assert group(strict, "in a sentence") == Rate(count=0, total=8)
    assert group(strict, "denied") == Rate(count=8, total=8)
    assert group(strict, "another digit at the end") == Rate(count=5, total=5)
    assert group(loose, "in a sentence") == Rate(count=8, total=8)
    assert group(loose, "only in the thinking") == Rate(count=0, total=8)
    assert group(loose, "denied") == Rate(count=0, total=8)
    assert strict.is_sound
    assert loose.is_sound  # it lets too much through, which the rates say; it does what it does reliably


def test_spoilt_answers_are_wrong_for_certain() -> None:
    half, also_half, three = tasks("numeric", ("0.5", "0.50", "3")).tasks
    texts = {(one.label, one.text) for one in value_mutations([half, also_half]) if one.right is False}
    assert {label for label, _ in texts} == {"denied", "another digit at the end"}
    spoilt = {one.text for one in value_mutations([half, three]) if one.right is False and one.task is half}
    assert spoilt == {
        "3",
        "0.6",
        "The answer is not 0.5.",
        "The answer is 0.5 or 3.",
        r"I guess \boxed{3}, \boxed{0.5}",
    }


@pytest.mark.slow
def test_a_verifier_that_raises_is_broken(audited: Callable[[str], Audit]) -> None:
    found = audited("hostile_verifiers:raising")
    assert not found.is_sound
    assert found.outcomes["error"] > 50
    assert found.faults == (
        f"it failed on {found.outcomes['error']} of {sum(found.outcomes.values())} checks instead of giving a verdict",
    )
    assert "IndexError" in found.errors[0].note
    assert floor(found, "a refusal").reward is None
    assert floor(found, "a refusal").passes == Rate(count=0, total=0)


@pytest.mark.slow
def test_a_verifier_that_kills_its_process_is_broken() -> None:
    name = "hostile_verifiers:Obedient"
    found = audit(AuditJob(verifier=name), tasks(name, ("right", "kill", "exit")))
    assert found.gold == Rate(count=1, total=3)
    assert [one.note for one in found.refused_golds] == [
        "its process was killed by signal 9, twice",
        "its process ended with exit code 0, twice",
    ]
    assert found.faults[0] == "it refuses 2 of 3 of its own right answers"


@pytest.mark.slow
def test_a_verifier_that_changes_its_mind_is_broken() -> None:
    name = "hostile_verifiers:fickle"
    found = audit(AuditJob(verifier=name), tasks(name, ("right", "left")))
    assert 20 < found.repeated.count < found.repeated.total
    assert found.faults == (
        f"it changed its verdict on {found.repeated.count} of {found.repeated.total} texts that it judged twice",
    )


@pytest.mark.slow
def test_labelled_answers_give_two_rates_that_are_never_mixed(tmp_path: Path) -> None:
    name = "hostile_verifiers:gullible"
    rows = [
        ("5", "it is 5", True),
        ("5", "it is five", True),
        ("5", "it is 6", False),
        ("5", "not 5", False),
        ("5", "15", False),
    ]
    path = tmp_path / "pairs.jsonl"
    path.write_text(
        "".join(
            json.dumps({"gold": gold, "answer": text, "correct": correct, "note": text}) + "\n"
            for gold, text, correct in rows
        )
    )
    material = pairs_from_file(path, name, build_verifiers({}).get(name))
    assert len(material.tasks) == 1
    pairs = audit(AuditJob(verifier=name), material).pairs
    assert pairs is not None
    assert (pairs.false_positives, pairs.false_negatives) == (Rate(count=2, total=3), Rate(count=1, total=2))
    assert [one.label for one in pairs.examples] == ["not 5", "15", "it is five"]
    assert pairs.num_unjudged == 0


@pytest.mark.slow
def test_answers_without_a_verdict_are_in_neither_rate(tmp_path: Path) -> None:
    name = "hostile_verifiers:Obedient"
    path = tmp_path / "pairs.jsonl"
    rows = [("right", True), ("wrong", False), ("raise it", False), ("kill", True)]
    path.write_text(
        "".join(json.dumps({"answer": "right", "response": text, "correct": correct}) + "\n" for text, correct in rows)
    )
    found = audit(AuditJob(verifier=name), pairs_from_file(path, name, build_verifiers({}).get(name)))
    assert found.pairs is not None
    assert (found.pairs.false_positives.total, found.pairs.false_negatives.total) == (1, 1)
    assert found.pairs.num_unjudged == 2


@pytest.mark.parametrize(
    "row",
    ['{"gold": "5", "answer": "5"}', '{"answer": "5", "correct": true}', '{"gold": 5, "answer": 5, "correct": 1}'],
)
def test_a_label_that_is_missing_is_refused(tmp_path: Path, row: str) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text('{"gold": "5", "answer": "5", "correct": true}\n' + row)
    with pytest.raises(InputError, match="line 2: a labelled answer needs"):
        pairs_from_file(path, "exact", build_verifiers({}).get("exact"))


@pytest.mark.slow
def test_tasks_come_from_files_and_sources(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    path.write_text('{"prompt": "2+3?", "answer": "5"}\n{"prompt": "Say a.", "answer": "a+", "example": "aa"}\n')
    given = tasks_from_file(path, "regex")
    assert {(task.answer, task.verifier, task.meta.get("example")) for task in given.tasks} == {
        ("5", "regex", None),
        ("a+", "regex", "aa"),
    }
    made = tasks_from_sources("countdown", "my_countdown", 3)
    assert made.sources == ("the task source 'countdown'",)
    assert [task.verifier for task in made.tasks] == ["my_countdown"] * 3
    assert built_in("no_such", "x", build_verifiers({}).get("exact")) == Material()


def test_nothing_to_audit_on_is_said() -> None:
    with pytest.raises(InputError, match="nothing to audit the verifier 'regex' on"):
        audit(AuditJob(verifier="regex"), Material())


def test_slow_checks_are_repeated_less_often() -> None:
    assert num_repeated([1e-4] * 5000) == 1000
    assert num_repeated([0.125] * 400) == 160
    assert num_repeated([3.0] * 500) == 100
    assert num_repeated([]) == 100
