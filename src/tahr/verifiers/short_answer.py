"""Short answers in words: a name, a date, a number, a list, whatever capitals, articles and commas they come with.

Texts are compared as the metrics of SQuAD and DROP do (Rajpurkar et al. 2016, arXiv:1606.05250; Dua et al. 2019,
arXiv:1903.00161): case, punctuation and the articles are left out, numbers are compared by value; accents too are left
out here. Unlike there, the answer must be the whole of what is offered: a text that lists candidates until one fits
fails.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Literal, cast

from pydantic import Field

from tahr.core.errors import InputError
from tahr.core.protocols import verifiers
from tahr.core.ranges import BINARY, RewardRange
from tahr.core.types import Task, Verdict, failed, passed
from tahr.verifiers.example import example_of
from tahr.verifiers.extract import boxed
from tahr.verifiers.text import plain, shown

MAX_ANSWER_CHARS = 2000
"""Of a line that may be an answer; none is longer."""

NEAR_CHARS = 400
"""Around an answer, where it may be denied or taken back."""

_MARK = re.compile(r"####|\banswer[*_]{0,2}(?: is|:| =)[*_]{0,2}", re.IGNORECASE)
_DENIED = re.compile(r"(?:\bnot|n't|\bnever|\bdoubt\w*|\bwrong|\bincorrect)\b[^.,;:!?\n]{0,60}$", re.IGNORECASE)
_TAKEN_BACK = re.compile(
    r"^\W{0,9}(?:no[,.:!]|(?:oh |but |hmm,? )?wait\b|actually\b|sorry\b|correction\b|scratch that|on second thought"
    r"|i was wrong|i (?:made|mis)|that(?: is|'s| was) (?:wrong|incorrect|not (?:right|correct)))",
    re.IGNORECASE | re.MULTILINE,
)
_REASON = re.compile(r",? (?:because|since)\b.*", re.IGNORECASE)
_LEAD = re.compile(r"(?:it|that|this|he|she|they) (?:is|was|are|were) ", re.IGNORECASE)
_NUMBER = re.compile(r"[-+]?(?:\d+(?:,\d{3})+|\d{1,30})?(?:\.\d{1,30})?")
_LIST = re.compile(r",(?!\d{3}\b)(?: and\b)?|;|\band\b|\n")
_APART = str.maketrans(dict.fromkeys("-/–—", " "))
_SIGNS = frozenset("<>=≤≥+#^")  # x < y is not x > y, nor C++ C
_ARTICLES = frozenset({"a", "an", "the"})


@verifiers.register("short_answer")
@dataclass(frozen=True, slots=True, kw_only=True)
class ShortAnswer:
    """A short text equal to the answer or to one of its other names; case, accents, punctuation and articles aside.

    It stands behind the last "Answer:" (or "the answer is", "####"), in a box, or is the last line. `answer` is text,
    a list of which any is right, or ``{"any": [...], "unordered": true}``: the parts of a list in any order. The part
    ``f1`` is the overlap in words with the nearest right answer.
    """

    place: Annotated[
        Literal["any", "marked"], Field(description="behind a mark or in a box only, or the last line otherwise")
    ] = "any"

    reward_range: ClassVar[RewardRange] = BINARY

    def check_task(self, task: Task) -> None:
        """Raise InputError unless the answer is a text or a list of texts that say something."""
        answers, _ = _answers(task.answer)
        if not answers or not all(isinstance(one, str) and _normal(one) for one in answers):
            raise InputError(
                "the short_answer verifier needs a text, a list of texts, or a table with such a list as 'any'",
                received=repr(task.answer)[:200],
                instead='answer = "Paris", ["NYC", "New York City"] or {"any": ["red, blue"], "unordered": true}',
            )

    def verify(self, task: Task, text: str) -> Verdict:
        """PASS where the offered answer equals one of the task's."""
        answers, unordered = _answers(task.answer)
        offered, reason = self._offered(text)
        if offered is None:
            return failed(reason, parts={"f1": 0.0})
        best = max(_overlap(_normal(offered), _normal(one)) for one in answers)
        if any(_equal(offered, one, unordered) for one in answers):
            return passed(f"equals {answers[0][:80]!r}", extracted=offered[:200], parts={"f1": 1.0})
        return failed(f"{offered[:80]!r} is not {answers[0][:80]!r}", extracted=offered[:200], parts={"f1": best})

    def gold(self, task: Task) -> str:
        """The task's example where there is one, else the answer behind "Answer:"."""
        return example_of(task) or f"Answer: {_answers(task.answer)[0][0]}"

    def _offered(self, text: str) -> tuple[str | None, str]:
        """What the text offers as its answer, or None and the reason."""
        visible = plain(shown(text))
        box = boxed(visible)
        if box is not None:
            return box.text, box.reason
        marks = list(_MARK.finditer(visible))
        if marks:
            return _marked(visible, marks[-1])
        if self.place == "marked":
            return None, "no 'Answer:' and no box in the text"
        lines = [line for line in visible.splitlines() if line.strip()]
        return (_LEAD.sub("", lines[-1].strip(), count=1), "") if lines else (None, "an empty text")


def _marked(visible: str, mark: re.Match[str]) -> tuple[str | None, str]:
    """The line behind a mark, unless what stands around it denies it or takes it back."""
    line, _, behind = visible[mark.end() :].lstrip(" \n:*_").partition("\n")
    if not line.strip():
        return None, "nothing stands behind the mark of the answer"
    if _DENIED.search(visible[max(0, mark.start() - NEAR_CHARS) : mark.start()]):
        return None, f"the answer is denied: {line[:80]!r}"
    if _TAKEN_BACK.search(behind[:NEAR_CHARS]):
        return None, f"the answer is taken back: {line[:80]!r}"
    return line, ""


def _answers(answer: Any) -> tuple[list[Any], bool]:
    """The texts of which any is right, and whether their parts may come in any order."""
    table = cast("dict[str, Any]", answer) if isinstance(answer, dict) else {"any": answer}
    texts: Any = table.get("any")
    return (cast("list[Any]", texts) if isinstance(texts, list) else [texts]), table.get("unordered") is True


def _equal(offered: str, answer: str, unordered: bool) -> bool:
    if len(offered) > MAX_ANSWER_CHARS:
        return False
    wanted = _normal(answer)
    if wanted in (_normal(offered), _normal(_REASON.sub("", offered))):
        return True
    return unordered and _parts(offered) == _parts(answer)


def _parts(text: str) -> list[str]:
    """The parts of a list, sorted."""
    return sorted(filter(None, (_normal(part) for part in _LIST.split(text))))


def _normal(text: str) -> str:
    """`text` as it is compared; what holds nothing but signs stands for itself, spaces aside."""
    letters = unicodedata.normalize("NFKD", plain(text[:MAX_ANSWER_CHARS].replace("≠", " unequal ")))
    text = "".join(mark for mark in letters if unicodedata.category(mark) != "Mn")
    words = [word for piece in text.casefold().split() for word in _words(piece)]
    kept = [word for word in words if word not in _ARTICLES] or words
    return " ".join(kept) or "".join(text.split())


def _words(piece: str) -> list[str]:
    """The words of what stands between two spaces; a number is its value, whatever currency or percent it has."""
    bare = piece.strip("$€£¥%.,;:!?()[]{}\"'*_`")
    bare = f".{bare}" if piece.startswith(f".{bare}") and bare.isdigit() else bare
    if bare and _NUMBER.fullmatch(bare) and any(map(str.isdigit, bare)):
        return [_value(bare)]
    return "".join(
        mark if mark.isalnum() or mark in _SIGNS else " " if mark in "-/–—" else "" for mark in piece
    ).split()


def _value(number: str) -> str:
    value = format(Decimal(number.replace(",", "")), "f")
    value = value.rstrip("0").rstrip(".") if "." in value else value
    return "0" if value == "-0" else value


def _overlap(offered: str, answer: str) -> float:
    """F1 of the words of two normalised texts; 0 where the answer's numbers are not all there, as in DROP."""
    first, second = Counter(offered.split()), Counter(answer.split())
    numbers = {word for word in second if any(map(str.isdigit, word))}
    common = (first & second).total()
    if not common or not numbers <= first.keys():
        return 0.0
    return 2 * common / (first.total() + second.total())
