"""What stands at the end of a sentence: marks and emoji."""

from __future__ import annotations

import regex

EMOJI = (
    r"(?:\p{Emoji_Presentation}|\p{Emoji}\ufe0f\u20e3?|[\p{Extended_Pictographic}--[\u00a9\u00ae\u203c\u2049\u2122]])"
)
"""Pattern of what is shown as a picture; digits and "©" are none unless a variation selector makes them."""

_EMOJI = regex.compile(EMOJI, regex.V1)
_JOINERS = "\ufe0e\ufe0f\u200d\u20e3"


def closing_marks(sentence: str) -> str:
    """What stands behind the last word of a sentence.

    >>> closing_marks('He said, "Why?"')
    '?"'
    """
    end = len(sentence)
    while end and not sentence[end - 1].isalnum():
        end -= 1
    return sentence[end:]


def has_emoji(text: str) -> bool:
    """Whether an emoji stands in `text`."""
    return _EMOJI.search(text) is not None


def begins_with_emoji(text: str) -> bool:
    """Whether an emoji is the first thing of `text`, white space and quotes left out."""
    return _EMOJI.match(text.lstrip(" \t\n\"'*_)")) is not None


def spaced_emoji(text: str) -> str:
    """`text` with a space between a mark that may end a sentence and an emoji right behind it."""
    return regex.sub(rf"(?<=[.!?\u2026])(?={EMOJI})", " ", text, flags=regex.V1)
