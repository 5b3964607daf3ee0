"""The verifier of instructions: strict and loose, all and share, junk, undetectable and vacuous passes."""

from typing import Any

import pytest

from tahr.core.errors import InputError
from tahr.core.types import Message, Outcome, Task, Verdict
from tahr.verifiers.build import build_verifiers
from tahr.verifiers.config import VerifierConfig

TWO = [{"id": "punctuation:no_comma"}, {"id": "keywords:existence", "args": {"keywords": ["stone"]}}]
LANGUAGE = [{"id": "language:response_language", "args": {"language": "de"}}]
PROMPT = "Tell me about the sea. Do not use commas. Use the word stone."
GOOD = "The sea moved a small stone."


def judged(text: str, answer: Any = TWO, prompt: str = PROMPT, **args: Any) -> Verdict:
    task = Task(prompt=(Message(role="user", content=prompt),), answer=answer, verifier="mine")
    return build_verifiers({"mine": VerifierConfig(verifier="instructions", args=args)}).verify(task, text)


def parts(verdict: Verdict) -> dict[str, float]:
    assert verdict.reward is not None
    return dict(verdict.reward.parts)


def test_all_kept() -> None:
    verdict = judged(GOOD)
    assert verdict.outcome is Outcome.PASS
    assert parts(verdict) == {
        "correct": 1.0,
        "strict": 1.0,
        "loose": 1.0,
        "share": 1.0,
        "loose_share": 1.0,
        "undetectable": 0.0,
        "vacuous": 0.5,
        "punctuation:no_comma": 1.0,
        "keywords:existence": 1.0,
    }
    assert verdict.note == "keeps all 2; as an empty answer would: punctuation:no_comma"


@pytest.mark.parametrize(("score", "value"), [("all", 0.0), ("share", 0.5)])
def test_one_of_two_kept(score: str, value: float) -> None:
    verdict = judged("The sea, it moved a small stone.", score=score)
    assert verdict.outcome is Outcome.FAIL
    assert verdict.reward is not None
    assert verdict.reward.value == value
    assert (parts(verdict)["share"], parts(verdict)["vacuous"]) == (0.5, 0.0)
    assert verdict.note == "breaks punctuation:no_comma (1 commas)"


@pytest.mark.parametrize(
    "text",
    [f"Sure, here it is:\n{GOOD}", f"{GOOD}\nI hope, this helps.", f"Sure, here:\n{GOOD}\nYours, Ada"],
)
def test_loose_reads_without_the_first_and_the_last_line(text: str) -> None:
    assert judged(text).outcome is Outcome.FAIL
    assert (parts(judged(text))["strict"], parts(judged(text))["loose"]) == (0.0, 1.0)
    assert judged(text, mode="loose").outcome is Outcome.PASS


def test_loose_reads_without_asterisks() -> None:
    quoted = [{"id": "startend:quotation"}]
    assert judged(f'**"{GOOD}"**', quoted).outcome is Outcome.FAIL
    assert judged(f'**"{GOOD}"**', quoted, mode="loose").outcome is Outcome.PASS


def test_every_instruction_has_its_own_loose_reading() -> None:
    both = [{"id": "punctuation:no_comma"}, {"id": "keywords:existence", "args": {"keywords": ["sure"]}}]
    text = f"Sure, here it is:\n{GOOD}"
    assert judged(text, both, mode="loose").outcome is Outcome.PASS


@pytest.mark.parametrize(
    "text",
    ["", " ", ".", "\n\n", "<think>The sea moved a stone.</think>", "!!!", "***", "<!-- so it is -->", "\u3164\u2800"],
)
def test_an_empty_response_keeps_nothing(text: str) -> None:
    for refuse_junk in (True, False):
        verdict = judged(text, [{"id": "punctuation:no_comma"}], refuse_junk=refuse_junk)
        assert verdict.outcome is Outcome.FAIL
        assert parts(verdict)["punctuation:no_comma"] == 0.0
        assert verdict.note == "no words"


@pytest.mark.parametrize("text", [PROMPT, "stone stone", "stone stone stone stone sea wind", "stone " * 100])
def test_junk_keeps_nothing(text: str) -> None:
    assert judged(text).outcome is Outcome.FAIL
    assert judged(text, refuse_junk=False).outcome is Outcome.PASS


def test_a_short_answer_that_is_asked_for_is_no_junk() -> None:
    asked = 'Is it so? Answer with "My answer is yes.", "My answer is no." or "My answer is maybe."'
    constrained = [{"id": "detectable_format:constrained_response"}]
    assert judged("My answer is yes.", constrained, prompt=asked).outcome is Outcome.PASS
    assert judged(asked, constrained, prompt=asked).outcome is Outcome.FAIL


def test_undetectable_is_not_kept_and_says_so() -> None:
    verdict = judged("HELLO WORLD OK", LANGUAGE)
    assert verdict.outcome is Outcome.FAIL
    assert parts(verdict)["undetectable"] == 1.0
    assert "language:response_language" not in parts(verdict)
    assert verdict.note == "undetectable: language:response_language (the language can't be told)"


def test_the_thinking_part_is_not_read() -> None:
    assert judged(f"<think>Commas, many.</think>\n\n{GOOD}").outcome is Outcome.PASS
    assert judged(f"<think>{GOOD}</think>").outcome is Outcome.FAIL


def test_two_of_a_kind_are_two_parts() -> None:
    twice = [{"id": "keywords:existence", "args": {"keywords": [word]}} for word in ("sea", "land")]
    scores = parts(judged(GOOD, twice))
    assert (scores["keywords:existence"], scores["keywords:existence_2"]) == (1.0, 0.0)


def test_an_overlong_response_is_refused() -> None:
    assert judged(GOOD * 10_000).note.endswith("more than 100000 are not read")


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ([], "at least one instruction"),
        (None, "at least one instruction"),
        ({"id": "punctuation:no_comma"}, "at least one instruction"),
        (["punctuation:no_comma"], r"answer\[0\] is no instruction"),
        ([{"kind": "punctuation:no_comma"}], r"answer\[0\] needs an id and may have args; unknown: kind"),
        ([{"id": "punctuation:no_comma", "args": [1]}], r"answer\[0\]\.args must be a table"),
        ([{"id": "punctuation:no_comma"}, {"id": "keywords:existence"}], r"answer\[1\]\.args.*keywords: a value"),
        ([{"id": "keywords:existance"}], "did you mean 'keywords:existence'"),
        ([{"id": "no_commas"}], "did you mean 'punctuation:no_comma'"),
    ],
)
def test_tasks_that_can_not_be_judged_are_refused(answer: Any, message: str) -> None:
    task = Task(prompt=(Message(role="user", content="?"),), answer=answer, verifier="instructions")
    with pytest.raises(InputError, match=message):
        build_verifiers({}).get("instructions").check_task(task)


def test_the_gold_is_the_example_or_unknown() -> None:
    verifiers = build_verifiers({})
    prompt = (Message(role="user", content="?"),)
    known = Task(prompt=prompt, answer=TWO, verifier="instructions", meta={"example": GOOD})
    assert verifiers.gold(known) == GOOD
    unknown = Task(prompt=prompt, answer=TWO, verifier="instructions")
    assert verifiers.get("instructions").gold(unknown) is None
    with pytest.raises(InputError, match="nobody knows an answer to task"):
        verifiers.gold(unknown)
