"""The causes of both suites."""

from __future__ import annotations

from checkers.causes_ifbench import IFBENCH_CAUSES
from checkers.causes_ifeval import IFEVAL_CAUSES
from checkers.disagreement import Cause, Disagreement

CAUSES = (*IFEVAL_CAUSES, *IFBENCH_CAUSES)


def cause_of(found: Disagreement) -> Cause | None:
    """The first cause that explains it; None where none does."""
    return next((cause for cause in CAUSES if found.name in cause.names and cause.applies(found)), None)
