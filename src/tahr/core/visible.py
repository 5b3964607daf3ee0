"""What a reader sees of a text: no character without ink, no comment. An answer of nothing visible is no answer."""

from __future__ import annotations

import html

import regex

# spaces, line ends and controls; what Unicode lets a font leave out (zero width, bidirectional marks, soft hyphen,
# Hangul fillers, selectors, tags); and the blanks that count as letters or symbols: Braille, Khmer, an empty note head
_BLANK = r"[\s\p{Cc}\p{Cf}\p{Zs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u17b4\u17b5\U0001D159]"
_ALL_BLANK = regex.compile(f"{_BLANK}*+")
_SEEN_WORD = regex.compile(r"(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{N}]")
_WIDE = regex.compile("[\u1160\u2800\u3164\uffa0\U0001d159]")
_DROPPED = regex.compile(
    r"(?![\u200c\u200d\ufe00-\ufe0f\U000E0020-\U000E007F])[\p{Cf}\p{Default_Ignorable_Code_Point}]"
)
_ENDS = regex.compile(rf"\A{_BLANK}++")
_REFERENCE = regex.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z]{2,31});")

_FENCED = r"^[ \t]*+(?P<fence>```++|~~~++)[^\n]*+\n(?s:.*?)(?:^[ \t]*+(?P=fence)[ \t]*+$|\Z)"
_INLINE = r"(?<!`)(?P<ticks>`{1,3})(?!`)[^`\n]++(?P=ticks)(?!`)"
_COMMENT = r"<!--(?:-?>|(?s:.*?)(?:--!?>|\Z))"
# the way to hide a remark in Markdown: a link that nothing refers to, to nowhere
_REMARK = r"^[ ]{0,3}\[(?:[^\[\]\n]{0,200})\]:[ \t]*+(?:<>|#)(?:[ \t]++(?:\([^\n]*\)|\"[^\n]*\"|'[^\n]*'))?[ \t]*+$"
_HIDDEN = regex.compile(f"(?P<code>{_FENCED}|{_INLINE})|{_COMMENT}|{_REMARK}", regex.MULTILINE)


def says_nothing(text: str) -> bool:
    """Whether a reader sees nothing at all of `text`: white space, invisible characters, references to them, comments.

    >>> says_nothing("\\u200b &nbsp; <!-- 42 -->"), says_nothing(".")
    (True, False)
    """
    if _ALL_BLANK.fullmatch(text):
        return True
    if "<!--" not in text and "&" not in text:
        return False
    bare = _REFERENCE.sub(lambda found: html.unescape(found[0]), outside_hidden(text))
    return _ALL_BLANK.fullmatch(bare) is not None


def is_blank(text: str) -> bool:
    """Whether `text` is of white space and invisible characters alone. A comment is none: what is code is judged so.

    >>> is_blank("\\u200b \\u3164"), is_blank("<!-- 42 -->")
    (True, False)
    """
    return _ALL_BLANK.fullmatch(text) is not None


def has_word(text: str) -> bool:
    """Whether a reader sees a letter or a digit.

    >>> has_word("\\u3164 <!-- 42 -->"), has_word("it is 7")
    (False, True)
    """
    return _SEEN_WORD.search(outside_hidden(text)) is not None


def outside_hidden(text: str) -> str:
    """`text` without comments of HTML and Markdown. In code, fenced or in backticks, a comment is content.

    One that is never closed hides everything behind it, as in a browser.

    >>> outside_hidden("It is <!-- 42 --> 17, not `<!-- 3 -->`.")
    'It is  17, not `<!-- 3 -->`.'
    """
    if "<!--" not in text and "]:" not in text:
        return text
    return _HIDDEN.sub(lambda found: found["code"] or "", text)


def without_blanks(text: str) -> str:
    """`text` without invisible characters between the visible ones, blanks of a width made spaces.

    Joiners, selectors and tags stay: they make one sign of several (emoji, Persian, the scripts of India).

    >>> without_blanks("no\\u00adthing\\u3164 \\u200b\\u2800.")
    'nothing   .'
    """
    return text if text.isascii() else _DROPPED.sub("", _WIDE.sub(" ", text))


def without_blank_ends(text: str) -> str:
    """`text` without the invisible characters that it begins and ends with, such as a byte order mark.

    >>> without_blank_ends("\\ufeff {} \\u200b\\n")
    '{}'
    """
    begun = _ENDS.sub("", text)
    return _ENDS.sub("", begun[::-1])[::-1]
