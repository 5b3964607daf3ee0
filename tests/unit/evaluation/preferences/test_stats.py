"""Counts of pairs, against hand-counted ones."""

import pytest

from tahr.core.preferences import Pair
from tahr.core.types import Message
from tahr.evaluation.preferences.stats import Share, Spread, pair_stats


def pair(prompt, chosen, rejected, margin=None, **provenance):
    asked = (Message(role="user", content=prompt),)
    return Pair(prompt=asked, chosen=chosen, rejected=rejected, margin=margin, provenance=provenance)


def test_every_count_is_what_one_counts_by_hand():
    pairs = [
        pair("p", "aaaa", "b", 1.0, chosen_model="x", rejected_model="y", judge="j", order=["chosen", "rejected"]),
        pair("p", "aaaa", "b", 1.0, chosen_model="x", rejected_model="y", judge="j", order=["chosen", "rejected"]),
        pair("p", "b", "aaaa", 2.0, chosen_model="y", rejected_model="x", order=["chosen", "rejected"]),
        pair("q", "aaaa", "ccccc", 4.0, judge="k", order=["rejected", "chosen"]),
        pair("q", "d", "d", judge="k", order=["chosen", "rejected"], judgment={"asked": [{}, {}]}),
    ]
    found = pair_stats(pairs)
    assert (found.num_pairs, found.num_prompts) == (5, 2)
    assert found.beats == {("x", "y"): 2, ("y", "x"): 1, ("not stated", "not stated"): 2}
    assert found.judges == {"j": 2, "k": 2, "not stated": 1}
    assert found.margins == Spread(number=4, least=1.0, lower=1.0, middle=1.5, upper=2.5, largest=4.0)
    # of the four of unequal length the longer one is chosen in the first two
    assert (found.longer_chosen.count, found.longer_chosen.total) == (2, 4)
    assert found.longer_chosen.low == pytest.approx(0.1500, abs=1e-4)
    # what was asked in both orders has no place
    assert (found.first_chosen.count, found.first_chosen.total) == (3, 4)
    assert (found.num_duplicates, found.num_equal, found.num_reversed) == (1, 1, 1)
    # "aaaa" and "b" of p stand on both sides; "aaaa" of q is another answer
    assert found.num_both_sides == 2


def test_of_nothing_nothing_is_said():
    found = pair_stats([])
    assert (found.margins, found.chosen_lengths, found.num_pairs) == (None, None, 0)
    assert found.longer_chosen == Share(count=0, total=0, rate=None, low=0.0, high=1.0)
