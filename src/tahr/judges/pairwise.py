"""A model compares two answers, asked in both orders."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import combinations

from tahr.core.judging import Question, judges
from tahr.core.preferences import Candidate, Judgment, JudgmentState
from tahr.judges.ask import ModelJudge, combined_state
from tahr.judges.prompt import load_prompt
from tahr.judges.reading import read_choice

CHOICES = {
    "A": "A",
    "B": "B",
    **dict.fromkeys(("TIE", "TIED", "DRAW", "EQUAL", "EQUALLY GOOD", "NEITHER", "BOTH"), "tie"),
}
"""What the judge may answer, and what it means."""


@judges.register("pairwise")
class Pairwise(ModelJudge):
    """Says which of two answers is better; each two are shown in both orders.

    Models prefer the first or the second place (Zheng et al. 2023), so only a preference that both orders agree on
    counts; where they disagree it is a tie, and both answers are kept.
    """

    kind = "pairwise"

    def calls_for(self, num_answers: int) -> tuple[int, int]:
        """Each two answers, in both orders."""
        return num_answers * (num_answers - 1), 2

    async def judge(self, question: Question, candidates: Sequence[Candidate]) -> tuple[Judgment, ...]:
        """One judgment for each two candidates, `preferred` where both orders agree."""
        found = (self._judge(question, first, second) for first, second in combinations(candidates, 2))
        return tuple(await asyncio.gather(*found))

    async def _judge(self, question: Question, first: Candidate, second: Candidate) -> Judgment:
        ids = (first.id, second.id)
        if first.text == second.text:
            note = "the answers are the same: nobody was asked"
            return Judgment(candidates=ids, state=JudgmentState.TIE, judge=self.name, provenance={"note": note})
        prompt = load_prompt("pairwise")
        orders = ((first, second), (second, first))
        asked = [self.asker.ask(prompt, question, {"ANSWER A": a.text, "ANSWER B": b.text}) for a, b in orders]
        said = await asyncio.gather(*asked)
        readings = [read_choice(one.lines, CHOICES) for one in said]
        state = combined_state(readings, said)
        chosen = [{"A": a.id, "B": b.id}.get(str(reading)) for (a, b), reading in zip(orders, readings, strict=True)]
        if state is JudgmentState.JUDGED and (chosen[0] is None or chosen[0] != chosen[1]):
            state = JudgmentState.TIE
        kept = [
            {**one.provenance, "order": [a.id, b.id], "read": str(reading)}
            for (a, b), one, reading in zip(orders, said, readings, strict=True)
        ]
        return Judgment(
            candidates=ids,
            state=state,
            judge=self.name,
            preferred=chosen[0] if state is JudgmentState.JUDGED else None,
            provenance={"asked": kept},
        )
