"""Low-rank adapters through peft: put on in place, merged into a copy for export.

Source: Hu et al. 2021, "LoRA: Low-Rank Adaptation of Large Language Models", section 4.1.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from tahr.core.errors import InputError, nearest_name
from tahr.core.seeding import derive_seed
from tahr.models.config import LoraConfig

ADAPTER = "default"
_BASE = ".base_layer"


def apply_lora(model: PreTrainedModel, config: LoraConfig, *, seed: int) -> None:
    """Put adapters on the named linear layers of `model`, in place; only they require gradients afterwards.

    The model keeps its class. An adapter starts as 0 (its B is 0), so the model's output does not change. Adapters
    are float32 whatever the model's dtype: small updates would round away in bfloat16. Raises InputError for a target
    that names no linear layer.
    """
    from peft import LoraConfig as PeftLoraConfig
    from peft import inject_adapter_in_model

    _check_targets(model, config)
    peft_config = PeftLoraConfig(
        r=config.rank,
        lora_alpha=config.alpha,  # pyright: ignore[reportArgumentType]  # any real number scales
        lora_dropout=config.dropout,
        target_modules=list(config.targets),
        task_type="CAUSAL_LM",
        base_model_name_or_path=model.name_or_path or None,
    )
    with torch.random.fork_rng(devices=[model.device] if model.device.type == "cuda" else []):
        torch.manual_seed(derive_seed(seed, "model.lora"))
        inject_adapter_in_model(peft_config, model, adapter_name=ADAPTER)
    for name, parameter in model.named_parameters():
        parameter.requires_grad_("lora_" in name)
        if parameter.requires_grad:
            parameter.data = parameter.data.float()


def has_lora(model: PreTrainedModel) -> bool:
    """Whether `apply_lora` was called on the model."""
    return bool(adapted_layers(model))


@torch.no_grad()
def merged_state(model: PreTrainedModel) -> dict[str, Tensor]:
    """The state dict of the same model without adapters, each one added to its layer's weight.

    `model` is not touched; only weights under an adapter are copied, the others are shared with it.
    """
    state = {name.replace(_BASE, ""): tensor for name, tensor in model.state_dict().items() if not _is_adapter(name)}
    for name, module in adapted_layers(model):
        weight: Tensor = module.base_layer.weight
        delta: Tensor = module.get_delta_weight(ADAPTER)
        state[f"{name}.weight"] = (weight.float() + delta.float()).to(weight.dtype)
    return state


def save_adapter(model: PreTrainedModel, folder: Path) -> None:
    """Write the adapter alone, as peft's ``PeftModel.from_pretrained(base, folder)`` reads it."""
    from peft import get_peft_model_state_dict
    from safetensors.torch import save_file

    configs: Any = model.peft_config
    state = get_peft_model_state_dict(model, adapter_name=ADAPTER)
    folder.mkdir()
    save_file(
        {f"base_model.model.{name}": tensor.contiguous() for name, tensor in state.items()},
        folder / "adapter_model.safetensors",
        metadata={"format": "pt"},
    )
    configs[ADAPTER].save_pretrained(folder)


def adapted_layers(model: PreTrainedModel) -> list[tuple[str, Any]]:
    """Names and modules of the layers that hold an adapter."""
    from peft.tuners.lora import LoraLayer

    return [(name, module) for name, module in model.named_modules() if isinstance(module, LoraLayer)]


def _is_adapter(name: str) -> bool:
    return ".lora_" in name


def _check_targets(model: PreTrainedModel, config: LoraConfig) -> None:
    linear = {name.rpartition(".")[2] for name, module in model.named_modules() if isinstance(module, nn.Linear)}
    for target in config.targets:
        if target not in linear:
            nearest = nearest_name(target, linear)
            hint = f"did you mean {nearest!r}? " if nearest else ""
            raise InputError(
                "model.lora.targets names a layer that the model does not have",
                received=target,
                instead=f"{hint}linear layers: {', '.join(sorted(linear))}",
            )
