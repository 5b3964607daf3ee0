"""A model rates each aspect of each answer, from 1 to 5."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from statistics import fmean
from typing import Annotated, Literal

from pydantic import Field

from tahr.core.judging import Question, judges
from tahr.core.preferences import Candidate, Judgment, JudgmentState
from tahr.judges.ask import ModelJudge, combined_state
from tahr.judges.prompt import load_prompt
from tahr.judges.reading import read_number

Aspect = Literal["helpfulness", "honesty", "instruction_following", "truthfulness"]
ASPECTS: tuple[Aspect, ...] = ("helpfulness", "honesty", "instruction_following", "truthfulness")
LOWEST, HIGHEST = 1, 5


@judges.register("aspects")
class Aspects(ModelJudge):
    """Rates helpfulness, honesty, instruction following and truthfulness, each from 1 to 5 in a question of its own.

    An aspect may be found not to apply to a prompt. The rating is the mean of those that do. One rating that can't be
    read leaves the whole unread: a mean over the others would favour answers that confuse the judge. The aspects are
    those of UltraFeedback (Cui et al. 2023), the questions are tahr's own.
    """

    kind = "aspects"

    def __init__(self, aspects: Annotated[tuple[Aspect, ...], Field(min_length=1)] = ASPECTS) -> None:
        if len(set(aspects)) != len(aspects):
            raise ValueError("an aspect is named twice")
        self.aspects = aspects

    def calls_for(self, num_answers: int) -> tuple[int, int]:
        """Every aspect of every answer by itself."""
        return num_answers * len(self.aspects), 1

    async def judge(self, question: Question, candidates: Sequence[Candidate]) -> tuple[Judgment, ...]:
        """One judgment a candidate, `rating` in [1, 5], `ratings` by aspect."""
        return tuple(await asyncio.gather(*(self._judge(question, candidate) for candidate in candidates)))

    async def _judge(self, question: Question, candidate: Candidate) -> Judgment:
        prompt = load_prompt("aspect")
        guides = [load_prompt(f"aspects/{aspect}") for aspect in self.aspects]
        asked = [
            self.asker.ask(prompt, question, {"ANSWER": candidate.text}, guide=guide.text.strip()) for guide in guides
        ]
        said = await asyncio.gather(*asked)
        readings = [read_number(one.lines, LOWEST, HIGHEST) for one in said]
        ratings = {
            aspect: reading
            for aspect, reading in zip(self.aspects, readings, strict=True)
            if isinstance(reading, float)
        }
        state = combined_state(readings, said)
        kept = {
            aspect: {**one.provenance, "guide_hash": guide.hash}
            for aspect, one, guide in zip(self.aspects, said, guides, strict=True)
        }
        return Judgment(
            candidates=(candidate.id,),
            state=state,
            judge=self.name,
            rating=fmean(ratings.values()) if state is JudgmentState.JUDGED else None,
            ratings=ratings,
            provenance={"asked": kept},
        )
