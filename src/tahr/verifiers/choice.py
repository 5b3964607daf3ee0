"""Multiple choice: one letter from A to J."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from tahr.core.errors import InputError
from tahr.core.protocols import verifiers
from tahr.core.ranges import BINARY, RewardRange
from tahr.core.types import Task, Verdict, failed, passed
from tahr.verifiers.example import example_of
from tahr.verifiers.extract import TAIL_CHARS, boxed
from tahr.verifiers.second_thoughts import corrected
from tahr.verifiers.text import plain, shown

_LATEX_TEXT = re.compile(r"\\(?:text|mathrm|mbox|textbf|mathbf) ?")
_ALONE = re.compile(r"[\W_]*([A-Ja-j])[\W_]*")
_LEADING = re.compile(r"[\s\"'*_(\[{]*([A-J])[\"'*_]*[).:\]}]")
_MARK = re.compile(
    r"####|\b(?:answers?|choices?|options?|letters?)\b[ \t*_\"'(]*(?:is|are|would be|must be|[:=])"
    r"|\b(?:choose|pick|select|go with)\b",
    re.IGNORECASE,
)
_IS_RIGHT = re.compile(r"(?<![A-Za-z0-9'])([A-J])[\"'*_)]* (?:is|seems) (?:the )?(?:correct|right|best)\b")
_LETTER = re.compile(r"(?<![A-Za-z0-9'\\])([A-J])(?![A-Za-z0-9'])")
_BRACKETED = re.compile(r"[(\[]([A-Ja-j])[)\]]")
_DENIAL = re.compile(r"\b(?:not|never|isn't|neither|nor|except|none)\b", re.IGNORECASE)
_ONE = r"[(\[*_\"']{0,4}(?:(?i:options?|choices?|answers?) )?(?<![A-Za-z0-9'])[A-J](?![A-Za-z0-9'])[)\]*_\"'.]{0,4}"
_SEVERAL = rf"{_ONE}(?:,? ?(?:and|or|nor|,|/) ?{_ONE}){{0,9}}"
_DENIED = re.compile(
    rf"(?i:\b(?:not|never|neither|nor|isn't|aren't|can't be|cannot be|(?:any|every)thing but|all but|except(?: for)?"
    rf"|eliminated?|rule out|ruled out|\\neg|\\lnot)|\\neg) ?{_SEVERAL}"
    rf"|{_SEVERAL} (?i:is|are|was|were|seems?|looks?)"
    r" (?i:not|wrong|incorrect|false|ruled out|eliminated|too \w+|impossible)\b"
)
_CLAUSE_END = re.compile(r"\n|[.!?;](?=\s|$)|\b(?:because|since|as|which)\b|:(?=\s)")
_HEDGE = re.compile(r"\b(?:or|maybe|perhaps|possibly|alternatively|also)\b[^.!?\n]{0,30}", re.IGNORECASE)


@verifiers.register("choice")
@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    r"""The letter of a multiple-choice answer: ``C``, ``(C)``, ``\boxed{C}``, "the answer is C", "option C".

    Several letters, a denied letter or no letter fail. `answer` is one letter from A to J.
    """

    num_choices: Annotated[int, Field(ge=2, le=10, description="letters that count, from A on")] = 10

    reward_range: ClassVar[RewardRange] = BINARY

    def check_task(self, task: Task) -> None:
        """Raise InputError unless the answer is one of the letters."""
        valid = "ABCDEFGHIJ"[: self.num_choices]
        if not isinstance(task.answer, str) or len(task.answer) != 1 or task.answer.upper() not in valid:
            raise InputError(
                "the choice verifier needs one letter as the answer",
                received=repr(task.answer)[:200],
                instead=f"one of {', '.join(valid)}",
            )

    def verify(self, task: Task, text: str) -> Verdict:
        """PASS where the text settles on the task's letter."""
        letters = settled_letters(plain(shown(text)))
        if len(letters) != 1:
            return failed("no letter in the text" if not letters else f"several letters: {', '.join(sorted(letters))}")
        letter = letters.pop()
        if letter == task.answer.upper():
            return passed(f"chose {letter}", extracted=letter)
        return failed(f"chose {letter}, not {task.answer.upper()}", extracted=letter)

    def gold(self, task: Task) -> str:
        """The task's example where there is one, else the letter."""
        return example_of(task) or task.answer.upper()


def settled_letters(text: str) -> set[str]:
    """The letters that a plain text offers as its answer, from the strongest place that offers any.

    Boxes side by side that differ, a denied box, and one that is taken back offer none.
    """
    box = boxed(text)
    if box is not None:
        text = _LATEX_TEXT.sub("", box.text or "")
    if len(text) < 100 and (alone := _ALONE.fullmatch(text)) and "\\" not in text:
        return {alone[1].upper()}
    if box is not None:
        return _capitals(_undenied(text))
    text = text[-TAIL_CHARS:]
    if marks := list(_MARK.finditer(text)):
        return _after_mark(text[marks[-1].end() :])
    text = _undenied(text)
    if leading := _LEADING.match(text):
        return _capitals(settled[:100]) if (settled := corrected(text)) != text else _led(leading, text)
    if right := _IS_RIGHT.findall(text):
        return set(right)
    return {letter.upper() for letter in _BRACKETED.findall(text)} or _capitals(text[-200:])


def _led(leading: re.Match[str], text: str) -> set[str]:
    return {leading[1]} | {letter.upper() for letter in _BRACKETED.findall(text)}


def _undenied(text: str) -> str:
    """`text` without letters that it denies ("not A or B", "C is wrong")."""
    return _DENIED.sub(" ", text)


def _after_mark(rest: str) -> set[str]:
    """Letters behind a mark such as "the answer is", up to the end of the clause, and those of a hedge behind it."""
    rest = _undenied(corrected(rest.lstrip(" \t\n:*_\"'$"))[:300])
    end = _CLAUSE_END.search(rest)
    clause, tail = (rest[: end.start()], rest[end.start() :]) if end else (rest, "")
    if _DENIAL.search(clause):
        return set()
    small = re.match(r"(?:option |choice )?[\"'*_(\[]*([a-j])(?:[\"'*_)\]]|$)", clause)
    letters = _capitals(clause) | ({small[1].upper()} if small else set())
    hedge = _HEDGE.search(tail[:100])
    return letters | (_capitals(hedge[0]) if hedge else set())


def _capitals(text: str) -> set[str]:
    """Capital letters that stand alone, but for the article "A" and the pronoun "I" with a word behind them."""
    found = [(match[1], text[match.end() :][:4]) for match in _LETTER.finditer(text)]
    return {letter for letter, behind in found if not (letter in "AI" and re.match(r" (?!or|and|is|as)[a-z]", behind))}
