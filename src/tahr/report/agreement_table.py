"""Tables of how raters agree, and of what people's labels make of a judge's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from tahr.core.preferences import JudgmentState
from tahr.data.labels.label import Label
from tahr.evaluation.agreement import Agreement
from tahr.evaluation.prediction_powered import PoweredMean
from tahr.evaluation.resampling import Estimate
from tahr.evaluation.statistics import wilson_interval
from tahr.report.text import interval, score, signed, visible_text

if TYPE_CHECKING:
    from rich.table import Table


def rater_table(raters: Mapping[str, Sequence[Label]]) -> Table:
    """Each rater's labels, ties and sides: who prefers one side whatever stands there has a share off one half."""
    table = _table("Raters", "rater", "labels", "ties", "no verdict", "left preferred", "95% interval")
    for who, labels in raters.items():
        states = [label.judgment.state for label in labels]
        decided = [label for label in labels if label.judgment.preferred is not None]
        shown = [label for label in decided if "seed" in label.judgment.provenance]  # sides were drawn
        left = sum(label.judgment.preferred == label.judgment.candidates[0] for label in shown)
        share = left / len(shown) if shown else None
        ties = states.count(JudgmentState.TIE)
        table.add_row(
            _name(who),
            str(len(labels)),
            str(ties),
            str(len(labels) - len(decided) - ties),
            "–" if share is None else score(share),
            "–" if share is None else interval(*wilson_interval(share, len(shown)), sign=False),
        )
    return table


def agreement_table(found: Iterable[Agreement]) -> Table:
    """One row a domain: raw agreement and kappa with and without ties, each with its interval."""
    rows = list(found)
    names = ("pairs", "agree", "95% interval", "kappa", "95% interval", "kappa, no ties", "95% interval", "pairs")
    table = _table(f"Agreement ({rows[0].measure})", "domain", *names)
    for one in rows:
        table.add_row(
            _name(one.domain or "all"),
            str(one.num_comparisons),
            *_cells(one.raw),
            *_cells(one.kappa, sign=True),
            *_cells(one.kappa_untied, sign=True),
            str(one.num_untied),
        )
    overall = rows[0]
    notes = [f"intervals resample the {overall.num_prompts} prompts"]
    if overall.num_left_out:
        notes.append(f"{overall.num_left_out} pairs that fewer than two raters decided are left out")
    if overall.fleiss is not None and overall.fleiss.value is not None:
        notes.append(f"Fleiss' kappa {score(overall.fleiss.value)}")
    table.caption, table.caption_justify = "; ".join(notes), "left"
    return table


def win_rate_table(found: PoweredMean, favourite: str) -> Table:
    """The win rate by the judge alone, by people alone, and by both."""
    table = _table(f"How often {visible_text(favourite, 60)} wins", "by", "win rate", "95% interval", "prompts")
    one, other = found.predicted, found.people
    both = interval(found.low, found.high, sign=False)
    everything = found.num_labelled + found.num_unlabelled
    table.add_row("the judge alone", score(one.mean), interval(one.low, one.high, sign=False), str(everything))
    table.add_row("people alone", score(other.mean), interval(other.low, other.high, sign=False), str(other.num_tasks))
    table.add_row("the judge, corrected by people", score(found.mean), both, str(everything))
    bias = found.bias
    table.caption = (
        f"on the prompts that both decided the judge is {signed(bias.mean)} off ({interval(bias.low, bias.high)}); "
        f"its verdicts count with the weight {found.power:.2f}; the interval of the judge alone knows nothing of that"
    )
    table.caption_justify = "left"
    return table


def _cells(one: Estimate, *, sign: bool = False) -> tuple[str, str]:
    if one.value is None:
        return "–", "–"
    ends = "not known: few prompts"
    if one.low is not None and one.high is not None:
        ends = interval(one.low, one.high, sign=sign)
    return (signed if sign else score)(one.value), ends


def _table(title: str, first: str, *numbers: str) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title, style="italic"), title_justify="left", header_style="dim")
    table.add_column(first)
    for name in numbers:
        table.add_column(name, justify="right")
    return table


def _name(name: str) -> str:
    from rich.markup import escape

    return escape(visible_text(name, 60))
