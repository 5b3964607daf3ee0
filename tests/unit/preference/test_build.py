"""A build with a pool: who answers what, what is kept where it is stopped, what a resumed one asks again."""

from __future__ import annotations

import asyncio

import pytest

from tahr.core.errors import EngineError, InputError
from tahr.core.judging import Question
from tahr.core.types import Message, Task
from tahr.data.preferences.files import read_pairs
from tahr.data.preferences.states import RowState
from tahr.judges.build import build_judge
from tahr.judges.config import JudgeConfig
from tahr.preference.build import Builder
from tahr.preference.config import BuildConfig
from tahr.verifiers.build import build_verifiers
from tahr.verifiers.config import VerifierConfig
from talking_models import Talker

QUESTIONS = [Question(prompt=(Message(role="user", content=f"question {number}"),)) for number in range(6)]

CONFIG = BuildConfig.model_validate(
    {
        "tasks": {"some": 1.0},
        "samples_per_prompt": 2,
        "on_policy_share": 0.5,
        "models": {
            "here": {"source": "folder"},
            "there": {"url": "http://x/v1", "model": "m"},
            "judge": {"source": "j"},
        },
        "judge": {"kind": "pairwise", "model": "judge"},
        "max_concurrency": 2,
        "choice": "all",
    }
)


def prefers_long(asked: str) -> str:
    """A judge that is shown two answers and likes the policy's."""
    first = asked.index("mine") < asked.index("other") if "mine" in asked and "other" in asked else True
    return f"Reason: short\nVerdict: {'A' if first else 'B'}"


def parts(folder, policy_says=lambda _: "mine", config=CONFIG, **more):
    policy = Talker(policy_says, name="policy:1")
    others = {name: Talker(lambda _: "other", name=f"{name}:1") for name in ("here", "there")}
    judge_model = Talker(prefers_long, name="judge:1")
    judge = build_judge(config.judge, models={"judge": judge_model}, seed=0)
    builder = Builder(config=config, judge=judge, folder=folder, policy=policy, models=others, **more)
    return builder, policy, others, judge_model


def test_half_is_the_policys_and_the_others_take_turns(tmp_path):
    builder, policy, others, judge = parts(tmp_path)
    built = asyncio.run(builder.build(QUESTIONS))
    assert built is not None and built.counts == {RowState.PAIR: 6}, built
    assert len(policy.asked) == 6 and len(set(policy.seeds)) == 6
    assert sorted(policy.asked) == sorted(others["here"].asked + others["there"].asked)
    assert others["here"].asked and others["there"].asked
    assert len(judge.asked) == 12  # both orders
    for pair in read_pairs(built.path, "tahr").pairs:
        origin = pair.provenance
        assert (pair.chosen, pair.rejected) == ("mine", "other")
        assert origin["chosen_model"] == "policy:1" and origin["rejected_model"] in ("here:1", "there:1")
        assert origin["order"] == ["chosen", "rejected"] and len(origin["judgment"]["asked"]) == 2


def test_a_build_that_is_stopped_goes_on_and_asks_nothing_twice(tmp_path):
    whole, *_ = parts(tmp_path / "whole")
    asyncio.run(whole.build(QUESTIONS))
    done = []
    builder, first, _, _ = parts(tmp_path / "cut", advance=lambda: done.append(1), stopping=lambda: len(done) >= 2)
    assert asyncio.run(builder.build(QUESTIONS)) is None
    assert 0 < len(first.asked) < 6 and not (tmp_path / "cut" / "pairs.jsonl").exists()
    builder, second, _, _ = parts(tmp_path / "cut")
    asyncio.run(builder.build(QUESTIONS))
    assert sorted(first.asked + second.asked) == sorted(question.prompt[0].content for question in QUESTIONS)
    assert (tmp_path / "cut" / "pairs.jsonl").read_bytes() == (tmp_path / "whole" / "pairs.jsonl").read_bytes()


def test_what_did_not_come_is_asked_again_and_no_pair_at_all_is_said(tmp_path):
    builder, _, _, judge = parts(tmp_path, policy_says=lambda _: EngineError("busy"))
    with pytest.raises(InputError, match="no question gives a pair") as error:
        asyncio.run(builder.build(QUESTIONS))
    assert error.value.received == f"6 too_few; 6 answers failed: 6 of {builder.policy.name}, first: busy"
    assert "the same command again" in error.value.instead and judge.asked == []
    builder, policy, others, _ = parts(tmp_path)
    built = asyncio.run(builder.build(QUESTIONS))
    assert built is not None and built.num_pairs == 6
    assert len(policy.asked) == 6 and not others["here"].asked + others["there"].asked


def verified(folder, answer, tolerance):
    """A build of one question whose verifier and answer are as given; the pair's chosen answer, and who was asked."""
    config = CONFIG.model_copy(update={"judge": JudgeConfig(kind="verifier")})
    policy, other = (Talker(lambda _, says=says: says, name=f"{says}:1") for says in ("7", "7.2"))
    verifiers = build_verifiers({"near": VerifierConfig(verifier="numeric", args={"tolerance": tolerance})})
    judge = build_judge(config.judge, models={}, verifiers=verifiers, seed=0)
    models = dict.fromkeys(("here", "there"), other)
    builder = Builder(config=config, judge=judge, folder=folder, policy=policy, models=models)
    prompt = (Message(role="user", content="3 + 4?"),)
    question = Question(prompt=prompt, task=Task(prompt=prompt, answer=answer, verifier="near"))
    built = asyncio.run(builder.build([question]))
    assert built is not None
    return [pair.chosen for pair in read_pairs(built.path, "tahr").pairs], len(policy.asked + other.asked)


def test_another_answer_or_setting_of_the_verifier_judges_the_same_answers_anew(tmp_path):
    assert verified(tmp_path, "7", 0.0) == (["7"], 2)
    assert verified(tmp_path, "7", 0.0) == (["7"], 0)
    assert verified(tmp_path, "7.2", 0.0) == (["7.2"], 0)
    with pytest.raises(InputError, match="no question gives a pair"):
        verified(tmp_path, "7.2", 0.5)  # both are right now
    assert verified(tmp_path, "7", 0.0) == (["7"], 0)
