"""A model goes through a list of criteria, one question each."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast

from tahr.core.errors import InputError
from tahr.core.judging import Question, judges
from tahr.core.preferences import Candidate, Judgment, JudgmentState
from tahr.judges.ask import ModelJudge, combined_state
from tahr.judges.config import Criterion
from tahr.judges.prompt import load_prompt
from tahr.judges.reading import Reading, read_choice, read_number

YES_NO: Mapping[str, str | JudgmentState] = {
    "YES": "yes",
    "NO": "no",
    **dict.fromkeys(("N/A", "NA", "NOT APPLICABLE"), JudgmentState.NOT_APPLICABLE),
}
MOST_POINTS = 10


@judges.register("rubric")
class Rubric(ModelJudge):
    """Judges each criterion of a rubric by yes or no, or by 0 to 10 points, and weighs them together.

    The criteria are the judge's own, or where a task's ``meta`` has some under `meta_key`, those. The rating is the
    weight that was earned over the positive weight that applied, at least 0 and at most 1: a criterion of negative
    weight names a fault, which takes off.
    """

    kind = "rubric"

    def __init__(
        self,
        criteria: tuple[Criterion, ...] = (),
        scale: Literal["yes_no", "points"] = "yes_no",
        meta_key: str = "rubric",
    ) -> None:
        self.criteria = criteria
        self.scale = scale
        self.meta_key = meta_key
        if criteria:
            _check(criteria)

    def calls_for(self, num_answers: int) -> tuple[int, int]:
        """Every criterion for every answer by itself; one stands for those that tasks bring."""
        return num_answers * max(1, len(self.criteria)), 1

    async def judge(self, question: Question, candidates: Sequence[Candidate]) -> tuple[Judgment, ...]:
        """One judgment a candidate, `rating` in [0, 1], `ratings` in [0, 1] by the criterion's text."""
        try:
            criteria = self.criteria_for(question)
        except InputError as error:
            state, note = JudgmentState.FAILED, str(error)[:1000]
        else:
            if criteria:
                return tuple(await asyncio.gather(*(self._judge(question, one, criteria) for one in candidates)))
            state, note = JudgmentState.NOT_APPLICABLE, "neither the judge nor the task has a rubric"
        return tuple(
            Judgment(candidates=(one.id,), state=state, judge=self.name, provenance={"note": note})
            for one in candidates
        )

    def criteria_for(self, question: Question) -> tuple[Criterion, ...]:
        """The task's own criteria, else the judge's. Raises InputError where the task's aren't any."""
        found: Any = question.task.meta.get(self.meta_key) if question.task else None
        if found is None:
            return self.criteria
        if not isinstance(found, (list, tuple)):
            raise InputError(f"meta.{self.meta_key} is no list of criteria", received=repr(found)[:80])
        criteria = tuple(
            Criterion.read(
                cast("Mapping[str, Any]", one) if isinstance(one, Mapping) else {"text": one},
                where=f"meta.{self.meta_key}[{index}]",
            )
            for index, one in enumerate(cast("Sequence[Any]", found))
        )
        _check(criteria)
        return criteria

    async def _judge(self, question: Question, candidate: Candidate, criteria: Sequence[Criterion]) -> Judgment:
        prompt = load_prompt(f"rubric_{self.scale}")
        answers = {"ANSWER": candidate.text}
        said = await asyncio.gather(*(self.asker.ask(prompt, question, answers, criterion=c.text) for c in criteria))
        shares = [self._share(one.lines) for one in said]
        met = {c: share for c, share in zip(criteria, shares, strict=True) if isinstance(share, float)}
        possible = sum(criterion.weight for criterion in met if criterion.weight > 0)
        state = combined_state(shares, said)
        if state is JudgmentState.JUDGED and not possible:
            state = JudgmentState.NOT_APPLICABLE  # only faults were left to find: there is nothing to earn
        earned = sum(criterion.weight * share for criterion, share in met.items())
        return Judgment(
            candidates=(candidate.id,),
            state=state,
            judge=self.name,
            rating=min(1.0, max(0.0, earned / possible)) if state is JudgmentState.JUDGED else None,
            ratings={criterion.text: share for criterion, share in met.items()},
            provenance={
                "asked": [
                    {**one.provenance, "criterion": c.text, "weight": c.weight}
                    for c, one in zip(criteria, said, strict=True)
                ]
            },
        )

    def _share(self, lines: list[str] | None) -> Reading:
        """How far a criterion is met, in [0, 1]."""
        if self.scale == "points":
            points = read_number(lines, 0, MOST_POINTS)
            return points / MOST_POINTS if isinstance(points, float) else points
        found = read_choice(lines, YES_NO)
        return {"yes": 1.0, "no": 0.0}[found] if found in ("yes", "no") else found


def _check(criteria: Sequence[Criterion]) -> None:
    if len({criterion.text for criterion in criteria}) != len(criteria):
        raise InputError("a criterion stands twice in the rubric", instead="each once, with its whole weight")
    if not any(criterion.weight > 0 for criterion in criteria):
        raise InputError("no criterion of the rubric has a positive weight", instead="one that an answer can earn")
