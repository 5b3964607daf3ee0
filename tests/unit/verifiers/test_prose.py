import pytest

from tahr.verifiers.prose import Prose


def test_words_are_cut_at_boundaries() -> None:
    assert Prose.of("The sea’s well-known_blue, calm.").words == ["the", "sea's", "well", "known", "blue", "calm"]


@pytest.mark.parametrize(
    ("text", "count"),
    [("", 0), ("one", 1), ("One.", 1), ("One. Two", 2), ("One. Two!", 2), ("Why?! Yes.", 2), ("v1.5 is out.", 1)],
)
def test_sentences(text: str, count: int) -> None:
    assert Prose.of(text).num_sentences == count


@pytest.mark.parametrize(
    ("text", "phrase", "found"),
    [
        ("Leonard sings", "Leo", False),
        ("I saw Leo.", "leo", True),
        ("Leo's hat", "Leo", True),
        ("a stone-cold day", "stone", True),
        ("_stone_", "stone", True),
        ("the old stone wall", "stone wall", True),
        ("the stone old wall", "stone wall", False),
        ("stones", "stone", False),
        ("a.b", "a.b", True),
        ("axb", "a.b", False),  # a phrase is never a pattern
    ],
)
def test_phrases_are_found_on_word_boundaries(text: str, phrase: str, found: bool) -> None:
    assert Prose.of(text).contains(phrase) is found


@pytest.mark.parametrize(
    ("text", "ends"),
    [("done.", True), ('"done."', True), ("done?!", True), ("done", False), ("a. b", False), ("", False)],
)
def test_a_sentence_ends_with_a_mark(text: str, ends: bool) -> None:
    assert Prose.of(text).ends_as_sentence is ends


QUESTION = "Write one short sentence about the sea. Use the word stone."


@pytest.mark.parametrize(
    ("text", "junk"),
    [
        ("", "fewer than 3"),
        ("stone", "fewer than 3"),
        ("stone stone stone stone", "fewer than 3"),
        ("stone the stone a stone stone", "'stone' is 4 of 6"),
        ("it is a stone " * 5, "over and over"),
        (QUESTION, "repeats"),
        ("write one short sentence about the sea use the word stone ok", "repeats"),
        ("the sea moved a small stone.", ""),
        ("a short sentence about the sea and a stone is not easy.", ""),
    ],
)
def test_junk_is_named(text: str, junk: str) -> None:
    found = Prose.of(text).junk(QUESTION)
    assert junk in found
    assert bool(found) == bool(junk)
