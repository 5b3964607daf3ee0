"""Hostile answers: no verifier raises, hangs or is won by them."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tahr.core.types import Outcome
from tahr.verifiers.text import MAX_CHARS
from verifier_cases import CASES, case, verifier_set

NAMES = sorted(set(CASES) - {"reasoning_gym"})  # its scorers are third-party code in a process of their own
EVERY = pytest.mark.parametrize("name", NAMES)
VERIFIERS = verifier_set()
SECONDS = 3.0  # for one answer on a busy machine; nearly all take under 50 ms

MEGABYTE = MAX_CHARS - 100
HOSTILE = {
    "null bytes": "\0" * 1000 + "41\0",
    "lone surrogates": "\ud800 42 \udfff \\boxed{\ud800}",
    "right to left marks": "\u202e24\u202c \u200f\u2067\u2069",
    "combining marks": "4" + "\u0301" * 100_000,
    "expanding characters": "\ufdfa" * 50_000,
    "digits of other scripts": "٤٢ ४२ 𝟜𝟚 ４２ ⁴² ₄₂ Ⅳ 一",
    "megabyte of digits": "9" * MEGABYTE,
    "megabyte of spaces": " " * MEGABYTE,
    "megabyte of letters": "a" * MEGABYTE,
    "megabyte of words": "the answer is " * (MEGABYTE // 14),
    "megabyte of marks": "#### " * (MEGABYTE // 5),
    "megabyte of boxes": "\\boxed{4} " * (MEGABYTE // 10),
    "open boxes": "\\boxed{" * (MEGABYTE // 7),
    "nested boxes": "\\boxed{" * 10_000 + "41" + "}" * 10_000,
    "open thinking": "<think>" * (MEGABYTE // 7),
    "closed thinking": "</think>" * (MEGABYTE // 8),
    "thinking in turns": "<think></think>" * (MEGABYTE // 15),
    "deep parentheses": "(" * (MEGABYTE // 2) + ")" * (MEGABYTE // 2),
    "deep lists": "[" * (MEGABYTE // 2) + "]" * (MEGABYTE // 2),
    "deep objects": '{"a":' * 100_000,
    "open strings": '"' * MEGABYTE,
    "escapes": '"' + "\\" * MEGABYTE,
    "open fences": "```json\n" * 100_000,
    "backslashes": "\\" * MEGABYTE,
    "braces": "{" * MEGABYTE,
    "power tower": "9**9**9**9**9",
    "latex tower": r"\boxed{9^{9^{9^{9}}}}",
    "huge exponent": "1e999999999",
    "huge power": r"\boxed{10^{999999999}}",
    "factorials": r"\boxed{(10^{9})!}",
    "long sum": "1+" * 300_000 + "1",
    "commas": "1," * 300_000,
    "thousands": "1" + ",000" * 200_000,
    "spaced thousands": "1" + " 000" * 200_000,
    "decimal points": "." * MEGABYTE,
    "slashes": "1/" * 300_000,
    "signs": "-" * MEGABYTE,
    "zeros": "0." + "0" * (MEGABYTE - 2),
    "fractions": r"\frac{1}{" * 100_000,
    "overlines": r"0.\overline{" + "3" * 500_000 + "}",
    "equals": "=" * MEGABYTE,
    "line ends": "\n" * MEGABYTE,
    "sentences": "A. " * (MEGABYTE // 3),
    "apostrophes": "a'" * (MEGABYTE // 2),
    "code": "__import__('os').system('touch hacked')",
    "template": "{answer} %s ${answer} {{answer}} {0.__class__}",
    "not a number": "nan inf -inf NaN Infinity",
    "markup": "<answer></answer><answer>" * 10_000,
    "beyond the bound": "9" * (MAX_CHARS + 1),
}


@EVERY
@pytest.mark.parametrize("attack", HOSTILE)
def test_hostile_answers_fail_quickly(name: str, attack: str) -> None:
    started = time.perf_counter()
    verdict = VERIFIERS.verify(case(name), HOSTILE[attack])
    seconds = time.perf_counter() - started
    assert verdict.outcome in {Outcome.FAIL, Outcome.CHEAT}, verdict.note
    assert verdict.reward is not None
    assert verdict.reward.value <= 0.4
    assert len(verdict.note) <= 1000
    assert seconds < SECONDS


@EVERY
def test_the_gold_between_a_megabyte_of_noise_is_judged_quickly(name: str) -> None:
    gold = VERIFIERS.get(name).gold(case(name))
    started = time.perf_counter()
    for noise in ("x " * 400_000, "1 " * 400_000, "(" * 400_000):
        verdict = VERIFIERS.verify(case(name), noise + gold + noise)
        assert verdict.outcome in {Outcome.PASS, Outcome.FAIL}
    assert time.perf_counter() - started < 3 * SECONDS


PIECES = st.sampled_from(
    [
        *"0123456789+-*/^=.,:;!?()[]{}<>\\\"'`#$%&|~_ \n\t\0",
        "\\boxed{", "\\frac{1}{", "\\text{", "answer is ", "#### ", "<think>", "</think>", "<answer>", "</answer>",
        "```json\n", "\n```\n", '{"name": ', "true", "NaN", "1e9", "10^{", "or ", "not ", "stone", "The ", "A", "C",
        "½", "−", "٣", "²", "\ud800", "\u202e", "\ufeff", " 000", ",000", "%", "million",
    ]
)  # fmt: skip
TEXTS = st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=40).map("".join))


@EVERY
@settings(max_examples=150, deadline=None, derandomize=True)
@given(text=TEXTS)
def test_no_text_breaks_a_verifier(name: str, text: str) -> None:
    task = case(name)
    verdict = VERIFIERS.get(name).verify(task, text)  # straight, so that an exception would show
    assert verdict.outcome in {Outcome.PASS, Outcome.FAIL}
    assert verdict.reward is not None
    assert 0 <= verdict.reward.value <= 1
    assert verdict.reward.parts["correct"] == float(verdict.outcome is Outcome.PASS)
