r"""Find the one value that a text gives as its answer.

Used for answers that are a single value. The text is hostile: every scan is linear, and a text that offers several
values, denies the value, or leaves a sum to be worked out offers none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from tahr.verifiers.math.units import KNOWN
from tahr.verifiers.numbers import MAX_NUMBER_CHARS, NUMBER, is_rounded, parse_quantity
from tahr.verifiers.restated import CLAUSE_END, TAIL_CHARS, differs, right_side, said_again, same
from tahr.verifiers.second_thoughts import NEAR_BEFORE, NEAR_CHARS, corrected, is_denied, is_taken_back, other_value
from tahr.verifiers.text import plain, shown

UNCLOSED = "{"  # content of a box without an end; no closed box can hold it

_MARK = re.compile(r"####|\b(?:final|correct|my)? ?answer(?: is|:| =|\*\*:)", re.IGNORECASE)
_NUMBER = re.compile(rf"(?=[-+.\d\\])(?<![\w.\\^/]){NUMBER}(?: ?%)?(?![\w^])")
_HEDGE = re.compile(
    r"or|and|maybe|perhaps|possibly|alternatively|either|also|else|otherwise|if|not|then|well|even|option|guess"
)
_DENIAL = re.compile(r"\b(?:not|never|isn't|wasn't|aren't|cannot|can't|neither|nor|no)\b", re.IGNORECASE)
_DENIED_AFTER = re.compile(
    r"[ $*]*(?:\\\)|\\\])? *"
    r"(?:(?:is|was)(?: \w{1,20}ly)? (?:not|(?:an? )?(?:wrong|incorrect|false))|(?:can't|cannot) be right)\b",
    re.IGNORECASE,
)
_HEDGED_AFTER = re.compile(
    r"[ $,*]*(?:\\\)|\\\])?[ ,.(]*\b(?:or|maybe|perhaps|possibly|alternatively|otherwise)\b"
    r"[^.\n]{0,20}?(?:[\d\\$]|\b[A-J]\b(?!'| [a-z]))[^.\n]{0,20}"
)
_MAY_BE = re.compile(r"\b(?:could|might|may)(?: also| well)? be[ $*:(]*$", re.IGNORECASE)
_BOUND = re.compile(
    r"\b(?:more|less|greater|fewer|larger|smaller) than|\bat (?:least|most)\b|\bbetween\b", re.IGNORECASE
)
_UNIT_BEHIND = re.compile(
    r"[ ~$]*(?:\\(?:text|mathrm) ?\{)? *(?P<name>[A-Za-z\u00b0]{1,12})(?![A-Za-z'])"
    r"(?P<power>\^\{?[23]\}?)?"
)
_ALSO_WORDS = frozenset({"in", "a", "n", "j", "w", "v", "k", "t"})  # units too, but mostly something else
# Stars may be emphasis: they count as an operator only next to a digit or a bracket.
_OPERATOR_BEFORE = re.compile(
    r"(?:[\d)}\]] ?(?:[+*/^-]|\\times|\\cdot|\\div) ?|[\d)]\*\*|\b[A-Za-z] ?[+/^-] ?|\b[A-Za-z] \* )$"
)
_OPERATOR_AFTER = re.compile(r" ?(?:[+/^=]|\\times|\\cdot|\\div|\*{1,2} ?(?=[\d(\\])|- ?\d)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The answer's text, or None and the reason. `again` is what the text calls its answer once more behind a box: it
    must be right too.

    Example: ``Found(text="42")``, ``Found(reason="no number in the text")``
    """

    text: str | None = None
    reason: str = ""
    again: str = ""


def find_answer(text: str, *, place: Literal["any", "marked", "boxed", "whole"], question: str = "") -> Found:
    r"""The text of the answer in plain characters; `question` is left out where the text repeats it.

    >>> find_answer(r"so \boxed{42}", place="any").text
    '42'
    >>> find_answer("The answer is 42 or 43.", place="any").reason
    'several values: 42, 43'
    """
    visible = plain(shown(text))
    if place == "whole":
        return Found(text=right_side(visible.strip()))
    found = boxed(visible)
    if found is not None and found.text is not None:
        if found.again and not same(right_side(found.text), right_side(found.again)):
            return Found(reason=f"several values: {found.text[:40]}, {found.again[:40]}")
        return _undenied(found.text)
    if found is not None:
        return found
    if place == "boxed":
        return Found(reason="no \\boxed{} in the text")
    tail = tail_of(visible, question)
    rest = marked_rest(tail)
    if rest is not None:
        return _from_clause(rest)
    if place == "marked":
        return Found(reason="no \\boxed{}, 'answer is' or '####' in the text")
    return _last_number(tail)


def _undenied(content: str) -> Found:
    if _DENIAL.search(content):
        return Found(reason=f"the value is denied: {content[:80]}")
    return Found(text=right_side(content))


def tail_of(visible: str, question: str) -> str:
    """The end of a text, in which answers without a box are looked for, without the question said back."""
    tail = visible[-TAIL_CHARS:]
    return tail.replace(plain(question), " ") if len(question) > 3 else tail


def marked_rest(tail: str) -> str | None:
    """What follows the last "answer is" or "####", or what that settles on where it takes a value back; or None."""
    marks = list(_MARK.finditer(tail))
    return corrected(tail[marks[-1].end() :]) if marks else None


def last_box(text: str) -> str | None:
    r"""What the last ``\boxed{}`` holds, or None."""
    boxes = _boxes(text)
    return _unboxed(boxes[-1][2]) if boxes else None


def last_marked(text: str) -> str | None:
    """The rest of the line behind the last "answer is" or "####", or None."""
    marks = list(_MARK.finditer(text[-TAIL_CHARS:]))
    if not marks:
        return None
    rest = text[-TAIL_CHARS:][marks[-1].end() :].lstrip(" \n:*$").removeprefix("\\(")
    return rest.partition("\n")[0]


def _boxes(text: str) -> list[tuple[int, int, str]]:
    r"""(start, end, content) of the last few ``\boxed{...}``, outermost, in order of place."""
    starts = [match.start() for match in re.finditer(r"\\(?:boxed|fbox) ?\{", text)][-8:]
    boxes: list[tuple[int, int, str]] = []
    for start in starts:
        if boxes and start < boxes[-1][1]:
            continue
        opening = text.index("{", start)
        end = _closing(text, opening)
        boxes.append((start, end + 1, text[opening + 1 : end]) if end is not None else (start, len(text), UNCLOSED))
    return boxes


def _closing(text: str, opening: int) -> int | None:
    """The place of the brace that closes the one at `opening`, within the bounds of a number."""
    depth = 0
    for index in range(opening, min(len(text), opening + MAX_NUMBER_CHARS)):
        depth += {"{": 1, "}": -1}.get(text[index], 0)
        if depth == 0:
            return index
    return None


def boxed(text: str, *, join: bool = False) -> Found | None:
    r"""What the last ``\boxed{}`` holds, or the reason why that is no answer; None where there is no box.

    Boxes side by side that differ offer several values: none counts, unless `join` reads them as a list.
    """
    boxes = _boxes(text)
    if not boxes:
        return None
    content = _unboxed(boxes[-1][2])
    if content == UNCLOSED:
        return Found(reason="a \\boxed{ that is not closed")
    listed = [content]
    for before, after in zip(boxes[-2::-1], boxes[:0:-1], strict=True):
        gap, other = text[before[1] : after[0]], _unboxed(before[2])
        if len(gap) > 100 or not only_hedges(gap) or other == UNCLOSED:
            break
        if not same(other, content):
            listed.append(other)
    if len(listed) > 1:
        if join:
            return Found(text=", ".join(reversed(listed)))
        return Found(reason="several values: " + ", ".join(one[:40] for one in reversed(listed[:5])))
    if around := _refused_around(text, boxes[-1]):
        return Found(reason=around)
    return Found(text=content, again=said_again(text[boxes[-1][1] :]))


def _refused_around(text: str, box: tuple[int, int, str]) -> str:
    """A reason where the words beside a box deny what it holds, or offer another value."""
    start, end, content = box
    behind = text[end : end + NEAR_CHARS]  # not the whole text: patterns that may begin with many blanks search in it
    if is_denied(text[max(0, start - NEAR_BEFORE) : start]) or _DENIED_AFTER.match(behind):
        return f"the value is denied: {content[:80]}"
    if not behind.strip(" .$*\n)"):
        return ""
    hedge = _HEDGED_AFTER.match(behind)
    if hedge and not _repeats(content, text[end : end + 200]):
        return f"several values: {content[:40]} {hedge[0].strip(' $.,')[:40]}"
    if (other := other_value(behind)) and differs(content, other):
        return f"several values: {content[:40]}, {other[:40]}"
    if is_taken_back(content, behind):
        return f"the value is taken back: {content[:80]}"
    return ""


def _repeats(content: str, hedge: str) -> bool:
    """Whether what a hedge offers is the same value, written in another way (``\\boxed{17/2} or 8.5``) or rounded."""
    clause = re.split(r"[.;!?](?=\s|$)|\n", hedge)[0].replace("\\%", "%")
    others = list(_NUMBER.finditer(clause))
    worked_out = not any(_OPERATOR_AFTER.match(clause, other.end()) for other in others)
    return (
        bool(others)
        and worked_out
        and not _DENIAL.search(clause)
        and all(same(content, one[0]) or is_rounded(content, one[0]) for one in others)
    )


def _unboxed(content: str) -> str:
    content = content.strip()
    while (nested := re.fullmatch(r"\\(?:boxed|fbox) ?\{(.*)\}", content, re.DOTALL)) is not None:
        content = nested[1].strip()
    return content


def only_hedges(gap: str) -> bool:
    """Whether every word between two values is one that offers a choice."""
    return all(_HEDGE.fullmatch(word) for word in re.findall(r"[a-z]+", gap.lower()))


def _from_clause(rest: str) -> Found:
    """The value in what follows a mark such as "the answer is", up to the end of the clause."""
    rest = rest[:MAX_NUMBER_CHARS].lstrip(" \n:*$\\(").lstrip()
    end = CLAUSE_END.search(rest)
    clause = (rest[: end.start()] if end else rest).strip().strip("*$").rstrip(".,\\) ")
    if _DENIAL.search(clause):
        return Found(reason=f"the value is denied: {clause[:80]}")
    if _BOUND.search(clause):
        return Found(reason=f"a bound, not a value: {clause[:80]}")
    if parse_quantity(right_side(clause)):
        return Found(text=right_side(clause))
    if "=" in clause:
        clause = clause.rpartition("=")[2]
    numbers = list(_NUMBER.finditer(clause))
    if not numbers:
        return Found(reason=f"no number in {clause[:80]!r}")
    if any(not same(numbers[0][0], other[0]) for other in numbers[1:]):
        return Found(reason="several values: " + ", ".join(match[0].strip()[:40] for match in numbers[:5]))
    return _standing_alone(clause, numbers[0])


def _last_number(text: str) -> Found:
    numbers = list(_NUMBER.finditer(text))
    if not numbers:
        return Found(reason="no number in the text")
    last = numbers[-1]
    if len(numbers) > 1:
        gap = text[numbers[-2].end() : last.start()]
        listed = len(gap) <= 60 and only_hedges(gap) and re.fullmatch(r"[ ,;/&?.A-Za-z]*", gap)
        if listed and not same(numbers[-2][0], last[0]):
            return Found(reason=f"several values: {numbers[-2][0].strip()[:40]}, {last[0].strip()[:40]}")
    return _standing_alone(text, last)


def _standing_alone(text: str, number: re.Match[str]) -> Found:
    """The number, unless it is denied or part of a sum that is not worked out."""
    before = text[max(0, number.start() - 60) : number.start()]
    clause = re.split(r"[.!?;,\n](?=\s)", before)[-1]
    if _DENIAL.search(clause) or is_denied(before):
        return Found(reason=f"the value is denied: {(clause + number[0]).strip()[:80]}")
    if _OPERATOR_BEFORE.search(before) or _OPERATOR_AFTER.match(text, number.end()):
        return Found(reason=f"an expression that is not worked out, at {number[0].strip()[:40]!r}")
    if _MAY_BE.search(before):
        return Found(reason=f"the value is one of several: {(clause + number[0]).strip()[-80:]}")
    return Found(text=number[0].strip() + _unit_behind(text[number.end() : number.end() + 40]))


def _unit_behind(text: str) -> str:
    """The known unit that stands right behind a number, with a space before it, or ""."""
    unit = _UNIT_BEHIND.match(text)
    if unit is None or unit["name"].lower() not in KNOWN or unit["name"].lower() in _ALSO_WORDS:
        return ""
    return f" {unit['name']}{unit['power'] or ''}"
