"""Where sentences end, by rules: no model, no download, the same everywhere."""

from __future__ import annotations

from collections.abc import Iterator

import regex

_OFTEN_BEFORE_MORE = """mr mrs ms dr prof sr jr st mt vs etc eg ie e.g i.e cf al approx dept est fig figs inc ltd co
    corp nos vol pp ed eds ch sec gen gov sen rep rev hon col sgt capt lt ave blvd rd jan feb mar apr jun jul aug sep
    sept oct nov dec u.s u.k u.n a.m p.m ph.d b.a m.a d.c viz resp op cit mme mlle"""
_OFTEN_LAST = "etc a.m p.m inc ltd jr sr co corp u.s u.k ph.d al"
_ABBREVIATIONS = frozenset(_OFTEN_BEFORE_MORE.split())
_ENDS_LINE_TOO = frozenset(_OFTEN_LAST.split())
_END = regex.compile(
    r"""(?P<mark>[.!?\u2026]+)[*_~"'\u201d\u2019)\]}\u00bb]*(?=\s|$)  # a mark, what closes around it, then white space
    |[\u3002\uff01\uff1f\u0964]+["'\u201d\u2019\u300d\u300f)\]\uff09]*  # marks of scripts that need no space behind""",
    regex.VERBOSE,
)
_BLOCK = regex.compile(r"\n[ \t]*(?=\n|[-*+\u2022][ \t]|#{1,6}[ \t]|\d{1,3}[.)][ \t]|\|)")
_LIST_MARK = regex.compile(r"^[ \t]*(?:[-*+\u2022][ \t]+)?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,4})[.)]$")
_LAST_TOKEN = regex.compile(r"[^\s\"'(\[*_]*$")
_CLOSED_SPEECH = regex.compile(r"[.!?\u2026]*[!?]+[.!?\u2026]*[*_~]*[\"'\u201d\u2019)\u00bb]+")
_SAYS = regex.compile(
    r"""\s+(?!(?:He|She|It|They|We|You)\b)\p{Lu}\p{L}*+(?:\s\p{Lu}\p{L}*+)?\s(?:said|says|asked|asks|cried|replied|answered
    |called|shouted|yelled|screamed|whispered|murmured|exclaimed|wondered|added)\b""",
    regex.VERBOSE,
)
_NEXT_WORD = regex.compile(r"\s+[\"'(\[*_]*(\p{L})")


def split_sentences(text: str) -> list[str]:
    """The sentences of `text`, stripped. Blank lines, list items, headings and table rows start a new one.

    A full stop behind an abbreviation, an initial ("J. Smith") or a list number ("1.") ends none, unless the text ends
    there or a capital letter follows an abbreviation that often stands last ("etc."). Speech that asks or exclaims ends
    none where the sentence goes on behind it (``"Who?" she asked.``).
    """
    return [sentence for block in _BLOCK.split(text) for sentence in _in_block(block)]


def _in_block(block: str) -> Iterator[str]:
    start = 0
    for match in _END.finditer(block):
        if (
            (match["mark"] == "." and _goes_on(block, start, match))
            or _trails_off(block, match)
            or _is_spoken(block, match)
        ):
            continue
        if sentence := block[start : match.end()].strip():
            yield sentence
        start = match.end()
    if rest := block[start:].strip():
        yield rest


def _trails_off(block: str, match: regex.Match[str]) -> bool:
    """Whether dots stand for a pause inside the sentence: a small letter follows them ("Wait... what")."""
    if match["mark"] not in {"\u2026", ".."} and not (match["mark"] or "").startswith("..."):
        return False
    following = _NEXT_WORD.match(block, match.end())
    return following is not None and following[1].islower()


def _is_spoken(block: str, match: regex.Match[str]) -> bool:
    """Whether a question or an exclamation in quotes is part of a longer sentence (``"Who?" she asked.``)."""
    if not _CLOSED_SPEECH.fullmatch(match[0]):
        return False
    following = _NEXT_WORD.match(block, match.end())
    return following is not None and (following[1].islower() or _SAYS.match(block, match.end()) is not None)


def _goes_on(block: str, start: int, match: regex.Match[str]) -> bool:
    """Whether the full stop at `match` belongs to a word, not to the sentence."""
    following = _NEXT_WORD.match(block, match.end())
    before = block[max(start, match.start() - 60) : match.start()]
    if not block[match.end() :].strip():
        return False
    token_match = _LAST_TOKEN.search(before)
    token = token_match[0] if token_match else ""
    if _LIST_MARK.match(block[start : match.start() + 1]):
        return True
    if len(token) == 1 and token.isupper() and token != "I":
        return following is not None and following[1].isupper()
    if token.casefold() not in _ABBREVIATIONS:
        return False
    return not (token.casefold() in _ENDS_LINE_TOO and following is not None and following[1].isupper())
