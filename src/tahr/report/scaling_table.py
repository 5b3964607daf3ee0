"""The table of a study of test-time computing, and the same as JSON values."""

from __future__ import annotations

from dataclasses import asdict
from statistics import fmean
from typing import TYPE_CHECKING, Any

from tahr.evaluation.clustered import ClusteredMean
from tahr.evaluation.scaling.curves import Curve
from tahr.evaluation.scaling.study import Study
from tahr.report.scaling_text import scaling_paragraph
from tahr.report.text import interval, score, signed, visible_text

if TYPE_CHECKING:
    from rich.table import Table

_COLUMNS = ("knob", "tokens", "accuracy", "95% at the end", "a doubling adds", "ceiling", "other seeds", "cut off")


def scaling_table(study: Study) -> Table:
    """One row a curve, in groups of one knob: its ends, what a doubling of the tokens adds, ceiling and repetition."""
    from rich.table import Table
    from rich.text import Text

    table = Table(title="Test-time computing", title_justify="left", header_style="dim", caption_justify="left")
    table.caption = (
        f"{len(study.questions)} questions, {study.num_samples} attempts each ({study.num_chains} for what is not of "
        "attempts); first and last point of each curve, 95% intervals over questions.\nTokens: all that models wrote "
        "or read for one answer. Ceiling: attempts without end. Other seeds: the last point again, less the first time."
    )
    table.add_column("curve")
    for name in _COLUMNS:
        table.add_column(name, justify="right")
    again = {one.name: one.difference for one in study.repeated}
    last = ""
    for curve in study.curves:
        if last not in ("", curve.knob):
            table.add_section()
        last = curve.knob
        repeated = again.get(curve.name) if curve.knob == "attempts" else None
        cells = [
            *_cells(curve),
            "–" if repeated is None else signed(repeated.mean),
            f"{curve.points[-1].truncated:.0%}",
        ]
        table.add_row(Text(visible_text(curve.name, 60), style="dim" if curve.is_bound else ""), *cells)
    return table


def study_values(study: Study) -> dict[str, Any]:
    """Every point, interval and ceiling of every question as JSON values, with the paragraph."""
    questions = [
        {"task_id": one.task_id, "prompt": one.prompt, "cluster": one.cluster, "num_attempts": len(one.attempts)}
        for one in study.questions
    ]
    return {
        "conditions": None if study.conditions is None else asdict(study.conditions),
        "num_samples": study.num_samples,
        "num_chains": study.num_chains,
        "num_dropped": study.num_dropped,
        "pointless": list(study.pointless),
        "paragraph": scaling_paragraph(study),
        "questions": questions,
        "curves": [asdict(curve) for curve in study.curves],
        "repeated": [asdict(one) for one in study.repeated],
    }


def _cells(curve: Curve) -> list[str]:
    first, last = curve.points[0], curve.points[-1]
    return [
        f"{first.knob} to {last.knob} {curve.knob.split()[0]}",
        f"{first.tokens:,.0f} to {last.tokens:,.0f}",
        f"{score(first.mean.mean)} to {score(last.mean.mean)}",
        interval(last.mean.low, last.mean.high, sign=False),
        _change(curve.slope),
        score(fmean(curve.ceilings)) if curve.ceilings else "–",
    ]


def _change(mean: ClusteredMean | None) -> str:
    """``+0.014 (+0.007 to +0.021)``."""
    return "–" if mean is None else f"{signed(mean.mean)} ({interval(mean.low, mean.high)})"
