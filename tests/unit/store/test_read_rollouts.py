"""Groups come back from a file as they went in."""

from __future__ import annotations

import pytest

from small_rollouts import TASK, group
from tahr.core.errors import InputError
from tahr.core.types import Outcome, Verdict, failed, passed
from tahr.store.read_rollouts import read_groups
from tahr.store.rollouts import write_rollouts

TIMEOUT = Verdict(outcome=Outcome.TIMEOUT, reward=None, note="slow")


def test_there_and_back(tmp_path):
    one = group(passed("right", extracted="5", parts={"format": 0.5}), failed("wrong"), TIMEOUT)
    path = write_rollouts(tmp_path, "stage", 1, [one], [[None] * 3])
    (found,) = read_groups(path, {TASK.id: TASK})
    assert found.task is TASK
    for before, after in zip(one.scored, found.scored, strict=True):
        assert after.verdict.outcome == before.verdict.outcome
        assert (after.reward and after.reward.value) == (before.reward and before.reward.value)
        assert (after.reward and after.reward.parts) == (before.reward and before.reward.parts)
        assert after.verdict.extracted == before.verdict.extracted
        assert after.text == before.text
        (left,), (right,) = before.trajectory.turns, after.trajectory.turns
        assert right.prompt_token_ids == left.prompt_token_ids
        assert right.completion.token_ids == left.completion.token_ids
        assert right.completion.logprobs == pytest.approx(left.completion.logprobs)


def test_a_task_that_is_not_there(tmp_path):
    path = write_rollouts(tmp_path, "stage", 1, [group(passed())], [[None]])
    with pytest.raises(InputError, match="a task that the recipe does not have"):
        read_groups(path, {})
