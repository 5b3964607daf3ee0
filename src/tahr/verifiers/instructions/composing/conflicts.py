"""Which instructions contradict each other, from a table of what each decides, needs and forbids.

Two instructions contradict where both decide the same thing (letter case, the end, how many paragraphs), where one
needs what the other forbids (a highlight needs asterisks), or where one leaves no room for any other.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Traits:
    """What an instruction decides alone, what it needs, and what it forbids.

    Example: ``Traits(decides=frozenset({"case"}), forbids=frozenset({"capitals"}))``
    """

    decides: frozenset[str] = frozenset()
    needs: frozenset[str] = frozenset()
    forbids: frozenset[str] = frozenset()


def _traits(decides: str = "", needs: str = "", forbids: str = "") -> Traits:
    return Traits(*(frozenset(words.split()) for words in (decides, needs, forbids)))


ALONE = _traits("everything")

TRAITS: dict[str, Traits] = {
    "change_case:capital_word_frequency": _traits("case", needs="english capitals"),
    "change_case:english_capital": _traits("case", needs="english", forbids="small"),
    "change_case:english_lowercase": _traits("case", needs="english small", forbids="capitals"),
    "combination:repeat_prompt": _traits("start layout", needs="echo commas lines"),
    "combination:two_responses": _traits("paragraphs layout", needs="lines"),
    **dict.fromkeys(("copy:copy", "copy:copying_multiple", "copy:copying_simple", "copy:repeat_phrase"), ALONE),
    "count:count_increment_word": _traits(needs="english repeats"),
    "count:count_unique": _traits("amount", forbids="repeats"),
    "count:counting_composition": _traits("paragraphs sentences amount layout", needs="lines"),
    "count:lowercase_counting": _traits("case amount", needs="english"),
    "detectable_content:number_placeholders": _traits("brackets"),
    "detectable_content:postscript": _traits("end", needs="lines dots"),
    "detectable_format:bigram_wrapping": _traits("brackets layout end start", forbids="lines"),
    "detectable_format:constrained_response": _traits("answer", needs="english dots capitals repeats", forbids="small"),
    "detectable_format:json_format": _traits("start end layout", forbids="lines small"),
    "detectable_format:multiple_sections": _traits("paragraphs start", needs="lines repeats"),
    "detectable_format:number_bullet_lists": _traits("bullets", needs="lines"),
    "detectable_format:number_highlighted_sections": _traits("highlights"),
    "detectable_format:sentence_hyphens": _traits("layout sentences", forbids="lines"),
    "detectable_format:square_brackets": _traits("brackets layout end start", forbids="lines"),
    "detectable_format:title": _traits("start", needs="lines"),
    "first_word:first_word_answer": _traits("start", needs="english"),
    "first_word:first_word_sent": _traits("start beginnings", needs="english repeats", forbids="lines"),
    "keywords:exclude_word_harder": _traits(forbids="echo"),
    "keywords:existence": _traits(needs="english"),
    "keywords:forbidden_words": _traits(forbids="echo"),
    "keywords:frequency": _traits(needs="english repeats"),
    "keywords:keyword_specific_position": _traits("beginnings", needs="english"),
    "keywords:letter_frequency": _traits("letter", needs="english"),
    "keywords:no_adjacent_consecutive": _traits("neighbours beginnings end", needs="english", forbids="echo lines"),
    "keywords:palindrome": _traits(needs="english"),
    "keywords:start_end": _traits("start end", needs="english repeats"),
    "keywords:word_count_different_numbers": _traits(needs="english repeats"),
    "keywords:word_once": _traits(needs="english"),
    "language:response_language": _traits("language", forbids="english echo"),
    "last_word:last_word_answer": _traits("end", needs="english"),
    "last_word:last_word_sent": _traits("end endings", needs="english repeats", forbids="lines"),
    "length_constraints:nth_paragraph_first_word": _traits("paragraphs start", needs="english lines"),
    "length_constraints:number_paragraphs": _traits("paragraphs", needs="lines"),
    "length_constraints:number_sentences": _traits("sentences"),
    "length_constraints:number_words": _traits("amount"),
    "letters:letter_counting": _traits("amount"),
    "letters:letter_counting2": _traits("letter", needs="english"),
    "new:copy_span_idx": ALONE,
    "paragraphs:paragraphs": _traits("paragraphs", needs="lines"),
    "paragraphs:paragraphs2": _traits("paragraphs", needs="lines"),
    "punctuation:no_comma": _traits(forbids="commas"),
    "punctuation:punctuation_dot": _traits(forbids="dots"),
    "punctuation:punctuation_exclamation": _traits(),
    "startend:end_checker": _traits("end", needs="english dots"),
    "startend:quotation": _traits("start end"),
}
"""Traits by id; a kind that isn't listed goes with no other."""


def traits_of(name: str) -> Traits:
    """The traits of a kind."""
    return TRAITS.get(name, ALONE)


def contradiction(one: str, other: str) -> str:
    """Why two kinds can't be asked for together ("" where they can)."""
    first, second = traits_of(one), traits_of(other)
    if one == other:
        return f"{one} twice"
    if "everything" in first.decides | second.decides:
        return f"{one if 'everything' in first.decides else other} leaves no room for another"
    if shared := first.decides & second.decides:
        return f"both decide {_first(shared)}"
    if missing := first.needs & second.forbids:
        return f"{one} needs {_first(missing)}, which {other} forbids"
    if missing := second.needs & first.forbids:
        return f"{other} needs {_first(missing)}, which {one} forbids"
    return ""


def _first(names: frozenset[str]) -> str:
    return min(names)
