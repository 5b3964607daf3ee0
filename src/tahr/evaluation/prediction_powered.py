"""Means that few people's labels and many predictions give together, with intervals that hold whatever the
predictions are worth.

A judge's verdicts are cheap and biased, people's are dear. On the sample that both decided, the judge's error is
measured; its mean over everything is corrected by it. Sources: Angelopoulos, Bates, Fannjiang, Jordan and Zrnic,
"Prediction-powered inference", Science 382 (2023); the power tuning (how far to trust the predictions) is that of
Angelopoulos, Duchi and Zrnic, "PPI++", arXiv 2311.01453, section 6, example 6.1, kept within [0, 1].
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import covariance, fmean, stdev, variance

from tahr.core.errors import InputError
from tahr.core.preferences import JudgmentState
from tahr.data.labels.label import Label
from tahr.evaluation.statistics import LEVEL, Mean, mean_interval

MIN_LABELLED = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class PoweredMean:
    """A mean of people's values, helped by predictions. `power` is the weight of the predictions, 0 to 1.

    `people` is the mean from the labelled units alone and `predicted` that of all predictions, which no interval saves
    from the predictor's bias. `bias` is how much too high the predictions are on the labelled units.

    Example: ``powered_mean([(1.0, 1.0), (0.0, 1.0), (1.0, 1.0)], [1.0, 0.0, 1.0, 1.0])``
    """

    num_labelled: int
    num_unlabelled: int
    mean: float
    standard_error: float
    low: float
    high: float
    power: float
    bias: Mean
    people: Mean
    predicted: Mean


def powered_mean(
    labelled: Sequence[tuple[float, float]],
    unlabelled: Sequence[float],
    *,
    power: float | None = None,
    bounds: tuple[float, float] = (0.0, 1.0),
    level: float = LEVEL,
) -> PoweredMean:
    """The mean of what people would say of all units, which are independent draws from one population.

    `labelled` holds (people's value, prediction), `unlabelled` predictions of other units; values lie in `bounds`.
    `power` 1 is the plain prediction-powered estimate, 0 leaves predictions out, None chooses what varies least. Raises
    InputError for fewer than 2 labelled.

    The published interval is asymptotic: where few errors of the predictor fall into the sample, it is far too short
    (coverage of 0.91 instead of 0.95 at 60 labels and 6% errors, 0.88 at 15). Here t quantiles are used, and power and
    spread are those of the sample and two more units, on which the predictor errs as far as it can in either direction,
    as Agresti and Coull (Am. Stat. 52, 1998) add successes and failures. The mean itself is left as published.
    """
    if len(labelled) < MIN_LABELLED:
        raise InputError(
            "too few units have both a person's label and a prediction", received=len(labelled), instead="at least 2"
        )
    values, guesses = [value for value, _ in labelled], [guess for _, guess in labelled]
    weight = 0.0 if len(unlabelled) < MIN_LABELLED else _tuned(labelled, unlabelled, bounds) if power is None else power
    people = mean_interval(values, bounds=bounds, level=level)
    mean, error, half = people.mean, people.standard_error, None
    if weight:
        mean = fmean(value - weight * guess for value, guess in labelled) + weight * fmean(unlabelled)
        of_labelled = _error(labelled, weight, bounds)
        of_others = weight * stdev(unlabelled) / math.sqrt(len(unlabelled))
        error = math.hypot(of_labelled, of_others)
        half = math.hypot(
            _t_quantile(level, len(labelled) - 1) * of_labelled, _t_quantile(level, len(unlabelled) - 1) * of_others
        )
    span = bounds[1] - bounds[0]
    everything = [*guesses, *unlabelled]
    return PoweredMean(
        num_labelled=len(labelled),
        num_unlabelled=len(unlabelled),
        mean=mean,
        standard_error=error,
        low=people.low if half is None else max(bounds[0], mean - half),
        high=people.high if half is None else min(bounds[1], mean + half),
        power=weight,
        bias=mean_interval([guess - value for value, guess in labelled], bounds=(-span, span), level=level),
        people=people,
        predicted=mean_interval(everything, bounds=bounds, level=level),
    )


def powered_win_rate(
    people: Iterable[Label], predicted: Iterable[Label], favourites: Mapping[str, str], *, level: float = LEVEL
) -> PoweredMean:
    """How often people would prefer the favourite answers (comparison to answer id); a tie is half a win.

    Comparisons that the predictor did not decide are left out, and so are people's labels without a verdict. Several
    people's labels on a comparison count as their mean. The unit is the prompt: its comparisons' mean. Raises
    InputError where fewer than 2 prompts have both.
    """
    said, guessed = _wins(people, favourites), _wins(predicted, favourites)
    labelled: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
    alone: defaultdict[str, list[float]] = defaultdict(list)
    for name, (prompt, guess) in guessed.items():
        if name in said:
            labelled[prompt].append((said[name][1], guess))
        else:
            alone[prompt].append(guess)
    both = [(fmean(value for value, _ in one), fmean(guess for _, guess in one)) for one in labelled.values()]
    others = [fmean(one) for prompt, one in alone.items() if prompt not in labelled]
    return powered_mean(both, others, level=level)


def _wins(labels: Iterable[Label], favourites: Mapping[str, str]) -> dict[str, tuple[str, float]]:
    """Comparison to (prompt, win of the favourite), of labels with a verdict on a comparison that has a favourite."""
    found: defaultdict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for label in labels:
        if label.comparison in favourites and label.verdict is not None:
            tied = label.judgment.state is JudgmentState.TIE
            won = 0.5 if tied else float(label.judgment.preferred == favourites[label.comparison])
            found[label.comparison, label.prompt_id][label.who] = won
    return {comparison: (prompt, fmean(by_who.values())) for (comparison, prompt), by_who in found.items()}


def _tuned(labelled: Sequence[tuple[float, float]], unlabelled: Sequence[float], bounds: tuple[float, float]) -> float:
    """The weight of least variance: ``cov(value, guess) / ((1 + n / N) var(guess))``, within [0, 1]."""
    units = [*labelled, bounds, bounds[::-1]]
    guesses = [guess for _, guess in units]
    spread = variance([*guesses, *unlabelled])
    if spread <= 0:
        return 0.0
    shared = covariance([value for value, _ in units], guesses)
    return min(1.0, max(0.0, shared / ((1 + len(labelled) / len(unlabelled)) * spread)))


def _error(labelled: Sequence[tuple[float, float]], weight: float, bounds: tuple[float, float]) -> float:
    """The standard error of the mean of value less weighted guess, around which the two imagined units are placed."""
    rest = [value - weight * guess for value, guess in labelled]
    centre = fmean(rest)
    worst = [value - weight * guess for value, guess in (bounds, bounds[::-1])]
    squares = math.fsum((one - centre) ** 2 for one in (*rest, *worst))
    return math.sqrt(squares / (len(rest) + 1) / len(rest))


def _t_quantile(level: float, freedom: int) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + level) / 2))
