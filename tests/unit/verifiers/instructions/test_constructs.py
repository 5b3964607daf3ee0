"""Constructs of a text that look like others: shifts beside titles, speech inside a sentence."""

import pytest

from tahr.verifiers.instructions.markdown import titles
from tahr.verifiers.instructions.response import Response
from tahr.verifiers.instructions.sentences import split_sentences


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("<<My poem>>\nverse", ["My poem"]),
        ('"<<My poem>> verse"', ["My poem"]),
        ("# << My poem >>", ["My poem"]),
        ("Here: <<My poem>>.", ["My poem"]),
        ("**<<My poem>>**", ["My poem"]),
        ("1 << 3 >> 2", []),
        ("x<<1, y>>2", []),
        ("(a) << b >> c", []),
        ("cout << x << endl; cin >> y;", []),
        ('cout<<"hi"; cin>>x', []),
        ("<<<My poem>>>", []),
    ],
)
def test_a_shift_is_no_title(text: str, found: list[str]) -> None:
    assert titles(text) == found


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ('"Who?" she asked.', ['"Who?" she asked.']),
        ('"Is it?" asked Tom. "No!"', ['"Is it?" asked Tom.', '"No!"']),
        ('"Oh!" Bob Dale cried. He left.', ['"Oh!" Bob Dale cried.', "He left."]),
        ("\u201cWow!\u201d cried Anna.", ["\u201cWow!\u201d cried Anna."]),
        ('"Who?" She left.', ['"Who?"', "She left."]),
        ('He said "No." Then he left.', ['He said "No."', "Then he left."]),
        ("what? no! yes.", ["what?", "no!", "yes."]),
    ],
)
def test_speech_is_part_of_its_sentence(text: str, sentences: list[str]) -> None:
    assert split_sentences(text) == sentences


@pytest.mark.parametrize("text", ["a b c d e f", "*a* *b* *c*", "* 1\n* 2\n* 3", "w0 w1 w2 w3", "Aa. Bb. Cc. Dd."])
def test_letters_and_numbers_alone_are_no_answer(text: str) -> None:
    assert Response.of(text).junk() == "no word of three letters"
    assert Response.of(text).junk(frozenset({"short"})) == ""
    assert Response.of(text + " The river is calm, and the boats lie still.").junk() == ""
