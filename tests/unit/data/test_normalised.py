"""One writing for what reads alike, and copies of a question in every writing."""

import unicodedata

import pytest

from tahr.data.decontaminate import QuestionIndex
from tahr.data.normalised import LOOKS_LIKE, folded, readings, words

QUESTION = "Write a short poem about the old lighthouse keeper who isn't afraid of storms, in 3 stanzas"


def test_words_are_normalised() -> None:
    assert words("It's  a\tTest—of ＷＯＲＤＳ, 1.5%!") == ("it", "s", "a", "test", "of", "words", "1", "5")
    assert words("2 + 3 - (4*5)= x") == ("2", "+", "3", "-", "4", "*", "5", "x")
    assert words("2 − 3 × 4 ÷ 5") == ("2", "-", "3", "*", "4", "/", "5")
    assert words("- a point\n* another-one") == ("a", "point", "another", "one")
    assert words("你好 world") == ("你", "好", "world")
    assert words("") == ()


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("ex\u00adam\u200bple", "example"),
        ("left\u202eright\ufe0f", "leftright"),
        ("isn&#39;t&nbsp;it &amp;amp; so", "isn't it & so"),
        ("isn’t “it”", 'isn\'t "it"'),
        ("one<br/>two <span class='x'>three</span>", "one two  three "),
        ("List<int> a < b", "list<int> a < b"),  # no tags
        ("has_close_elements", "has close elements"),
        ("Саfé NΑΪVE Łódź", "cafe naive lodz"),
        ("e\u0301te\u0301", "ete"),
        ("٣ ４ 𝟓", "3 4 5"),
        ("ﬁne 𝓼𝓽𝔂𝓵𝓮 ꜱᴍᴀʟʟ Ⓒ", "fine style small c"),
        ("a ≠ b", "a ≠ b"),
        ("か\u3099 が", "が が"),
        ("Straße", "strasse"),
    ],
)
def test_what_reads_alike_is_written_alike(text: str, plain: str) -> None:
    assert folded(text) == plain


def test_capitals_go_with_small_letters_in_every_script() -> None:
    everything = [chr(code) for code in range(0x20000) if not 0xD800 <= code < 0xE000 and code != 0x345]
    assert [one for one in everything if folded(one.upper()) != folded(one)] == []


def test_the_writing_is_its_own() -> None:
    everything = [chr(code) for code in range(0x20000) if not 0xD800 <= code < 0xE000]
    assert [one for one in everything if folded(folded(one)) != folded(one)] == []
    assert all(key == key.casefold() and value.isascii() for key, value in LOOKS_LIKE.items())


def test_every_format_character_is_nothing() -> None:
    assert [one for one in map(chr, range(0x110000)) if unicodedata.category(one) == "Cf" and folded(one)] == []


def test_invisible_characters_are_read_both_ways() -> None:
    assert readings("a\u200bb c") == (("ab", "c"), ("a", "b", "c"))
    assert readings("a&shy;b") == (("ab",), ("a", "b"))
    assert readings("a \u200bb’") == (("a", "b"),)


COPIES = {
    "as it is": QUESTION,
    "zero width spaces in words": QUESTION.replace("o", "o\u200b"),
    "soft hyphens in words": QUESTION.replace("e", "e\u00ad"),
    "joiners in words": "\u2060".join(QUESTION),
    "zero width spaces for spaces": QUESTION.replace(" ", "\u200b"),
    "marks of direction": f"\u202e{QUESTION}\u202c",
    "tag characters": QUESTION.replace("e", "e\U000e0065"),
    "entities": QUESTION.replace("'", "&#39;").replace(" ", "&nbsp;"),
    "entities twice": QUESTION.replace(" ", "&amp;nbsp;"),
    "entities for letters": "".join(f"&#{ord(one)};" for one in QUESTION),
    "tags": "<p>" + QUESTION.replace(" ", " <b>", 3) + "</p>",
    "underscores": QUESTION.replace(" ", "_"),
    "cyrillic": QUESTION.translate(str.maketrans("aeocpxyiTHKM", "аеосрхуіТНКМ")),
    "greek": QUESTION.translate(str.maketrans("oavuW", "οανυΩ")),
    "full width": "".join(chr(ord(one) + 0xFEE0) if one != " " else "\u3000" for one in QUESTION),
    "mathematical letters": "".join(chr(ord(one) + 0x1D3B9) if one.islower() else one for one in QUESTION),
    "accents over letters": QUESTION.replace("e", "e\u0301").replace("o", "o\u0336"),
    "capitals": QUESTION.upper(),
    "curly": QUESTION.replace("'", "’"),
}


@pytest.mark.parametrize("copy", COPIES.values(), ids=COPIES.keys())
def test_a_copy_in_another_writing_is_found(copy: str) -> None:
    assert [hit.share for hit in QuestionIndex([("q", QUESTION)]).find(f"user: {copy}\nassistant: no")] == [1.0]


@pytest.mark.parametrize("kind", [kind for kind in COPIES if kind != "zero width spaces for spaces"])
def test_a_question_in_another_writing_is_looked_for(kind: str) -> None:
    assert [hit.share for hit in QuestionIndex([("q", COPIES[kind])]).find(f"user: {QUESTION}\nassistant: no")] == [1.0]


@pytest.mark.parametrize(
    "text",
    [
        " ".join(f"{one} um" if place % 5 == 4 else one for place, one in enumerate(QUESTION.split())),
        " ".join(QUESTION.split()[:7]),
        "Compose three verses on the fearless man who kept the ancient light by the sea",
        "Schreibe ein kurzes Gedicht über den alten Leuchtturmwärter",
        "W r i t e  a  s h o r t  p o e m",
    ],
    ids=["filler words", "less than the share", "paraphrase", "translation", "spaced letters"],
)
def test_what_is_documented_as_not_found(text: str) -> None:
    """A measure by n-grams of words can't; the document says so, and a change here has to be said there."""
    assert QuestionIndex([("q", QUESTION)]).find(text) == []
