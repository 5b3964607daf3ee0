"""Which attempts rejection sampling keeps."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pydantic import ValidationError

from small_rollouts import TASK, scored, turn
from tahr.core.types import FinishReason, Group, Outcome, Reward, Verdict, broken, failed, passed
from tahr.rollout.keep import choose, num_duplicates, pass_rate
from tahr.rollout.keep_config import KeepConfig

CHEAT = Verdict(outcome=Outcome.CHEAT, reward=Reward(value=1.0, parts={}))
TIMEOUT = Verdict(outcome=Outcome.TIMEOUT, reward=None)


def attempt(text, verdict=None, ids=(3, 4), finish=FinishReason.STOP):
    return replace(scored(verdict or passed(), turn([1, 2], ids, finish)), text=text)


def kept(*attempts, seed=0, **config):
    group = Group(task=TASK, scored=attempts)
    return [place for place, keep in enumerate(choose(group, KeepConfig(**config), seed=seed)) if keep]


def test_only_whole_honest_passes_are_kept():
    canary = passed(parts={"canary": 1.0})
    attempts = [
        attempt("a", failed("")),
        attempt("b"),
        attempt("c", CHEAT),
        attempt("d", TIMEOUT),
        attempt("e", broken("")),
        attempt("f", finish=FinishReason.LENGTH),
        attempt("g", canary),
    ]
    assert kept(*attempts) == [1]


def test_of_equal_texts_one_is_kept():
    assert kept(attempt("a"), attempt(" a "), attempt("b")) == [0, 2]
    assert num_duplicates(Group(task=TASK, scored=(attempt("a"), attempt("a"), attempt("b"), attempt("a")))) == 2


@pytest.mark.parametrize(
    "first", [attempt("a", finish=FinishReason.LENGTH), attempt("a", TIMEOUT), attempt("a", CHEAT)]
)
def test_of_equal_texts_the_first_that_may_be_kept_counts(first):
    assert kept(first, attempt("a"), attempt("a ")) == [1]


def test_of_equal_texts_the_shortest_counts_where_that_is_preferred():
    attempts = [attempt("a", ids=[5] * 4), attempt("b", ids=[6] * 3), attempt("a", ids=[5] * 2)]
    assert kept(*attempts, prefer="shortest") == [1, 2]
    assert kept(*attempts) == [0, 1]


def test_no_task_gives_more_than_its_share():
    attempts = [attempt(str(number)) for number in range(9)]
    chosen = [kept(*attempts, max_per_task=3, seed=seed) for seed in range(20)]
    assert {len(one) for one in chosen} == {3}
    assert len({tuple(one) for one in chosen}) > 10  # by the seed
    assert set().union(*chosen) == set(range(9))
    assert kept(*attempts, max_per_task=3, seed=5) == kept(*attempts, max_per_task=3, seed=5)


def test_the_shortest_first():
    attempts = [attempt("a", ids=[5] * 9), attempt("b", ids=[5]), attempt("c", ids=[5] * 4)]
    assert kept(*attempts, max_per_task=2, prefer="shortest") == [1, 2]


@pytest.mark.parametrize("seed", range(5))
def test_the_least_alike_first(seed):
    """Two that are nearly the same, and one that is not: it is always among two."""
    near, nearly, far = list(range(10)), [*range(9), 99], list(range(50, 60))
    attempts = [attempt("a", ids=near), attempt("b", ids=nearly), attempt("c", ids=far)]
    assert 2 in kept(*attempts, max_per_task=2, prefer="distinct", seed=seed)


def test_tasks_that_are_too_easy_or_too_hard():
    half = (attempt("a"), attempt("b"), attempt("c", failed("")), attempt("d", failed("")), attempt("e", broken("")))
    assert pass_rate(Group(task=TASK, scored=half)) == 0.5  # what could not be judged does not count
    assert kept(*half, min_pass_rate=0.5, max_pass_rate=0.5) == [0, 1]
    assert kept(*half, min_pass_rate=0.6) == []
    assert kept(*half, max_pass_rate=0.4) == []


def test_a_reward_asked_for_besides_passing():
    low = Verdict(outcome=Outcome.PASS, reward=Reward(value=0.6, parts={"correct": 1.0}))
    assert kept(attempt("a", low), attempt("b"), min_reward=0.8) == [1]


def test_rates_out_of_order():
    with pytest.raises(ValidationError, match="min_pass_rate must not be above"):
        KeepConfig(min_pass_rate=0.9, max_pass_rate=0.5)
