"""How far raters agree: raw agreement, Cohen's kappa, Fleiss' kappa, Krippendorff's alpha, with intervals.

All of them are ``1 - observed / expected disagreement``; they differ in what is expected by chance. Sources: Cohen,
Educ. Psychol. Meas. 20 (1960); Fleiss, Psychol. Bull. 76 (1971); Krippendorff, "Content Analysis" (2004), chapter 11,
for nominal data with missing values.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tahr.core.errors import InputError
from tahr.data.labels.label import Label, Verdict
from tahr.evaluation.resampling import LEVEL, Estimate, Numbers, beyond_chance

Unit = Mapping[str, str]
"""What each rater said of one comparison: rater to category. Who said nothing is absent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Agreement of at least two raters on the comparisons of one domain ("" for all).

    `measure` names `kappa` and `kappa_untied`: Cohen's for two raters, Krippendorff's alpha for more; the second leaves
    out every comparison that somebody called a tie. `fleiss` is given for more than two raters who all labelled the
    same comparisons. `num_left_out` counts comparisons that fewer than two of the raters decided.

    Example: ``agreement({"ada": labels, "judge": others})[0].kappa``
    """

    domain: str
    raters: tuple[str, ...]
    num_comparisons: int
    num_untied: int
    num_prompts: int
    num_left_out: int
    measure: str
    raw: Estimate
    kappa: Estimate
    kappa_untied: Estimate
    fleiss: Estimate | None


def agreement(raters: Mapping[str, Iterable[Label]], *, level: float = LEVEL, seed: int = 0) -> list[Agreement]:
    """Agreement over everything, then domain by domain, with intervals over prompts.

    Raises InputError for fewer than two raters, or where no comparison was decided by two of them.
    """
    if len(raters) < 2:
        raise InputError(
            "agreement takes two raters", received=", ".join(raters) or "none", instead="labels of another rater"
        )
    units: defaultdict[str, dict[str, Verdict]] = defaultdict(dict)
    known: dict[str, Label] = {}
    for who, labels in raters.items():
        for label in labels:
            known.setdefault(label.comparison, label)
            if label.verdict is not None:
                units[label.comparison][who] = label.verdict
    if not any(len(unit) > 1 for unit in units.values()):
        raise InputError(
            "no comparison was decided by two of the raters",
            received=", ".join(f"{len([*unit])} by {who}" for who, unit in _by_rater(units).items()) or "no verdict",
            instead="labels on the same pairs",
        )
    names = tuple(raters)
    domains = sorted({label.domain for label in known.values()})
    found = [_of_domain("", names, known, units, level, seed)]
    return found + [
        _of_domain(
            one, names, {name: label for name, label in known.items() if label.domain == one}, units, level, seed
        )
        for one in (domains if len(domains) > 1 else ())
    ]


def cohen_kappa(
    units: Sequence[Unit], clusters: Sequence[str], raters: tuple[str, str], level: float = LEVEL, seed: int = 0
) -> Estimate:
    """Cohen's kappa of two raters on units that both decided."""
    categories = _categories(units)
    size = len(categories)
    rows = np.zeros((len(units), size * size))
    for place, unit in enumerate(units):
        one, other = (categories[unit[who]] for who in raters)
        rows[place, one * size + other] = 1

    def disagreement(sums: Numbers) -> tuple[Numbers, Numbers]:
        tables = sums.reshape(-1, size, size)
        total = tables.sum(axis=(1, 2))
        chance = (tables.sum(axis=2) * tables.sum(axis=1)).sum(axis=1) / total**2
        return 1 - np.trace(tables, axis1=1, axis2=2) / total, 1 - chance

    return beyond_chance(rows, clusters, disagreement, level=level, seed=seed)


def fleiss_kappa(units: Sequence[Unit], clusters: Sequence[str], level: float = LEVEL, seed: int = 0) -> Estimate:
    """Fleiss' kappa; every unit has the same number of verdicts, at least two."""
    counts = _counts(units)
    rows = np.column_stack([_agreeing(counts), np.ones(len(units)), counts])

    def disagreement(sums: Numbers) -> tuple[Numbers, Numbers]:
        shares = sums[:, 2:] / sums[:, 2:].sum(axis=1, keepdims=True)
        return 1 - sums[:, 0] / sums[:, 1], 1 - (shares**2).sum(axis=1)

    return beyond_chance(rows, clusters, disagreement, level=level, seed=seed)


def krippendorff_alpha(units: Sequence[Unit], clusters: Sequence[str], level: float = LEVEL, seed: int = 0) -> Estimate:
    """Krippendorff's alpha for nominal categories, from units of any number of verdicts, at least two."""
    counts = _counts(units)
    size = counts.shape[1]
    both = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(size)
    rows = (both / (counts.sum(axis=1) - 1)[:, None, None]).reshape(len(units), -1)

    def disagreement(sums: Numbers) -> tuple[Numbers, Numbers]:
        tables = sums.reshape(-1, size, size)
        totals = tables.sum(axis=2)
        total = totals.sum(axis=1)
        unlike = total**2 - (totals**2).sum(axis=1)
        return 1 - np.trace(tables, axis1=1, axis2=2) / total, unlike / (total * (total - 1))

    return beyond_chance(rows, clusters, disagreement, level=level, seed=seed)


def raw_agreement(units: Sequence[Unit], clusters: Sequence[str], level: float = LEVEL, seed: int = 0) -> Estimate:
    """The share of agreeing pairs of raters, averaged over units."""
    rows = np.column_stack([_agreeing(_counts(units)), np.ones(len(units))])
    if not rows[:, 0].any():  # the mirror image of all agreeing
        flipped = beyond_chance(np.column_stack([rows[:, 1], rows[:, 1]]), clusters, _share, level=level, seed=seed)
        return Estimate(value=0.0, low=0.0, high=None if flipped.low is None else 1 - flipped.low)
    return beyond_chance(rows, clusters, _share, level=level, seed=seed)


def _share(sums: Numbers) -> tuple[Numbers, Numbers]:
    return 1 - sums[:, 0] / sums[:, 1], np.ones(len(sums))


def _of_domain(
    domain: str,
    raters: tuple[str, ...],
    known: Mapping[str, Label],
    units: Mapping[str, Unit],
    level: float,
    seed: int,
) -> Agreement:
    shared = {name: units[name] for name in known if len(units.get(name, {})) > 1}
    untied = {name: unit for name, unit in shared.items() if "tie" not in unit.values()}

    def measured(of: Mapping[str, Unit]) -> Estimate:
        values, clusters = list(of.values()), [known[name].prompt_id for name in of]
        if len(raters) == 2:
            return cohen_kappa(values, clusters, (raters[0], raters[1]), level=level, seed=seed)
        return krippendorff_alpha(values, clusters, level=level, seed=seed)

    values, clusters = list(shared.values()), [known[name].prompt_id for name in shared]
    complete = len(raters) > 2 and all(len(unit) == len(raters) for unit in values)
    return Agreement(
        domain=domain,
        raters=raters,
        num_comparisons=len(shared),
        num_untied=len(untied),
        num_prompts=len(set(clusters)),
        num_left_out=len(known) - len(shared),
        measure="Cohen's kappa" if len(raters) == 2 else "Krippendorff's alpha",
        raw=raw_agreement(values, clusters, level=level, seed=seed),
        kappa=measured(shared),
        kappa_untied=measured(untied),
        fleiss=fleiss_kappa(values, clusters, level=level, seed=seed) if complete else None,
    )


def _by_rater(units: Mapping[str, Unit]) -> Mapping[str, list[str]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for name, unit in units.items():
        for who in unit:
            found[who].append(name)
    return found


def _categories(units: Sequence[Unit]) -> dict[str, int]:
    return {name: place for place, name in enumerate(sorted({one for unit in units for one in unit.values()}))}


def _counts(units: Sequence[Unit]) -> Numbers:
    """How often each category was said of each unit, (N, K)."""
    categories = _categories(units)
    counts = np.zeros((len(units), len(categories)))
    for place, unit in enumerate(units):
        for category, count in Counter(unit.values()).items():
            counts[place, categories[category]] = count
    return counts


def _agreeing(counts: Numbers) -> Numbers:
    """The share of pairs of raters of each unit that agree, (N,)."""
    total = counts.sum(axis=1)
    return (counts * (counts - 1)).sum(axis=1) / (total * (total - 1))
