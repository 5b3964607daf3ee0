import sys
from typing import Any

import pytest

from tahr.core.ranges import BINARY, RewardRange
from tahr.core.types import Task, Verdict, failed, passed
from tahr.recipe.findings import Findings
from tahr.recipe.load import parse_recipe
from tahr.recipe.parts import build_parts
from tahr.recipe.rewards import RewardFacts, judge_rewards

DECIDES: dict[str, Any] = {"verifier": "numeric", "weight": 0.8}
BREVITY: dict[str, Any] = {"verifier": "length", "decides": False, "args": {"max": 3}, "weight": 0.2}


def judge(
    parts: list[dict[str, Any]], *, weights: dict[str, float] | None = None, **verifier: Any
) -> tuple[RewardFacts, Findings]:
    findings = Findings()
    values = {
        "name": "small",
        "stages": ["rlvr"],
        "model": {"source": "smollm2-135m"},
        "tasks": {"sums": {"source": "arithmetic", "num_tasks": 40, "verifier": "mix"}},
        "verifiers": {"mix": {"verifier": "weighted", "args": {"parts": parts}, **verifier}},
        "rlvr": {"tasks": {"sums": 1.0}, "steps": 1, "advantage": {"domain_weights": weights or {}}},
    }
    recipe = parse_recipe(values, origin="test.toml")
    built = build_parts(recipe, findings)
    (facts,) = judge_rewards(recipe, built, findings)
    return facts, findings


def test_the_range_and_what_doing_nothing_earns() -> None:
    facts, findings = judge([DECIDES, BREVITY], cheat_reward=-1.0)
    assert facts.known == RewardRange(passing=(0.8, 1.0), failing=(0.0, 0.2), cheating=-1.0)
    assert facts.nulls == {"empty": 0.0, "full stop": 0.0, "echo": 0.0}
    assert facts.gold == 1.0
    assert (findings.conflicts, findings.warnings) == ([], [])


def test_form_that_outweighs_correctness_is_warned_of() -> None:
    _, findings = judge([DECIDES | {"weight": 0.3}, BREVITY | {"weight": 0.7}])
    assert [line.splitlines()[0] for line in findings.warnings] == [
        "verifiers.mix: an answer that fails can earn more than one that passes "
        "(received failing up to 0.7, passing from 0.3)"
    ]


def test_a_reward_that_only_correct_answers_get_is_no_such_thing() -> None:
    _, findings = judge([DECIDES | {"weight": 0.3}, BREVITY | {"weight": 0.7, "when": "correct"}])
    assert findings.warnings == []


def test_doing_nothing_that_earns_more_than_half_is_warned_of() -> None:
    short = BREVITY | {"args": {"max": 3, "unit": "characters"}, "weight": 2.0}
    _, findings = judge([DECIDES, short])
    assert any("an answer that does nothing (full stop) earns more than half" in line for line in findings.warnings)


class Generous:
    """A verifier from outside that states no range, and gives something for nothing."""

    def check_task(self, task: Task) -> None:
        """Accept all."""

    def verify(self, task: Task, text: str) -> Verdict:
        return passed() if text == task.answer else failed("wrong", value=0.0 if text else 0.6)

    def gold(self, task: Task) -> str:
        return task.answer


def test_a_verifier_without_a_stated_range_is_compared_with_its_gold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "generous", sys.modules[Generous.__module__])
    facts, findings = judge([{"verifier": "generous:Generous"}])
    assert (facts.known, facts.gold) == (None, 1.0)
    assert facts.nulls == {"empty": pytest.approx(0.6), "full stop": 0.0, "echo": 0.0}
    assert [line.splitlines()[0] for line in findings.warnings] == [
        "verifiers.mix: an answer that does nothing (empty) earns more than half of what there is "
        "(received 0.6 on average, of 0 to 1)"
    ]


def test_a_weight_for_a_domain_that_is_not_trained_on_is_a_conflict() -> None:
    assert judge([DECIDES], weights={"sums": 2.0})[1].conflicts == []
    (conflict,) = judge([DECIDES], weights={"smus": 2.0})[1].conflicts
    assert "no task that is trained on is of the domain 'smus'" in conflict
    assert "one of sums" in conflict


def test_binary_verifiers_state_so() -> None:
    findings = Findings()
    values = {
        "name": "small",
        "stages": ["rlvr"],
        "model": {"source": "smollm2-135m"},
        "tasks": {"sums": {"source": "arithmetic", "num_tasks": 40}},
        "rlvr": {"tasks": {"sums": 1.0}, "steps": 1},
    }
    recipe = parse_recipe(values, origin="test.toml")
    (facts,) = judge_rewards(recipe, build_parts(recipe, findings), findings)
    assert (facts.verifier, facts.known, facts.gold) == ("numeric", BINARY, 1.0)


def endless(parts: list[dict[str, Any]], **advantage: Any) -> list[str]:
    """The warnings about answers without an end of a recipe whose tasks are constraints."""
    values = {
        "name": "small",
        "stages": ["rlvr"],
        "model": {"source": "smollm2-135m"},
        "tasks": {"texts": {"source": "text_constraints", "num_tasks": 40, "verifier": "mix"}},
        "verifiers": {"mix": {"verifier": "weighted", "args": {"parts": parts}}},
        "rlvr": {"tasks": {"texts": 1.0}, "steps": 1, "advantage": advantage},
    }
    findings, recipe = Findings(), parse_recipe(values, origin="test.toml")
    judge_rewards(recipe, build_parts(recipe, findings), findings)
    assert findings.conflicts == []
    return [line.splitlines()[0] for line in findings.warnings if "nothing teaches to stop" in line]


def test_a_reward_that_never_asks_for_an_end_is_warned_of() -> None:
    kept: dict[str, Any] = {"verifier": "constraints"}
    fluent: dict[str, Any] = {"verifier": "repetition", "decides": False, "weight": 0.1}
    bounded: dict[str, Any] = {"verifier": "length", "decides": False, "weight": 0.1, "args": {"max": 50}}
    told = [
        "rlvr.advantage.overlong_share: answers that max_new_tokens cuts off can earn all that 'mix' gives: nothing "
        "teaches to stop (received 0, with mask_truncated = false)"
    ]
    assert endless([kept]) == endless([kept, fluent]) == endless([kept, fluent], overlong_penalty=2.0) == told
    assert endless([kept], overlong_share=0.2) == endless([kept], mask_truncated=True) == []
    assert endless([kept, bounded]) == endless([kept, fluent, bounded]) == []
    assert endless([kept, bounded | {"args": {"min": 5}}]) == told


def test_a_part_that_decides_and_needs_an_answer_needs_an_end() -> None:
    _, findings = judge([DECIDES, BREVITY | {"args": {"min": 2}}])
    assert not any("nothing teaches to stop" in line for line in findings.warnings)
