"""Answers that are words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tahr.verifiers.math.tokens import Token, known_function
from tahr.verifiers.math.vocabulary import SHORT_WORDS

_ARTICLE = re.compile(r"^\s*(?:[Tt]he|[Aa]n?) +(?=[a-z]{2})(?!or\b|and\b)")
_WORD = re.compile(r"[^\W\d_]+")
_NOON = re.compile(r"(\d) ?([ap]) ?m\b")
_MARKUP = re.compile(r"\\(?:text(?:bf|it|rm)?|mathrm|mathbf|mbox|overline|operatorname) ?\{([^{}]*)\}")


def wording(text: str) -> str:
    """Words as they are compared: case, punctuation, markup and articles left out."""
    text = _ARTICLE.sub("", _MARKUP.sub(r" \1 ", text))
    text = re.sub(r"\\(?:text\w*|mathrm|mathbf|overline|left|right|[,;:! ])", " ", text)
    kept = re.sub(r"[^\w+\-*/^=<>%.|\\]|(?<!\d)\.|\.(?!\d)|_", " ", text.casefold())
    words = " ".join(re.sub(r"(\\[a-z]+)", r" \1 ", kept).split())
    return _NOON.sub(r"\1 \2m", words)


def only_words(text: str, found: Sequence[Token]) -> bool:
    """Whether a text is made of words and punctuation alone; single letters and names of functions are mathematics."""
    names = [token for token in found if token.kind in {"name", "text"}]
    if not names or any(token.kind == "number" or token.kind == "command" for token in found):
        return False
    if any(
        token.kind == "mark" and token.text not in {"{", "}", "(", ")", ".", ",", "'", "-", "!", "?", ":"}
        for token in found
    ):
        return False
    words = [word for token in names for word in _WORD.findall(token.text)]
    return (
        any(len(word) > 1 and not known_function(word) for word in words)
        and not any(token.kind == "name" and known_function(token.text) for token in names)
        and any(len(word) > 3 or not _is_product(word) for word in words)
    )


def _is_product(word: str) -> bool:
    return len(word) <= 3 and word.lower() not in SHORT_WORDS and not any(letter in "eiouEIOU" for letter in word)
