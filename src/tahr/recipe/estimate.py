"""What a recipe takes: the memory of its worst moment, and the work and time of its stages at their longest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tahr.models.sizes import ModelFacts
from tahr.recipe.machine import Machine
from tahr.recipe.memory import Memory, checkpoint_bytes, estimate_memory
from tahr.recipe.pool_sizes import PoolModel
from tahr.recipe.prompts import PromptLengths
from tahr.recipe.schema import Recipe
from tahr.recipe.work import (
    GPU_BANDWIDTH_SHARE,
    GPU_TRAINING_SHARE,
    SAMPLING_SHARE,
    TRAINING_SHARE,
    StageEstimate,
    Work,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What the whole run takes on `machine`, which is the recipe's own `hardware` where that is given; sizes in bytes.
    `pool` has the models beside the policy that ``[dpo.build]`` asks.

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
    hardware: str = ""
    pool: tuple[PoolModel, ...] = ()

    @property
    def seconds(self) -> float:
        """Time of all stages and evaluations."""
        return sum(stage.seconds for stage in self.stages)

    @property
    def memory_needed(self) -> float:
        """Bytes at the worst moment, on each GPU where there are several."""
        gpu = self.machine.gpu
        return self.memory.per_device(gpu.count) if self.on_gpu and gpu is not None else self.memory.peak

    @property
    def fewest_gpus(self) -> int | None:
        """The fewest GPUs of the machine's kind that hold the run in equal shares; None where no number does."""
        gpu = self.machine.gpu
        counts = (2**power for power in range(15))
        return next((n for n in counts if gpu and self.memory.per_device(n) <= gpu.memory_total), None)

    @property
    def memory_free(self) -> float:
        """Bytes free where the model will be: one GPU's, or the machine's."""
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
                + (f", on each of {gpu.count}" if gpu.count > 1 else "")
            )
        return (
            f"at {TRAINING_SHARE:.0%} (training) and {SAMPLING_SHARE:.0%} (sampling) of the matrix rate measured "
            f"here just now, {self.machine.flops / 1e9:.0f} GFLOP/s"
        )


def estimate(
    recipe: Recipe,
    facts: ModelFacts,
    machine: Machine,
    lengths: PromptLengths,
    teachers: Mapping[str, ModelFacts] | None = None,
    *,
    scorers: float = 0.0,
    pool: Sequence[PoolModel] = (),
) -> Estimate:
    """Work out the estimate for prompts and gold answers of typical length; `teachers` has each stage's teacher,
    `scorers` the bytes of the reward models that judge, `pool` the other models that ``[dpo.build]`` asks."""
    teachers = teachers or {}
    device = recipe.model.device
    on_gpu = machine.gpu is not None and device != "cpu"
    work = Work(recipe=recipe, facts=facts, machine=machine, lengths=lengths, on_gpu=on_gpu)
    stages: list[StageEstimate] = []
    for name in recipe.stages:
        if name == "sft" and recipe.sft is not None:
            stages.append(work.sft(recipe.sft))
        if name == "rejection_sampling" and recipe.rejection_sampling is not None:
            stages.append(work.rejection_sampling(recipe.rejection_sampling, teachers.get(name)))
        if name == "distillation" and recipe.distillation is not None:
            stages.append(work.distillation(recipe.distillation, teachers.get(name)))
        if name == "dpo" and recipe.dpo is not None:
            stages.append(work.dpo(recipe.dpo, pool))
        if name == "reward_model" and recipe.reward_model is not None:
            stages.append(work.reward_model(recipe.reward_model))
        if name == "rlvr" and recipe.rlvr is not None:
            stages.append(work.rlvr(recipe.rlvr))
    if recipe.eval is not None:
        stages.append(work.evaluations())
    trainable = facts.num_trainable_parameters(recipe.model.lora)
    return Estimate(
        num_parameters=facts.num_parameters,
        num_trainable=trainable,
        memory=estimate_memory(
            recipe,
            facts,
            lengths.typical,
            teachers,
            scorers=scorers,
            pool=sum(one.num_bytes for one in pool if not one.stays),
        ),
        stages=tuple(stages),
        checkpoint_bytes=checkpoint_bytes(recipe, facts),
        on_gpu=on_gpu,
        machine=machine,
        hardware=recipe.model.hardware if machine.cores == 0 else "",
        pool=tuple(pool),
    )
