"""Corrections for many comparisons: the example of Benjamini and Hochberg's paper, and the definitions."""

from __future__ import annotations

import pytest
from scipy.stats import false_discovery_control

from tahr.core.errors import InputError
from tahr.evaluation.corrections import CORRECTIONS, benjamini_hochberg, holm

# Benjamini and Hochberg (1995), section 3.2: fifteen endpoints; 4 stand by theirs at 5%, 3 by Holm's
PAPER = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459]
PAPER += [0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000]


def test_the_published_example() -> None:
    assert sum(p <= 0.05 for p in benjamini_hochberg(PAPER)) == 4
    assert sum(p <= 0.05 for p in holm(PAPER)) == 3
    assert holm(PAPER)[2] == pytest.approx(13 * 0.0019)
    assert benjamini_hochberg(PAPER) == pytest.approx(list(false_discovery_control(PAPER)))


def test_order_is_kept_and_p_stays_a_chance() -> None:
    assert holm([0.5, 0.01, 0.4]) == pytest.approx([0.8, 0.03, 0.8])
    assert benjamini_hochberg([0.5, 0.01, 0.4]) == pytest.approx([0.5, 0.03, 0.5])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert CORRECTIONS["none"]([0.3, 0.2]) == [0.3, 0.2]
    assert [correct([]) for correct in CORRECTIONS.values()] == [[], [], []]


def test_what_is_no_p_value_is_refused() -> None:
    for correct in (holm, benjamini_hochberg):
        with pytest.raises(InputError, match="not within 0 and 1"):
            correct([0.5, 1.5])
