"""The Bradley-Terry loss against values worked out by hand: ln(1 + e^-x) at the gaps that occur."""

import math

import pytest
import torch

from tahr.losses.reward_model import bradley_terry_loss

CHOSEN = torch.tensor([1.0, -0.5, 2.0])
REJECTED = torch.tensor([0.0, 0.5, 2.0])
THIRDS = torch.full((3,), 1 / 3)


def test_the_mean_over_three_pairs() -> None:
    # gaps 1, -1, 0: 0.3132617, 1.3132617, 0.6931472
    assert float(bradley_terry_loss(CHOSEN, REJECTED, THIRDS)) == pytest.approx(0.7732235, abs=1e-6)


def test_a_margin_asks_for_a_larger_gap() -> None:
    # gaps less margins: 0, -1, -3: 0.6931472, 1.3132617, 3.0485874
    margins = torch.tensor([1.0, 0.0, 3.0])
    assert float(bradley_terry_loss(CHOSEN, REJECTED, THIRDS, margins=margins)) == pytest.approx(1.6849988, abs=1e-6)


def test_centering_penalises_the_squared_sum_of_a_pair() -> None:
    # sums 1, 0, 4: (1 + 0 + 16) / 3 = 5.6666667, times 0.01
    loss = float(bradley_terry_loss(CHOSEN, REJECTED, THIRDS, centering=0.01))
    assert loss == pytest.approx(0.7732235 + 0.0566667, abs=1e-6)


def test_weights_are_a_plain_sum() -> None:
    loss = float(bradley_terry_loss(CHOSEN, REJECTED, torch.tensor([0.0, 0.0, 2.0])))
    assert loss == pytest.approx(2 * math.log(2), abs=1e-6)


def test_the_gradient_is_the_probability_of_the_other_order() -> None:
    chosen = torch.tensor([1.0], requires_grad=True)
    bradley_terry_loss(chosen, torch.tensor([0.0]), torch.ones(1)).backward()
    assert chosen.grad is not None
    assert float(chosen.grad) == pytest.approx(-0.2689414, abs=1e-6)


def test_scores_far_apart_stay_finite() -> None:
    loss = bradley_terry_loss(torch.tensor([-500.0]), torch.tensor([500.0]), torch.ones(1))
    assert float(loss) == pytest.approx(1000.0)
