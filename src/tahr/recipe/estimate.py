"""How much work and time a recipe takes, from its numbers alone.

Models of what the trainer does, not measurements; the constants say what they assume. Sampling is counted at its
longest: every completion runs to max_new_tokens.
"""

from __future__ import annotations

from dataclasses import dataclass

from tahr.models.sizes import ModelFacts
from tahr.recipe.machine import Machine
from tahr.recipe.memory import Memory, cache_per_token, estimate_memory, matrix_parameters, num_sampled_at_once
from tahr.recipe.prompts import PromptLengths
from tahr.recipe.schema import Recipe
from tahr.training.config import RlvrConfig, SftConfig

TRAINING_SHARE = 1.0
"""Forward and backward on a CPU, as a share of numpy's matrix rate.

oneDNN can be faster than numpy's BLAS: on one core of an AMD EPYC 9005 the passes of SmolLM2-135M reach 1.4 times its
rate. More cores share the memory, and the optimizer and the verifiers take their part.
"""

SAMPLING_SHARE = 0.9
"""Sampling on a CPU at batches of 32 and more, as a share of numpy's matrix rate; 1.4 on one core of that machine."""

GPU_TRAINING_SHARE = 0.35
"""Share of the data sheet's bfloat16 rate that training reaches on a GPU; float32 runs at about an eighth."""

GPU_BANDWIDTH_SHARE = 0.4
"""Share of the memory bandwidth that sampling reaches on a GPU: each step reads all weights and the cache."""

FLOAT32_SLOWDOWN = 8.0


@dataclass(frozen=True, slots=True, kw_only=True)
class StageEstimate:
    """One stage at its longest. Tokens count prompts once a group, as sampling and training do; `seconds` in all.

    Example: ``StageEstimate(name="rlvr", steps=12, sampled_tokens=24576, trained_tokens=30336, flops=3.1e13,
    seconds=290.0)``
    """

    name: str
    steps: int
    sampled_tokens: int
    trained_tokens: int
    flops: float
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What the whole run takes on `machine`; sizes in bytes.

    Example: ``Estimate(num_parameters=134515008, num_trainable=134515008, memory=memory, stages=(stage,),
    checkpoint_bytes=1.6e9, on_gpu=False, machine=machine)``
    """

    num_parameters: int
    num_trainable: int
    memory: Memory
    stages: tuple[StageEstimate, ...]
    checkpoint_bytes: float
    on_gpu: bool
    machine: Machine

    @property
    def seconds(self) -> float:
        """Time of all stages and evaluations."""
        return sum(stage.seconds for stage in self.stages)

    @property
    def memory_free(self) -> float:
        """Bytes free where the model will be: the GPU's, or the machine's."""
        gpu = self.machine.gpu
        return gpu.memory_free if self.on_gpu and gpu is not None else self.machine.memory_free

    @property
    def assumption(self) -> str:
        """What the time rests on."""
        gpu = self.machine.gpu
        if self.on_gpu and gpu is not None:
            return (
                f"assuming {GPU_TRAINING_SHARE:.0%} of the {gpu.flops / 1e12:.0f} TFLOP/s and "
                f"{GPU_BANDWIDTH_SHARE:.0%} of the {gpu.bandwidth / 1e12:.1f} TB/s of the {gpu.name}'s data sheet"
            )
        return (
            f"at {TRAINING_SHARE:.0%} (training) and {SAMPLING_SHARE:.0%} (sampling) of the matrix rate measured "
            f"here just now, {self.machine.flops / 1e9:.0f} GFLOP/s"
        )


def estimate(recipe: Recipe, facts: ModelFacts, machine: Machine, lengths: PromptLengths) -> Estimate:
    """Work out the estimate for prompts and gold answers of typical length."""
    device = recipe.model.device
    on_gpu = machine.gpu is not None and device != "cpu"
    work = _Work(recipe=recipe, facts=facts, machine=machine, lengths=lengths, on_gpu=on_gpu)
    stages: list[StageEstimate] = []
    for name in recipe.stages:
        if name == "sft" and recipe.sft is not None:
            stages.append(work.sft(recipe.sft))
        if name == "rlvr" and recipe.rlvr is not None:
            stages.append(work.rlvr(recipe.rlvr))
    if recipe.eval is not None:
        stages.append(work.evaluations())
    trainable = facts.num_trainable_parameters(recipe.model.lora)
    return Estimate(
        num_parameters=facts.num_parameters,
        num_trainable=trainable,
        memory=estimate_memory(recipe, facts, lengths.typical),
        stages=tuple(stages),
        checkpoint_bytes=12.0 * trainable,
        on_gpu=on_gpu,
        machine=machine,
    )


def forward_flops(facts: ModelFacts, context: float) -> float:
    """FLOPs of one token's forward pass: 2 for each weight of a matrix, 4 for each key/value pair attended to.

    Kaplan et al. 2020, section 2.1. Backward costs twice the forward.
    """
    attention = 4.0 * facts.num_layers * facts.num_heads * facts.head_dim * context
    return 2.0 * matrix_parameters(facts) + attention


@dataclass(frozen=True, slots=True, kw_only=True)
class _Work:
    """FLOPs and seconds of each stage."""

    recipe: Recipe
    facts: ModelFacts
    machine: Machine
    lengths: PromptLengths
    on_gpu: bool

    def sft(self, sft: SftConfig) -> StageEstimate:
        length = self.lengths.typical + self.lengths.answer
        trained = sft.steps * sft.batch_size * length
        flops = trained * self._training_flops(length / 2)
        seconds = self._training_seconds(flops)
        return StageEstimate(
            name="sft", steps=sft.steps, sampled_tokens=0, trained_tokens=trained, flops=flops, seconds=seconds
        )

    def rlvr(self, rlvr: RlvrConfig) -> StageEstimate:
        new = rlvr.sampling.max_new_tokens
        groups = rlvr.steps * rlvr.groups_per_step
        sampled = groups * rlvr.group_size * new
        trained = groups * self.lengths.typical + sampled
        context = self.lengths.typical + new / 2
        forward = trained * forward_flops(self.facts, context)  # prompts are prefilled once a group
        training = trained * self._training_flops(context)
        seconds = self._sampling_seconds(forward, sampled, context) + self._training_seconds(training)
        return StageEstimate(
            name="rlvr",
            steps=rlvr.steps,
            sampled_tokens=sampled,
            trained_tokens=trained,
            flops=forward + training,
            seconds=seconds,
        )

    def evaluations(self) -> StageEstimate:
        """Before and after, and every `evaluate_every` steps."""
        evaluation, rlvr = self.recipe.eval, self.recipe.rlvr
        assert evaluation is not None
        rounds = 2 + (rlvr.steps // rlvr.evaluate_every if rlvr is not None and rlvr.evaluate_every else 0)
        tasks = rounds * evaluation.num_tasks * len(evaluation.tasks)
        sampled = tasks * evaluation.samples_per_task * evaluation.max_new_tokens
        context = self.lengths.typical + evaluation.max_new_tokens / 2
        flops = (tasks * self.lengths.typical + sampled) * forward_flops(self.facts, context)
        seconds = self._sampling_seconds(flops, sampled, context)
        return StageEstimate(
            name="eval", steps=rounds, sampled_tokens=sampled, trained_tokens=0, flops=flops, seconds=seconds
        )

    def _training_flops(self, context: float) -> float:
        """Forward and backward of one token; adapters need no gradient of the frozen matrices themselves."""
        forward = forward_flops(self.facts, context)
        return (2 if self.recipe.model.lora is not None else 3) * forward

    def _training_seconds(self, flops: float) -> float:
        if not self.on_gpu or self.machine.gpu is None:
            return flops / (TRAINING_SHARE * self.machine.flops)
        slower = FLOAT32_SLOWDOWN if self.recipe.model.dtype == "float32" else 1.0
        return slower * flops / (GPU_TRAINING_SHARE * self.machine.gpu.flops)

    def _sampling_seconds(self, flops: float, tokens: int, context: float) -> float:
        """On a CPU the matrix rate bounds sampling; on a GPU the memory that every decoding step reads."""
        if not self.on_gpu or self.machine.gpu is None:
            return flops / (SAMPLING_SHARE * self.machine.flops)
        width = 2 if self.recipe.model.dtype == "bfloat16" else 4
        batch = num_sampled_at_once(self.recipe)
        step_bytes = width * (self.facts.num_parameters + batch * context * cache_per_token(self.facts))
        return tokens / batch * step_bytes / (GPU_BANDWIDTH_SHARE * self.machine.gpu.bandwidth)
