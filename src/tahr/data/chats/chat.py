"""The noun: a conversation, and which of its turns are learnt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from tahr.core.types import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat:
    """A conversation of a training set. `taught` are the places of the assistant's turns that are learnt.

    `place` says where the row stands, for people.

    Example: ``Chat(messages=(Message(role="user", content="2 + 3?"), Message(role="assistant", content="5")),
    taught=(1,), place="chats.jsonl, line 1")``
    """

    messages: tuple[Message, ...]
    taught: tuple[int, ...]
    place: str

    @property
    def question(self) -> tuple[Message, ...]:
        """The messages before the assistant first speaks."""
        first = next((i for i, message in enumerate(self.messages) if message.role == "assistant"), len(self.messages))
        return self.messages[:first]

    @property
    def text(self) -> str:
        """Everything that is said, a message after the other."""
        return "\n".join(message.content for message in self.messages)


class RefusedError(Exception):
    """A well-formed row that can't be learnt from; the message is one of `REASONS`."""


REASONS = (
    "no turn to learn",  # no assistant's turn, or none with a weight
    "empty answer",
    "begins with an answer",
    "special tokens in the text",
    "too long",
    "not rendered by the template",
)
"""Why rows are refused: such rows are counted, and none of them is ever cut."""


@dataclass(slots=True)
class Tally:
    """What became of the rows of one set: how many were read, and how many were left out, by reason.

    `first` has the place of the first row that was refused for each reason, and what was wrong there.

    Example: ``Tally(num_rows=1000, refused=Counter({"too long": 3}), num_bad=1, num_duplicates=2)``
    """

    num_rows: int = 0
    refused: Counter[str] = field(default_factory=Counter[str])
    num_bad: int = 0
    num_duplicates: int = 0
    num_contaminated: int = 0
    first: dict[str, str] = field(default_factory=dict[str, str])

    def refuse(self, reason: str, place: str, cause: str = "") -> None:
        """Count the row at `place` as refused for one of `REASONS`; `cause` is what of the row is behind it."""
        self.refused[reason] += 1
        self.first.setdefault(reason, f"{place} ({cause})" if cause else place)

    @property
    def num_refused(self) -> int:
        """Rows that can't be learnt from, for any of `REASONS`."""
        return self.refused.total()

    @property
    def reasons(self) -> str:
        """How many were refused for each reason, and the first of them."""
        return "; ".join(f"{n:,} {why}, the first at {self.first[why]}" for why, n in sorted(self.refused.items()))

    def text(self) -> str:
        """The counts for people, such as "1,000 rows, 3 refused (3 too long, the first at talk.jsonl, line 7)"."""
        parts = [f"{self.num_rows:,} rows"]
        if self.refused:
            parts.append(f"{self.num_refused:,} refused ({self.reasons})")
        named = (("malformed", self.num_bad), ("twice", self.num_duplicates), ("contaminated", self.num_contaminated))
        parts += [f"{count:,} {name}" for name, count in named if count]
        return ", ".join(parts)


def check_turns(messages: Sequence[Message], taught: Sequence[int]) -> None:
    """Raise RefusedError for a conversation without a turn to learn, with an empty one, or without a question."""
    if not taught:
        raise RefusedError("no turn to learn")
    if any(not messages[place].content.strip() for place in taught):
        raise RefusedError("empty answer")
    if all(message.role == "system" for message in messages[: taught[0]]):
        raise RefusedError("begins with an answer")
