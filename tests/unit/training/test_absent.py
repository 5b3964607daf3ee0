import pytest

from tahr.core.types import Group, Message, Outcome, Scored, StopReason, Task, Trajectory, Verdict, broken, passed
from tahr.training.absent import count_absent, why_absent

TASK = Task(prompt=(Message(role="user", content="?"),), answer="1", verifier="math")


def scored(verdict: Verdict, stop_reason: StopReason = StopReason.FINISHED) -> Scored:
    trajectory = Trajectory(task_id=TASK.id, group_id="g", index=0, turns=(), stop_reason=stop_reason)
    return Scored(trajectory=trajectory, text="", verdict=verdict)


@pytest.fixture
def groups() -> list[Group]:
    late = Verdict(outcome=Outcome.TIMEOUT, reward=None, note="no result within 2 s")
    lost = scored(broken("the server is gone"), StopReason.INFRASTRUCTURE)
    return [
        Group(task=TASK, scored=(scored(late), scored(late), scored(passed()), lost)),
        Group(task=TASK, scored=(scored(late), scored(broken("no such unit")), scored(passed()), scored(passed()))),
    ]


def test_absent_rewards_are_counted_by_their_cause(groups: list[Group]) -> None:
    assert count_absent(groups) == {
        "dropped_attempts": 5.0,
        "dropped_infrastructure": 1.0,
        "dropped_timeout": 3.0,
        "dropped_error": 1.0,
    }
    assert count_absent([])["dropped_attempts"] == 0.0


def test_the_reason_names_the_verifier_and_quotes_what_it_said(groups: list[Group]) -> None:
    assert why_absent(groups).splitlines() == [
        "verifier 'math', timeout: 3 attempts; no result within 2 s",
        "the engine: 1 attempts; the server is gone",
        "verifier 'math', error: 1 attempts; no such unit",
    ]


def test_only_the_first_different_reasons_are_quoted() -> None:
    many = tuple(scored(broken(f"fault {number}")) for number in (1, 1, 2, 3, 4))
    assert why_absent([Group(task=TASK, scored=many)]) == (
        "verifier 'math', error: 5 attempts; fault 1 | fault 2 | fault 3"
    )
