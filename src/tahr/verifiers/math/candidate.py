r"""Find the text of the answer: the last box, what follows "answer is", the last formula, the last number."""

from __future__ import annotations

import re
from typing import Literal

from tahr.verifiers.extract import Found, boxed, find_answer, marked_rest, only_hedges, tail_of
from tahr.verifiers.math.characters import in_latex
from tahr.verifiers.math.reading import read
from tahr.verifiers.math.shapes import Words
from tahr.verifiers.text import plain, shown

Place = Literal["any", "marked", "boxed", "whole"]

MAX_WHOLE = 200
"""Longest text that as a whole can be an answer without a mark."""

_FORMULA = re.compile(r"\$\$(.+?)\$\$|\$(.+?)\$|\\\((.+?)\\\)|\\\[(.+?)\\\]", re.DOTALL)
_SENTENCE_END = re.compile(r"\n|[.!?](?=\s|$)|;\s")
_ASIDE = re.compile(r", (?!and\b|or\b)(?=[a-z]{3})")
_LEAD_IN = re.compile(
    r"(?:(?:so|thus|hence|therefore|then|finally|and|consequently|it follows that"
    r"|we (?:get|have|find|obtain)(?: that)?)[ ,:]+){1,3}",
    re.IGNORECASE,
)
_REASON = re.compile(r"\b(?:because|since|so|for|when|which|where|that|as)\b")


def find(text: str, *, place: Place, question: str, several: bool, numeric: bool) -> Found:
    """The answer's text, in plain characters and LaTeX.

    `several`: the gold answer has several values, so boxes side by side are read together. `numeric`: it is one number,
    so the last number of a text without any mark counts.
    """
    visible = in_latex(plain(shown(text)))
    if place == "whole":
        return Found(text=visible.strip())
    found = boxed(visible, join=several)
    if found is not None or place == "boxed":
        return found or Found(reason="no \\boxed{} in the text")
    tail = tail_of(visible, question)
    rest = marked_rest(tail)
    if rest is not None:
        return _from_rest(rest)
    if place == "marked":
        return Found(reason="no \\boxed{}, 'answer is' or '####' in the text")
    return _unmarked(visible, tail, text if numeric else None, question, several)


def _from_rest(rest: str) -> Found:
    """The answer in what follows a mark: its first formula, or its words up to the end of the sentence."""
    rest = rest.lstrip(" \n:*_").rstrip()
    formula = _FORMULA.match(rest)
    if formula:
        behind = rest[formula.end() :]
        hedge = re.match(r"[ ,]*(?:or|and|,) *", behind)
        if hedge and _FORMULA.match(behind, hedge.end()):
            return Found(text=rest[: _end(rest)].replace("$", " "))
        inside = next(group for group in formula.groups() if group is not None)
        return Found(text=inside.strip())
    clause = rest[: _end(rest)].strip(" *_`")
    clause = _ASIDE.split(clause)[0]
    reason = _REASON.search(clause)
    if reason and reason.start():
        clause = clause[: reason.start()].strip()
    clause = clause.rstrip(" *_`")
    return Found(text=clause) if clause else Found(reason="nothing behind the mark")


def _end(text: str) -> int:
    end = _SENTENCE_END.search(text)
    return end.start() if end else len(text)


def _unmarked(visible: str, tail: str, text: str | None, question: str, several: bool) -> Found:
    """The whole of a short text, else its last formula; of a number, the last number."""
    whole = _LEAD_IN.sub("", visible.strip(), count=1)
    formulas = list(_FORMULA.finditer(tail))
    if not whole:
        return Found(reason="an empty text")
    if len(whole) <= MAX_WHOLE and "\n" not in whole and not formulas and (text is None or _is_read(whole)):
        return Found(text=whole)
    if text is not None:
        found = find_answer(text, place="any", question=question)
        if found.text is not None or not formulas:
            return found
    if not formulas:
        return Found(reason="no box, no 'answer is' and no formula in the text")
    return _last_formula(tail, formulas, several)


def _is_read(whole: str) -> bool:
    return not isinstance(read(whole), Words)


def _last_formula(tail: str, formulas: list[re.Match[str]], several: bool) -> Found:
    inside = [next(group for group in match.groups() if group is not None).strip() for match in formulas[-2:]]
    if len(formulas) > 1 and inside[0] != inside[1]:
        gap = tail[formulas[-2].end() : formulas[-1].start()]
        if len(gap) <= 60 and only_hedges(gap):
            if several:
                return Found(text=f"{inside[0]}, {inside[1]}")
            return Found(reason=f"several values: {inside[0][:40]}, {inside[1][:40]}")
    return Found(text=inside[-1])
