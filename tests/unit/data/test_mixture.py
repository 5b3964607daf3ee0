from collections import Counter

import pytest

from tahr.core.errors import InputError
from tahr.core.types import Message, Task
from tahr.data.mixture import Mixture


def tasks(name: str, count: int) -> list[Task]:
    return [
        Task(prompt=(Message(role="user", content=f"{name} {number}"),), answer="1", verifier="exact", domain=name)
        for number in range(count)
    ]


SETS = {"words": tasks("words", 30), "sums": tasks("sums", 7), "unused": tasks("unused", 5)}
WEIGHTS = {"words": 3.0, "sums": 1.0, "unused": 0.0}


def test_any_cut_gives_the_same_stream() -> None:
    whole = Mixture(SETS, WEIGHTS, seed=1).take(0, 2500)
    pieces = Mixture(SETS, WEIGHTS, seed=1)
    assert [task for cursor in range(0, 2500, 7) for task in pieces.take(cursor, 7)][:2500] == whole
    assert Mixture(SETS, WEIGHTS, seed=1).take(1990, 20) == whole[1990:2010]


def test_another_seed_gives_another_stream() -> None:
    assert Mixture(SETS, WEIGHTS, seed=1).take(0, 20) != Mixture(SETS, WEIGHTS, seed=2).take(0, 20)


def test_shares_follow_the_weights() -> None:
    drawn = Counter(task.domain for task in Mixture(SETS, WEIGHTS, seed=1).take(0, 3000))
    assert drawn == {"words": 2250, "sums": 750}


def test_every_task_comes_once_before_any_comes_again() -> None:
    drawn = [task.id for task in Mixture(SETS, WEIGHTS, seed=1).take(0, 3000) if task.domain == "words"]
    for epoch in range(20):
        assert len(set(drawn[30 * epoch : 30 * (epoch + 1)])) == 30
    assert drawn[:30] != drawn[30:60]


def test_tiny_weights_are_not_lost() -> None:
    drawn = Counter(task.domain for task in Mixture(SETS, {"words": 1e9, "sums": 1e-9}, seed=0).take(0, 1000))
    assert drawn == {"words": 999, "sums": 1}


def test_far_positions_cost_no_more_than_near_ones() -> None:
    assert len(Mixture(SETS, WEIGHTS, seed=1).take(10**15, 5)) == 5


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"wrods": 1.0}, "did you mean 'words'"),
        ({"words": -1.0}, "a number from 0 up"),
        ({"words": float("nan")}, "a number from 0 up"),
        ({"words": 0.0}, "a weight above 0"),
        ({}, "a weight above 0"),
    ],
)
def test_wrong_weights_are_refused(weights: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Mixture(SETS, weights, seed=0)


def test_an_empty_set_is_refused() -> None:
    with pytest.raises(InputError, match="no tasks to draw"):
        Mixture({"words": []}, {"words": 1.0}, seed=0)
