"""Numbers worked out by hand for a model small enough to count."""

from dataclasses import replace

import pytest

from tahr.models.sizes import ModelFacts
from tahr.recipe.estimate import estimate
from tahr.recipe.findings import Findings
from tahr.recipe.load import parse_recipe
from tahr.recipe.machine import Gpu, Machine
from tahr.recipe.memory import Memory, activations_per_token, cache_per_token, estimate_memory
from tahr.recipe.overrides import apply_overrides
from tahr.recipe.prompts import PromptLengths
from tahr.recipe.scorers import scorer_bytes
from tahr.recipe.work import forward_flops

FACTS = ModelFacts(
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
CPU = Machine(cores=2, memory_total=8e9, memory_free=8e9, flops=1e9, gpu=None)
PROMPTS = PromptLengths(typical=6, longest=9, answer=4, counted=True)
VALUES = {
    "name": "small",
    "stages": ["rlvr"],
    "model": {"source": "smollm2-135m", "max_context": 64},
    "tasks": {"sums": {"source": "arithmetic"}},
    "rlvr": {
        "tasks": {"sums": 1.0},
        "steps": 3,
        "groups_per_step": 2,
        "group_size": 4,
        "sampling": {"max_new_tokens": 10},
        "micro_batch_tokens": 64,
    },
}


def recipe(**model):
    return parse_recipe({**VALUES, "model": {**VALUES["model"], **model}}, origin="test")


def test_one_token_forward():
    # 2 x 1000 weights + 4 x 2 layers x 4 heads x 2 x 5 positions
    assert forward_flops(FACTS, 5) == 2000 + 320


def test_activations_and_cache_of_one_token():
    # 4 x 8 + 3 x (4 x 2) + 7 x (2 x 2) + 3 x 16
    assert activations_per_token(FACTS) == 132
    # keys and values x 2 layers x 2 heads x 2
    assert cache_per_token(FACTS) == 16


def test_memory_by_part():
    memory = estimate_memory(recipe(), FACTS, prompt_tokens=6)
    assert (memory.weights, memory.gradients, memory.optimizer) == (4000, 4000, 8000)
    # a step has 2 x (6 + 4 x 10) = 92 tokens; a pass at most 64
    assert memory.activations == 4 * 64 * 2 * 132
    # 8 completions of 10 tokens and 2 prompts of 6, there twice while room for more is made
    assert memory.cache == 4 * (80 + 2 * 12) * 16
    assert memory.packed == 4 * 1000


def test_the_engine_bounds_the_cache():
    bounded = parse_recipe({**VALUES, "engine": {"cache_gib": 1e-6}}, origin="test")
    assert estimate_memory(bounded, FACTS, prompt_tokens=6).cache == pytest.approx(2**30 * 1e-6 * (1 + 12 / 92))
    four = parse_recipe({**VALUES, "engine": {"max_batch_size": 4}}, origin="test")
    assert estimate_memory(four, FACTS, prompt_tokens=6).cache == 4 * (4 * 10 + 2 * 6) * 16


def test_the_peak_is_the_worse_of_training_and_sampling():
    parts = {
        "runtime": 1.0,
        "weights": 6.0,
        "packed": 4.0,
        "optimizer": 20.0,
        "gradients": 10.0,
        "activations": 100.0,
        "logits": 5.0,
        "copies": 1000.0,
    }
    assert Memory(**parts, cache=3.0).peak == 1146
    assert Memory(**parts, cache=300.0).peak == 1331


def test_adapters_train_few_weights_in_float32():
    lora = {"rank": 1, "targets": ["q_proj"]}
    memory = estimate_memory(recipe(dtype="bfloat16", lora=lora), FACTS, prompt_tokens=6)
    # 2 layers x (8 + 8) adapter weights of 4 bytes; the 1000 frozen ones take 2 bytes each
    assert (memory.gradients, memory.optimizer) == (4 * 32, 8 * 32)
    assert memory.weights == 2 * 1000 + 4 * 32


def stages(*overrides, machine=CPU):
    values = apply_overrides(VALUES, overrides)
    return estimate(parse_recipe(values, origin="test"), FACTS, machine, PROMPTS).stages


# 3 steps of 2 groups, each a prompt of 6 and 4 x 10 tokens, at 6 + 10 / 2 positions: 2000 + 64 x 11 FLOPs a token
TOKEN, TRAINED = 2704, 3 * 2 * (6 + 4 * 10)


def test_tokens_and_work_of_a_stage():
    (stage,) = stages("rlvr.schedule.max_resampled_groups=0")
    assert (stage.name, stage.steps) == ("rlvr", 3)
    assert stage.sampled_tokens == 3 * 2 * 4 * 10
    assert stage.trained_tokens == TRAINED == 276
    # sampling one forward pass, training three
    assert stage.flops == 276 * 4 * TOKEN
    assert stage.seconds == pytest.approx(276 * TOKEN / 0.9e9 + 276 * 3 * TOKEN / 1e9)
    found = estimate(recipe(), FACTS, CPU, PROMPTS)
    assert found.seconds == found.stages[0].seconds
    assert found.checkpoint_bytes == 12 * 1000


def test_groups_that_may_be_resampled_are_sampled_and_not_trained():
    (stage,) = stages("rlvr.schedule.max_resampled_groups=5")
    assert stage.sampled_tokens == 3 * (2 + 5) * 4 * 10
    assert stage.trained_tokens == TRAINED
    assert stage.flops == (966 + 276 * 3) * TOKEN  # 3 x 7 x 46 tokens sampled, prompts among them


@pytest.mark.parametrize(
    ("overrides", "passes"),
    [
        (["rlvr.algorithm=ppo"], 1 + 3 + 1 + 3),  # the critic: its values, and one pass forward and backward
        (["rlvr.algorithm=ppo", "rlvr.advantage.critic.passes=2"], 1 + 3 + 1 + 6),
        (["rlvr.algorithm=ppo", "rlvr.loss.kl.coefficient=0.1", "rlvr.loss.kl.place=reward"], 1 + 3 + 1 + 3 + 1),
        (["rlvr.algorithm=grpo_published"], 1 + 3 + 1),  # the reference
        (["rlvr.loss.kl.coefficient=0.1", "rlvr.loss.kl.place=reward"], 1 + 3 + 1),
        (["rlvr.algorithm=decoupled"], 1 + 3),
        (["rlvr.algorithm=decoupled", "rlvr.schedule.updates_per_step=2"], 1 + 3 + 1),  # the proximal policy
        (["rlvr.algorithm=clip_cov"], 1 + 3 + 1),  # which tokens teach
        (["rlvr.algorithm=high_entropy"], 1 + 3 + 1),
    ],
)
def test_every_pass_of_an_algorithm_is_counted(overrides, passes):
    (stage,) = stages(*overrides, "rlvr.schedule.max_resampled_groups=0")
    assert stage.flops == passes * TRAINED * TOKEN


def test_a_penalty_on_attempts_reads_the_resampled_ones_too():
    kl = ["rlvr.loss.kl.coefficient=0.1", "rlvr.loss.kl.place=reward"]
    (stage,) = stages(*kl, "rlvr.schedule.max_resampled_groups=5")
    assert stage.flops == (966 + 276 * 3 + 966) * TOKEN


def test_only_a_baseline_of_the_group_resamples():
    (stage,) = stages("rlvr.algorithm=ppo", "rlvr.schedule.max_resampled_groups=5")
    assert stage.sampled_tokens == 240


def test_greedy_attempts_are_sampled_too():
    (stage,) = stages("rlvr.algorithm=remax")
    assert stage.sampled_tokens == 240 + 3 * 2 * 10
    assert stage.flops == (4 * TRAINED + 3 * 2 * (6 + 10)) * TOKEN


def test_a_critic_and_policies_under_way_are_in_a_checkpoint():
    def size(*overrides):
        values = apply_overrides(VALUES, overrides)
        return estimate(parse_recipe(values, origin="test"), FACTS, CPU, PROMPTS).checkpoint_bytes

    assert size("rlvr.algorithm=ppo") == 2 * 12 * 1000
    assert size("rlvr.algorithm=decoupled", "rlvr.schedule.max_policy_lag=3") == 12 * 1000 + 4 * 4 * 1000
    assert size("model.dtype=bfloat16") == 6 * 1000


def test_evaluations_come_before_and_after_each_stage_and_in_between():
    evaluation = "eval={tasks=['sums'], num_tasks=5, samples_per_task=2, max_new_tokens=10, temperature=1.0}"
    found = stages(evaluation, "rlvr.evaluate_every=2", "stages=['sft', 'rlvr']", "sft={tasks=['sums'], steps=1}")[-1]
    # before, after sft, after rlvr; after step 2
    assert (found.name, found.steps, found.sampled_tokens) == ("eval", 4, 4 * 5 * 2 * 10)


def test_supervised_fine_tuning_trains_on_prompt_and_gold_answer():
    values = {**VALUES, "stages": ["sft"], "sft": {"tasks": ["sums"], "steps": 5, "batch_size": 3}}
    values.pop("rlvr")
    (stage,) = estimate(parse_recipe(values, origin="test"), FACTS, CPU, PROMPTS).stages
    assert (stage.sampled_tokens, stage.trained_tokens) == (0, 5 * 3 * (6 + 4))


@pytest.mark.parametrize("kv_heads", [2, 4])
def test_activations_are_what_autograd_saves(kv_heads):
    import torch

    from tahr.models.config import ArchitectureConfig, ModelConfig
    from tahr.models.known import facts
    from tahr.models.load import load_model
    from tahr.models.logprobs import PolicyLogprobs
    from tahr.models.packing import pack_blocks

    shape = ArchitectureConfig(hidden_size=128, num_layers=3, num_heads=4, num_kv_heads=kv_heads, intermediate_size=352)
    config = ModelConfig(source="scratch", max_context=128, device="cpu", architecture=shape)
    model = load_model(config).model
    tokens = pack_blocks([([5] * 30, [[6] * 32] * 8)] * 2)
    num_tokens = len(tokens.token_ids)
    weights = {parameter.untyped_storage().data_ptr() for parameter in model.parameters()}
    saved: dict[int, torch.Tensor] = {}

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        if tensor.untyped_storage().data_ptr() not in weights:
            saved[tensor.untyped_storage().data_ptr()] = tensor
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        PolicyLogprobs(model)(tokens, torch.arange(num_tokens), torch.full((num_tokens,), 7))
    measured = sum(tensor.untyped_storage().nbytes() for tensor in saved.values()) / 4 / num_tokens / shape.num_layers
    assert 0.9 < activations_per_token(facts(config)) / measured < 1.1


def test_a_gpu_is_used_where_there_is_one_unless_the_recipe_says_cpu():
    gpu = Gpu(name="NVIDIA H200", memory_total=150e9, memory_free=100e9, flops=989e12, bandwidth=4.8e12)
    machine = Machine(cores=2, memory_total=8e9, memory_free=8e9, flops=1e9, gpu=gpu)
    found = estimate(recipe(), FACTS, machine, PROMPTS)
    assert found.on_gpu
    assert found.memory_free == 100e9
    assert "989 TFLOP/s" in found.assumption
    assert not estimate(recipe(device="cpu"), FACTS, machine, PROMPTS).on_gpu


def test_the_demo_model_takes_what_was_measured():
    """SmolLM2-135M in float32: one pass over 4 groups x 8 x 32 tokens had the process at 3.73 GB at most."""
    facts = ModelFacts(
        model_type="llama",
        num_parameters=134515008,
        hidden_size=576,
        num_layers=30,
        num_heads=9,
        num_kv_heads=3,
        head_dim=64,
        intermediate_size=1536,
        vocab_size=49152,
        max_context=8192,
        tied=True,
    )
    values = {**VALUES["rlvr"], "groups_per_step": 4, "group_size": 8, "sampling": {"max_new_tokens": 32}}
    recipe = parse_recipe({**VALUES, "rlvr": {**values, "micro_batch_tokens": 4096}}, origin="test")
    memory = estimate_memory(recipe, facts, prompt_tokens=58)
    # no optimizer had stepped and no engine had packed weights yet
    without = memory.peak - memory.optimizer - memory.packed
    assert 0.85 < without / 3.73e9 < 1.15


def test_eight_gpus_share_state_and_work():
    one = Gpu(name="H200", memory_total=141e9, memory_free=141e9, flops=989e12, bandwidth=4.8e12)
    single = Machine(cores=2, memory_total=8e9, memory_free=8e9, flops=1e9, gpu=one)
    several = Machine(cores=2, memory_total=8e9, memory_free=8e9, flops=1e9, gpu=replace(one, count=8))
    alone, shared = estimate(recipe(), FACTS, single, PROMPTS), estimate(recipe(), FACTS, several, PROMPTS)
    assert shared.seconds == pytest.approx(alone.seconds / 8)
    memory = alone.memory
    state = memory.weights + memory.optimizer + memory.copies
    assert alone.memory_needed == memory.peak
    # what each still has of its own: libraries, the sampler's copy, and the activations of its micro-batch
    assert shared.memory_needed == pytest.approx(
        memory.runtime
        + memory.packed
        + state / 8
        + max(memory.gradients / 8 + memory.activations + memory.logits, memory.cache)
    )
    assert alone.fewest_gpus == 1


def test_reward_models_that_judge_are_held_once_each_beside_the_policy():
    args = {"model": "smollm2-135m", "dtype": "bfloat16"}
    part = {"verifier": "reward_model", "args": args}
    verifiers = {
        "own": {"verifier": "reward_model", "args": {"model": "run"}},
        "mixed": {"verifier": "weighted", "args": {"parts": [part, part, {"verifier": "numeric"}]}},
        "gone": {"verifier": "reward_model", "args": {"model": "no/such/run"}},
    }
    findings = Findings()
    scorers = scorer_bytes(parse_recipe({**VALUES, "verifiers": verifiers}, origin="test"), FACTS, findings)
    assert scorers == 4 * 1000 + 2 * 134515008
    assert [warning.partition(":")[0] for warning in findings.warnings] == ["verifiers.gone.args.model"]
    without = estimate_memory(recipe(), FACTS, prompt_tokens=6)
    assert estimate_memory(recipe(), FACTS, prompt_tokens=6, scorers=scorers).peak == without.peak + scorers
