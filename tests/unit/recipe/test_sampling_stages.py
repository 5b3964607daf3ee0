"""Checks and estimates of the stages rejection_sampling and distillation."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from small_distillation import STUDENT, make_teacher, write_student
from tahr.core.errors import InputError
from tahr.models.sizes import ModelFacts
from tahr.recipe.check import check
from tahr.recipe.conflicts import find_conflicts
from tahr.recipe.estimate import estimate
from tahr.recipe.findings import Findings
from tahr.recipe.load import load_recipe, parse_recipe
from tahr.recipe.machine import Machine
from tahr.recipe.memory import DISTILLED_BYTES, LOGITS_BYTES, estimate_memory
from tahr.recipe.overrides import apply_overrides
from tahr.recipe.parts import build_parts
from tahr.recipe.prompts import PromptLengths
from tahr.recipe.rewards import judge_rewards
from tahr.recipe.teacher import check_same_teacher

COMMON = {"name": "small", "tasks": {"sums": {"source": "arithmetic"}}, "eval": {"tasks": ["sums"]}}
REJECTION = COMMON | {
    "stages": ["rejection_sampling"],
    "model": {"source": "smollm2-135m", "max_context": 256},
    "rejection_sampling": {
        "tasks": {"sums": 1.0},
        "steps": 6,
        "rounds": 2,
        "tasks_per_round": 5,
        "group_size": 4,
        "batch_size": 3,
        "sampling": {"max_new_tokens": 10},
        "keep": {"max_per_task": 2},
        "micro_batch_tokens": 40,
    },
}
DISTILLATION = COMMON | {
    "stages": ["distillation"],
    "model": {"source": "smollm2-135m", "max_context": 256},
    "distillation": {
        "tasks": {"sums": 1.0},
        "teacher": "smollm2-135m",
        "steps": 3,
        "groups_per_step": 4,
        "group_size": 2,
        "sampling": {"max_new_tokens": 10},
        "micro_batch_tokens": 64,
    },
}


def find(values, *overrides):
    findings = Findings()
    find_conflicts(parse_recipe(apply_overrides(values, overrides), origin="test"), findings)
    return findings.conflicts


@pytest.mark.parametrize("values", [REJECTION, DISTILLATION])
def test_the_recipes_themselves_have_no_conflict(values):
    assert find(values) == []


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("rejection_sampling.rounds=4", "every round has an equal part of the steps"),
        ("rejection_sampling.sampling.temperature=0", "greedy attempts at a task are all alike"),
        ("rejection_sampling.sampling.stop=['x']", "never learns to stop"),
        ("rejection_sampling.sampling.max_new_tokens=256", "leaves no room for a prompt"),
        ("rejection_sampling.model=scratch", "random weights have nothing to teach"),
        ("rejection_sampling.model=./nowhere", "the model folder does not exist"),
        ("rejection_sampling.tasks={sums = 0.0}", "a weight must be above 0"),
        ("rejection_sampling.tasks={sum = 1.0}", "there is no [tasks.sum]"),
        ("rejection_sampling.optimizer.warmup_steps=6", "the learning rate would never reach its peak"),
        ("rejection_sampling.sampling.temperature=1e-6", "logits divided by so small a number overflow"),
    ],
)
def test_conflicts_of_rejection_sampling(override, said):
    assert any(said in one for one in find(REJECTION, override))


def test_filters_and_temperatures_are_free_where_no_gradient_depends_on_them():
    assert find(REJECTION, "rejection_sampling.sampling.top_p=0.9", "rejection_sampling.sampling.temperature=0.7") == []


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        (["teacher=scratch"], "random weights have nothing to teach"),
        (["teacher=./nowhere"], "the model folder does not exist"),
        (["loss.estimate=sampled", "loss.divergence=jsd"], "estimate KL(student || teacher) alone"),
        (["loss.estimate=sampled", "sampling.top_p=0.9"], "drawn from the student itself"),
        (["loss.estimate=sampled", "sampling.temperature=0.7"], "drawn from the student itself"),
        (["loss.estimate=sampled", "teacher_share=0.1"], "drawn from the student itself"),
        (["sampling.temperature=0"], "greedy attempts at a task are all alike"),
        (["sampling.max_new_tokens=256"], "leaves no room for a prompt"),
    ],
)
def test_conflicts_of_distillation(overrides, said):
    assert any(said in one for one in find(DISTILLATION, *(f"distillation.{one}" for one in overrides)))


def test_a_teacher_of_other_tokens_is_found_before_anything_is_loaded(tmp_path):
    teacher = make_teacher(tmp_path)
    machine = Machine(cores=2, memory_total=8e9, memory_free=8e9, flops=1e9, gpu=None)
    same = load_recipe(write_student(tmp_path, teacher)).recipe
    assert check(same, machine=machine).estimate is not None
    other = STUDENT.replace("[tasks.reverse]", 'alphabet = "abcdefghijklmnopqrstuvwxyz:, "\n\n[tasks.reverse]')
    with pytest.raises(InputError, match=r"distillation\.teacher: it reads other token ids than the student"):
        check(load_recipe(write_student(tmp_path, teacher, other)).recipe, machine=machine)


def test_answers_that_do_nothing_and_pass_are_warned_of():
    values = REJECTION | {
        "tasks": {"sums": {"source": "arithmetic", "num_tasks": 40, "verifier": "brief"}},
        "verifiers": {"brief": {"verifier": "length", "args": {"max": 99}}},
    }
    findings = Findings()
    recipe = parse_recipe(values, origin="test")
    judge_rewards(recipe, build_parts(recipe, findings), findings)
    assert any("an answer that does nothing" in one for one in findings.warnings)


def facts(num_parameters=1000):
    return ModelFacts(
        model_type="llama",
        num_parameters=num_parameters,
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


CPU = Machine(cores=2, memory_total=8e9, memory_free=8e9, flops=1e9, gpu=None)
PROMPTS = PromptLengths(typical=6, longest=9, answer=0, counted=True)


def stage(values, *overrides, **teachers):
    recipe = parse_recipe(apply_overrides(values, ["eval=", *overrides]), origin="test")
    return estimate(recipe, facts(), CPU, PROMPTS, teachers).stages[0]


def test_work_of_rejection_sampling():
    found = stage(REJECTION)
    assert found.sampled_tokens == 2 * 5 * 4 * 10
    assert found.trained_tokens == 6 * 3 * (6 + 10)
    # one forward pass of each token: 2000 FLOPs and 64 a position; 11 positions while sampling, 8 while training
    sampling, training = (400 + 2 * 5 * 6) * (2000 + 64 * 11), 288 * 3 * (2000 + 64 * 8)
    assert found.flops == sampling + training
    # no more is learnt than may be kept: 2 rounds x 5 tasks x 2 attempts, once each
    assert stage(REJECTION, "rejection_sampling.steps=60", "rejection_sampling.max_epochs=1").trained_tokens == 320


def test_a_larger_teacher_takes_longer_to_sample_from():
    own, other = stage(REJECTION), stage(REJECTION, rejection_sampling=facts(5000))
    assert other.flops - own.flops == (400 + 60) * 2 * 4000


def test_work_of_distillation():
    found = stage(DISTILLATION, distillation=facts(5000))
    assert found.sampled_tokens == 3 * 4 * 2 * 10
    assert found.trained_tokens == 3 * 4 * (6 + 2 * 10)
    student, teacher = 2000 + 64 * 11, 10_000 + 64 * 11
    assert found.flops == (240 + 3 * 4 * 6) * student + 312 * (3 * student + teacher)


def test_memory_of_a_teacher():
    recipe = parse_recipe(DISTILLATION, origin="test")
    memory = estimate_memory(recipe, facts(), 6, {"distillation": facts(5000)})
    assert memory.copies == 4 * 5000
    assert memory.logits == LOGITS_BYTES
    wide = estimate_memory(recipe, replace(facts(), vocab_size=10**6), 6)
    assert wide.logits == DISTILLED_BYTES
    assert memory.activations == 4 * 64 * 2 * 132
    shared = parse_recipe(apply_overrides(DISTILLATION, ["distillation.teacher_share=0.5"]), origin="test")
    # a teacher that samples has its matrices once more, laid out for that
    assert estimate_memory(shared, facts(), 6, {"distillation": facts(5000)}).copies == 4 * 5000 + 4 * 5000


def test_a_stage_that_goes_on_needs_the_teacher_it_began_with() -> None:
    place: Any = SimpleNamespace(saved=SimpleNamespace(state={"teacher": "0d6be2f1"}))
    check_same_teacher(place, "0d6be2f1", "distillation.teacher", "big")
    with pytest.raises(InputError, match="not the one that this stage began with"):
        check_same_teacher(place, "77b0d1e3", "distillation.teacher", "big")
