import random

import pytest

from small_attempts import attempt, evaluation
from tahr.core.errors import InputError
from tahr.evaluation.race import Entry, race
from tahr.store.records import Conditions


def about(**more: object) -> Conditions:
    values: dict[str, object] = {
        "suite": "s",
        "setting": "bare",
        "model": "m",
        "training": "m",
        "weights": "w",
        "num_parameters": 10,
        "num_bytes": 40,
        "seed": 0,
        "temperature": 0.0,
        "max_new_tokens": 64,
        "samples_per_task": 1,
        "seconds": 100.0,
        "num_cached": 0,
    }
    return Conditions(**{**values, **more})  # pyright: ignore[reportArgumentType]


def entry(name: str, right: list[int], *, tokens: int = 10, **more: object) -> Entry:
    rows = [attempt(str(task), correct=float(one), tokens=tokens) for task, one in enumerate(right)]
    return Entry(name=name, evaluation=evaluation(*rows, name=name, conditions=about(**more)))


BIG = [1] * 320 + [0] * 80


def test_the_cheapest_within_the_margin_wins_by_each_cost() -> None:
    alike = [*BIG[:-2], 1, 1]  # two more right
    low = [0] * 60 + BIG[60:]
    found = race(
        [
            entry("big", BIG, tokens=50, num_bytes=4000, seconds=800.0),
            entry("alike", alike, tokens=90, num_bytes=400, seconds=400.0),
            entry("small", low, tokens=5, num_bytes=40, seconds=40.0),
        ],
        margin=0.02,
    )
    assert [(place.name, place.standing) for place in found.places] == [
        ("alike", "best"),
        ("big", "within"),
        ("small", "worse"),
    ]
    assert found.cheapest == {"size": "alike", "tokens": "big", "time": "alike"}
    assert found.places[2].costs == {"size": 40.0, "tokens": 5.0, "time": 0.1}
    assert [place.frontier for place in found.places] == [
        {"size", "tokens", "time"},
        {"tokens"},
        {"size", "tokens", "time"},
    ]
    assert (found.num_tasks, found.num_left_out) == (400, 0)


def test_a_small_difference_on_few_questions_decides_nothing() -> None:
    found = race([entry("a", [1] * 15 + [0] * 5), entry("b", [1] * 14 + [0] * 6)], margin=0.02)
    first, second = found.places
    assert (first.standing, second.standing) == ("best", "undecided")
    assert found.cheapest["tokens"] == "a"
    assert second.num_to_settle is not None and second.num_to_settle > 200


def test_enough_questions_settle_what_was_undecided() -> None:
    few = race([entry("a", [1, 1, 1, 0] * 10), entry("b", [1, 1, 1, 0] * 9 + [1, 0, 1, 1])], margin=0.05)
    assert (few.places[1].standing, few.places[1].difference and few.places[1].difference.difference) == (
        "undecided",
        0,
    )
    needed = few.places[1].num_to_settle
    assert needed is not None
    times = needed // 40 + 1
    many = race(
        [entry("a", [1, 1, 1, 0] * 10 * times), entry("b", ([1, 1, 1, 0] * 9 + [1, 0, 1, 1]) * times)], margin=0.05
    )
    assert many.places[1].standing == "within"


def test_what_came_from_the_cache_took_no_time() -> None:
    found = race([entry("a", BIG, num_cached=300), entry("b", [*BIG[:-1], 1], num_cached=400, seconds=0.0)], margin=0.1)
    assert {place.name: place.costs["time"] for place in found.places} == {"a": 1.0, "b": None}
    assert "time" not in found.cheapest


def test_only_questions_that_all_answered_count() -> None:
    short = entry("b", BIG[:100])
    found = race([entry("a", BIG), short], margin=0.02)
    assert (found.num_tasks, found.num_left_out) == (100, 300)
    assert {place.score.mean for place in found.places} == {1.0}


def test_what_can_not_race_is_refused() -> None:
    with pytest.raises(InputError, match="two entries of different names"):
        race([entry("a", BIG)], margin=0.1)
    with pytest.raises(InputError, match="above 0"):
        race([entry("a", BIG), entry("b", BIG)], margin=0)
    with pytest.raises(InputError, match="not asked the same"):
        race([entry("a", BIG), entry("b", BIG, suite="other")], margin=0.1)
    other = Entry(name="b", evaluation=evaluation(attempt("x", prompt="why?"), conditions=about()))
    with pytest.raises(InputError, match="no question"):
        race([entry("a", BIG), other], margin=0.1)


@pytest.mark.slow
def test_an_entry_at_the_margin_is_rarely_called_within_it() -> None:
    """Four entries that are truly worse by exactly the margin: any of them called within it is an error."""
    wrong = 0
    for seed in range(200):
        generator = random.Random(seed)
        hard = [generator.random() for _ in range(200)]
        drawn = [[int(generator.random() < chance * factor) for chance in hard] for factor in (1.0, 0.8, 0.8, 0.8, 0.8)]
        # a mean chance of 0.5 falls to 0.4: a margin of 0.1
        found = race([entry(f"e{place}", right) for place, right in enumerate(drawn)], margin=0.1)
        if found.places[0].name == "e0":
            wrong += any(place.standing == "within" for place in found.places)
    assert wrong <= 11  # of 200 with chance 0.025 at most (one side of 95%): three standard errors above


def test_tokens_that_nobody_counted_win_nothing() -> None:
    found = race([entry("served", BIG, tokens=None), entry("held", [*BIG[:-1], 1], tokens=50)], margin=0.1)
    assert {place.name: place.costs["tokens"] for place in found.places} == {"served": None, "held": 50.0}
    assert {place.name: "tokens" in place.frontier for place in found.places} == {"served": False, "held": True}
    assert "tokens" not in found.cheapest


def test_an_attempt_that_never_came_back_makes_no_entry_cheaper() -> None:
    whole = entry("whole", BIG)
    lost = {"correct": None, "tokens": None, "finish_reason": "infrastructure"}
    rows = [row for one in whole.evaluation.rows for row in (one, attempt(one.task_id, **lost))]
    lossy = Entry(name="lossy", evaluation=evaluation(*rows, conditions=about()))
    found = race([whole, lossy], margin=0.1)
    assert {place.costs["tokens"] for place in found.places} == {10.0}
    assert {place.costs["time"] for place in found.places} == {0.25}  # 100 s for the 400 that came back
