"""UltraFeedback as it was published: several answers to an instruction, each rated for four aspects from 1 to 5.

Source: Cui et al. 2023, "UltraFeedback: Boosting Language Models with Scaled AI Feedback".
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, cast

from tahr.core.preferences import Candidate, Judgment, JudgmentState, id_of_prompt
from tahr.core.types import Message
from tahr.data.columns import RowError
from tahr.data.preferences.binarize import binarize
from tahr.data.preferences.config import Choice
from tahr.data.preferences.states import Reading

ASPECTS = ("helpfulness", "honesty", "instruction_following", "truthfulness")
LOWEST, HIGHEST = 1.0, 5.0


def read_completions(values: Mapping[str, Any], *, choice: Choice, min_margin: float, seed: int) -> Reading:
    """The pairs of a row by the mean of the four ratings. An answer that lacks one of them has no mean.

    Raises RowError where the row has no instruction or no list of completions.
    """
    instruction, completions = values.get("instruction"), values.get("completions")
    if not isinstance(instruction, str) or not instruction.strip() or not isinstance(completions, list):
        raise RowError("no instruction, or no list of completions")
    prompt = (Message(role="user", content=instruction),)
    candidates: list[Candidate] = []
    judgments: dict[str, Judgment] = {}
    for item in cast("list[Any]", completions):
        answer = cast("dict[str, Any]", item) if isinstance(item, dict) else {}
        text = answer.get("response")
        if not isinstance(text, str) or not text.strip():
            continue
        candidate = Candidate(prompt_id=id_of_prompt(prompt), text=text, model=str(answer.get("model") or "unknown"))
        if candidate.id not in judgments:  # two models may have given the same answer: the first rating counts
            candidates.append(candidate)
            judgments[candidate.id] = judge(candidate, answer.get("annotations"))
    return binarize(prompt, candidates, judgments, choice=choice, min_margin=min_margin, seed=seed)


def judge(candidate: Candidate, annotations: Any) -> Judgment:
    """The mean of the aspects' ratings, or the state of the first aspect that has none."""
    tables = cast("dict[str, Any]", annotations) if isinstance(annotations, dict) else {}
    ratings: dict[str, float] = {}
    for aspect in ASPECTS:
        rating = parse_rating(tables.get(aspect))
        if isinstance(rating, JudgmentState):
            return Judgment(
                candidates=(candidate.id,), state=rating, judge="ultrafeedback", provenance={"aspect": aspect}
            )
        ratings[aspect] = rating
    mean = math.fsum(ratings.values()) / len(ratings)
    return Judgment(
        candidates=(candidate.id,), state=JudgmentState.JUDGED, judge="ultrafeedback", rating=mean, ratings=ratings
    )


def parse_rating(annotation: Any) -> float | JudgmentState:
    """The rating of one aspect, or why there is none: never a number that nobody gave."""
    table = cast("dict[str, Any]", annotation) if isinstance(annotation, dict) else {}
    word = str(table.get("Rating", "")).strip()
    if word.upper() in {"N/A", "NA"}:
        return JudgmentState.NOT_APPLICABLE
    try:
        rating = float(word)
    except ValueError:
        return JudgmentState.UNREADABLE
    return rating if LOWEST <= rating <= HIGHEST else JudgmentState.UNREADABLE
