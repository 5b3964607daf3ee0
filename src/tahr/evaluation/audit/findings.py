"""What an audit finds. Wrong answers that pass and right ones that don't are never mixed into one score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tahr.evaluation.statistics import Mean, wilson_interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """How many of how many, with Wilson's 95% interval of the share.

    Example: ``Rate(count=3, total=60)``, whose share is 0.05 and whose interval is from 0.017 to 0.137
    """

    count: int
    total: int

    @property
    def share(self) -> float | None:
        """The share; None of nothing."""
        return self.count / self.total if self.total else None

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's interval; all of [0, 1] for nothing."""
        return wilson_interval(self.share or 0.0, self.total)


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One verdict to read: what was right, what was judged, and what came of it. `label` says which kind of text it is.

    Example: ``Example(label="a rounded decimal", answer="1/3", text="0.33", outcome="pass", note="0.33 equals 1/3")``
    """

    label: str
    answer: str
    text: str
    outcome: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Floor:
    """What an answer that does nothing is worth: its mean reward, and how often it is correct.

    `reward` is None where no attempt had one; `text` shows the answer where it is the same for every task.

    Example: ``Floor(policy="empty", text="", reward=mean, passes=Rate(count=0, total=100))``
    """

    policy: str
    text: str
    reward: Mean | None
    passes: Rate


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Texts of one kind, all right or all wrong: how many were judged as they are.

    Example: ``Group(name="denied", agreed=Rate(count=99, total=100), examples=(example,))``
    """

    name: str
    agreed: Rate
    examples: tuple[Example, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """Labelled answers: wrong ones that passed of all wrong ones, and right ones that did not of all right ones.

    Those without a reward (timeouts and errors) are in neither, and counted in `num_unjudged`.

    Example: ``Pairs(false_positives=Rate(count=0, total=70), false_negatives=Rate(count=2, total=80), num_unjudged=0,
    examples=(example,))``
    """

    false_positives: Rate
    false_negatives: Rate
    num_unjudged: int
    examples: tuple[Example, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """Seconds for one check, hostile texts left out of all but `slowest_hostile`; `rate` is checks a second.

    Example: ``Timing(num_checks=5000, rate=20_000.0, median=4e-5, ninety_ninth=2e-4, slowest=example,
    slowest_seconds=0.01, slowest_hostile="deep lists", slowest_hostile_seconds=0.1)``
    """

    num_checks: int
    rate: float
    median: float
    ninety_ninth: float
    slowest: Example
    slowest_seconds: float
    slowest_hostile: str
    slowest_hostile_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """Everything that was found out about a verifier. `outcomes` counts the verdicts of all checks.

    `faults` says in words what makes the verifier unfit for use; it is empty where nothing does.

    Example: ``Audit(verifier="math", sources=("the built-in set 'math'",), num_tasks=80, gold=Rate(count=80, total=80),
    ...)``
    """

    verifier: str
    sources: tuple[str, ...]
    num_tasks: int
    gold: Rate
    refused_golds: tuple[Example, ...]
    floors: tuple[Floor, ...]
    pairs: Pairs | None
    rephrased: tuple[Group, ...]
    spoilt: tuple[Group, ...]
    hostile: Group
    repeated: Rate
    changed: tuple[Example, ...]
    outcomes: Mapping[str, int]
    errors: tuple[Example, ...]
    timing: Timing
    faults: tuple[str, ...]

    @property
    def is_sound(self) -> bool:
        """Whether the verifier passes its own golds, never fails by itself, and always says the same."""
        return not self.faults
