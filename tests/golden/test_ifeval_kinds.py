"""Each of IFEval's 25 types on responses worked out by hand, and the faults that known checkers have."""

from typing import Any

import pytest

from ifeval_cases import CASES
from tahr.core.errors import InputError
from tahr.verifiers.instructions import kinds as kinds  # registers them
from tahr.verifiers.instructions.composing.groups import IFEVAL
from tahr.verifiers.instructions.kind import Finding, read_instruction
from tahr.verifiers.instructions.response import Response


def found(name: str, args: dict[str, Any], text: str, prompt: str = "") -> Finding:
    return read_instruction({"id": name, "args": args}, where="answer[0]").kept(Response.of(text, prompt))


def test_every_type_has_cases() -> None:
    assert sorted({name for name, *_ in CASES}) == sorted(IFEVAL)
    assert len(IFEVAL) == 25


@pytest.mark.parametrize(
    ("name", "args", "text"), [(name, args, text) for name, args, kept, _ in CASES for text in kept]
)
def test_kept(name: str, args: dict[str, Any], text: str) -> None:
    finding = found(name, args, text)
    assert finding.kept is True, finding.note


@pytest.mark.parametrize(
    ("name", "args", "text"), [(name, args, text) for name, args, _, broken in CASES for text in broken]
)
def test_broken(name: str, args: dict[str, Any], text: str) -> None:
    finding = found(name, args, text)
    assert finding.kept is False
    assert finding.note


@pytest.mark.parametrize("name", sorted(IFEVAL))
def test_described_in_a_sentence(name: str) -> None:
    args = next(args for case, args, *_ in CASES if case == name)
    sentence = read_instruction({"id": name, "args": args}, where="x").describe()
    assert sentence[0].isupper()
    assert len(sentence) > 10


def test_a_missing_argument_is_an_error_that_names_it() -> None:
    with pytest.raises(InputError, match=r"answer\[0\]\.args \(keywords:existence\)\.keywords: a value is required"):
        read_instruction({"id": "keywords:existence", "args": {}}, where="answer[0]")


@pytest.mark.parametrize(
    ("name", "args", "message"),
    [
        ("keywords:existence", {"keywords": []}, "keywords"),
        ("keywords:existence", {"keywords": ["-"]}, "keywords"),
        ("keywords:frequency", {"keyword": "a", "frequency": 1, "relation": "about"}, "relation"),
        ("keywords:letter_frequency", {"letter": "ab", "let_frequency": 1, "let_relation": "at least"}, "letter"),
        ("language:response_language", {"language": "xx"}, "unknown language 'xx'"),
        ("length_constraints:number_words", {"num_words": "many", "relation": "at least"}, "num_words"),
        (
            "length_constraints:nth_paragraph_first_word",
            {"num_paragraphs": 2, "nth_paragraph": 3, "first_word": "a"},
            "nth_paragraph is beyond num_paragraphs",
        ),
        ("punctuation:no_comma", {"num_words": 3}, "num_words"),
        ("punctuation:no_commas", {}, r"unknown instruction.*\n.*\n.*did you mean 'punctuation:no_comma'"),
        ("os:system", {}, "unknown instruction 'os:system'"),
    ],
)
def test_malformed_arguments_are_refused(name: str, args: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_instruction({"id": name, "args": args}, where="answer[0]")


def test_null_arguments_of_other_types_are_ignored() -> None:
    assert found("punctuation:no_comma", {"num_words": None, "keywords": None}, "no commas").kept


def test_the_same_text_is_always_in_the_same_language() -> None:
    texts = ["Das ist ein kleiner Satz.", "la mer est calme et belle aujourd'hui", "HELLO WORLD OK"]
    for text in texts:
        findings = {found("language:response_language", {"language": "en"}, text) for _ in range(20)}
        assert len(findings) == 1


def test_capital_english_is_not_german_and_undetectable_is_its_own_state() -> None:
    for text in ("HELLO WORLD OK", "OK", "42", "Hm."):
        assert found("language:response_language", {"language": "de"}, text).kept is None
        assert found("language:response_language", {"language": "en"}, text).kept is None
    assert found("language:response_language", {"language": "en"}, "HELLO TO ALL OF YOU OUT THERE").kept is True


def test_a_long_paragraph_in_another_language_breaks_the_language() -> None:
    german = "Das ist eine lange Geschichte über das Meer und über alle, die an seinem Ufer leben und arbeiten."
    english = "This is a long story about the sea and about all of those who live and work along the shore of it."
    both = f"{german}\n\n{german}\n\n{english}"
    assert found("language:response_language", {"language": "de"}, german).kept is True
    assert found("language:response_language", {"language": "de"}, both).kept is False


def test_a_keyword_is_a_word() -> None:
    keep = {"keywords": ["Leo"]}
    assert found("keywords:existence", keep, "Leonard came.").kept is False
    assert found("keywords:existence", keep, "Then Leo’s dog and Leo_2 came.").kept is True
    assert found("keywords:existence", {"keywords": ["c++ (.*)"]}, "it is c and nothing else").kept is True
    assert found("keywords:forbidden_words", {"forbidden_words": ["a.c"]}, "abc").kept is True


def test_saying_the_prompt_back_is_no_answer_behind_the_request() -> None:
    request = "Write a poem about moms."
    prompt = f"{request}\nFirst repeat the request above word for word, then give your answer."
    args = {"prompt_to_repeat": request}
    assert found("combination:repeat_prompt", args, prompt, prompt).kept is False
    assert found("combination:repeat_prompt", args, f"{request}\nDear mother, you are my sun.", prompt).kept is True


@pytest.mark.parametrize(
    "text",
    [
        *("[" * 90_000, "*" * 90_000, '"' * 90_000, "<<" * 45_000, "`" * 90_000, " " * 90_000 + "x", "a" * 90_000),
        *("a. " * 30_000, "* a\n" * 20_000, "P.S. " * 18_000, "<<a" * 30_000, '{"a":' * 18_000, "\n\n" * 45_000 + "x"),
    ],
)
def test_hostile_responses_are_judged_quickly(text: str) -> None:
    import time

    found("language:response_language", {"language": "de"}, "Das Modell der Sprachen wird einmal geladen.")
    for name, args, *_ in CASES:
        start = time.perf_counter()
        found(name, args, text)
        assert time.perf_counter() - start < 3.0, name  # on a busy machine; most take a few milliseconds
