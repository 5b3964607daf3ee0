"""What a text says beside a value: that it is denied, taken back, or one of several."""

from __future__ import annotations

import re

from tahr.verifiers.numbers import parse_quantity

NEAR_CHARS = 1000
"""How far behind a value it can be taken back."""

_LETTER = r"(?:[B-HJ]\b(?!')|[AI]\b(?!'| [a-z]))"
_VALUE = re.compile(rf"\d|\$|\\(?![nt]\b)|\b{_LETTER}")
_NO = r"no(?=[ ]*(?:[,.:;!]|-|\u2014|$)|[ ]+(?:it|that|this|wait|sorry)\b)"
_ACTUALLY = r"actually(?=[ ]*[,:]|[ ]+(?:no|it|[A-J]|\S*\d\S*)\b)"
_WRONG = r"(?:that|this|it|which)(?:'s| is| was) (?:wrong|incorrect|false|not (?:right|correct|it))"
_RETRACTION = re.compile(
    r"(?:^|[.!?;:,)\]}\n$*\"\u2014\u2026-])[ \n*]*(?:but |or |oh |hm+,? )?"
    rf"(?P<said>{_NO}|wait|{_ACTUALLY}|sorry|oops|correction|scratch that|i meant?|just kidding|on second thoughts?"
    r"|rather|my mistake|i made an? (?:error|mistake)"
    rf"|(?P<wrong>{_WRONG}))\b[ \n,.:;!*\u2014\u2026-]*",
    re.IGNORECASE,
)
_ALTERNATIVE = re.compile(
    r"[ .!?;:,(\n$*]*(?:\\[)\]])?[ .!?;:,(\n$*]*\b(?:or|maybe|perhaps|possibly|alternatively|otherwise)\b"
    rf"[^.!?\n$\\\d]{{0,12}}?(?=\$|\\|\d|-\d|(?<=[ (]){_LETTER}|(?<=[ (])\w{{1,20}}[.!?)]*\s*$)",
    re.IGNORECASE,
)
_DENIED_START = re.compile(r"[ *$:]*(?:n't|(?:\w+ly )?(?:not|never|neither|(?:any|every)thing but))\b", re.IGNORECASE)
_INSTEAD = re.compile(r"[.!?;](?=\s|$)|\n|(?<!thing),? but\b|, it\b")
_SENTENCE_END = re.compile(r"[.!?;](?=\s|$)|\n")
_CLAUSE_END = re.compile(r"[.!?;,(](?=\s|$|[a-z])|\n| (?=\()|$")
_LEAD_IN = re.compile(
    r"(?:so |then |yes,? )*(?:(?:it|that|this|the (?:right |correct |real )?(?:answer|result|value))"
    r"(?:'s| is| was| equals| should be| must be)(?: actually| really)?|i get|we get)[ :,]+",
    re.IGNORECASE,
)
_DENIED_BEFORE = re.compile(
    r"(?:\b(?:not|never|cannot be|can't be|(?:any|every)thing but|all but|except(?: for)?|eliminate|rule out)"
    r"|n't(?: be)?)"
    r"(?: equal to)?[ $:*(\[\"_]*$",
    re.IGNORECASE,
)


def is_denied(before: str) -> bool:
    """Whether what stands before a value denies it ("it is not ", "anything but ")."""
    return _DENIED_BEFORE.search(before[-40:]) is not None


def corrected(rest: str) -> str:
    """What a text settles on that begins with a value: the value, or what it says once it takes that back.

    "" where it is taken back and nothing put in its place. A second value beside the first is joined to it by "or".

    >>> corrected("42. No, it is 43."), corrected("42. Maybe 43.")
    ('43.', '42 or 43.')
    >>> corrected("42. No doubt about it.")
    '42. No doubt about it.'
    """
    if _DENIED_START.match(rest):
        _, *behind = _INSTEAD.split(rest[:NEAR_CHARS], maxsplit=1)
        return (_offered(behind[0]) if behind else None) or ""
    for match in reversed(list(_RETRACTION.finditer(rest[:NEAR_CHARS]))):
        offered = _offered(rest[match.end() :][:NEAR_CHARS])
        if offered is not None or match["wrong"]:
            return offered or ""
    end = _CLAUSE_END.search(rest)
    start = end.start() if end else len(rest)
    other = _ALTERNATIVE.match(rest, start) if rest[:start].strip() else None
    if other is None or _are_equal(rest[:start], rest[other.end() :][:NEAR_CHARS]):
        return rest
    return f"{rest[:start]} or {rest[other.end() :]}"


def _are_equal(value: str, other: str) -> bool:
    """Whether the second value is the first one, written in another way ("17/2 (or 8.5)")."""
    one, two = (parse_quantity(text.strip(" $*")) for text in (value, re.split(r"\)|[.,;!?](?=\s|$)|\n", other)[0]))
    return one is not None and one == two


def is_taken_back(value: str, behind: str) -> bool:
    """Whether the text behind a value takes it back and doesn't come to it again."""
    if not behind.strip(" .$*\n)"):
        return False
    settled = corrected(" " + behind[:NEAR_CHARS])
    return settled != " " + behind[:NEAR_CHARS] and value.strip(" $") not in settled


def _offered(after: str) -> str | None:
    """The last sentence with a value behind a retraction, or a word or two in its place; None without either."""
    sentences = [part.strip() for part in _SENTENCE_END.split(after)]
    valued = [part for part in sentences if _VALUE.search(part)]
    if valued:
        return _LEAD_IN.sub("", valued[-1], count=1) + "."
    words = after.split()
    return after if 0 < len(words) <= 2 else None
