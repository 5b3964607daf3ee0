"""Attempts without a reward: when there are too many of them to go on."""

from __future__ import annotations

from collections.abc import Sequence

from tahr.core.errors import TahrError
from tahr.core.types import Group
from tahr.training.absent import why_absent
from tahr.training.metrics import error_rate


def check_errors(groups: Sequence[Group], *, stage: str, where: str, max_error_rate: float) -> None:
    """Raise TahrError where more attempts than `max_error_rate`, or all of them, have no reward."""
    rate = error_rate(groups)
    if rate > max_error_rate or rate == 1:
        raise TahrError(
            f"{rate:.0%} of the attempts of {where} have no reward; training on the rest would mislead",
            received=why_absent(groups),
            instead="mend the cause"
            + ("" if rate == 1 else f", or raise {stage}.max_error_rate (now {max_error_rate})"),
        )
