"""From judged answers to pairs, whether they were rated singly or compared two by two."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tahr.core.judging import Question
from tahr.core.preferences import Candidate, Judgment, JudgmentState, Pair
from tahr.core.seeding import stream
from tahr.data.preferences.binarize import binarize
from tahr.data.preferences.config import Choice
from tahr.data.preferences.states import STATE_OF_JUDGMENT, Reading, RowState, no_pair


def choose_pairs(
    question: Question,
    candidates: Sequence[Candidate],
    judgments: Sequence[Judgment],
    *,
    choice: Choice,
    min_margin: float,
    seed: int,
) -> Reading:
    """The pairs of one question, or why there are none. Ratings are compared, comparisons are taken at their word."""
    if len(candidates) < 2:
        return no_pair(RowState.TOO_FEW, f"{len(candidates)} different answers")
    if all(len(judgment.candidates) == 1 for judgment in judgments):
        by_id = {judgment.candidates[0]: judgment for judgment in judgments}
        return binarize(question.prompt, candidates, by_id, choice=choice, min_margin=min_margin, seed=seed)
    decided = [judgment for judgment in judgments if judgment.preferred is not None]
    if not decided:
        states = {judgment.state for judgment in judgments}
        reason = next((state for state in JudgmentState if state in states), JudgmentState.FAILED)
        return no_pair(STATE_OF_JUDGMENT[reason], f"none of {len(judgments)} comparisons was decided")
    known = {candidate.id: candidate for candidate in candidates}
    chosen = decided if choice == "all" else [_one(decided, choice, question.id, seed)]
    return Reading(pairs=tuple(_pair(question, known, judgment) for judgment in chosen), state=RowState.PAIR)


def _one(decided: Sequence[Judgment], choice: Choice, prompt_id: str, seed: int) -> Judgment:
    """The answer that won most often over the one that did least, or over any that it beat itself."""
    wins = Counter[str]({name: 0 for judgment in decided for name in judgment.candidates})
    wins.update(judgment.preferred for judgment in decided if judgment.preferred)
    best = min(wins, key=lambda name: (-wins[name], name))
    beaten = sorted(
        (judgment for judgment in decided if judgment.preferred == best),
        key=lambda judgment: (wins[_loser(judgment)], _loser(judgment)),
    )
    if choice == "best_vs_worst":
        return beaten[0]
    return beaten[stream(seed, f"choose.{prompt_id}").randrange(len(beaten))]


def _loser(judgment: Judgment) -> str:
    first, second = judgment.candidates
    return second if judgment.preferred == first else first


def _pair(question: Question, known: dict[str, Candidate], judgment: Judgment) -> Pair:
    assert judgment.preferred is not None  # only decided ones come here
    chosen, rejected = known[judgment.preferred], known[_loser(judgment)]
    provenance = {
        "judge": judgment.judge,
        "order": ["chosen" if name == chosen.id else "rejected" for name in judgment.candidates],
        "judgment": dict(judgment.provenance),
        "chosen_model": chosen.model,
        "rejected_model": rejected.model,
        "chosen_sampling": dict(chosen.provenance),
        "rejected_sampling": dict(rejected.provenance),
    }
    return Pair(prompt=question.prompt, chosen=chosen.text, rejected=rejected.text, provenance=provenance)
