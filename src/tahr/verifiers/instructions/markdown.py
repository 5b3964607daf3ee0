"""Constructs of Markdown, read as constructs: a product is no highlight, a rule no bullet, a link no placeholder."""

from __future__ import annotations

import regex

# quantifiers are possessive where what follows could make them try every length: a hostile line would take minutes

_FENCED = regex.compile(r"^[ \t]*+(```++|~~~++)[^\n]*+\n.*?(?:^[ \t]*+\1[ \t]*+$|\Z)", regex.MULTILINE | regex.DOTALL)
_INLINE_CODE = regex.compile(r"(?<!`)(`{1,3})(?!`)[^`\n]+\1(?!`)")
_BULLET = regex.compile(r"^[ \t]*+(?:\"[ \t]*+)?[-*+][ \t]+(?=\S)", regex.MULTILINE)
_RULE = regex.compile(r"^[ \t]*+(?:(?:\*[ \t]*+){3,}+|(?:-[ \t]*+){3,}+|(?:_[ \t]*+){3,}+)$", regex.MULTILINE)
_HIGHLIGHT = regex.compile(r"(?<![\w*\\])(\*{1,3})(?=[^\s*])([^*\n]*[^\s*])\1(?![\w*])")
_BRACKETED = regex.compile(r"(?<![!\\])\[([^\[\]\n]*)\](?![(\[:])")
# A shift is none: it stands against a value ("x<<1"), or behind one and apart from what follows ("1 << 3").
_TITLE = regex.compile(r"(?<![\w)\]<])(?<![\w)\]\"'][ \t](?=<<[ \t]))<<([^<>\n]+)>>(?![\w(<>])")
_WORDS = regex.compile(r"\p{L}")
_FENCE_ALONE = regex.compile(r"\A\s*(```+)[A-Za-z0-9_+-]*[ \t]*\n(.*?)\n?[ \t]*\1\s*\Z", regex.DOTALL)


def without_code(text: str) -> str:
    """`text` with fenced blocks and inline code blanked."""
    return _INLINE_CODE.sub(" ", _FENCED.sub("\n", text))


def unfenced(text: str) -> str:
    """What stands inside the fence where the whole text is one fenced block; else the text."""
    match = _FENCE_ALONE.match(text)
    return match[2] if match else text


def num_bullets(text: str) -> int:
    """List items that a ``*``, ``-`` or ``+`` and a space open, of any depth; rules (``***``, ``* * *``) are none."""
    return len(_BULLET.findall(_RULE.sub("", without_code(text))))


def highlights(text: str) -> list[str]:
    """What stands between single, double or triple asterisks in one line: no space inside the marks, no word outside
    against them, and a word within.
    """
    plain = _BULLET.sub("", _RULE.sub("", without_code(text)))
    return [match[2] for match in _HIGHLIGHT.finditer(plain) if regex.search(r"[\p{L}\p{N}]", match[2])]


def placeholders(text: str) -> list[str]:
    """What stands in square brackets and names something: no link, no check box, no number of a reference."""
    inside = [match[1].strip() for match in _BRACKETED.finditer(text)]
    return [name for name in inside if _WORDS.search(name) and name.casefold() != "x"]


def titles(text: str) -> list[str]:
    """What stands between ``<<`` and ``>>`` in one line and holds a letter or a digit."""
    return [title.strip() for title in _TITLE.findall(text) if regex.search(r"[\p{L}\p{N}]", title)]
