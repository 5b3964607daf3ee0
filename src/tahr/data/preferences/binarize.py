"""From rated answers to pairs: the ratings decide, what has no rating stays out, ties give nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from tahr.core.preferences import Candidate, Judgment, JudgmentState, Pair, id_of_prompt
from tahr.core.seeding import stream
from tahr.core.types import Message
from tahr.data.preferences.config import Choice
from tahr.data.preferences.states import STATE_OF_JUDGMENT, Reading, RowState, no_pair

_REASONS = (JudgmentState.UNREADABLE, JudgmentState.NOT_APPLICABLE, JudgmentState.FAILED)


def binarize(
    prompt: tuple[Message, ...],
    candidates: Sequence[Candidate],
    judgments: Mapping[str, Judgment],
    *,
    choice: Choice = "best_vs_random",
    min_margin: float = 0.0,
    seed: int = 0,
) -> Reading:
    """The pairs of one prompt whose answers were rated singly; `judgments` are looked up by the answer's id.

    ``best_vs_random`` sets the best answer against one drawn from those rated lower (as UltraFeedback and Tulu do),
    ``best_vs_worst`` against the lowest, ``all`` makes every pair whose ratings differ. Ratings must differ by more
    than 0 and by at least `min_margin`. What is drawn follows from `seed` and the prompt's text, never from its place.
    """
    distinct = {candidate.id: candidate for candidate in candidates if candidate.prompt_id == id_of_prompt(prompt)}
    if len(distinct) < 2:
        return no_pair(RowState.TOO_FEW, f"{len(distinct)} different answers")
    found = {name: judgments[name] for name in distinct if name in judgments}
    rated = sorted(
        (judgment for judgment in found.values() if judgment.rating is not None),
        key=lambda judgment: (-_rating(judgment), judgment.candidates),
    )
    if len(rated) < 2:
        states = {judgment.state for judgment in found.values()}
        reason = next((state for state in _REASONS if state in states), JudgmentState.FAILED)
        return no_pair(STATE_OF_JUDGMENT[reason], f"{len(rated)} of {len(distinct)} answers have a rating")
    apart = [(high, low) for high, low in combinations(rated, 2) if _rating(high) > _rating(low)]
    if not apart:
        return no_pair(RowState.TIE, f"all are rated {rated[0].rating}")
    far = [(high, low) for high, low in apart if _rating(high) - _rating(low) >= min_margin]
    if not far:
        return no_pair(RowState.BELOW_MARGIN, f"the ratings differ by less than {min_margin}")
    chosen = _choose(far, choice, stream(seed, f"binarize.{id_of_prompt(prompt)}").randrange)
    pairs = tuple(_pair(prompt, distinct, high, low) for high, low in chosen)
    return Reading(pairs=pairs, state=RowState.PAIR)


def _choose(
    apart: Sequence[tuple[Judgment, Judgment]], choice: Choice, draw: Any
) -> Sequence[tuple[Judgment, Judgment]]:
    """Some of the pairs (better, worse), which stand with the best answer first."""
    if choice == "all":
        return apart
    best = apart[0][0]
    worse = [pair for pair in apart if pair[0] is best]
    return [worse[-1] if choice == "best_vs_worst" else worse[draw(len(worse))]]


def _pair(prompt: tuple[Message, ...], by_id: Mapping[str, Candidate], high: Judgment, low: Judgment) -> Pair:
    chosen, rejected = by_id[high.candidates[0]], by_id[low.candidates[0]]
    provenance = {
        "judge": high.judge,
        **_side("chosen", chosen, high),
        **_side("rejected", rejected, low),
    }
    margin = _rating(high) - _rating(low)
    return Pair(prompt=prompt, chosen=chosen.text, rejected=rejected.text, margin=margin, provenance=provenance)


def _side(name: str, candidate: Candidate, judgment: Judgment) -> dict[str, Any]:
    """Where one answer and its rating came from."""
    known = {
        "model": candidate.model,
        "rating": judgment.rating,
        "ratings": dict(judgment.ratings),
        "sampling": dict(candidate.provenance),
        "judgment": dict(judgment.provenance),
    }
    return {f"{name}_{key}": value for key, value in known.items() if value not in ({}, None)}


def _rating(judgment: Judgment) -> float:
    assert judgment.rating is not None  # only rated ones come here
    return judgment.rating
