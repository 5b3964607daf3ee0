"""From verdicts to findings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import median

from tahr.core.types import Outcome
from tahr.evaluation.audit.checks import Checked, Section
from tahr.evaluation.audit.findings import Audit, Example, Floor, Group, Pairs, Rate, Timing
from tahr.evaluation.audit.policies import CONSTANT
from tahr.evaluation.statistics import mean_interval

MAX_EXAMPLES = 5
"""Of one kind of finding; of labelled answers all are kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgements:
    """All checks with their verdicts; and of those that were judged again, both.

    Example: ``Judgements(first=(checked,), again=((checked, checked_again),))``
    """

    first: tuple[Checked, ...]
    again: tuple[tuple[Checked, Checked], ...]

    def of(self, section: Section) -> list[Checked]:
        """Those of one section."""
        return [one for one in self.first if one.check.section is section]


def conclude(
    verifier: str, judged: Judgements, *, sources: tuple[str, ...], num_tasks: int, gold_faults: Sequence[str]
) -> Audit:
    """The audit that the verdicts amount to. `gold_faults` is what went wrong before anything was judged."""
    golds = judged.of(Section.GOLD)
    errors = [one for one in judged.first if one.outcome is Outcome.ERROR]
    changed = [second for first, second in judged.again if _contradicts(first, second)]
    gold = _rate(golds)
    repeated = Rate(count=len(changed), total=len(judged.again))
    broken = Rate(count=len(errors), total=len(judged.first))
    return Audit(
        verifier=verifier,
        sources=sources,
        num_tasks=num_tasks,
        gold=gold,
        refused_golds=_examples(one for one in golds if not one.has_passed),
        floors=_floors(judged.of(Section.FLOOR)),
        pairs=_pairs(judged.of(Section.PAIR)),
        rephrased=_groups(judged.of(Section.REPHRASED)),
        spoilt=_groups(judged.of(Section.SPOILT)),
        hostile=_hostile(judged.of(Section.HOSTILE)),
        repeated=repeated,
        changed=_examples(changed),
        outcomes={outcome.value: sum(one.outcome is outcome for one in judged.first) for outcome in Outcome},
        errors=_examples(errors),
        timing=_timing(judged.first),
        faults=(*sorted(set(gold_faults)), *_faults(gold, broken, repeated)),
    )


def _faults(gold: Rate, broken: Rate, repeated: Rate) -> Iterable[str]:
    if gold.count < gold.total:
        yield f"it refuses {gold.total - gold.count} of {gold.total} of its own right answers"
    if not gold.total:
        yield "no task has a right answer of its own to be judged"
    if broken.count:
        yield f"it failed on {broken.count} of {broken.total} checks instead of giving a verdict"
    if repeated.count:
        yield f"it changed its verdict on {repeated.count} of {repeated.total} texts that it judged twice"


def _contradicts(first: Checked, second: Checked) -> bool:
    """Whether two verdicts on one text differ; one that came too late on a busy machine contradicts nothing."""
    return second.outcome is not Outcome.TIMEOUT and _said(first) != _said(second)


def _said(one: Checked) -> tuple[object, ...]:
    judged = one.judged
    return judged.outcome, judged.value, judged.extracted, tuple(sorted(judged.parts.items()))


def _rate(checked: Sequence[Checked]) -> Rate:
    return Rate(count=sum(one.has_passed for one in checked), total=len(checked))


def _examples(checked: Iterable[Checked]) -> tuple[Example, ...]:
    return tuple(one.example() for one, _ in zip(checked, range(MAX_EXAMPLES), strict=False))


def _floors(checked: Sequence[Checked]) -> tuple[Floor, ...]:
    """The policies in their order, and of the constants the best one: most often correct, then highest reward."""
    floors = [_floor(name, list(group)) for name, group in groupby(checked, lambda one: one.check.label)]
    best = max(
        (floor for floor in floors if floor.policy.startswith(CONSTANT)),
        key=lambda floor: (floor.passes.share or 0.0, floor.reward.mean if floor.reward else 0.0),
        default=None,
    )
    others = [floor for floor in floors if not floor.policy.startswith(CONSTANT)]
    return (*others, best) if best else tuple(others)


def _floor(name: str, checked: Sequence[Checked]) -> Floor:
    values = [one.judged.value for one in checked if one.judged.value is not None]
    texts = {one.check.text for one in checked}
    return Floor(
        policy=CONSTANT if name.startswith(CONSTANT) else name,
        text=texts.pop() if len(texts) == 1 else "",
        reward=mean_interval(values, num_excluded=len(checked) - len(values)) if values else None,
        passes=_rate([one for one in checked if not one.is_absent]),
    )


def _pairs(checked: Sequence[Checked]) -> Pairs | None:
    if not checked:
        return None
    present = [one for one in checked if not one.is_absent]
    right = [one for one in present if one.check.right]
    wrong = [one for one in present if not one.check.right]
    refused = [one for one in right if not one.has_passed]
    return Pairs(
        false_positives=_rate(wrong),
        false_negatives=Rate(count=len(refused), total=len(right)),
        num_unjudged=len(checked) - len(present),
        examples=tuple(one.example() for one in [*(one for one in wrong if one.has_passed), *refused]),
    )


def _groups(checked: Sequence[Checked]) -> tuple[Group, ...]:
    labels = dict.fromkeys(one.check.label for one in checked)
    return tuple(_group(label, [one for one in checked if one.check.label == label]) for label in labels)


def _group(name: str, checked: Sequence[Checked]) -> Group:
    """How many are judged as they are; those without a reward are left out."""
    present = [one for one in checked if not one.is_absent]
    wrong = [one for one in present if one.has_passed != bool(one.check.right)]
    return Group(name=name, agreed=Rate(count=len(present) - len(wrong), total=len(present)), examples=_examples(wrong))


def _hostile(checked: Sequence[Checked]) -> Group:
    """Texts that must fail; where nobody knows whether they do, texts that get a verdict at all."""
    if all(one.check.right is not None for one in checked):
        return _group("hostile texts: fail", checked)
    present = sum(not one.is_absent for one in checked)
    return Group(name="hostile texts: get a verdict", agreed=Rate(count=present, total=len(checked)))


def _timing(checked: Sequence[Checked]) -> Timing:
    honest = sorted((one for one in checked if one.check.section is not Section.HOSTILE), key=_seconds)
    hostile = max((one for one in checked if one.check.section is Section.HOSTILE), key=_seconds)
    seconds = [_seconds(one) for one in honest]
    return Timing(
        num_checks=len(honest),
        rate=len(honest) / max(sum(seconds), 1e-9),
        median=median(seconds),
        ninety_ninth=seconds[int(0.99 * (len(seconds) - 1))],
        slowest=honest[-1].example(),
        slowest_seconds=seconds[-1],
        slowest_hostile=hostile.check.label,
        slowest_hostile_seconds=_seconds(hostile),
    )


def _seconds(one: Checked) -> float:
    return one.judged.seconds
