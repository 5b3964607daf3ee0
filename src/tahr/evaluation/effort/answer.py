"""Where in an attempt the answer first stood: what came after it was checking, or overthinking.

Read from the text alone: the place where the final answer first stands whole, not where the model was sure of it. What
the question says itself (a number that it gives, the letters of its choices) tells nothing when it is said back, and
then only a place that is marked as the answer counts.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence

from tahr.core.types import Trajectory

_MAX_PATTERN = 1000  # characters of an answer that may be written with other spaces; a longer one stands as it is
_MARK = re.compile(
    r"(?:\banswers?\b[^.\n]{0,40}|\b(?:choose|pick|select|therefore|hence|thus)\b[^.\n]{0,20}|####|=|\\boxed ?\{)"
    r"[\s$*(\[{:\"']{0,6}$",
    re.IGNORECASE,
)
_BEFORE = 70  # characters before an answer in which a mark is looked for


def num_tokens_to_answer(
    trajectory: Trajectory, decode: Callable[[Sequence[int]], str], extracted: str | None, *, question: str = ""
) -> int | None:
    """Sampled tokens, of all turns, up to where `extracted` first stood whole; None where it stands nowhere.

    `decode` turns token ids into text (a `Renderer`'s); it is called about ``log2`` of a turn's tokens times.
    """
    if not extracted or not extracted.strip():
        return None
    num_before = 0
    for turn in trajectory.turns:
        ids = turn.completion.token_ids
        end = answer_end(decode(ids), extracted, question=question)
        if end is not None:
            return num_before + _tokens_for(ids, decode, end)
        num_before += len(ids)
    return None


def answer_end(text: str, answer: str, *, question: str = "", said_back: bool = True) -> int | None:
    """How many characters of `text` hold `answer` for the first time, as a whole word or number; None if none do.

    Where `question` holds the answer too, the first place after a mark ("the answer is", ``=``, a box) counts, or else
    the last place of all; without `said_back`, none.

    >>> answer_end("2 plus 3 is 5. Let me check: 5.", "5", question="What is 2 plus 3?")
    13
    >>> answer_end("I see 5 and 7. The answer is 5. Yes, 5.", "5", question="Which is less, 5 or 7?")
    30
    """
    answer = answer.strip()
    places = _places(text, answer)
    if not places:
        return None
    if not _places(question, answer):
        return places[0][1]
    marked = (end for start, end in places if _MARK.search(text[max(0, start - _BEFORE) : start]))
    return next(marked, places[-1][1] if said_back else None)


def _places(text: str, answer: str) -> list[tuple[int, int]]:
    """(start, end) of every place where the answer stands whole; upper and lower case are one but for a lone letter."""
    if not answer or not text:
        return []
    if len(answer) > _MAX_PATTERN:
        start = text.find(answer)
        return [] if start < 0 else [(start, start + len(answer))]
    words = r"\s+".join(_word(word) for word in answer.split())
    before = r"(?<![\w\\])(?<!\d[.,])(?<!-)" if answer[0].isalnum() else r"(?<!\w)" if answer[0] in "-." else ""
    after = r"(?!\w)(?![.,]\d)" if answer[-1].isalnum() else ""
    flags = 0 if len(answer) == 1 else re.IGNORECASE
    return [found.span() for found in re.finditer(f"{before}{words}{after}", text, flags)]


def _word(word: str) -> str:
    """A pattern of one word; a number may have commas between its thousands."""
    whole, dot, rest = word.partition(".")
    sign, digits = ("-", whole[1:]) if whole.startswith("-") else ("", whole)
    if not (digits.isascii() and digits.isdigit() and (not dot or rest.isdigit())):
        return re.escape(word)
    first = len(digits) % 3 or 3
    groups = [digits[:first], *(digits[place : place + 3] for place in range(first, len(digits), 3))]
    return sign + ",?".join(groups) + re.escape(dot + rest)


def _tokens_for(ids: Sequence[int], decode: Callable[[Sequence[int]], str], end: int) -> int:
    """The fewest of the first ids whose text has `end` characters; half of a character counts as none."""
    return min(
        len(ids),
        bisect_left(range(len(ids) + 1), end, key=lambda count: len(decode(ids[:count]).rstrip("\ufffd"))),
    )
