"""Pairs from tasks: right answers against wrong ones, with nothing in the answers alone to tell them apart."""

from collections import Counter
from statistics import fmean

from tahr.core.types import Message, Outcome, Task
from tahr.data.config import TaskSetConfig
from tahr.data.splits import build_task_sets
from tahr.data.task_pairs import task_pairs
from tahr.verifiers.build import build_verifiers

VERIFIERS = build_verifiers({})


def _tasks(source, **args):
    config = TaskSetConfig(source=source, num_tasks=60, args=args)
    return build_task_sets({"tasks": config}, VERIFIERS)["tasks"].train


def test_the_chosen_answer_passes_and_the_rejected_one_fails_whatever_the_order_of_the_tasks():
    tasks = _tasks("arithmetic", levels=(1,))
    by_id = {task.id: task for task in tasks}
    pairs = list(task_pairs(tasks, VERIFIERS, seed=3))
    assert len(pairs) >= len(tasks) - 2
    for pair in pairs:
        task = by_id[pair.provenance["task"]]
        assert pair.prompt == task.prompt
        assert VERIFIERS.verify(task, pair.chosen).outcome is Outcome.PASS
        assert VERIFIERS.verify(task, pair.rejected).outcome is Outcome.FAIL
    assert list(task_pairs(tasks[::-1], VERIFIERS, seed=3)) == pairs
    assert list(task_pairs(tasks, VERIFIERS, seed=4)) != pairs


def test_length_and_everything_else_of_the_answer_alone_is_at_chance():
    pairs = list(task_pairs(_tasks("text_constraints"), VERIFIERS, seed=3))
    assert Counter(pair.chosen for pair in pairs) == Counter(pair.rejected for pair in pairs)
    longer = [len(pair.chosen) - len(pair.rejected) for pair in pairs]
    assert any(longer)
    assert fmean(0.5 if not more else float(more > 0) for more in longer) == 0.5


def test_tasks_whose_answers_suit_one_another_give_no_pair():
    same = [Task(prompt=(Message(role="user", content=word),), answer="5", verifier="exact") for word in ("a", "b")]
    assert list(task_pairs(same, VERIFIERS, seed=0)) == []
