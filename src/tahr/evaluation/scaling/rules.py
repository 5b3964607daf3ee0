"""How one answer is made of k attempts: voting, choosing by a score, and the two bounds that no honest rule leaves."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Protocol

from tahr.evaluation.at_k import best_of_k, maj_at_k
from tahr.evaluation.scaling.samples import LIKELIHOOD, Question, selectors_of
from tahr.evaluation.scaling.weighted import weighted_maj_at_k

MAJORITY, ORACLE, RANDOM = "majority", "oracle", "random verifier"


class Rule(Protocol):
    """Makes one answer of k attempts.

    `selector` names whose tokens are paid beside the attempts' own, empty for nobody's. `is_bound` says that it knows
    the truth or nothing at all, and is drawn to compare with.
    """

    @property
    def name(self) -> str:
        """What people read."""
        ...

    @property
    def selector(self) -> str:
        """Who scores every attempt."""
        ...

    @property
    def is_bound(self) -> bool:
        """Whether it is no rule that one could use."""
        ...

    def at(self, question: Question, values: Sequence[float], k: int) -> float:
        """The expected value of what is chosen of k attempts; `values` (n,) is what each attempt is worth."""
        ...

    def limit(self, question: Question, values: Sequence[float]) -> float:
        """The same for attempts without end, of which these n are all that is known: its ceiling on the question."""
        ...


@dataclass(frozen=True, slots=True)
class Majority:
    """The most frequent answer."""

    name: str = MAJORITY
    selector: str = ""
    is_bound: bool = False

    def at(self, question: Question, values: Sequence[float], k: int) -> float:
        """As the rule says."""
        return maj_at_k([attempt.answer for attempt in question.attempts], values, k)

    def limit(self, question: Question, values: Sequence[float]) -> float:
        """Without end."""
        return _heaviest(question, [1.0] * len(values), values)


@dataclass(frozen=True, slots=True)
class WeightedMajority:
    """The answer whose attempts weigh most together.

    A likelihood weighs as itself, a score between 0 and 1 too, any other as its logistic function.
    """

    selector: str
    is_share: bool
    is_bound: bool = False

    @property
    def name(self) -> str:
        """With the selector's."""
        return f"majority weighted by {self.selector}"

    def at(self, question: Question, values: Sequence[float], k: int) -> float:
        """As the rule says."""
        answers = [attempt.answer for attempt in question.attempts]
        return weighted_maj_at_k(answers, self._weights(question), values, k)

    def limit(self, question: Question, values: Sequence[float]) -> float:
        """Without end."""
        return _heaviest(question, self._weights(question), values)

    def _weights(self, question: Question) -> list[float]:
        return [self._weight(score) for score in _scores(question, self.selector)]

    def _weight(self, score: float) -> float:
        if self.selector == LIKELIHOOD:
            return math.exp(score)
        if self.is_share:
            return max(0.0, score)
        return 1 / (1 + math.exp(-max(score, -700.0)))


@dataclass(frozen=True, slots=True)
class BestOf:
    """The attempt that the selector scores highest; one without a score comes last."""

    selector: str
    is_bound: bool = False

    @property
    def name(self) -> str:
        """With the selector's."""
        return f"best by {self.selector}"

    def at(self, question: Question, values: Sequence[float], k: int) -> float:
        """As the rule says."""
        return best_of_k(_scores(question, self.selector), values, k)

    def limit(self, question: Question, values: Sequence[float]) -> float:
        """Without end."""
        return _highest(_scores(question, self.selector), values)


@dataclass(frozen=True, slots=True)
class Oracle:
    """The best attempt, by whoever knows the answer: pass@k. No selector that works on these attempts does better."""

    name: str = ORACLE
    selector: str = ""
    is_bound: bool = True

    def at(self, question: Question, values: Sequence[float], k: int) -> float:
        """As the rule says."""
        return best_of_k([attempt.correct for attempt in question.attempts], values, k)

    def limit(self, question: Question, values: Sequence[float]) -> float:
        """Without end."""
        return _highest([attempt.correct for attempt in question.attempts], values)


@dataclass(frozen=True, slots=True)
class RandomVerifier:
    """Any of the attempts: what a verifier that knows nothing, and costs nothing, makes of them."""

    name: str = RANDOM
    selector: str = ""
    is_bound: bool = True

    def at(self, question: Question, values: Sequence[float], k: int) -> float:
        """As the rule says."""
        return fmean(values)

    def limit(self, question: Question, values: Sequence[float]) -> float:
        """Without end."""
        return fmean(values)


def rules_for(questions: Sequence[Question]) -> list[Rule]:
    """The rules that these attempts allow: no vote where no verifier says what was answered."""
    can_vote = any(attempt.answer is not None for one in questions for attempt in one.attempts)
    rules: list[Rule] = [Majority()] if can_vote else []
    for selector in selectors_of(questions):
        scores = [score for one in questions for score in _scores(one, selector) if score > -math.inf]
        if can_vote:
            rules.append(WeightedMajority(selector, is_share=all(0 <= score <= 1 for score in scores)))
        rules.append(BestOf(selector))
    return [*rules, Oracle(), RandomVerifier()]


def _scores(question: Question, selector: str) -> list[float]:
    return [attempt.scores.get(selector, -math.inf) for attempt in question.attempts]


def _highest(scores: Sequence[float], values: Sequence[float]) -> float:
    top = max(scores)
    return fmean(value for score, value in zip(scores, values, strict=True) if score == top)


def _heaviest(question: Question, weights: Sequence[float], values: Sequence[float]) -> float:
    sums: defaultdict[str, float] = defaultdict(float)
    worth: defaultdict[str, list[float]] = defaultdict(list)
    for attempt, weight, value in zip(question.attempts, weights, values, strict=True):
        if attempt.answer is not None:
            sums[attempt.answer] += weight
            worth[attempt.answer].append(value)
    if not sums:
        return 0.0
    top = max(sums.values())
    return fmean(fmean(worth[answer]) for answer, weight in sums.items() if weight >= top * (1 - 1e-12))
