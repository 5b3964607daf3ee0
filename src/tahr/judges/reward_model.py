"""A reward model's score as a reward: ``verifier = "reward_model"``."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from tahr.core.errors import InputError
from tahr.core.ranges import RewardRange
from tahr.core.types import Outcome, Reward, Task, Verdict, broken
from tahr.judges.scorer import RewardScorer


@dataclass(kw_only=True)
class RewardModelVerifier:
    """Scores each answer with a reward model: the reward is its score, as it is or on the scale of held-out answers.

    A score has no natural zero and no bounds: without `low` and `high` nothing is known of its range. An answer counts
    as correct where the reward is above `threshold`. Where the score can't be had there is no reward: an answer beyond
    the reward model's context, of which nothing is cut off, or a prompt that its template refuses.
    """

    model: Annotated[
        str, Field(min_length=1, description='a run, a folder, a hub name, or "run": this run\'s own earlier stage')
    ]
    normalise: Annotated[
        bool, Field(description="less the mean and over the deviation of held-out scores, where the model knows them")
    ] = True
    low: Annotated[float | None, Field(description="rewards below are raised to this")] = None
    high: Annotated[float | None, Field(description="rewards above are lowered to this")] = None
    threshold: Annotated[float, Field(description="an answer worth more counts as correct")] = 0.0
    batch_size: Annotated[
        int,
        Field(
            ge=1,
            le=256,
            description="answers scored together where several wait; above 1, rewards differ by rounding",
        ),
    ] = 1
    dtype: Annotated[Literal["float32", "bfloat16"], Field(description="type of the weights")] = "float32"
    device: Annotated[str, Field(description="cpu, cuda, cuda:1, ...; auto takes a GPU where there is one")] = "auto"
    is_concurrent: bool = field(default=True, init=False)
    reward_range: RewardRange | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        low, high = self._bounds
        if not low <= self.threshold <= high:
            raise InputError(
                "low, threshold and high must be in this order",
                received=f"low {low}, threshold {self.threshold}, high {high}",
            )
        if math.isfinite(low) and math.isfinite(high):
            self.reward_range = RewardRange(passing=(self.threshold, high), failing=(low, self.threshold))
        self._scorer = RewardScorer(self.model, batch_size=self.batch_size, dtype=self.dtype, device=self.device)

    @property
    def _bounds(self) -> tuple[float, float]:
        return -math.inf if self.low is None else self.low, math.inf if self.high is None else self.high

    def enter_run(self, folder: Path) -> None:
        """Load the model before anything is judged; the run's own is loaded when its stage has trained it."""
        self._scorer.enter_run(folder)

    def check_task(self, task: Task) -> None:
        """Raise InputError where the task asks nothing."""
        if not task.prompt:
            raise InputError("a reward model judges answers to a prompt, and the task has none", received=task.id)

    def verify(self, task: Task, text: str) -> Verdict:
        """PASS with a reward above the threshold, FAIL with another; no reward where there is no score."""
        score = self._scorer.score(task.prompt, text)
        if score is None or not math.isfinite(score):
            return broken(
                "the reward model has no score: the conversation is too long for it or refused, or not a number"
            )
        scale = self._scorer.scale
        low, high = self._bounds
        value = min(max((score - scale.mean) / scale.deviation if self.normalise else score, low), high)
        correct = value > self.threshold
        note = f"score {score:.3f}"
        reward = Reward(value=value, parts={"correct": float(correct), "score": score}, note=note)
        return Verdict(outcome=Outcome.PASS if correct else Outcome.FAIL, reward=reward, note=note)

    def num_tokens_read(self, task: Task, text: str) -> int:
        """Tokens that the reward model reads to judge `text`."""
        return self._scorer.num_tokens(task.prompt, text)

    def gold(self, task: Task) -> str | None:
        """None: nobody knows which answer a reward model likes best."""
        return None
