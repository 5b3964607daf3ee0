"""Whether the machine has what a recipe takes: device, memory, disk, time."""

from __future__ import annotations

from tahr.recipe.estimate import Estimate
from tahr.recipe.findings import Findings
from tahr.recipe.schema import STAGE_NAMES, Recipe

FAR_BEYOND = 2.0
"""An estimate this many times the free memory is a conflict; between 1 and this it is a warning."""

CHECKPOINTS_AT_ONCE = 3
"""Two are kept, and a third is whole before the oldest goes."""

SMALLEST_BFLOAT16_STEP = 0.02 * 2**-9
"""Half the distance between neighbouring bfloat16 numbers at 0.02."""

LONG_RUN_SECONDS = 48 * 3600.0


def compare_with_machine(recipe: Recipe, estimate: Estimate, disk_free: float, findings: Findings) -> None:
    """File what the machine lacks; `disk_free` in bytes, where run folders are made."""
    _device(recipe, estimate, findings)
    _several_gpus(estimate, findings)
    _rounded_updates(recipe, findings)
    _memory(recipe, estimate, findings)
    needed = CHECKPOINTS_AT_ONCE * estimate.checkpoint_bytes
    if needed > disk_free:
        findings.conflict(
            "checkpoints",
            f"need about {size_text(needed)} of disk",
            received=f"{size_text(disk_free)} free",
            instead="free some space, choose another --runs folder, or train adapters with [model.lora]",
        )
    if estimate.seconds > LONG_RUN_SECONDS:
        findings.warn(
            "time",
            f"about {estimate.seconds / 3600:.0f} hours on {'those GPUs' if recipe.model.hardware else 'this machine'}",
            instead="fewer steps, a smaller model, or a GPU",
        )


def _several_gpus(estimate: Estimate, findings: Findings) -> None:
    gpu = estimate.machine.gpu
    if gpu is not None and gpu.count > 1:
        findings.warn(
            "model.hardware",
            "tahr trains on one device: the estimate is of its work and state in equal shares",
            received=f"{gpu.count}x{gpu.name}",
        )


def _device(recipe: Recipe, estimate: Estimate, findings: Findings) -> None:
    device = recipe.model.device
    if device.startswith("cuda") and estimate.machine.gpu is None:
        findings.conflict("model.device", "this machine has no CUDA GPU", received=device, instead="auto or cpu")
    elif device != "auto" and device.split(":")[0] not in ("cpu", "cuda"):
        findings.conflict("model.device", "not a device", received=device, instead="auto, cpu, cuda or cuda:1")
    if recipe.model.dtype == "bfloat16" and not estimate.on_gpu and device != "auto":
        findings.warn("model.dtype", "bfloat16 on a CPU is slower and less exact than float32", instead="float32")


def _rounded_updates(recipe: Recipe, findings: Findings) -> None:
    """Adam moves a weight by about the learning rate; bfloat16 has 8 bits, and typical weights are about 0.02."""
    if recipe.model.dtype != "bfloat16" or recipe.model.lora is not None:
        return
    for stage in STAGE_NAMES:
        section = getattr(recipe, stage)
        if section is not None and section.learning_rate < SMALLEST_BFLOAT16_STEP:
            findings.warn(
                f"{stage}.learning_rate",
                "steps as small as this are mostly rounded away in bfloat16 weights",
                received=section.learning_rate,
                instead="model.dtype = 'float32', or [model.lora], whose adapters are float32",
            )


def _memory(recipe: Recipe, estimate: Estimate, findings: Findings) -> None:
    peak, free = estimate.memory_needed, estimate.memory_free
    if peak <= free:
        return
    report = findings.conflict if peak > FAR_BEYOND * free else findings.warn
    report(
        "memory",
        f"about {size_text(peak)} at the worst moment",
        received=f"{size_text(free)} free",
        instead=what_to_lower(recipe, estimate),
    )


def what_to_lower(recipe: Recipe, estimate: Estimate) -> str:
    """The settings behind the largest parts, the largest first."""
    memory = estimate.memory
    full = recipe.model.lora is None
    trained = [name for name in STAGE_NAMES if getattr(recipe, name) is not None]
    stage = trained[-1] if trained else "sft"
    remedies = {
        f"lower {stage}.micro_batch_tokens": memory.activations + memory.logits,
        "lower engine.cache_gib or engine.max_batch_size": memory.cache,
        "train adapters with [model.lora]": memory.optimizer + memory.gradients if full else 0.0,
        "take a smaller teacher, or an rlvr.algorithm without a critic, a KL term or a lag": memory.copies,
        "put the models of dpo.build.models behind a server (url), or take fewer or smaller ones": memory.pool,
        "take a smaller reward model": memory.scorers,
        "take a smaller model.source": memory.weights + memory.packed,
    }
    ordered = sorted(remedies, key=lambda remedy: remedies[remedy], reverse=True)
    return "; ".join(remedy for remedy in ordered if remedies[remedy] > 0.1 * memory.peak)


def size_text(num_bytes: float) -> str:
    """Bytes for people, so that a small need on a fuller disk is not 0.0 of 0.0."""
    return f"{num_bytes / 1e9:.1f} GB" if num_bytes >= 1e9 else f"{num_bytes / 1e6:.3g} MB"
