"""What scaling by the group's spread does to partial credit: the numbers of docs/algorithms.md."""

from __future__ import annotations

import pytest

from tahr.losses.advantages import group_advantages
from tahr.losses.config import AdvantageConfig

WHOLE, HUNDREDTH = [0.0, 0.0, 0.0, 1.0], [0.5, 0.5, 0.5, 0.51]


def test_the_groups_deviation_makes_a_hundredth_teach_as_much_as_a_whole():
    whole, hundredth = group_advantages([WHOLE, HUNDREDTH], AdvantageConfig(scale="group"))
    assert whole == pytest.approx([-0.5773503, -0.5773503, -0.5773503, 1.7320508])
    assert hundredth == pytest.approx(whole)


@pytest.mark.parametrize("scale", ["batch", "domain", "advantages", "none"])
def test_other_scales_keep_the_proportion(scale):
    config = AdvantageConfig(scale=scale)
    whole, hundredth = group_advantages([WHOLE, HUNDREDTH], config, domains=["essays", "essays"])
    assert [a / b for a, b in zip(whole, hundredth, strict=True)] == pytest.approx([100.0] * 4)


def test_scaling_by_domain_brings_domains_to_one_scale_and_keeps_it_within():
    points, shares = [0.0, 100.0], [0.0, 1.0]
    config = AdvantageConfig(scale="domain")
    got = group_advantages([points, shares, [0.0, 0.5]], config, domains=["games", "sums", "sums"])
    assert got[0] == pytest.approx([-1.0, 1.0])
    # rewards 0, 1, 0, 0.5 of the sums have deviation 0.4145781
    assert got[1] == pytest.approx([-1.2060454, 1.2060454])
    assert got[2] == pytest.approx([-0.6030227, 0.6030227])
