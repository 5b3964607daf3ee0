"""What one rater is shown, and what they answer: everything of the labelling page but its looks.

Which answer stands on the left is drawn anew for each rater and comparison, from a seed, so that neither a file's order
nor a rater's leaning to one side can pass for a preference. The order of comparisons is the file's for all raters: who
stops early has labelled the same ones as everybody else.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median
from typing import Any

from tahr.core.errors import InputError
from tahr.core.preferences import JudgmentState
from tahr.core.seeding import stream
from tahr.data.labels.files import LabelFile, now
from tahr.data.labels.label import Comparison, Label, make_label

ANSWERS = ("left", "right", "tie", "not_applicable")
MAX_SECONDS = 3600.0  # a longer time is a break, not a look
_RECENT = 20  # labels that the time left is told from


class Desk:
    """One rater's work on `comparisons`, kept in `book`.

    Example: ``Desk(list(comparisons_of(pairs).values()), LabelFile(path), who="ada", seed=0).state(None)``
    """

    def __init__(self, comparisons: Sequence[Comparison], book: LabelFile, *, who: str, seed: int = 0) -> None:
        if not who.strip():
            raise InputError("the rater needs a name", received=repr(who), instead="--who NAME")
        self.comparisons = tuple(comparisons)
        self.book, self.who, self.seed = book, who, seed
        self._place = {one.id: place for place, one in enumerate(self.comparisons)}
        # a second label on a comparison takes the first one's place
        self._given = [name for name in book.of(who) if name in self._place]

    def state(self, place: int | None) -> dict[str, Any]:
        """What the page shows at `place`: there, or where None is given at the first comparison without a label.

        `item` is None at the end. Texts are as they are in the file: whoever shows them must show them as text.
        """
        labels = self.book.of(self.who)
        if place is None:
            place = self._next(0, labels)
        place = max(0, min(place, len(self.comparisons)))
        done = sum(one.id in labels for one in self.comparisons)
        return {
            "who": self.who,
            "file": str(self.book.path),
            "place": place,
            "total": len(self.comparisons),
            "done": done,
            "can_undo": bool(self._given),
            "seconds_left": self._seconds_left(labels, len(self.comparisons) - done),
            "tally": self._tally(labels),
            "item": self._item(self.comparisons[place], labels) if place < len(self.comparisons) else None,
        }

    def label(self, comparison_id: str, answer: str, seconds: float) -> int:
        """Keep an answer (one of ANSWERS) and give the place that comes next. KeyError, ValueError: not those."""
        comparison = self.comparisons[self._place[comparison_id]]
        if answer not in ANSWERS:
            raise ValueError(f"{answer!r} is none of {', '.join(ANSWERS)}")
        if math.isnan(seconds):
            raise ValueError("the time must be a number")
        shown = tuple(name for name, _ in self.sides(comparison))
        states = {"tie": JudgmentState.TIE, "not_applicable": JudgmentState.NOT_APPLICABLE}
        self.book.add(
            make_label(
                comparison,
                self.who,
                states.get(answer, JudgmentState.JUDGED),
                preferred={"left": shown[0], "right": shown[1]}.get(answer),
                shown=(shown[0], shown[1]),
                at=now(),
                seconds=round(min(max(seconds, 0.0), MAX_SECONDS), 1),
                seed=self.seed,
            )
        )
        self._given = [name for name in self._given if name != comparison_id] + [comparison_id]
        return self._next(self._place[comparison_id] + 1, self.book.of(self.who))

    def undo(self) -> int | None:
        """Take the newest label back and give its place; None where there is none."""
        if not self._given:
            return None
        self.book.revoke(self.who, self._given[-1])
        return self._place[self._given.pop()]

    def sides(self, comparison: Comparison) -> tuple[tuple[str, str], tuple[str, str]]:
        """The two answers as (id, text), the left one first."""
        turned = stream(self.seed, f"labels.sides.{self.who}.{comparison.id}").random() < 0.5
        return (comparison.second, comparison.first) if turned else (comparison.first, comparison.second)

    def _next(self, start: int, labels: dict[str, Label]) -> int:
        """The first place without a label from `start` on, and then from the beginning; behind the last where none."""
        order = [*range(start, len(self.comparisons)), *range(start)]
        return next((place for place in order if self.comparisons[place].id not in labels), len(self.comparisons))

    def _item(self, comparison: Comparison, labels: dict[str, Label]) -> dict[str, Any]:
        left, right = self.sides(comparison)
        return {
            "id": comparison.id,
            "domain": comparison.domain,
            "prompt": [{"role": one.role, "content": one.content} for one in comparison.prompt],
            "left": left[1],
            "right": right[1],
            "label": self._answer(comparison, labels.get(comparison.id)),
        }

    def _answer(self, comparison: Comparison, label: Label | None) -> str | None:
        if label is None:
            return None
        if label.judgment.preferred is None:
            return str(label.judgment.state)
        return "left" if label.judgment.preferred == self.sides(comparison)[0][0] else "right"

    def _tally(self, labels: dict[str, Label]) -> dict[str, int]:
        answers = [self._answer(one, labels.get(one.id)) for one in self.comparisons]
        return {answer: answers.count(answer) for answer in ANSWERS}

    def _seconds_left(self, labels: dict[str, Label], num_left: int) -> float | None:
        recent = [labels[name].judgment.provenance.get("seconds") for name in self._given[-_RECENT:]]
        times = [float(one) for one in recent if one is not None]
        return round(median(times) * num_left, 1) if len(times) >= 3 else None
