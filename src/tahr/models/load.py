"""Load a model, its tokenizer and its renderer from wherever the recipe points."""

from __future__ import annotations

import warnings
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase

from tahr.core.errors import InputError, ResourceError
from tahr.models.chat import ChatRenderer, plain_template
from tahr.models.config import ModelConfig
from tahr.models.fingerprint import joined, model_hash
from tahr.models.gguf_file import converted
from tahr.models.hub import hub_folder
from tahr.models.lora import apply_lora
from tahr.models.quiet import quiet_transformers
from tahr.models.scratch import make_model, make_tokenizer
from tahr.models.source import Folder, GgufFile, Scratch, Source, resolve
from tahr.models.weights import check_folder

DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16}


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedModel:
    """A model ready to sample from and to train: on its device, in its dtype, adapters on it, in eval mode.

    `source` says where the weights really came from.

    Example: ``LoadedModel(model=model, tokenizer=tokenizer, renderer=ChatRenderer(tokenizer), source="scratch")``
    """

    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    renderer: ChatRenderer
    source: str

    def fingerprint(self) -> str:
        """16 digits for what the model computes and how messages reach it: weights, config, template, tokenizer."""
        return joined(model_hash(self.model), self.renderer.fingerprint())


def load_model(config: ModelConfig, *, seed: int = 0) -> LoadedModel:
    """Load what ``[model]`` describes; `seed` decides scratch weights and new adapters.

    A model without a chat template gets `tahr.models.chat.PLAIN_TEMPLATE`, which is saved with it. All parameters
    require gradients, or with LoRA only the adapters.

    Raises InputError (unknown or damaged source, unreachable hub, a device that isn't there, a context longer than the
    model's) and ResourceError (out of memory: which settings to change).
    """
    source = resolve(config)
    device = pick_device(config.device)
    if device.type == "cpu" and config.dtype == "bfloat16":
        warnings.warn("model.dtype = 'bfloat16' on a CPU is slower and less exact than 'float32'", stacklevel=2)
    with explaining_out_of_memory(config), quiet_transformers():
        model, tokenizer, origin = _read(source, config, seed)
        check_context(model, config)
        _check_vocabulary(model, tokenizer)
        nn.Module.to(model, device=device)
        model.requires_grad_(True)
        if config.lora is not None:
            apply_lora(model, config.lora, seed=seed)
    model.eval()
    if not tokenizer.chat_template:
        tokenizer.chat_template = plain_template(tokenizer)
    renderer = ChatRenderer(tokenizer, stop_token_ids=_generation_stop_ids(model))
    return LoadedModel(model=model, tokenizer=tokenizer, renderer=renderer, source=origin)


def pick_device(name: str) -> torch.device:
    """``auto`` is the first CUDA GPU, else the CPU. Raises InputError for a device that isn't there."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
    except RuntimeError:
        raise InputError("model.device is not a device", received=name, instead="auto, cpu, cuda or cuda:1") from None
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        raise InputError(
            f"model.device names a GPU that is not there; torch {torch.__version__} sees {torch.cuda.device_count()}",
            received=name,
            instead="auto or cpu",
        )
    if device.type not in ("cpu", "cuda"):
        raise InputError("model.device is neither a CPU nor a CUDA GPU", received=name, instead="auto, cpu or cuda")
    return device


def _read(source: Source, config: ModelConfig, seed: int) -> tuple[PreTrainedModel, PreTrainedTokenizerBase, str]:
    if isinstance(source, Scratch):
        tokenizer = make_tokenizer(source.architecture, config.max_context)
        model = make_model(source.architecture, config.max_context, seed)
        for parameter in model.parameters():  # not .to(dtype): the rotary frequencies stay float32
            parameter.data = parameter.data.to(DTYPES[config.dtype])
        return model, tokenizer, f"scratch (seed {seed})"
    if isinstance(source, Folder):
        return *_read_folder(source.path, config), str(source.path)
    if isinstance(source, GgufFile):
        return *_read_folder(converted(source.path), config), str(source.path)
    return *_read_folder(hub_folder(source), config), f"{source.id} (hub)"


def _read_folder(folder: Path, config: ModelConfig) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    check_folder(folder)
    try:
        tokenizer: Any = AutoTokenizer.from_pretrained(folder)
        loaded: Any = AutoModelForCausalLM.from_pretrained(
            folder, dtype=DTYPES[config.dtype], output_loading_info=True, ignore_mismatched_sizes=True
        )
    except (OSError, ValueError, KeyError, ImportError) as error:
        raise InputError(
            f"transformers can't load the model: {error}",
            received=str(folder),
            instead="a causal language model's folder",
        ) from error
    model, report = loaded
    check_complete(report, folder)
    return model, tokenizer


def check_complete(report: dict[str, Any], folder: Path) -> None:
    """transformers fills what is missing or of another shape with random numbers; here that is an error."""
    missing = [f"no {name}" for name in sorted(report["missing_keys"])]
    other = [f"{name} is {tuple(found)}, not {tuple(wanted)}" for name, found, wanted in report["mismatched_keys"]]
    faults = [*missing, *sorted(other)]
    if faults:
        raise InputError(
            f"{len(faults)} tensors of the model that config.json describes are missing or have another shape",
            received=f"{folder}: {'; '.join(faults[:3])}{'; ...' if len(faults) > 3 else ''}",
            instead="the complete folder of one model",
        )
    unused = sorted(report["unexpected_keys"])
    if unused:
        warnings.warn(f"{folder}: {len(unused)} tensors are not part of the model, such as {unused[0]}", stacklevel=2)


def check_context(model: PreTrainedModel, config: ModelConfig) -> None:
    """Raise InputError where the context is longer than what the model was built for."""
    limit = getattr(model.config, "max_position_embeddings", None)
    if limit is not None and config.max_context > limit:
        raise InputError(
            "model.max_context is longer than the model was built for",
            received=f"max_context = {config.max_context}",
            instead=f"max_context = {limit} or less",
        )


def _check_vocabulary(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> None:
    embeddings: Any = model.get_input_embeddings()
    rows = int(embeddings.weight.shape[0])
    if len(tokenizer) > rows:
        raise InputError(
            "the tokenizer has more tokens than the model has embeddings",
            received=f"{len(tokenizer)} tokens, {rows} embeddings",
            instead="the tokenizer that belongs to the model",
        )


def _generation_stop_ids(model: PreTrainedModel) -> list[int]:
    ids = model.generation_config.eos_token_id if model.generation_config else None
    return [] if ids is None else [ids] if isinstance(ids, int) else list(ids)  # pyright: ignore[reportUnnecessaryIsInstance]


@contextmanager
def explaining_out_of_memory(config: ModelConfig) -> Generator[None]:
    """Raise ResourceError, with the settings to change, where memory runs out inside."""
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        text = str(error)
        if not isinstance(error, MemoryError | torch.OutOfMemoryError) and "allocate memory" not in text:
            raise
        reason = text.splitlines()[0] if text else type(error).__name__
        remedies = [
            *(["model.dtype = 'bfloat16'"] if config.dtype == "float32" else []),
            *(["a [model.lora] section (trains adapters only)"] if config.lora is None else []),
            "a smaller model.source",
        ]
        raise ResourceError(
            "memory ran out while the model was loaded",
            received=f"model.source = {config.source!r}, dtype = {config.dtype}: {reason}",
            instead=", or ".join(remedies),
        ) from error
