"""Tables of what answers cost and of what confidence is worth; the same numbers as JSON values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from tahr.evaluation.clustered import ClusteredMean
from tahr.evaluation.effort.summary import Effort
from tahr.evaluation.paired import Score
from tahr.evaluation.resampling import Estimate
from tahr.report.text import NO_ENDS, interval, number, p_text, reach, score, signed, visible_text

if TYPE_CHECKING:
    from rich.table import Table

NOT_KNOWN = "–"


def cost_table(found: Sequence[Effort]) -> Table:
    """One row an evaluation: how much is right, what it takes, and whether wrong attempts are the long ones."""
    table = _table("Tokens", "evaluation", "attempts", "correct", "tokens", "right", "wrong", "wrong less right", "cut")
    table.add_column("difficulty and tokens", justify="right")
    for one in found:
        cost = one.spending
        head = (_name(one.name), str(one.num_attempts), _share(one.accuracy))
        if cost is None:
            table.add_row(*head, *_none(6))
            continue
        table.add_row(
            *head,
            _tokens(cost.tokens),
            number(cost.tokens_right),
            number(cost.tokens_wrong),
            NOT_KNOWN if cost.longer_when_wrong is None else _tokens(cost.longer_when_wrong),
            score(cost.cut),
            NOT_KNOWN if cost.slope is None else _estimate(cost.slope, sign=True),
        )
    return _say(
        table,
        "sampled tokens an attempt; wrong less right: at one and the same question, where it has both; cut: share that "
        "ran out of tokens; difficulty and tokens: rank correlation over questions; 95% intervals over questions",
    )


def level_table(found: Sequence[Effort]) -> Table | None:
    """Tokens by difficulty; None where no question has two attempts."""
    if not any(one.spending and one.spending.levels for one in found):
        return None
    table = _table("Tokens by difficulty", "evaluation", "others wrong", "questions", "attempts", "correct", "tokens")
    for name in ("right", "wrong", "cut"):
        table.add_column(name, justify="right")
    for one in found:
        levels = one.spending.levels if one.spending else ()
        last = levels[-1].high if levels else 1.0
        for level in levels:
            table.add_row(
                _name(one.name),
                f"{level.low:.0%} to {'' if level.high == last == 1 else 'below '}{level.high:.0%}",
                str(level.num_tasks),
                str(level.num_attempts),
                score(level.accuracy),
                _tokens(level.tokens),
                number(level.tokens_right),
                number(level.tokens_wrong),
                score(level.cut),
            )
    return _say(table, "an attempt's difficulty is the share of wrong ones among the other attempts at its question")


def budget_table(found: Sequence[Effort]) -> Table | None:
    """Accuracy at a budget of tokens; None where nobody counted tokens."""
    if not any(one.spending for one in found):
        return None
    table = _table("Correct within a budget", "evaluation", "tokens at most", "spent", "ended by then", "stood by then")
    for one in found:
        for budget in one.spending.budgets if one.spending else ():
            table.add_row(
                _name(one.name),
                str(budget.limit),
                number(budget.tokens),
                _share(budget.finished),
                NOT_KNOWN if budget.answered is None else _share(budget.answered),
            )
    return _say(
        table,
        "what the attempts would have come to, had they been cut there; stood by then: the final answer had been "
        "written, which somebody who stops there could have used at best",
    )


def thinking_table(found: Sequence[Effort]) -> Table:
    """Overthinking of right attempts and underthinking of wrong ones."""
    table = _table(
        "Thinking", "evaluation", "right", "until the answer", "tokens after it", "wrong", "gave up", "in vain"
    )
    table.add_column("ended early", justify="right")
    for one in found:
        over, under = one.overthinking, one.underthinking
        table.add_row(
            _name(one.name),
            *((str(over.num_attempts), _share(over.efficiency), _tokens(over.tokens_after)) if over else _none(3)),
            *((str(under.num_attempts), _share(under.gave_up), _share(under.wasted)) if under else _none(3)),
            _share(under.short) if under and under.short else NOT_KNOWN,
        )
    return _say(
        table,
        "until the answer: share of a right attempt's tokens until its answer first stood (1: nothing came after); "
        "gave up: wrong attempts that had written the right answer; in vain: share of their text after it; "
        "ended early: wrong attempts that ended before the median of the right ones at their question",
    )


def confidence_table(found: Sequence[Effort]) -> Table | None:
    """Calibration, one row an evaluation and origin; None where no attempt has a confidence."""
    if not any(one.confidence for one in found):
        return None
    table = _table(
        "Confidence", "evaluation", "by", "attempts", "confidence", "correct", "error", "if true", "p", "Brier"
    )
    for name in ("= untrue", "- telling", "+ mixed", "right surer"):
        table.add_column(name, justify="right")
    for one in found:
        for origin, worth in one.confidence.items():
            of = worth.calibration
            table.add_row(
                _name(one.name),
                origin,
                str(of.num_attempts),
                score(of.confidence),
                score(of.accuracy),
                score(of.error),
                score(of.error_if_true),
                p_text(of.p),
                _beside(score(of.brier.score), interval(of.brier.low, of.brier.high, sign=False)),
                score(of.brier.miscalibration),
                score(of.brier.discrimination),
                score(of.brier.uncertainty),
                _estimate(of.ranking),
            )
    return _say(
        table,
        "error: expected calibration error over bins of equal numbers; if true: what it would be on average if every "
        "confidence were true, p: how often it would then be so large; Brier score = what untrue confidences cost - "
        "what telling right from wrong gains + what always saying the mean rate would score; right surer: the chance "
        "that a right attempt is surer than a wrong one, 0.5 for a confidence that knows nothing",
    )


def abstention_table(found: Sequence[Effort]) -> Table | None:
    """Risk and coverage, one row an evaluation and origin; None where no attempt has a confidence."""
    if not any(one.confidence for one in found):
        return None
    bounds = next(list(worth.abstention.coverage_at) for one in found for worth in one.confidence.values())
    table = _table("Abstention", "evaluation", "by", "wrong", "area", "of an oracle", "kept", "generalised")
    for bound in bounds:
        table.add_column(f"at {bound:.0%} wrong", justify="right")
    for one in found:
        for origin, worth in one.confidence.items():
            of = worth.abstention
            table.add_row(
                _name(one.name),
                origin,
                score(of.risk),
                _estimate(of.area),
                score(of.area_of_oracle),
                NOT_KNOWN if of.kept is None else signed(of.kept),
                _estimate(of.generalised),
                *(f"{of.coverage_at[bound]:.0%}" for bound in bounds),
            )
    return _say(
        table,
        "area: mean share of wrong answers over all coverages, the surest answered first; kept: how far from answering "
        "in any order (0) to an oracle (1); at 5% wrong: the largest share answered with so few wrong, picked on these "
        "same attempts",
    )


def effort_tables(found: Sequence[Effort]) -> list[Table]:
    """All tables that there are numbers for."""
    whole = (cost_table, level_table, budget_table, thinking_table, confidence_table, abstention_table)
    return [table for make in whole if (table := make(found)) is not None]


def effort_values(found: Iterable[Effort]) -> list[dict[str, Any]]:
    """Every number as JSON values; what is infinite or not a number is null."""
    return [_plain(asdict(one)) for one in found]


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _share(found: Score) -> str:
    return _beside(score(found.mean), interval(found.low, found.high, sign=False))


def _tokens(found: ClusteredMean) -> str:
    return _beside(number(found.mean), reach(found.low, found.high, number))


def _estimate(found: Estimate, *, sign: bool = False) -> str:
    if found.value is None or found.low is None or found.high is None:
        return NOT_KNOWN
    return _beside((signed if sign else score)(found.value), interval(found.low, found.high, sign=sign))


def _beside(value: str, ends: str) -> str:
    """A value with its interval behind it."""
    return f"{value} (interval {ends})" if ends == NO_ENDS else f"{value} ({ends})"


def _none(count: int) -> tuple[str, ...]:
    return (NOT_KNOWN,) * count


def _table(title: str, first: str, *numbers: str) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title, style="italic"), title_justify="left", header_style="dim")
    table.add_column(first)
    for name in numbers:
        table.add_column(name, justify="left" if name == "by" else "right")
    return table


def _say(table: Table, caption: str) -> Table:
    table.caption, table.caption_justify = caption, "left"
    return table


def _name(name: str) -> str:
    from rich.markup import escape

    return escape(visible_text(name, 60))
