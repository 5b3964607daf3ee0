"""Models beside the policy in the estimate, counted by hand."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from tahr.core.judging import Question
from tahr.core.preferences import Candidate
from tahr.core.types import Message
from tahr.engines.config import EngineConfig
from tahr.judges.ask import Asker
from tahr.judges.build import check_judge
from tahr.judges.config import JudgeConfig
from tahr.models.sizes import ModelFacts
from tahr.preference.config import BuildConfig
from tahr.recipe import pool_sizes
from tahr.recipe.estimate import estimate
from tahr.recipe.findings import Findings
from tahr.recipe.load import parse_recipe
from tahr.recipe.machine import Gpu, Machine
from tahr.recipe.memory import estimate_memory
from tahr.recipe.pool_sizes import INSTRUCTION_TOKENS, Asked, PoolModel, measure_pool
from tahr.recipe.prompts import PromptLengths
from tahr.recipe.scorers import scorer_bytes
from talking_models import Talker

SMALL = ModelFacts(
    model_type="llama",
    num_parameters=1000,
    hidden_size=8,
    num_layers=2,
    num_heads=4,
    num_kv_heads=2,
    head_dim=2,
    intermediate_size=16,
    vocab_size=50,
    max_context=64,
    tied=True,
)
PROMPTS = PromptLengths(typical=6, longest=9, answer=4, counted=True)
CPU = Machine(cores=2, memory_total=8e9, memory_free=8e9, flops=1e9, gpu=None)
BUILD = {
    "tasks": {"sums": 1.0},
    "num_prompts": 10,
    "samples_per_prompt": 4,
    "on_policy_share": 0.25,
    "sampling": {"max_new_tokens": 10},
    "max_concurrency": 2,
    "answering": ["here", "far"],
    "models": {
        "here": {"source": "smollm2-135m", "dtype": "bfloat16"},
        "far": {"url": "http://127.0.0.1:1/v1", "model": "m"},
        "idle": {"source": "smollm2-135m"},
    },
}


def recipe(**build):
    values = {
        "name": "small",
        "stages": ["dpo"],
        "model": {"source": "smollm2-135m", "max_context": 64},
        "tasks": {"sums": {"source": "arithmetic"}},
        "dpo": {"steps": 1, "batch_size": 2, "micro_batch_tokens": 32, "build": {**BUILD, **build}},
    }
    return parse_recipe(values, origin="test")


def pool(**build) -> tuple[PoolModel, ...]:
    found = recipe(**build)
    return measure_pool(found.dpo.build, found.engine, 6, SMALL, Findings())


@pytest.fixture(autouse=True)
def small_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every model held here has the sizes of `SMALL`."""
    monkeypatch.setattr(pool_sizes, "facts", lambda config: SMALL)


def test_who_answers_in_turn_is_asked_its_part():
    far, here = pool()
    # 3 answers to 10 questions between two models: 15 each, two to a question at most
    assert here.asked == (Asked(num_prompts=8, attempts=2, prompt_tokens=6, new_tokens=10, at_once=4),)
    assert (here.num_requests, here.num_new_tokens) == (16, 160)
    # 1000 weights and as many for sampling at 2 bytes; 4 answers of 10 tokens and 2 prompts of 6 (twice
    # while room for more is made), 16 numbers a token
    assert (here.weights, here.packed, here.cache) == (2000, 2000, pytest.approx(2 * 16 * (4 * 10 + 2 * 2 * 6)))
    assert (far.name, far.facts, far.num_bytes, far.is_here, far.num_requests) == ("far", None, 0, False, 16)


@pytest.mark.parametrize(
    ("judge", "calls", "shown"),
    [
        ({"kind": "pairwise"}, 12, 2),  # 6 pairs of 4 answers, both ways round
        ({"kind": "aspects"}, 16, 1),
        ({"kind": "aspects", "args": {"aspects": ["honesty"]}}, 4, 1),
        ({"kind": "rubric", "args": {"criteria": [{"text": "is kind"}, {"text": "is short"}]}}, 8, 1),
    ],
)
def test_a_judge_is_asked_of_all_answers(judge, calls, shown):
    (found,) = pool(on_policy_share=1.0, answering=[], judge={**judge, "model": "here", "max_new_tokens": 7})
    read = INSTRUCTION_TOKENS + 6 + shown * 10
    assert found.asked == (
        Asked(num_prompts=10 * calls, attempts=1, prompt_tokens=read, new_tokens=7, at_once=2 * calls),
    )
    rows = min(2 * calls, 64)
    assert found.cache == pytest.approx(2 * 16 * rows * (2 * read + 7))


def test_the_engine_and_the_context_bound_what_a_judge_holds():
    judge = {"kind": "pairwise", "model": "here", "max_new_tokens": 7}
    models = {**BUILD["models"], "here": {"source": "smollm2-135m", "max_context": 100}}
    (found,) = pool(on_policy_share=1.0, answering=[], judge=judge, models=models)
    assert found.cache == pytest.approx(4 * 16 * 24 * (7 + 2 * 93))
    values = recipe(on_policy_share=1.0, answering=[], judge=judge).dpo.build
    assert measure_pool(values, EngineConfig(cache_gib=1e-6), 6, SMALL, Findings())[0].cache == pytest.approx(
        2**30 * 1e-6 * (1 + 376 / 383)
    )


@pytest.mark.parametrize("kind", ["pairwise", "aspects", "rubric"])
def test_what_a_judge_is_told_is_about_as_long_as_assumed_and_it_asks_as_often_as_it_says(kind):
    args = {"criteria": [{"text": "is short"}]} if kind == "rubric" else {}
    model = Talker(lambda content: "Rating: 3")
    judge = check_judge(JudgeConfig(kind=kind, model="m", args=args), models={"m": model}, where="judge")
    asker = Asker(model=model, sampling=BuildConfig(tasks={"a": 1.0}).sampling.to_sampling(), seed=0, max_chars=8000)
    question = Question(prompt=(Message(role="user", content="Why?"),))
    answers = [Candidate(prompt_id=question.id, text=text, model="m", provenance={}) for text in ("a", "b", "c")]
    asyncio.run(judge.with_model(asker).judge(question, answers))
    calls, _ = judge.calls_for(3)
    assert len(model.asked) == calls
    longest = max(len(content) for content in model.asked) / 4
    assert 0.6 * INSTRUCTION_TOKENS < longest < 1.2 * INSTRUCTION_TOKENS


def test_the_pool_is_held_before_training_and_not_with_it():
    assert estimate_memory(recipe(), SMALL, 6, pool=1e6).peak == estimate_memory(recipe(), SMALL, 6).peak
    huge = estimate_memory(recipe(), SMALL, 6, pool=1e10)
    assert huge.peak == 0.8e9 + 4000 + 4000 + huge.cache + 1e10
    assert huge.per_device(4) == 0.8e9 + 1000 + 4000 + huge.cache + 2.5e9


def test_the_policys_own_answers_fill_its_cache():
    # 2 questions under way, one answer of 10 tokens each after a prompt of 6; 16 numbers of 4 bytes a token
    assert estimate_memory(recipe(), SMALL, 6).cache == 4 * 16 * 2 * (10 + 2 * 6)
    assert estimate_memory(recipe(on_policy_share=0.0), SMALL, 6).cache == 0


def work(*, machine=CPU, **build):
    found = recipe(**build)
    beside = measure_pool(found.dpo.build, found.engine, 6, SMALL, Findings())
    (stage,) = estimate(found, SMALL, machine, PROMPTS, pool=beside).stages
    return stage


def test_the_work_of_the_pool_is_in_the_stage():
    alone, both = work(answering=["far"]), work()
    # 8 prompts of 6 tokens and 16 answers of 10, at 6 + 10 / 2 positions: 2000 + 64 x 11 FLOPs a token
    assert both.flops - alone.flops == pytest.approx((8 * 6 + 160) * 2704)
    assert both.sampled_tokens - alone.sampled_tokens == 160
    assert both.seconds - alone.seconds == pytest.approx(208 * 2704 / 0.9e9)


def test_a_pool_without_the_policy_works_on_a_gpu_too():
    gpu = Gpu(name="H200", memory_total=141e9, memory_free=141e9, flops=989e12, bandwidth=4.8e12)
    stage = work(machine=replace(CPU, gpu=gpu), on_policy_share=0.0)
    assert stage.sampled_tokens == 200 and stage.seconds > 0
    assert work(machine=replace(CPU, gpu=gpu), on_policy_share=0.0, answering=["far"]).sampled_tokens == 0


def test_a_reward_model_that_judges_reads_every_answer_and_is_held_once():
    judge = {"kind": "reward_model", "args": {"source": "run", "dtype": "bfloat16"}}
    (found,) = pool(on_policy_share=1.0, answering=[], judge=judge)
    assert (found.name, found.weights, found.stays, found.num_requests) == ("judge", 2000, True, 40)
    stage = work(on_policy_share=1.0, answering=[], judge=judge)
    own = work(on_policy_share=1.0, answering=[])
    # 40 times 6 + 10 tokens, at 8 positions on average
    assert stage.flops - own.flops == 40 * 16 * (2000 + 64 * 8)
    whole = recipe(judge=judge, answering=["far"])
    assert scorer_bytes(whole, SMALL, Findings()) == 2000
    memory = estimate(whole, SMALL, CPU, PROMPTS, scorers=2000.0, pool=(found,)).memory
    assert (memory.scorers, memory.pool) == (2000, 0)


def test_a_model_without_known_sizes_is_said_and_left_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    from tahr.models.known import facts

    monkeypatch.setattr(pool_sizes, "facts", facts)
    findings = Findings()
    found = recipe(models={"here": {"source": "me/unknown"}}, answering=["here"])
    (one,) = measure_pool(found.dpo.build, found.engine, 6, SMALL, findings)
    assert (one.facts, one.is_here, one.num_bytes) == (None, True, 0)
    assert [warning.partition(":")[0] for warning in findings.warnings] == ["dpo.build.models.here"]


def test_a_pool_takes_what_was_measured(monkeypatch: pytest.MonkeyPatch):
    """SmolLM2-135M in float32 as the policy, and again to answer and compare: the process had 6.06 GB at most."""
    from tahr.models.config import ModelConfig
    from tahr.models.known import facts

    monkeypatch.setattr(pool_sizes, "facts", facts)
    found = recipe(
        num_prompts=8,
        on_policy_share=0.5,
        answering=["second"],
        sampling={"max_new_tokens": 48},
        max_concurrency=64,
        models={"second": {"source": "smollm2-135m", "max_context": 1024}},
        judge={"kind": "pairwise", "model": "second", "max_new_tokens": 16},
    )
    policy = facts(ModelConfig(source="smollm2-135m", max_context=64))
    (second,) = measure_pool(found.dpo.build, found.engine, 40, policy, Findings())
    memory = estimate_memory(found, policy, 40, pool=second.num_bytes)
    assert 0.85 < memory.peak / 6.06e9 < 1.15
