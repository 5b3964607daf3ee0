"""Answers and judgments as JSON values, and the keys under which a journal keeps them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from tahr.core.judging import Question, Reply
from tahr.core.preferences import Candidate, Judgment, JudgmentState, content_id
from tahr.core.protocols import Sampling


def candidate_key(prompt_id: str, model: str, sampling: Sampling, seed: int) -> str:
    """The key of one answer: who was asked what, and how it was drawn."""
    return content_id(prompt_id, model, json.dumps(asdict(sampling), sort_keys=True), str(seed))


def judgment_key(judge: str, question: Question, candidates: Sequence[Candidate], depends_on: str = "") -> str:
    """The key of what a judge, in all that it is set to, finds of the candidates together.

    `depends_on` is what besides decides its judgment of this question (`tahr.core.judging.DependsOnMore`).
    """
    more = [depends_on] if depends_on else []
    return content_id(judge, question.id, *more, *(candidate.id for candidate in candidates))


def sampled(prompt_id: str, model: str, sampling: Sampling, seed: int, reply: Reply) -> dict[str, Any]:
    """The record of an answer; settings that are left at their defaults are not written."""
    drawn = {
        name: value for name, value in asdict(sampling).items() if value not in ((), 0, 1.0) or name == "temperature"
    }
    known = {"seed": seed, **drawn, "finish": str(reply.finish_reason), "num_tokens": reply.num_tokens}
    provenance = {name: value for name, value in known.items() if value is not None}
    return {"prompt_id": prompt_id, "model": model, "text": reply.text, "provenance": provenance}


def to_candidate(record: Mapping[str, Any]) -> Candidate:
    """The candidate of a record."""
    return Candidate(
        prompt_id=record["prompt_id"], text=record["text"], model=record["model"], provenance=record["provenance"]
    )


def from_judgment(judgment: Judgment) -> dict[str, Any]:
    """The judgment in JSON values."""
    return asdict(judgment) | {"state": str(judgment.state)}


def to_judgment(values: Mapping[str, Any]) -> Judgment:
    """The judgment of JSON values."""
    told: dict[str, Any] = {
        **values,
        "candidates": tuple(values["candidates"]),
        "state": JudgmentState(values["state"]),
    }
    return Judgment(**told)
