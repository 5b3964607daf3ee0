"""What a reader sees of a text, one definition for every check of emptiness."""

import time

import pytest

from tahr.core.visible import has_word, is_blank, outside_hidden, says_nothing, without_blank_ends, without_blanks


@pytest.mark.parametrize(
    ("text", "nothing"),
    [
        ("", True),
        ("\u00a0\u200b\u2800\u00ad\u3164\u115f\uffa0\u202e\u2067\ufeff\U000e0041\U0001d159\u034f", True),
        ("&nbsp;&#8203;&#x3164;", True),
        ("<!-- 42 -->\n[//]: # (42)", True),
        (".", False),
        ("\u0301", False),
        ("&amp;", False),
        ("&", False),
        ("`<!-- 42 -->`", False),
    ],
)
def test_saying_nothing(text: str, nothing: bool) -> None:
    assert says_nothing(text) is nothing


def test_the_parts() -> None:
    assert is_blank("\u200b \t") and not is_blank("<!-- -->")
    assert has_word("\u3164 x") and not has_word("\u3164 <!-- x --> .")
    assert without_blank_ends("\ufeff\n a b\u200b ") == "a b"
    assert without_blanks("a\u00adb \u3164c") == "ab  c"
    assert outside_hidden("a <!-- b --> c <!-- d") == "a  c "


@pytest.mark.parametrize("piece", ["<!--", "`a", "[a]: # (x\n", "   [", "&nbsp;", "`<!--", "~~~\n```\n", " \n"])
def test_hostile_texts_take_linear_time(piece: str) -> None:
    text = piece * (500_000 // len(piece)) + "]:"
    started = time.process_time()
    says_nothing(text)
    outside_hidden(text)
    without_blank_ends(text)
    assert time.process_time() - started < 2
