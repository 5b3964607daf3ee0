"""What the page of results says of tokens and of confidence: a line a setting; `tahr effort` has all of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tahr.core.errors import InputError
from tahr.evaluation.clustered import ClusteredMean
from tahr.evaluation.effort.calibration import Calibration, calibration
from tahr.evaluation.effort.confidence import ORIGINS, Origin, judged
from tahr.evaluation.effort.spending import judged_rows, spending
from tahr.evaluation.effort.thinking import overthinking
from tahr.evaluation.paired import Score
from tahr.store.records import Evaluation


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenLine:
    """Sampled tokens of an attempt in one setting; `until` is the share of a right one's up to where its answer first
    stood, None where that isn't known. `cut` is the share that ran out of tokens.

    Example: ``TokenLine(setting="bare", num_attempts=400, tokens=tokens, right=80.5, wrong=160.0, cut=0.01,
    until=None)``
    """

    setting: str
    num_attempts: int
    tokens: ClusteredMean
    right: float | None
    wrong: float | None
    cut: float
    until: Score | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceLine:
    """Whether confidence of one origin is true in one setting.

    Example: ``ConfidenceLine(setting="bare", origin="agreement", calibration=calibration)``
    """

    setting: str
    origin: Origin
    calibration: Calibration


def token_lines(evaluations: Sequence[Evaluation]) -> list[TokenLine]:
    """One for each setting in which attempts were right or wrong and their tokens are counted."""
    return [line for one in evaluations if (line := _tokens(one)) is not None]


def confidence_lines(evaluations: Sequence[Evaluation]) -> list[ConfidenceLine]:
    """One for each setting and origin of which there is a confidence."""
    return [line for one in evaluations for line in _confidence(one)]


def _tokens(evaluation: Evaluation) -> TokenLine | None:
    try:
        rows = judged_rows(evaluation)
        cost, over = spending(evaluation), overthinking(evaluation)
    except InputError:  # nothing was right or wrong, or nobody counted tokens
        return None
    return TokenLine(
        setting=evaluation.name,
        num_attempts=len(rows),
        tokens=cost.tokens,
        right=cost.tokens_right,
        wrong=cost.tokens_wrong,
        cut=cost.cut,
        until=over.efficiency if over else None,
    )


def _confidence(evaluation: Evaluation) -> Iterator[ConfidenceLine]:
    for origin in ORIGINS:
        try:
            items = judged(evaluation, origin)
        except InputError:  # no attempt has a confidence of this origin
            continue
        yield ConfidenceLine(setting=evaluation.name, origin=origin, calibration=calibration(items))
