"""Variance in two parts: by hand, and against data of known parts."""

from __future__ import annotations

import math
from random import Random

import pytest

from small_attempts import attempt, evaluation
from tahr.core.errors import InputError
from tahr.evaluation.variance import paired_variance_parts, variance_parts
from tahr.store.records import Evaluation


def several(values: dict[str, list[float]]) -> Evaluation:
    return evaluation(
        *(attempt(task, correct=one, index=i) for task, many in values.items() for i, one in enumerate(many))
    )


def test_parts_by_hand() -> None:
    # means 1, 0, 1/2: variance 1/4; within: 0, 0, 1/2, of which a mean of two has half
    found = variance_parts(several({"a": [1, 1], "b": [0, 0], "c": [0, 1]}))
    assert found is not None
    assert found.per_attempt == pytest.approx(1 / 6)
    assert found.sampling == pytest.approx(1 / 12)
    assert found.question == pytest.approx(1 / 4 - 1 / 12)
    assert found.standard_error == pytest.approx(math.sqrt(1 / 12))
    assert found.sampling_share == pytest.approx(1 / 3)
    assert found.standard_error_with(math.inf) == pytest.approx(math.sqrt(1 / 6 / 3))
    assert found.attempts_for(0.1) == 9  # 1/6 / 9 against 1/6: a ninth of it, a tenth of both


def test_parts_of_known_data_are_found() -> None:
    random = Random(5)
    rates = {f"t{n}": random.choice((0.2, 0.8)) for n in range(2000)}
    found = variance_parts(several({t: [float(random.random() < r) for _ in range(4)] for t, r in rates.items()}))
    assert found is not None
    assert found.question == pytest.approx(0.09, abs=0.01)
    assert found.per_attempt == pytest.approx(0.16, abs=0.01)


def test_a_paired_difference_has_the_sampling_of_both_sides() -> None:
    random = Random(6)

    def drawn(shift: float, num: int) -> Evaluation:
        return several({f"t{n}": [float(random.random() < 0.4 + shift) for _ in range(num)] for n in range(1500)})

    found = paired_variance_parts(drawn(0.0, 2), drawn(0.2, 5))
    assert found is not None
    assert found.per_attempt == pytest.approx(0.24 + 0.24, abs=0.02)
    assert found.sampling == pytest.approx(0.24 / 2 + 0.24 / 5, abs=0.01)
    assert found.question == pytest.approx(0, abs=0.02)  # every question gains as much
    assert found.num_attempts == 2


def test_one_attempt_each_cannot_be_split() -> None:
    single = several({"a": [1], "b": [0]})
    assert variance_parts(single) is None
    assert paired_variance_parts(several({"a": [1, 0], "b": [0, 0]}), single) is None
    with pytest.raises(InputError, match="no value of 'half'"):
        variance_parts(single, part="half")


def test_attempts_that_never_differ_need_no_second() -> None:
    found = variance_parts(several({"a": [1, 1], "b": [0, 0]}))
    assert found is not None and found.attempts_for() == 1 and found.sampling_share == 0
    alike = variance_parts(several({"a": [1, 0], "b": [0, 1]}))
    assert alike is not None and alike.question == 0 and alike.attempts_for() is None
