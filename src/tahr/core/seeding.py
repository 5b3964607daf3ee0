"""Named randomness: every random stream derives from (run seed, purpose, step, index).

A run that was killed and resumed draws the same numbers as one that was never interrupted, because no
generator's state is carried from step to step.
"""

from __future__ import annotations

import hashlib
import random

MAX_SEED = 2**63


def derive_seed(run_seed: int, purpose: str, step: int = 0, index: int = 0) -> int:
    """A seed in [0, 2**63) for one stream; the same arguments give the same seed on every machine.

    >>> derive_seed(0, "sample", step=1, index=2) == derive_seed(0, "sample", step=1, index=2)
    True
    >>> derive_seed(0, "sample", step=1, index=2) == derive_seed(0, "sample", step=1, index=3)
    False
    """
    text = f"{run_seed}\x1f{purpose}\x1f{step}\x1f{index}"
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big") % MAX_SEED


def stream(run_seed: int, purpose: str, step: int = 0, index: int = 0) -> random.Random:
    """A `random.Random` for one named stream."""
    return random.Random(derive_seed(run_seed, purpose, step, index))
