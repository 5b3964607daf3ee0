"""The loss of a reward model: Bradley-Terry on pairs of scores."""

from __future__ import annotations

from torch import Tensor
from torch.nn import functional


def bradley_terry_loss(
    chosen: Tensor, rejected: Tensor, weights: Tensor, *, margins: Tensor | None = None, centering: float = 0.0
) -> Tensor:
    """``sum(w * (-log sigmoid(c - r - m) + centering * (c + r)**2))``, a scalar with gradient; all inputs (P,).

    `chosen` c and `rejected` r are the scores of P pairs, `weights` w hold the normalisation (1 / P for a mean). The
    preference's likelihood is Bradley and Terry's (1952), as in Ouyang et al. 2022, equation 1. `margins` m ask for a
    larger gap where the preference is stronger (Touvron et al. 2023, Llama 2, equation 2). The likelihood leaves a
    constant free that may differ from prompt to prompt; `centering` draws each pair's mean score to 0 (Eisenstein et
    al. 2023, "Helping or Herding?", section 3; 0.01 there).
    """
    gap = chosen - rejected if margins is None else chosen - rejected - margins
    losses = -functional.logsigmoid(gap)
    if centering:
        losses = losses + centering * (chosen + rejected).square()
    return (weights * losses).sum()
