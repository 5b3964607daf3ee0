"""Thinking too long and too short: tokens after the answer stood, right answers that were given up, early ends.

Overthinking as the efficiency of right attempts, tokens to the answer over all tokens: Chen et al., "Do NOT think that
much for 2+3=?" (arXiv 2412.21187), section 2.3. Underthinking as what was sampled in vain after a wrong attempt had
the right answer already: Wang et al., "Thoughts are all over the place" (arXiv 2501.18585), section 3, with the right
answer's standing in the text in place of a model's judgement of each thought.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median

from tahr.evaluation.clustered import ClusteredMean
from tahr.evaluation.counting import sampled_tokens
from tahr.evaluation.effort.answer import answer_end
from tahr.evaluation.effort.spending import judged_rows, task_mean, token_limit
from tahr.evaluation.paired import Score, side_score
from tahr.evaluation.resampling import LEVEL
from tahr.store.records import Evaluation, EvaluationRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Overthinking:
    """What right attempts sampled after their answer stood: `tokens_after`, and the share of their tokens that came
    before (`efficiency`, 1 for who stops at the answer). `num_unknown` right attempts have no known place.

    Example: ``Overthinking(num_attempts=240, num_unknown=3, efficiency=score, tokens_after=tokens)``
    """

    num_attempts: int
    num_unknown: int
    efficiency: Score
    tokens_after: ClusteredMean


@dataclass(frozen=True, slots=True, kw_only=True)
class Underthinking:
    """What wrong attempts look like. `gave_up` had the right answer in the text and settled on something else, `wasted`
    is the share of a wrong attempt's text after that place (0 for those that never had it). `short` ended by themselves
    before the median length of the right attempts at the same task; it is None where no task has both with their tokens
    counted. `cut` ran out
    of tokens.

    Example: ``Underthinking(num_attempts=160, gave_up=score, wasted=wasted, num_comparable=90, short=short, cut=0.05)``
    """

    num_attempts: int
    gave_up: Score
    wasted: Score
    num_comparable: int
    short: Score | None
    cut: float


def overthinking(evaluation: Evaluation, *, level: float = LEVEL) -> Overthinking | None:
    """Of the right attempts; None where no right attempt's answer has a known place. Raises InputError where no attempt
    was right or wrong."""
    right = [row for row in judged_rows(evaluation) if row.parts["correct"] == 1]
    rows = [row for row in right if row.num_tokens_to_answer is not None and row.num_tokens]
    if not rows:
        return None
    until = [row.num_tokens_to_answer or 0 for row in rows]
    return Overthinking(
        num_attempts=len(rows),
        num_unknown=len(right) - len(rows),
        efficiency=_share(rows, [place / sampled_tokens(row) for place, row in zip(until, rows, strict=True)], level),
        tokens_after=task_mean(
            rows,
            [sampled_tokens(row) - place for place, row in zip(until, rows, strict=True)],
            most=token_limit(evaluation),
            level=level,
        ),
    )


def underthinking(evaluation: Evaluation, *, level: float = LEVEL) -> Underthinking | None:
    """Of the wrong attempts; None where there are none. Raises InputError where no attempt was right or wrong."""
    rows = judged_rows(evaluation)
    wrong = [row for row in rows if row.parts["correct"] == 0]
    if not wrong:
        return None
    lengths: defaultdict[str, list[int]] = defaultdict(list)
    for row in rows:
        if row.parts["correct"] == 1 and row.num_tokens is not None:
            lengths[row.task_id].append(row.num_tokens)
    comparable = [row for row in wrong if row.task_id in lengths and row.num_tokens is not None]
    short = [
        float(row.finish_reason != "length" and sampled_tokens(row) < median(lengths[row.task_id]))
        for row in comparable
    ]
    wasted = [_wasted(row) for row in wrong]
    return Underthinking(
        num_attempts=len(wrong),
        gave_up=_share(wrong, [float(share is not None) for share in wasted], level),
        wasted=_share(wrong, [share or 0.0 for share in wasted], level),
        num_comparable=len(comparable),
        short=_share(comparable, short, level) if comparable else None,
        cut=fmean(float(row.finish_reason == "length") for row in wrong),
    )


def _wasted(row: EvaluationRow) -> float | None:
    """The share of a wrong attempt's characters after the right answer; None where it never stood there.

    An answer that the question gives away counts only where it is marked as the answer, and one that the verifier
    found is what was settled on, not given up.
    """
    end = answer_end(row.text, row.answer, question=row.prompt, said_back=False)
    settled = row.extracted is not None and row.extracted.strip().casefold() == row.answer.strip().casefold()
    return None if end is None or settled else 1 - end / len(row.text)


def _share(rows: Sequence[EvaluationRow], values: Sequence[float], level: float) -> Score:
    """The mean over tasks of shares, with its interval."""
    found: defaultdict[str, list[float]] = defaultdict(list)
    for row, value in zip(rows, values, strict=True):
        found[row.task_id].append(value)
    clusters = {row.task_id: row.cluster for row in rows}
    means = [fmean(inside) for inside in found.values()]
    return side_score(means, [clusters[task] for task in found], len(rows), level=level)
