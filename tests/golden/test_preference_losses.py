"""Every preference loss on a batch of two pairs, worked out by hand.

Pair 0: the policy gives the chosen answer (3 tokens) -9 nats, the rejected one (7 tokens) -14; the reference -10 and
-12: ratios 1 and -2. Pair 1 is learnt the wrong way round: -20 (8 tokens) and -12 (4 tokens), reference -16 and -13:
ratios -4 and 1.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch import tensor

from tahr.losses.preference import (
    PairLogprobs,
    implicit_rewards,
    kto_baseline,
    orpo_loss,
    preference_losses,
)
from tahr.losses.preference_config import PreferenceLossConfig

TWO = PairLogprobs(
    policy_chosen=tensor([-9.0, -20.0], dtype=torch.float64),
    policy_rejected=tensor([-14.0, -12.0], dtype=torch.float64),
    reference_chosen=tensor([-10.0, -16.0], dtype=torch.float64),
    reference_rejected=tensor([-12.0, -13.0], dtype=torch.float64),
    chosen_lengths=tensor([3.0, 8.0], dtype=torch.float64),
    rejected_lengths=tensor([7.0, 4.0], dtype=torch.float64),
)
BASELINE = tensor(0.5, dtype=torch.float64)

EXPECTED = {
    # -log sigmoid(0.1 * 3) and -log sigmoid(0.1 * -5)
    "dpo": [0.5543552444685271, 0.9740769841801067],
    # ratios a token: 1/3 + 2/7 = 13/21 and -4/8 - 1/4 = -3/4; times 5: 65/21 and -15/4
    "dpo_norm": [0.04426970893611613, 3.773245464372425],
    # 0.9 of dpo and 0.1 of dpo with the answers exchanged
    "cdpo": [0.5843552444685272, 0.9240769841801066],
    # (13/21 - 1/0.2)**2 = 8464/441 and (-3/4 - 1/0.2)**2
    "ipo": [19.19274376417234, 33.0625],
    # means -3 and -2: -log sigmoid(2 * -1 - 1); means -2.5 and -3: -log sigmoid(2 * 0.5 - 1) = log 2
    "simpo": [3.048587351573742, 0.6931471805599453],
    # (sigmoid(-0.1 * 0.5) + sigmoid(-0.1 * 2.5)) / 2 and (sigmoid(0.1 * 4.5) + sigmoid(0.1 * 0.5)) / 2
    "kto": [0.46266305131499574, 0.5615683152167161],
    # log odds -2.94893 against -1.85459, and -2.41435 against -2.94893; plus the mean nats a token, 3 and 2.5
    "orpo": [3.1383095061270776, 2.5461161250122384],
}


def losses(pairs=TWO, **settings):
    config = PreferenceLossConfig.model_validate(settings)
    baseline = BASELINE if config.name == "kto" else None
    return preference_losses(pairs, config, baseline).tolist()


@pytest.mark.parametrize("name", EXPECTED)
def test_p3_each_loss_has_its_literal_value(name):
    assert losses(name=name) == pytest.approx(EXPECTED[name], rel=1e-9)


def test_p3_no_two_losses_agree():
    assert len({tuple(losses(name=name)) for name in EXPECTED}) == len(EXPECTED)


def test_p6_lengths_three_and_seven_divide_their_own_answer():
    one = PairLogprobs(**{name: getattr(TWO, name)[:1] for name in TWO.__slots__})
    # 5 * (1/3 - -2/7) = 65/21 = 3.095238; log(1 + exp(-3.095238)) = 0.0442697
    assert losses(one, name="dpo_norm") == pytest.approx([0.0442697089], rel=1e-8)
    exchanged = replace(one, chosen_lengths=one.rejected_lengths, rejected_lengths=one.chosen_lengths)
    # 5 * (1/7 + 2/3) = 85/21 = 4.047619
    assert losses(exchanged, name="dpo_norm") == pytest.approx([0.0173131644], rel=1e-8)


def test_beta_moves_every_loss():
    for name in EXPECTED:
        assert losses(name=name, beta=0.3) != pytest.approx(losses(name=name, beta=0.7), rel=1e-3)


def test_simpo_gamma_and_cdpo_smoothing():
    # -log sigmoid(2 * 0.5 - 0.4) = -log sigmoid(0.6)
    assert losses(name="simpo", gamma=0.4)[1] == pytest.approx(0.437487951, rel=1e-8)
    # 0.75 * 0.55435524 + 0.25 * 0.85435524
    assert losses(name="cdpo", label_smoothing=0.25)[0] == pytest.approx(0.6293552445, rel=1e-8)


def test_kto_weights_each_side():
    # sigmoid(-0.05) = 0.4875026, sigmoid(-0.25) = 0.4378235
    assert losses(name="kto", desirable_weight=2.0)[0] == pytest.approx((2 * 0.4875026035 + 0.4378234991) / 2, rel=1e-8)
    assert losses(name="kto", undesirable_weight=3.0)[0] == pytest.approx(
        (0.4875026035 + 3 * 0.4378234991) / 2, rel=1e-8
    )


def test_kto_baseline_is_a_mean_that_never_goes_below_zero():
    assert kto_baseline(tensor([-1.0, -2.0]), tensor([-2.0, -2.5])).item() == pytest.approx(0.75)
    assert kto_baseline(tensor([-3.0, -2.0]), tensor([-2.0, -2.5])).item() == 0.0


def test_the_supervised_part_is_the_chosen_answers_mean():
    assert losses(name="dpo", sft_weight=0.5) == pytest.approx([0.5543552444685271 + 1.5, 0.9740769841801067 + 1.25])
    assert losses(name="orpo", sft_weight=0.0)[0] == pytest.approx(0.1383095061270776)


def test_the_gradient_pushes_the_answers_apart():
    for name in EXPECTED:
        chosen, rejected = (one.clone().requires_grad_() for one in (TWO.policy_chosen, TWO.policy_rejected))
        pairs = replace(TWO, policy_chosen=chosen, policy_rejected=rejected)
        config = PreferenceLossConfig.model_validate({"name": name})
        preference_losses(pairs, config, BASELINE).sum().backward()
        assert (chosen.grad < 0).all(), name
        assert (rejected.grad > 0).all(), name


def test_rewards_are_in_the_loss_s_own_units():
    values = {name: implicit_rewards(TWO, PreferenceLossConfig.model_validate({"name": name})) for name in EXPECTED}
    assert [side.tolist() for side in values["dpo"]] == [[0.1, -0.4], [-0.2, 0.1]]
    assert values["dpo_norm"][0].tolist() == pytest.approx([5 / 3, -2.5])
    assert values["dpo_norm"][1].tolist() == pytest.approx([-10 / 7, 1.25])
    assert [side.tolist() for side in values["simpo"]] == [[-6.0, -5.0], [-4.0, -6.0]]


def test_orpo_stays_finite_where_the_policy_is_certain():
    certain = tensor([0.0], requires_grad=True)
    loss = orpo_loss(certain, tensor([-1.0]), beta=1.0)
    loss.sum().backward()
    assert torch.isfinite(loss).all()
    assert torch.isfinite(certain.grad).all()


def test_p3_a_setting_that_the_loss_would_not_read_is_refused():
    for setting, value in (("gamma", 0.5), ("label_smoothing", 0.2), ("desirable_weight", 2.0)):
        with pytest.raises(ValueError, match=f"{setting} is read by"):
            PreferenceLossConfig.model_validate({"name": "dpo", setting: value})
