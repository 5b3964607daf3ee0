"""The value that a text calls its answer once more behind a box, and whether it is another one."""

from __future__ import annotations

import re

from tahr.verifiers.math.vocabulary import NUMBER_WORDS
from tahr.verifiers.numbers import MAX_NUMBER_CHARS, parse_quantity

TAIL_CHARS = 20_000
"""An answer stands near the end: marks and numbers are looked for in this much text."""

_MARK_AGAIN = re.compile(
    r"####|\banswer[*_]{0,2}(?: is| should be| must be|:| =|[*_]{2}:| *\n)"
    r"|\bfinal (?:result|value|solution)[*_]{0,2}(?: is|:| =)",
    re.IGNORECASE,
)
_SAID_AGAIN_LEAD = re.compile(r"(?:therefore|thus|hence|then|simply|indeed|just|exactly|equal to)[ ,:]+", re.IGNORECASE)
_LOOKS, _LETTER = re.compile(r"[{}\s$]"), re.compile("[A-J]")
_FORMULA_FIRST = re.compile(r"\$([^$\n]+)\$|\\\((.+?)\\\)")
CLAUSE_END = re.compile(r"\n|[.!?;](?=\s|$)|\b(?:because|since|as|so|for|when|which|where|that)\b")


def said_again(behind: str) -> str:
    """The value that the text behind a box calls the answer ("#### 8", "The answer is $8$"); "" where it names none."""
    marks = list(_MARK_AGAIN.finditer(behind[-TAIL_CHARS:])) if len(behind) > 4 else []
    if not marks:
        return ""
    rest = behind[-TAIL_CHARS:][marks[-1].end() :][:MAX_NUMBER_CHARS].lstrip(" \n:*_}")
    rest = _SAID_AGAIN_LEAD.sub("", rest, count=1)
    formula = _FORMULA_FIRST.match(rest)
    if formula is not None:
        return next(group for group in formula.groups() if group is not None).strip()
    end = CLAUSE_END.search(rest)
    clause = (rest[: end.start()] if end else rest).strip().strip("*$\"'").rstrip(".,\\ \"'")
    if (word := clause.lower()) in NUMBER_WORDS:
        return str(NUMBER_WORDS.index(word))
    clause = clause.strip("()[]") if parse_quantity(clause.strip("()[]")) else clause.rstrip(")")
    return clause if parse_quantity(right_side(clause)) else ""


def differs(content: str, other: str) -> bool:
    """Whether another value stands behind a box; the letter of an option is another name of a number, not a value."""
    if _LOOKS.sub("", content) == _LOOKS.sub("", other) or (_LETTER.fullmatch(other) and parse_quantity(content)):
        return False
    return not same(content, other)


def right_side(content: str) -> str:
    """The value of ``x = 5`` or ``x = 2 + 3 = 5``; anything else as it stands."""
    name, equals, rest = content.partition("=")
    if not equals or not re.fullmatch(r"\s*\\?[A-Za-z][A-Za-z0-9_{}]{0,15}\s*", name):
        return content.strip()
    *middle, last = (piece.strip() for piece in rest.split("="))
    known = [piece for piece in middle if parse_quantity(piece)]
    return last if all(same(piece, last) for piece in known) else content.strip()


def same(first: str, second: str) -> bool:
    """Whether two texts are the same, or the same number."""
    one, two = parse_quantity(first.strip()), parse_quantity(second.strip())
    return first.strip() == second.strip() or (one is not None and one == two)
