"""How a response is read: words, sentences, lines, paragraphs, and junk."""

import pytest

from tahr.verifiers.instructions.response import Response, words_of
from tahr.verifiers.instructions.sentences import split_sentences


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The sea’s calm.", ("The", "sea's", "calm")),
        ("a well-known fact_of 3.5 miles", ("a", "well", "known", "fact", "of", "3", "5", "miles")),
        ("cafe\u0301", ("caf\u00e9",)),
        ("हिन्दी में", ("हिन्दी", "में")),
        ("'quoted' don't", ("quoted", "don't")),
        ("--- *** ...", ()),
    ],
)
def test_words(text: str, words: tuple[str, ...]) -> None:
    assert Response.of(text).words == words
    assert words_of(text) == words


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("It rains. We stay! Why?", ["It rains.", "We stay!", "Why?"]),
        ("Dr. Lee met J. R. Smith at 3.5 p.m. today.", ["Dr. Lee met J. R. Smith at 3.5 p.m. today."]),
        ("We like tea, coffee, etc. They don't.", ["We like tea, coffee, etc.", "They don't."]),
        ("so do I. We go.", ["so do I.", "We go."]),
        ('"It rains." He left.', ['"It rains."', "He left."]),
        ("Wait... what? Well... Yes.", ["Wait... what?", "Well...", "Yes."]),
        ("1. One thing.\n2. Another thing.", ["1. One thing.", "2. Another thing."]),
        ("# A title\n\nText here", ["# A title", "Text here"]),
        ("a line\ngoes on.", ["a line\ngoes on."]),
        ("雨が降る。家にいる。", ["雨が降る。", "家にいる。"]),
        ("no end", ["no end"]),
        ("", []),
    ],
)
def test_sentences(text: str, sentences: list[str]) -> None:
    assert split_sentences(text) == sentences


def test_lines_and_paragraphs() -> None:
    response = Response.of("\n  one\r\ntwo\n \t\nthree\n\n\n")
    assert response.text == "  one\ntwo\n \t\nthree"
    assert response.lines == ("  one", "two", "three")
    assert response.paragraphs == ("one\ntwo", "three")


def test_phrases_are_counted_on_word_boundaries() -> None:
    response = Response.of("Sea salt, sea-salt and the sea's salt; overseas salt.")
    assert response.count("sea salt") == 3
    assert response.count("Sea salt", ignore_case=False) == 1
    assert response.count("sea") == 3
    assert response.count("...") == 0


def test_loose_variants() -> None:
    texts = [variant.text for variant in Response.of("a *b*\nc\nd").variants]
    assert texts == ["a *b*\nc\nd", "c\nd", "a *b*\nc", "c", "a b\nc\nd", "a b\nc"]


@pytest.mark.parametrize(
    ("text", "admits", "junk"),
    [
        ("我喜欢在海边散步", frozenset[str](), ""),
        ("我我我我我我", frozenset[str](), "fewer than 3 different words"),
        ("yes", frozenset[str](), "fewer than 3 different words"),
        ("yes", frozenset({"short"}), ""),
        ("tell me about the deep blue sea", frozenset[str](), "repeats the question"),
        ("tell me about the deep blue sea", frozenset({"echo"}), ""),
        ("", frozenset({"short", "echo", "repetition"}), "no words"),
    ],
)
def test_junk(text: str, admits: frozenset[str], junk: str) -> None:
    assert Response.of(text, "Tell me about the deep blue sea.").junk(admits) == junk


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("<!-- no commas here -->", ""),
        ("<!-- never closed", ""),
        ("So <!-- not this --> it is.", "So  it is."),
        ("[//]: # (a remark that no reader sees)", ""),
        ("[1]: https://example.org", "[1]: https://example.org"),
        ("Write `<!-- x -->` there.", "Write `<!-- x -->` there."),
        ("```html\n<!-- x -->\n```", "```html\n<!-- x -->\n```"),
        ("no\u00adthing\u2060", "nothing"),
        ("\u3164\u200b\u2800", ""),
    ],
)
def test_what_no_reader_sees_is_not_read(text: str, seen: str) -> None:
    assert Response.of(text).text.strip() == seen


def test_joiners_within_a_sign_stay() -> None:
    family = "\U0001f469\u200d\U0001f467\ufe0f"
    assert Response.of(family).text == family
