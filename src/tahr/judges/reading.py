"""What a judge said, read strictly from its own last line.

A judge that reasons may name many numbers, and may quote the answer, which may hold a rating of its own. So the verdict
is what stands on the last line, in one of a few forms. No line that says outright that it is a verdict may contradict
it, and where it stands bare, no other bare line. What the judge repeats of a fenced text is taken out first, and a last
line that stands in such a text counts for nothing. Everything else is unreadable: a state, never a guess.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping

from tahr.core.preferences import JudgmentState

MAX_LINE = 300
"""Longest line that is read as a verdict."""

Reading = float | str | JudgmentState
"""A rating or a choice, or NOT_APPLICABLE or UNREADABLE."""

_DECORATION = re.compile(r"\\boxed|[*_`\"{}\[\]$#]")
_OWNERS = r"(?:(?:my|the|final|overall|helpfulness|honesty|truthfulness|instruction[ -]?following|criterion)\s+){0,4}"
_IS = r"\s*(?::|=|\bis\b)\s*"
_NOT_APPLICABLE = r"n\s?/?\s?a|not applicable|does not apply"
_NUMBER_VALUE = (
    rf"(?P<value>{_NOT_APPLICABLE}|[-+]?\d+(?:\.\d+)?)(?:\s*(?:/|out of)\s*(?P<of>\d+))?(?:\s*(?:stars?|points?))?"
)
_TAIL = r"(?P<tail>\s*[.!]*|\s*[.,;:(–—-]\D*)"
_LABELLED_NUMBER = re.compile(
    rf"{_OWNERS}(?:rating|score|grade|helpfulness|honesty|truthfulness|instruction[ -]?following)"
    rf"(?:\s*\([^)]{{0,20}}\))?{_IS}{_NUMBER_VALUE}{_TAIL}",
    re.IGNORECASE,
)
_BARE_NUMBER = re.compile(rf"{_NUMBER_VALUE}[.!]*", re.IGNORECASE)
_NEGATION = re.compile(r"\b(?:not|no|never|nor|unless|if|would have)\b|n['’]t\b", re.IGNORECASE)


def own_lines(text: str, tag: str, shown: Iterable[str] = ()) -> list[str] | None:
    """The judge's lines without its thinking and without fenced texts; None where either does not end.

    `tag` is the fence's, `shown` what stood in it. Lines that quote (``>``) are left out. The last line must not be
    one, nor a line of a shown text: who wrote it can't be told, so that an answer which rates itself can leave its
    judge unread, but gains no rating.
    """
    if "<think>" in text or "</think>" in text:
        _, end, text = text.rpartition("</think>")
        if not end or "<think>" in text:
            return None
    text = re.sub(rf"<<<(?!END OF)[^<>\n]* {tag}>>>.*?<<<END OF [^<>\n]* {tag}>>>", "", text, flags=re.DOTALL)
    if tag in text:
        return None
    written = [line.strip() for line in text.splitlines()]
    written = [line for line in written if line.strip("`~- ")]
    if not written or written[-1].startswith(">"):
        return None
    lines = [_plain(line) for line in written if not line.startswith(">")]
    foreign = {_bare(_plain(line)) for one in shown for line in one.splitlines()}
    return None if _bare(lines[-1]) in foreign else lines


def read_number(lines: list[str] | None, low: int, high: int) -> Reading:
    """The whole number in [low, high] on the last line, such as ``Rating: 4``, ``**4/5**``, ``Rating: N/A``.

    >>> read_number(["Clear, but one date is wrong.", "Rating: 4"], 1, 5)
    4.0
    """
    if not lines:
        return JudgmentState.UNREADABLE
    told = [match for line in lines if (match := _LABELLED_NUMBER.fullmatch(line))]
    sentences = [line for line in lines if _in_prose(line, low, high) is not JudgmentState.UNREADABLE]
    if lines[-1] not in (*(match.string for match in told), *sentences):  # bare numbers above may be of a list
        told += [match for line in lines if (match := _BARE_NUMBER.fullmatch(line))]
        if not told or told[-1].string != lines[-1]:
            return JudgmentState.UNREADABLE
    found = [_number(match["value"], match["of"], low, high) for match in told]
    found += [_in_prose(line, low, high) for line in sentences]
    return found[0] if len(set(found)) == 1 else JudgmentState.UNREADABLE


def read_choice(lines: list[str] | None, choices: Mapping[str, str | JudgmentState]) -> Reading:
    """What the words on the last line stand for, such as ``Verdict: A``, ``[[B]]``, ``Answer A is better.``

    `choices` maps each word, in capitals, to its meaning.

    >>> read_choice(["Both are fine, A has the source.", "Verdict: A"], {"A": "first", "B": "second"})
    'first'
    """
    if not lines:
        return JudgmentState.UNREADABLE
    words = "|".join(re.escape(word) for word in sorted(choices, key=len, reverse=True))
    value = rf"(?:(?:answer|response|assistant)\s+)?(?P<value>{words})"
    label = r"(?:verdict|winner|preference|choice|decision|judge?ment|(?:better|best|preferred)(?: answer| response)?)"
    labelled = re.compile(rf"{_OWNERS}{label}{_IS}{value}(?P<tail>[.!]*|\s*[.,;:(–—-].*)", re.IGNORECASE)
    bare = re.compile(rf"{value}(?P<tail>[.!]*)", re.IGNORECASE)
    prose = re.compile(rf"{value} is (?:the )?better(?: answer| response| one)?(?P<tail>[.!]*)", re.IGNORECASE)
    told = [match for line in lines if (match := labelled.fullmatch(line) or prose.fullmatch(line))]
    if not (told and told[-1].string == lines[-1]):  # bare words above a verdict may be headings
        told += [match for line in lines if (match := bare.fullmatch(line))]
    if not told or told[-1].string != lines[-1]:
        return JudgmentState.UNREADABLE
    others = re.compile(rf"(?<![\w'])(?:{words})(?![\w'])")
    if any(others.search(match["tail"].upper() if len(match["value"]) > 1 else match["tail"]) for match in told):
        return JudgmentState.UNREADABLE
    found = {choices[" ".join(match["value"].upper().split())] for match in told}
    return found.pop() if len(found) == 1 else JudgmentState.UNREADABLE


def _plain(line: str) -> str:
    """A line without decoration: Markdown, brackets, quotes, wide characters and doubled blanks."""
    if len(line) > MAX_LINE:
        return "..."
    return " ".join(_DECORATION.sub("", unicodedata.normalize("NFKC", line)).split()).removeprefix("- ")


def _bare(line: str) -> str:
    return line.casefold().strip(" .!")


def _number(value: str, of: str | None, low: int, high: int) -> float | JudgmentState:
    if value[0].casefold() in "nd":
        return JudgmentState.NOT_APPLICABLE if of is None else JudgmentState.UNREADABLE
    number = float(value)
    right = low <= number <= high and number.is_integer() and (of is None or float(of) == high)
    return number if right else JudgmentState.UNREADABLE


def _in_prose(line: str, low: int, high: int) -> float | JudgmentState:
    """``I'd give it a 4 out of 5``: the only two numbers of a line in the judge's own voice that denies nothing."""
    numbers = re.findall(r"[-+]?\d+(?:\.\d+)?", line)
    begins = r"(?:(?:so|overall|therefore),? )?I(?:['’]d| would|['’]ll| will)? give\b"
    told = re.match(rf"{begins}\D*?\b(\d+)\s*(?:/|out of)\s*{high}\b", line, re.IGNORECASE)
    if told is None or numbers != [told[1], str(high)] or _NEGATION.search(line):
        return JudgmentState.UNREADABLE
    return _number(told[1], None, low, high)
