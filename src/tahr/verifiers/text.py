"""What a verifier reads: the text outside the thinking part, with look-alike characters made plain."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from functools import lru_cache

MAX_STRIKES, MAX_STRUCK = 50, 500
MAX_CHARS = 1_000_000  # longer answers are refused unread: no honest answer is longer

_THOUGHT = r"(?P<name>think|thinking|thoughts?|reasoning)"
_TAG = re.compile(
    rf"(?:<[|\uff5c]?|\u25c1)\s{{0,9}}/?\s{{0,9}}(?:[a-z]{{1,12}}[:_])?{_THOUGHT}(?:\s[^<>]{{0,80}})?\s{{0,9}}/?(?:[|\uff5c]?>|\u25b7)"
    r"|<\|(?:(?:begin|end)_of_thought|(?:start|end)_thinking)\|>|(?-i:\[/?THINK\])",
    re.IGNORECASE,
)
_MAY_BE_TAG = re.compile("[<\\[\u25c1]")
_STRUCK = re.compile(r"(?<![\w~\\}])~~(?=[^\s~])[^\n]{1,100}?(?<=[^\s~])~~(?![\w~])")
_DELETED = re.compile("<(/?)(?:del|strike)>", re.IGNORECASE)
_CANCEL = re.compile(r"\\(?:[xb]?cancel|sout|st) ?\{")
_COMMENT = re.compile(r"<!--(?:-?>|.*?(?:--!?>|\Z))", re.DOTALL)
_LATEX_COMMENT = re.compile(
    r"^[ \t]*%.*$|\\begin ?\{comment\}(?s:.*?)(?:\\end ?\{comment\}|\Z)|\\iffalse\b(?s:.*?)(?:\\fi\b|\Z)",
    re.MULTILINE,
)
_INVISIBLE = re.compile("[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]")


def outside_thinking(text: str, *, unless: Collection[str] = ()) -> str:
    """`text` without its ``<think>...</think>`` parts, in the spellings that models are trained on.

    Case and blanks don't matter, nor whether it is ``<thinking>``, ``<thought>``, ``[THINK]`` or ``<|think|>``; tags
    whose names are in `unless` stand for something else. An end without a beginning (the prompt opened it) hides
    everything before it; a beginning without an end hides everything after it: the answer was never given.

    >>> outside_thinking("<think>maybe 42</think> It is 17.")
    ' It is 17.'
    """
    if not _MAY_BE_TAG.search(text):
        return text
    kept: list[str] = []
    position, inside = 0, False
    for tag in _TAG.finditer(text):
        if tag["name"] in unless:
            continue
        opens = _opens(tag[0])
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
        elif not _opens(tag[0]):  # the prompt opened it, so all before it was thought
            kept = [text[: tag.start()]]
        position, inside = tag.end(), _opens(tag[0])
    return "".join([*kept, text[position:]] if inside else kept)


def _opens(tag: str) -> bool:
    return "/" not in tag and not tag.lower().startswith("<|end_")


def shown(text: str) -> str:
    r"""What a reader takes for the answer: neither thought, nor commented out, nor struck through.

    >>> shown("<thinking>8</thinking>~~9~~ It is <!-- 42 --> 17.")
    ' It is  17.'
    """
    return outside_strikes(outside_comments(outside_thinking(text), latex=True))


def outside_strikes(text: str) -> str:
    r"""`text` without what its writer struck through: ``~~8~~``, ``<del>8</del>``, ``\cancel{8}``.

    >>> outside_strikes(r"~~8~~ \cancel{9} 7")
    '  7'
    """
    if "~~" in text:
        text = _STRUCK.sub("", text)
    if "</" in text:
        text = _outside_deleted(text)
    if "cel" not in text and "\\s" not in text:
        return text
    for start in [match.start() for match in _CANCEL.finditer(text)][:MAX_STRIKES][::-1]:
        depth = 0
        for place in range(start, min(len(text), start + MAX_STRUCK)):
            depth += {"{": 1, "}": -1}.get(text[place], 0)
            if text[place] == "}" and depth == 0:
                text = text[:start] + text[place + 1 :]
                break
    return text


def _outside_deleted(text: str) -> str:
    kept: list[str] = []
    position, inside = 0, False
    for tag in _DELETED.finditer(text):
        if not tag[1] and not inside:
            kept.append(text[position : tag.start()])
        position, inside = (position, inside) if tag[1] and not inside else (tag.end(), not tag[1])
    return "".join([*kept, text[position:]])


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
