"""Which language a text is in: by its script where that settles it, else by a fixed statistical model.

The same text always gives the same answer. What is too short, or too much like several languages, gives none.
"""

from __future__ import annotations

from collections import Counter
from copy import copy
from functools import cache, lru_cache
from typing import Any

import regex

LANGUAGES = {
    "af": "Afrikaans",
    "ar": "Arabic",
    "bg": "Bulgarian",
    "bn": "Bengali",
    "ca": "Catalan",
    "cs": "Czech",
    "cy": "Welsh",
    "da": "Danish",
    "de": "German",
    "el": "Greek",
    "en": "English",
    "es": "Spanish",
    "et": "Estonian",
    "fa": "Persian",
    "fi": "Finnish",
    "fr": "French",
    "gu": "Gujarati",
    "he": "Hebrew",
    "hi": "Hindi",
    "hr": "Croatian",
    "hu": "Hungarian",
    "id": "Indonesian",
    "it": "Italian",
    "ja": "Japanese",
    "kn": "Kannada",
    "ko": "Korean",
    "lt": "Lithuanian",
    "lv": "Latvian",
    "ml": "Malayalam",
    "mr": "Marathi",
    "ne": "Nepali",
    "nl": "Dutch",
    "pa": "Punjabi",
    "pl": "Polish",
    "pt": "Portuguese",
    "ro": "Romanian",
    "ru": "Russian",
    "sk": "Slovak",
    "sl": "Slovene",
    "sq": "Albanian",
    "sv": "Swedish",
    "sw": "Swahili",
    "ta": "Tamil",
    "te": "Telugu",
    "th": "Thai",
    "tl": "Tagalog",
    "tr": "Turkish",
    "uk": "Ukrainian",
    "ur": "Urdu",
    "vi": "Vietnamese",
    "zh": "Chinese",
}
"""Codes of ISO 639-1 and names of the languages that can be asked for."""

MANY_LETTERS = 60
"""Letters from which on a paragraph's language is trusted against the whole text's."""

_ONE_LANGUAGE = {
    "Bengali": "bn",
    "Greek": "el",
    "Gujarati": "gu",
    "Hebrew": "he",
    "Kannada": "kn",
    "Hangul": "ko",
    "Malayalam": "ml",
    "Gurmukhi": "pa",
    "Tamil": "ta",
    "Telugu": "te",
    "Thai": "th",
}
_SHARED = {
    "Arabic": ("ar", "fa", "ur"),
    "Cyrillic": ("bg", "ru", "uk"),
    "Devanagari": ("hi", "mr", "ne"),
}
_LATIN = tuple(sorted(set(LANGUAGES) - set(_ONE_LANGUAGE.values()) - {"ja", "zh"} - {*sum(_SHARED.values(), ())}))
_SCRIPTS = ("Latin", *_ONE_LANGUAGE, *_SHARED, "Han", "Hiragana", "Katakana")
_LETTER = regex.compile("|".join(rf"(?P<{name}>\p{{{name}}})" for name in _SCRIPTS) + r"|(?P<Other>\p{L})")
_WEB = regex.compile(r"https?://\S++|(?<!\S)[^\s@]++@\S++|`[^`\n]*+`")
_MAX_CHARS = 20_000
_MIN_LETTERS = 16  # of a script that several languages share
_MIN_LETTERS_ALONE = 4  # of a script that one language has for itself
_MIN_SHARE = 0.6
_MIN_PROBABILITY = 0.6


@lru_cache(maxsize=4096)
def language_of(text: str) -> str | None:
    """The code of the text's language among `LANGUAGES`; None where it can't be told."""
    plain = _WEB.sub(" ", text[:_MAX_CHARS])
    scripts = _scripts(plain)
    if not scripts:
        return None
    script, count = scripts.most_common(1)[0]
    if count < _MIN_SHARE * scripts.total():
        return None
    if script in _ONE_LANGUAGE or script in {"Han", "Kana"}:
        known = {"Han": "zh", "Kana": "ja", **_ONE_LANGUAGE}
        return known[script] if count >= _MIN_LETTERS_ALONE else None
    if count < _MIN_LETTERS or script == "Other":
        return None
    code, probability = _identifier(_SHARED.get(script, _LATIN)).classify(plain.casefold())
    return code if probability >= _MIN_PROBABILITY else None


def could_be(text: str, code: str) -> bool:
    """Whether the script that most of the text's letters are of is one that the language is written in."""
    scripts = _scripts(text[:_MAX_CHARS])
    if scripts.total() < _MIN_LETTERS_ALONE:
        return True
    alone = {language: {script} for script, language in _ONE_LANGUAGE.items()}
    shared = {language: {script} for script, languages in _SHARED.items() for language in languages}
    known = {**alone, **shared, "ja": {"Kana", "Han"}, "zh": {"Han"}}
    return scripts.most_common(1)[0][0] in known.get(code, {"Latin"})


def num_letters(text: str) -> int:
    """Letters of any script."""
    return sum(1 for _ in _LETTER.finditer(text))


def _scripts(text: str) -> Counter[str]:
    """Letters by script; Chinese characters beside kana count as Japanese."""
    counts = Counter(match.lastgroup or "Other" for match in _LETTER.finditer(text))
    kana = counts.pop("Hiragana", 0) + counts.pop("Katakana", 0)
    if kana and 10 * kana >= counts["Han"]:
        counts["Kana"] = kana + counts.pop("Han", 0)
    return +counts


@cache
def _identifier(codes: tuple[str, ...]) -> Any:
    """The model restricted to the languages of one script."""
    identifier = copy(_model())
    identifier.set_languages(codes)
    return identifier


@cache
def _model() -> Any:
    from py3langid import langid

    return langid.LanguageIdentifier.from_model_file(langid.MODEL_FILE, norm_probs=True)
