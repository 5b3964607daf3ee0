"""A reward model as a judge of preference data."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from pydantic import Field

from tahr.core.judging import Question, judges
from tahr.core.preferences import Candidate, Judgment, JudgmentState
from tahr.judges.scorer import Dtype, RewardScorer


@judges.register("reward_model")
class RewardModelJudge:
    """Rates each answer by its score. Only scores of answers to one prompt can be compared, which is all that pairs
    need. What doesn't fit into the model's context has a failed judgment, never a low one."""

    def __init__(
        self,
        source: Annotated[
            str, Field(min_length=1, description='a run, a folder, a hub name, or "run": this run\'s own earlier stage')
        ],
        batch_size: Annotated[int, Field(ge=1, le=256, description="answers scored together")] = 16,
        dtype: Dtype = "float32",
        device: Annotated[str, Field(description="cpu, cuda, ...; auto takes a GPU where there is one")] = "auto",
    ) -> None:
        self._source = source
        self._scorer = RewardScorer(source, batch_size=batch_size, dtype=dtype, device=device)

    @property
    def name(self) -> str:
        """Kind and model."""
        return f"reward_model:{self._source}"

    def fetch(self) -> None:
        """Download the model where it is on the hub. Raises InputError where it can't be had."""
        self._scorer.fetch()

    def enter_run(self, folder: Path) -> None:
        """Know the model before anything is judged. It is loaded now unless its files are those that it had before."""
        self._scorer.enter_run(folder, at_once=False)
        _ = self._scorer.fingerprint

    def depends_on(self, question: Question) -> str:
        """The model's weights: another one at the same place judges anew."""
        return self._scorer.fingerprint

    async def judge(self, question: Question, candidates: Sequence[Candidate]) -> tuple[Judgment, ...]:
        """One judgment a candidate, its score the rating."""
        asked = (asyncio.to_thread(self._scorer.score, question.prompt, one.text) for one in candidates)
        scores = await asyncio.gather(*asked)
        return tuple(map(self._judgment, candidates, scores))

    def _judgment(self, candidate: Candidate, score: float | None) -> Judgment:
        known = score is not None and math.isfinite(score)
        return Judgment(
            candidates=(candidate.id,),
            state=JudgmentState.JUDGED if known else JudgmentState.FAILED,
            judge=self.name,
            rating=score if known else None,
            provenance={"model": self._source}
            if known
            else {"model": self._source, "note": "too long for the reward model's context, or refused by its template"},
        )
