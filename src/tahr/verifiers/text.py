"""What a verifier reads: the text outside the thinking part, with look-alike characters made plain."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

MAX_CHARS = 1_000_000  # longer answers are refused unread: no honest answer is longer

_TAG = re.compile("</?think>")
_COMMENT = re.compile(r"<!--(?:-?>|.*?(?:--!?>|\Z))", re.DOTALL)
_LATEX_COMMENT = re.compile(
    r"^[ \t]*%.*$|\\begin ?\{comment\}(?s:.*?)(?:\\end ?\{comment\}|\Z)|\\iffalse\b(?s:.*?)(?:\\fi\b|\Z)",
    re.MULTILINE,
)
_INVISIBLE = re.compile("[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]")


def outside_thinking(text: str) -> str:
    """`text` without its ``<think>...</think>`` parts.

    An end without a beginning (the prompt opened it) hides everything before it; a beginning without an end hides
    everything after it: the answer was never given.

    >>> outside_thinking("<think>maybe 42</think> It is 17.")
    ' It is 17.'
    """
    kept: list[str] = []
    position, inside = 0, False
    for tag in _TAG.finditer(text):
        opens = tag[0] == "<think>"
        if opens and not inside:
            kept.append(text[position : tag.start()])
        elif not opens and not inside:
            kept.clear()
        position, inside = tag.end(), opens
    return "".join(kept) if inside else "".join([*kept, text[position:]])


def inside_thinking(text: str) -> str:
    """What `outside_thinking` leaves out, tags aside.

    >>> inside_thinking("<think>maybe 42</think> It is 17.")
    'maybe 42'
    """
    kept: list[str] = []
    position, inside = 0, False
    for tag in _TAG.finditer(text):
        if inside:
            kept.append(text[position : tag.start()])
        elif tag[0] == "</think>":  # the prompt opened it, so all before it was thought
            kept = [text[: tag.start()]]
        position, inside = tag.end(), tag[0] == "<think>"
    return "".join([*kept, text[position:]] if inside else kept)


def outside_comments(text: str, *, latex: bool = False) -> str:
    r"""`text` without what a reader of the page never sees: comments of HTML and, with `latex`, those of LaTeX.

    A comment that is never closed hides everything behind it, as in a browser. Of LaTeX's, ``%`` counts at the
    beginning of a line only: elsewhere it is mostly percent.

    >>> outside_comments("It is <!-- 42 --> 17.")
    'It is  17.'
    >>> outside_comments("50% \n% 42\nof it", latex=True)
    '50% \n\nof it'
    """
    shown = _COMMENT.sub("", text) if "<!--" in text else text
    return _LATEX_COMMENT.sub("", shown) if latex and ("%" in shown or "\\" in shown) else shown


@lru_cache(maxsize=1)
def _plain_characters() -> dict[int, str]:
    """Decimal digits of every script, minus signs, spaces, fraction slashes, quotes and full-width marks to ASCII."""
    table: dict[int, str] = {}
    for code in range(128, 0x20000):  # no digit, space or fraction lies beyond the first two planes
        character = chr(code)
        category = unicodedata.category(character)
        if category == "Nd":
            table[code] = str(unicodedata.decimal(character))
        elif category == "Zs":
            table[code] = " "
        elif category == "No" and unicodedata.decomposition(character).startswith("<fraction>"):
            table[code] = " " + unicodedata.normalize("NFKC", character).replace("\u2044", "/")
        elif 0xFF01 <= code <= 0xFF5E:
            table[code] = unicodedata.normalize("NFKC", character)
    table.update(dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2212\ufe63\uff0d"), "-"))
    table.update(dict.fromkeys(map(ord, "\u2044\u2215\u00f7"), "/"))
    table.update(dict.fromkeys(map(ord, "\u2018\u2019\u02bc"), "'"))
    table.update(dict.fromkeys(map(ord, "\u201c\u201d"), '"'))
    table.update({ord("\u00d7"): r"\times ", ord("\u22c5"): r"\cdot ", ord("\u00b7"): r"\cdot "})
    superscripts = "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"
    table.update({ord(mark): f"^{{{digit}}}" for digit, mark in enumerate(superscripts)})
    table[ord("\u207b")] = "^{-}"
    return table


def plain(text: str) -> str:
    """`text` with digits, signs, spaces and quotes of any script in ASCII, and invisible marks removed.

    >>> plain("１２ − 3½")
    '12 - 3 1/2'
    >>> plain("10⁻³")
    '10^{-3}'
    """
    if text.isascii():
        return text
    return _INVISIBLE.sub("", text.translate(_plain_characters())).replace("}^{", "")
