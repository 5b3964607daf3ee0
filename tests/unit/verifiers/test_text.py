import pytest

from tahr.verifiers.text import outside_thinking, plain


@pytest.mark.parametrize(
    ("text", "visible"),
    [
        ("no thinking", "no thinking"),
        ("<think>a</think>b", "b"),
        ("a<think>b</think>c<think>d</think>e", "ace"),
        ("opened by the prompt</think>b", "b"),
        ("a<think>never closed", "a"),
        ("<think>a<think>b</think>c", "c"),
        ("a</think>b</think>c", "c"),
        ("", ""),
    ],
)
def test_thinking_is_left_out(text: str, visible: str) -> None:
    assert outside_thinking(text) == visible


@pytest.mark.parametrize(
    ("text", "ascii_text"),
    [
        ("１２", "12"),
        ("٣٫", "3٫"),
        ("−5", "-5"),
        ("3½", "3 1/2"),
        ("10⁻³", "10^{-3}"),
        ("1 000", "1 000"),
        ("\u202e42\u202c\ufeff", "42"),
        ("plain", "plain"),
    ],
)
def test_look_alikes_become_ascii(text: str, ascii_text: str) -> None:
    assert plain(text) == ascii_text
