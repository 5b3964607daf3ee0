"""Hostile answers to mathematical questions: bounded one by one, and beside honest ones."""

import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tahr.core.types import Outcome, Task
from tahr.verifiers.math.equality import MAX_SECONDS
from tahr.verifiers.math.mathematics import Math
from tahr.verifiers.math.reading import read

VERIFIER = Math()
PROCESSOR_SECONDS = 0.5
"""What one answer may cost in this process; the rest is in another, for `equality.MAX_SECONDS` of wall time at most."""

SECONDS = 2.0 + 4.0
"""The longest that an answer may take, and what a busy machine may add."""


def task(gold: str) -> Task:
    return Task(prompt=(), answer=gold, verifier="math")


HOSTILE = {
    "tower": "9^{9^{9^{9^{9}}}}",
    "power of powers": "((((9^{999})^{999})^{999})^{999})^{999}",
    "factorial tower": "((((9!)!)!)!)!",
    "huge factorial": "(10^{12})!",
    "double factorials": "9!!!!!!!!",
    "ten to the ten to the ten": "10^{10^{10}}",
    "huge exponent": "1e999999999",
    "huge binomial": r"\binom{10^{15}}{10^{14}}",
    "long product": "x" + "(x+1)" * 700,
    "product of sums": "(a+b+c+d+e+f+g)" * 200,
    "power of a sum": "(a+b+c+d+e+f+g)^{1000}",
    "nested fractions": r"\frac{1}{1+" * 300 + "x" + "}" * 300,
    "nested roots": r"\sqrt{2+" * 50 + "x" + "}" * 50,
    "nested braces": "{" * 1500 + "3" + "}" * 1500,
    "nested brackets": "(" * 1500 + "3" + ")" * 1500,
    "unbalanced": r"\frac{1}{\sqrt{2" * 100,
    "bars": "|" * 3000,
    "signs": "-" * 3000 + "1",
    "plus-minus": r"\pm" * 500 + "1",
    "sum of plus-minus": r"1\pm" * 500 + "1",
    "commas": "1," * 1900 + "1",
    "relations": "1<" * 1000 + "x",
    "equations": "x=" * 1500 + "1",
    "unions": r"(1,2)\cup" * 350 + "(1,3)",
    "set of sets": r"\{" * 1000 + "1" + r"\}" * 1000,
    "zeta": r"\zeta(10^{40}i)",
    "gamma": r"\Gamma(10^{30})",
    "sine of a huge number": r"\sin(10^{10^{6}})",
    "tangent tower": r"\tan(\tan(\tan(10^{100000})))",
    "matrix": r"\begin{pmatrix}" + "1&" * 900 + r"1\end{pmatrix}",
    "matrix without an end": r"\begin{pmatrix}" * 200,
    "repeating decimal": r"0.\overline{" + "1234567890" * 99 + "}",
    "digits": "9" * 3900,
    "big rational": "1" * 900 + "/" + "3" * 900,
    "sum of fractions": "+".join(rf"\frac{{1}}{{{number}}}" for number in range(2, 250)),
    "sum of roots": "+".join(rf"\sqrt{{{number}}}" for number in range(2, 300)),
    "sum of large primes' roots": "+".join(rf"\sqrt{{{10**30 + number}}}" for number in range(60)),
    "exponentials": "e^{" * 55 + "1" + "}" * 55,
    "logarithms": r"\ln(" * 55 + "x" + ")" * 55,
    "null bytes": "1\0" * 500,
    "surrogates": "\ud800\udfff" * 500,
    "names": "abcdefghij" * 300,
    "text in text": r"\text{" * 500 + "43" + "}" * 500,
    "indices": "x_{" * 55 + "1" + "}" * 55,
}
GOLDS = ("1", r"\sqrt{2}+x", "(1,2)", r"\{1,2\}", "x<3", "5 cm", "y=2x", "Evelyn")


@pytest.mark.parametrize("attack", HOSTILE)
def test_no_answer_takes_longer_than_two_seconds(attack: str) -> None:
    assert MAX_SECONDS + PROCESSOR_SECONDS < 2.0
    for gold in GOLDS:
        started, used = time.perf_counter(), time.process_time()
        verdict = VERIFIER.verify(task(gold), f"\\boxed{{{HOSTILE[attack]}}}")
        assert time.process_time() - used < PROCESSOR_SECONDS, gold
        assert time.perf_counter() - started < SECONDS, gold
        assert verdict.outcome in {Outcome.FAIL, Outcome.TIMEOUT}, (gold, verdict.note)
        assert len(verdict.note) < 400


@pytest.mark.parametrize("attack", HOSTILE)
def test_hostile_gold_answers_are_refused_or_judged_quickly(attack: str) -> None:
    started = time.perf_counter()
    verdict = VERIFIER.verify(task(HOSTILE[attack]), r"\boxed{42}")
    assert time.perf_counter() - started < SECONDS
    assert verdict.outcome in {Outcome.FAIL, Outcome.TIMEOUT}


def test_a_hostile_answer_delays_no_honest_one() -> None:
    VERIFIER.verify(task(r"\sin 2x"), r"\boxed{2\sin x\cos x}")  # the processes are started
    slow = [rf"\boxed{{\zeta({number}\cdot 10^{{40}} i)}}" for number in range(1, 4)]
    started = threading.Event()
    outcomes: list[Outcome] = []

    def attack(text: str) -> None:
        started.set()
        outcomes.append(VERIFIER.verify(task("1"), text).outcome)

    attackers = [threading.Thread(target=attack, args=(text,)) for text in slow]
    for thread in attackers:
        thread.start()
    started.wait()
    seconds: list[float] = []
    for number in range(2, 22):
        for gold, answer in (
            (str(number), str(number)),
            (rf"\sqrt{{{4 * number}}}", rf"2\sqrt{{{number}}}"),
            (rf"\sin {2 * number}x", rf"2\sin {number}x\cos {number}x"),
        ):
            before = time.perf_counter()
            assert VERIFIER.verify(task(gold), f"\\boxed{{{answer}}}").outcome is Outcome.PASS
            seconds.append(time.perf_counter() - before)
    for thread in attackers:
        thread.join()
    assert set(outcomes) <= {Outcome.TIMEOUT, Outcome.FAIL}
    assert sorted(seconds)[len(seconds) * 9 // 10] < 0.3  # the rest is left to a busy machine


PIECES = st.sampled_from(
    [
        *"0123456789+-*/^=.,:;!|()[]{}<>%$_' \0xyzie\\&",
        r"\frac{", r"\sqrt{", r"\sqrt[", r"\pm ", r"\cup ", r"\text{", r"\{", r"\}", r"\le ", r"\infty", r"\pi",
        r"\sin ", r"\log_", r"\binom{", r"\begin{pmatrix}", r"\end{pmatrix}", r"\\", r"\left(", r"\right)", r"^\circ",
        r"\overline{", r"\ldots", r"\int_0^1", r"\sum_{k=1}", r"\lim_{x\to0}", r"\mathbb{R}", r"\setminus ", " or ",
        " and ", "cm", "10^{", "1,000", "!!", "½", "²", "√", "π", "≤", "\ud800", "\u202e", "x=", "nan", "not ",
    ]
)  # fmt: skip


@settings(max_examples=400, deadline=None, derandomize=True)
@given(
    answer=st.one_of(st.text(max_size=100), st.lists(PIECES, max_size=25).map("".join)),
    gold=st.one_of(st.sampled_from(GOLDS), st.lists(PIECES, min_size=1, max_size=12).map("".join)),
)
def test_no_text_breaks_the_verifier(answer: str, gold: str) -> None:
    read(answer)
    verifier = Math()
    question = task(gold)
    started = time.perf_counter()
    try:
        verifier.check_task(question)
    except ValueError:
        raise
    except Exception as refused:  # noqa: BLE001 - a malformed gold answer is refused when it is read
        assert type(refused).__name__ == "InputError"
        return
    verdict = verifier.verify(question, f"\\boxed{{{answer}}}")
    assert verdict.outcome in {Outcome.PASS, Outcome.FAIL, Outcome.TIMEOUT}, verdict.note
    assert time.perf_counter() - started < SECONDS


@pytest.mark.parametrize(
    "text", ["\\boxed{" + "1" * 900_000 + "}", "x" * 999_999, "$" * 999_999, "answer is " * 99_999]
)
def test_a_megabyte_is_read_quickly(text: str) -> None:
    started = time.perf_counter()
    for gold in ("1", r"\sqrt{2}", "C", "Evelyn"):
        assert VERIFIER.verify(task(gold), text).outcome is Outcome.FAIL
    assert time.perf_counter() - started < SECONDS
