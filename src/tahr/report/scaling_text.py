"""What a study of test-time computing shows, and what it doesn't, in one paragraph."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from tahr.evaluation.scaling.curves import Curve, Repeated, is_rising
from tahr.evaluation.scaling.rules import ORACLE
from tahr.evaluation.scaling.study import Study
from tahr.report.text import interval, score, signed, visible_text


def scaling_paragraph(study: Study) -> str:
    """Which knob was turned, what it gained, how that stands beside chance and the oracle, and what stays unsaid."""
    usable = [curve for curve in study.curves if not curve.is_bound and curve.slope is not None]
    rising = [curve for curve in usable if is_rising(curve.slope)]
    return " ".join(
        sentence
        for sentence in (
            _turned(study),
            _gains(usable, rising),
            _falls([curve for curve in usable if curve.slope is not None and curve.slope.high < 0]),
            _bounds(study, usable),
            _chance(study.repeated),
            _cut_off(usable),
            _unsaid(study, usable),
        )
        if sentence
    )


def _turned(study: Study) -> str:
    about = study.conditions
    knobs = list(dict.fromkeys(curve.knob for curve in study.curves))
    model = (
        f"{visible_text(about.model, 60)} on {visible_text(about.suite, 60)} ({about.setting})" if about else "A model"
    )
    kept = f", all at temperature {about.temperature:g}" if about else ""
    names = " and ".join([", ".join(knobs[:-1]), knobs[-1]] if len(knobs) > 1 else knobs)
    stuck = f" There was no room to turn the {' and the '.join(study.pointless)}." if study.pointless else ""
    same = (
        "on the same weights" if about is None or about.weights else "on the model that one server calls by this name"
    )
    return f"{model}: on each curve one knob is turned ({names}), {same}{kept}.{stuck}"


def _gains(usable: Sequence[Curve], rising: Sequence[Curve]) -> str:
    if not usable:
        return "No curve has two points."
    if not rising:
        return "No doubling of the tokens gains anything that the choice of questions could not explain."
    best = max(rising, key=lambda curve: curve.points[-1].mean.mean)
    assert best.slope is not None
    first, last = best.points[0], best.points[-1]
    return (
        f"The highest of the {len(rising)} of {len(usable)} curves that rise is {best.name}: "
        f"{score(first.mean.mean)} at {first.tokens:,.0f} tokens, {score(last.mean.mean)} at {last.tokens:,.0f}, "
        f"{signed(best.slope.mean)} a doubling of the tokens ({interval(best.slope.low, best.slope.high)})."
    )


def _falls(falling: Sequence[Curve]) -> str:
    if not falling:
        return ""
    return f"More tokens make it worse with {', '.join(curve.name for curve in falling)}."


def _bounds(study: Study, usable: Sequence[Curve]) -> str:
    oracle = next((curve for curve in study.curves if curve.name == ORACLE), None)
    chosen = [curve for curve in usable if curve.knob == "attempts"]
    if oracle is None or not chosen:
        return ""
    best = max(chosen, key=lambda curve: curve.points[-1].mean.mean)
    last, ideal = best.points[-1].mean.mean, oracle.points[-1].mean.mean
    stuck = fmean(ceiling < 0.5 < bound for ceiling, bound in zip(best.ceilings, oracle.ceilings, strict=True))
    return (
        f"A right answer is among {best.points[-1].knob} attempts for {score(ideal)} of the questions (oracle); "
        f"{best.name} finds {score(last)}, and without end would end at {score(fmean(best.ceilings))}: on {stuck:.0%} "
        "of the questions it settles on a wrong answer although right ones are there."
    )


def _chance(repeated: Sequence[Repeated]) -> str:
    if not repeated:
        return "Nothing was repeated with other seeds."
    largest = max(repeated, key=lambda one: abs(one.difference.mean))
    return (
        f"The same once more with other seeds moves a curve's end by up to {abs(largest.difference.mean):.3f} "
        f"({largest.name}): smaller differences may be chance."
    )


def _cut_off(usable: Sequence[Curve]) -> str:
    worst = max((point.truncated for curve in usable for point in curve.points), default=0.0)
    if worst < 0.05:
        return ""
    return f"Up to {worst:.0%} of the answers were cut off at the most new tokens, which bounds every curve."


def _unsaid(study: Study, usable: Sequence[Curve]) -> str:
    judged = [curve.name for curve in usable if curve.name.startswith(("best by", "majority weighted"))]
    lost = f" {study.num_dropped} questions had too few attempts with a score." if study.num_dropped else ""
    price = " Tokens of a selector's model count; its seconds and memory don't." if judged else ""
    return (
        f"The intervals are over these {len(study.questions)} questions and say nothing of other tasks, prompts, "
        f"temperatures or models, nor of more than {study.num_samples // 4} attempts, a quarter of the "
        f"{study.num_samples} sampled.{price}{lost}"
    )
