"""The ``[distillation.loss]`` section of a recipe."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from tahr.core.config import Config


class DistillationLossConfig(Config):
    """How far the student is from its teacher, token by token."""

    divergence: Literal["reverse_kl", "forward_kl", "jsd"] = Field(
        default="reverse_kl",
        description="KL(student || teacher) seeks one of the teacher's modes, KL(teacher || student) covers all, jsd "
        "lies between",
    )
    beta: float = Field(
        default=0.5,
        gt=0,
        lt=1,
        description="of jsd: the teacher's share of the mixture, and the weight of KL(teacher || mixture)",
    )
    estimate: Literal["exact", "sampled"] = Field(
        default="exact",
        description="over the whole vocabulary, or of the sampled tokens alone: reverse_kl's, with more variance",
    )
