"""One writing for what reads alike: the form in which questions are looked for in training texts.

What is taken for the same: HTML entities and what they stand for; common HTML tags and a space; Unicode's compatible
forms (full width, ligatures, styled letters); capitals and small letters; letters with accents or strokes and without;
digits of any script; letters of other scripts that look like Latin ones, and signs by their shape (`LOOKS_LIKE`); the
underscore and a space. Invisible characters (soft hyphens, joiners, marks of direction, variation selectors) are
nothing, or a space in a second reading.
"""

from __future__ import annotations

import html
import re
import unicodedata

LOOKS_LIKE = {
    # Cyrillic
    "а": "a", "в": "b", "ь": "b", "с": "c", "ԁ": "d", "е": "e", "ғ": "f", "ԍ": "g", "һ": "h", "н": "h", "і": "i",
    "ј": "j", "к": "k", "ӏ": "l", "м": "m", "п": "n", "о": "o", "р": "p", "ԛ": "q", "г": "r", "ѕ": "s", "т": "t",
    "ѵ": "v", "ԝ": "w", "х": "x", "у": "y", "ү": "y",
    # Greek
    "α": "a", "β": "b", "ϲ": "c", "ε": "e", "ι": "i", "κ": "k", "η": "n", "ν": "v", "ο": "o", "σ": "o", "ρ": "p",
    "τ": "t", "μ": "u", "υ": "u", "ω": "w", "χ": "x", "γ": "y", "ζ": "z",
    # Armenian
    "ց": "g", "հ": "h", "յ": "j", "ո": "n", "օ": "o", "զ": "q", "ս": "u",
    # Latin of other shapes: without a dot, single-storey, small capitals, with a stroke
    "ı": "i", "ȷ": "j", "ɑ": "a", "ɡ": "g", "ɩ": "i", "ʋ": "v",
    "ᴀ": "a", "ʙ": "b", "ᴄ": "c", "ᴅ": "d", "ᴇ": "e", "ꜰ": "f", "ɢ": "g", "ʜ": "h", "ɪ": "i", "ᴊ": "j", "ᴋ": "k",
    "ʟ": "l", "ᴍ": "m", "ɴ": "n", "ᴏ": "o", "ᴘ": "p", "ʀ": "r", "ꜱ": "s", "ᴛ": "t", "ᴜ": "u", "ᴠ": "v", "ᴡ": "w",
    "ʏ": "y", "ᴢ": "z", "đ": "d", "ħ": "h", "ł": "l", "ø": "o", "ŧ": "t",
    # signs
    "‘": "'", "’": "'", "‛": "'", "ʼ": "'", "′": "'", "“": '"', "”": '"', "„": '"', "‟": '"', "″": '"',
    "‐": "-", "‒": "-", "–": "-", "—": "-", "―": "-", "−": "-", "×": "*", "∗": "*", "÷": "/", "∕": "/", "⁄": "/",
}  # fmt: skip
"""Small letters and signs by the one of ASCII that they look like, after Unicode's list of confusables (UTS 39).

A capital goes with its small letter, so that capitals still don't matter: by the small letter's look where it has one
(Greek eta is n, not H), else by the capital's (Cyrillic en is h).
"""

_TAG = re.compile(
    r"</?(?:a|b|blockquote|br|code|div|em|h[1-6]|hr|i|li|ol|p|pre|s|small|span|strong|sub|sup|table|tbody|td|th|thead"
    r"|tr|u|ul)(?:\s+[\w:-]+\s*=[^<>]*)?\s*/?>",
    re.IGNORECASE,
)
_MOST_ESCAPED = 3
"""Times that entities are read: what was escaped twice is escaped still after once."""

_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")
_ACCENTS = re.compile("[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+")
# category Cf of Unicode 15, and what else has no width: joiners, fillers, variation selectors, tags
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)

# Scripts without spaces have a word for each character; signs count between numbers only, where they are the question.
_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+|[-+*/=<>^%](?=\s*[\d(])")


def folded(text: str) -> str:
    """The text in the one writing, punctuation and spaces kept.

    >>> folded("It\\u200b&#39;s Сafé_ＦＩＶＥ<br>x")
    "it's cafe five x"
    """
    return _folded(_unmarked(text))


def words(text: str) -> tuple[str, ...]:
    """The words of a text in the one writing, without punctuation.

    >>> words("What’s 2 + 3, then?  ＦＩＶＥ!")
    ('what', 's', '2', '+', '3', 'then', 'five')
    """
    return tuple(_WORD.findall(folded(text)))


def readings(text: str) -> tuple[tuple[str, ...], ...]:
    """The words of a text: a second time, where it has invisible characters, with these for spaces.

    >>> readings("a\\u200bb c")
    (('ab', 'c'), ('a', 'b', 'c'))
    """
    text = _unmarked(text)
    first = tuple(_WORD.findall(_folded(text)))
    if text.isascii() or not _INVISIBLE.search(text):
        return (first,)
    second = tuple(_WORD.findall(_folded(_INVISIBLE.sub(" ", text))))
    return (first,) if second == first else (first, second)


def _unmarked(text: str) -> str:
    """The text without HTML."""
    for _ in range(_MOST_ESCAPED):
        if "&" not in text or (plain := html.unescape(text)) == text:
            break
        text = plain
    return _TAG.sub(" ", text) if "<" in text else text


def _folded(text: str) -> str:
    if not text.isascii():
        text = _BEYOND_ASCII.sub(lambda run: unicodedata.normalize("NFKC", run[0].translate(_FOLDS)), text)
    return text.lower().replace("_", " ")


class _Folds(dict[int, str]):
    """What each character is written as, worked out when it is first met."""

    def __missing__(self, code: int) -> str:
        self[code] = found = _fold(chr(code))
        return found


_FOLDS = _Folds()


def _fold(character: str) -> str:
    if _INVISIBLE.match(character) or _ACCENTS.match(character):
        return ""
    digit = unicodedata.decimal(character, None)
    if digit is not None:
        return str(digit)
    small = _ACCENTS.sub("", unicodedata.normalize("NFKC", character).casefold())
    if character.isalpha():  # others decompose too, such as the sign of what is unequal
        small = unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFKD", small)))
    return "".join(LOOKS_LIKE.get(one, one) for one in small)
