import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tahr.core.errors import InputError, UnknownNameError
from tahr.core.protocols import Verifier
from tahr.core.types import Message, Outcome, Reward, Task, Verdict, passed
from tahr.verifiers.build import VerifierSet, build_verifiers, describe
from tahr.verifiers.config import VerifierConfig
from tahr.verifiers.numeric import Numeric
from tahr.verifiers.text import MAX_CHARS


def task(verifier: str = "numeric", answer: Any = "42") -> Task:
    return Task(prompt=(Message(role="user", content="?"),), answer=answer, verifier=verifier)


def test_configured_names_go_before_registered_ones() -> None:
    lenient = VerifierConfig(verifier="numeric", args={"tolerance": 1})
    assert build_verifiers({"numeric": lenient}).get("numeric") == Numeric(tolerance=1.0)
    assert build_verifiers({}).get("numeric") == Numeric()
    assert build_verifiers({"close": lenient}).verify(task("close"), "42.5").outcome is Outcome.PASS


def test_a_name_gives_one_object() -> None:
    verifiers = build_verifiers({})
    assert verifiers.get("numeric") is verifiers.get("numeric")


def test_an_unknown_name_names_the_nearest_among_all() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'close'"):
        build_verifiers({"close": VerifierConfig(verifier="numeric")}).get("closs")
    with pytest.raises(UnknownNameError, match="did you mean 'numeric'"):
        build_verifiers({"close": VerifierConfig(verifier="numerc")})


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ({"tolrance": 1}, r"verifiers\.close\.args\.tolrance.*did you mean 'tolerance'"),
        ({"tolerance": "much"}, r"verifiers\.close\.args\.tolerance"),
        ({"tolerance": -1}, r"verifiers\.close\.args\.tolerance"),
        ({"place": "everywhere"}, r"verifiers\.close\.args\.place"),
    ],
)
def test_wrong_arguments_are_named(args: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        build_verifiers({"close": VerifierConfig(verifier="numeric", args=args)})


class Raising:
    """A verifier that fails in the way it is told to."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def check_task(self, task: Task) -> None:
        """Accept all."""

    def verify(self, task: Task, text: str) -> Verdict:
        raise self.error

    def gold(self, task: Task) -> str:
        return ""


def holding(verifier: Verifier) -> VerifierSet:
    verifiers = build_verifiers({})
    verifiers._built["own"] = verifier  # pyright: ignore[reportPrivateUsage]
    return verifiers


FAILURES = [
    ValueError("bad"),
    RecursionError("deep"),
    MemoryError(),
    AssertionError("x"),
    SystemExit(0),
    GeneratorExit(),
    asyncio.CancelledError(),
]


@pytest.mark.parametrize("error", FAILURES)
def test_a_broken_verifier_is_an_absent_reward_with_its_reason(
    error: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        verdict = holding(Raising(error)).verify(task("own"), "42")
    assert (verdict.outcome, verdict.reward) == (Outcome.ERROR, None)
    assert type(error).__name__ in verdict.note
    assert type(error).__name__ in caplog.text


class Answering:
    """A verifier that returns whatever it was made with, a verdict or not."""

    def __init__(self, verdict: Any) -> None:
        self.verdict = verdict

    def check_task(self, task: Task) -> None:
        """Accept all."""

    def verify(self, task: Task, text: str) -> Verdict:
        """The given object."""
        return self.verdict

    def gold(self, task: Task) -> str:
        """Never asked for."""
        return ""


def worth(value: Any, outcome: Any = Outcome.PASS, parts: Any = None) -> Verdict:
    return Verdict(outcome=outcome, reward=Reward(value=value, parts={} if parts is None else parts))


@pytest.mark.parametrize(
    ("verdict", "reason"),
    [
        (None, "it returned NoneType, not a Verdict"),
        (1.0, "it returned float, not a Verdict"),
        ("pass", "it returned str, not a Verdict"),
        (worth(float("nan")), "its reward's value is nan, not finite"),
        (worth(float("inf")), "its reward's value is inf, not finite"),
        (worth("1"), "its reward's value is str, not a number"),
        (worth(None), "its reward's value is NoneType, not a number"),
        (worth(1.0, parts={"format": float("nan")}), "its reward's format is nan, not finite"),
        (worth(1.0, parts=[1.0]), "its reward's parts are list, not a mapping"),
        (worth(1.0, parts={1: 1.0}), "its reward's part name is int, not text"),
        (worth(1e300), "its reward's value is 1e+300, beyond 1e+09"),
        (worth(0.5, parts={"speed": -1e10}), "its reward's speed is -1e+10, beyond 1e+09"),
        (replace(passed(), note=b"note"), "its note is bytes, not text"),
        (replace(passed(), extracted=5), "its extracted answer is int, not text"),
        (worth(1.0, outcome="passed"), "its outcome is 'passed', not an Outcome"),
        (worth(0.0, outcome=Outcome.ERROR), "its outcome 'error' came with a reward"),
        (Verdict(outcome=Outcome.PASS, reward=None), "its outcome 'pass' came without a reward"),
    ],
)
def test_a_verdict_that_cannot_be_trained_on_is_an_absent_reward(verdict: Any, reason: str) -> None:
    found = holding(Answering(verdict)).verify(task("own"), "42")
    assert (found.outcome, found.reward) == (Outcome.ERROR, None)
    assert reason in found.note


class Acting(Answering):
    """A verifier that does something before it answers."""

    def __init__(self, act: Callable[[Task], object]) -> None:
        super().__init__(passed())
        self.act = act

    def verify(self, task: Task, text: str) -> Verdict:
        self.act(task)
        return self.verdict


def test_a_verifier_that_hangs_is_a_timeout_without_a_reward(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tahr.verifiers.build.MAX_SECONDS", 0.1)
    found = holding(Acting(lambda _: time.sleep(60))).verify(task("own"), "42")
    assert (found.outcome, found.reward) == (Outcome.TIMEOUT, None)
    assert "no result within 0.1 s" in found.note


def test_a_verifier_cannot_change_what_others_are_judged_by() -> None:
    def change(given: Task) -> None:
        given.answer.append("mine")
        given.meta["seen"] = object()  # pyright: ignore[reportIndexIssue]

    given = Task(prompt=(Message(role="user", content="?"),), answer=["5"], verifier="own", meta={"level": 1})
    assert holding(Acting(change)).verify(given, "42").outcome is Outcome.PASS
    assert (given.answer, given.meta) == (["5"], {"level": 1})


class BadTextError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


def test_an_exception_that_cannot_describe_itself_is_an_error_too() -> None:
    found = holding(Raising(BadTextError())).verify(task("own"), "42")
    assert (found.outcome, found.reward) == (Outcome.ERROR, None)
    assert found.note.endswith("BadTextError")


class Changing(Answering):
    """Changes the task that it is given; a part of a combination."""

    def __init__(self) -> None:
        super().__init__(passed())

    def verify(self, task: Task, text: str) -> Verdict:
        """Spoil the answer for whoever comes next."""
        task.answer["a"] = 99
        return self.verdict


def test_a_part_of_a_combination_cannot_change_the_task_either() -> None:
    args = {"parts": [{"verifier": f"{__name__}:Changing", "name": name} for name in ("first", "second")]}
    verifiers = build_verifiers({"both": VerifierConfig(verifier="weighted", args=args)})
    given = task("both", {"a": 1})
    assert verifiers.verify(given, "42").reward is not None
    assert given.answer == {"a": 1}


def test_an_interrupt_passes_through() -> None:
    with pytest.raises(KeyboardInterrupt):
        holding(Raising(KeyboardInterrupt())).verify(task("own"), "42")


def test_an_unknown_verifier_of_a_task_is_an_error_too() -> None:
    assert build_verifiers({}).verify(task("nowhere"), "42").outcome is Outcome.ERROR


def test_texts_beyond_the_bound_are_not_read() -> None:
    verdict = build_verifiers({}).verify(task(), " " * MAX_CHARS + "42")
    assert verdict.outcome is Outcome.FAIL
    assert "are not read" in verdict.note


def test_a_class_that_is_no_verifier_is_refused() -> None:
    with pytest.raises(InputError, match="is not a verifier"):
        build_verifiers({"path": VerifierConfig(verifier="fractions:Fraction")})


def test_a_module_path_works_like_a_name() -> None:
    verifiers = build_verifiers({"mine": VerifierConfig(verifier="tahr.verifiers.numeric:Numeric")})
    assert verifiers.verify(task("mine"), "42") == passed("42 equals 42", extracted="42")


def test_descriptions_list_arguments() -> None:
    numeric = next(part for part in describe() if part.name == "numeric")
    tolerance = next(argument for argument in numeric.arguments if argument.name == "tolerance")
    assert (tolerance.type, tolerance.default) == ("float", "0.0")
    assert "0 is exact" in tolerance.description
