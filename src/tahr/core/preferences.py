"""The nouns of preference tuning: a prompt, answers to it, what judges found, and the pair that is learnt from.

    prompt -> Candidate (an answer, and who wrote it) -> Judgment (of one answer or of two) -> Pair

A judgment that could not be read, a judge that abstains and a tie are states of their own: none of them gives a pair.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from tahr.core.types import Message


class JudgmentState(StrEnum):
    """How a judgment ended. Only JUDGED carries a rating or a preference, TIE says that neither answer is better."""

    JUDGED = "judged"
    TIE = "tie"
    NOT_APPLICABLE = "not_applicable"  # the judge says that the aspect does not apply to this prompt
    UNREADABLE = "unreadable"  # the judge answered, but not in the form that was asked for
    FAILED = "failed"  # no answer came from the judge: not the answers' doing


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One answer to a prompt, and how it came about. `provenance` holds JSON values: sampling, seed, policy version.

    Example: ``Candidate(prompt_id="1f3870be274f6c49", text="Paris.", model="smollm2-135m", provenance={"seed": 7})``
    """

    prompt_id: str
    text: str
    model: str
    provenance: Mapping[str, Any] = field(default_factory=dict[str, Any])
    id: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "id", content_id(self.prompt_id, self.text))


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgment:
    """What a judge found of one answer (`rating`) or of two (`preferred`, the id of the better one).

    `candidates` are the answers' ids in the order in which the judge was shown them. Exactly one of `rating` and
    `preferred` is given where the state is JUDGED, neither otherwise. `ratings` holds the aspects or criteria behind
    the rating, `provenance` JSON values: the judge's model, what it was asked and what it answered.

    Example: ``Judgment(candidates=("5d41402abc4b2a76",), state=JudgmentState.JUDGED, judge="exact", rating=1.0)``
    """

    candidates: tuple[str, ...]
    state: JudgmentState
    judge: str
    rating: float | None = None
    preferred: str | None = None
    ratings: Mapping[str, float] = field(default_factory=dict[str, float])
    provenance: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def __post_init__(self) -> None:
        found = (self.rating is not None) + (self.preferred is not None)
        if found != (self.state is JudgmentState.JUDGED):
            raise ValueError(f"a judgment that is {self.state} carries {found} findings")
        if self.rating is not None and not math.isfinite(self.rating):
            raise ValueError(f"a rating must be finite, not {self.rating}")
        if self.preferred is not None and (len(self.candidates) != 2 or self.preferred not in self.candidates):
            raise ValueError("the preferred answer must be one of the two that were judged")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two answers to one prompt, one of them preferred. `prompt` ends with what the answers reply to.

    `margin` is how much better the chosen one was judged, in the judge's own scale, None where only the order is known.
    `provenance` says where it came from, in JSON values: models, seeds, ratings, judge, order. `id` is a hash of prompt
    and both answers, `prompt_id` of the prompt alone, so that everything is joined by content and never by position.

    Example: ``Pair(prompt=(Message(role="user", content="Capital of France?"),), chosen="Paris.", rejected="Rome.",
    margin=3.0, provenance={"judge": "exact"})``
    """

    prompt: tuple[Message, ...]
    chosen: str
    rejected: str
    margin: float | None = None
    provenance: Mapping[str, Any] = field(default_factory=dict[str, Any])
    id: str = field(init=False)
    prompt_id: str = field(init=False)

    def __post_init__(self) -> None:
        prompt_id = id_of_prompt(self.prompt)
        object.__setattr__(self, "prompt_id", prompt_id)
        object.__setattr__(self, "id", content_id(prompt_id, self.chosen, self.rejected))


def id_of_prompt(prompt: tuple[Message, ...]) -> str:
    """The content hash of a conversation's messages, 16 hex digits."""
    return content_id(*(part for message in prompt for part in (message.role, message.content)))


def content_id(*parts: str) -> str:
    """16 hex digits that stand for the texts in their order."""
    return hashlib.blake2b(json.dumps(parts).encode(), digest_size=8).hexdigest()
