"""The sizes of a model, and how many parameters they make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from tahr.core.errors import InputError
from tahr.models.config import LoraConfig

COUNTED_TYPES = ("llama", "mistral", "qwen2", "qwen3")
"""Model types whose parameters are counted from the configuration alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFacts:
    """Sizes of a causal language model. `num_parameters` counts tied embeddings once.

    Example (SmolLM2-135M): ``ModelFacts(model_type="llama", num_parameters=134515008, hidden_size=576,
    num_layers=30, num_heads=9, num_kv_heads=3, head_dim=64, intermediate_size=1536, vocab_size=49152,
    max_context=8192, tied=True)``
    """

    model_type: str
    num_parameters: int
    hidden_size: int
    num_layers: int
    num_heads: int
    num_kv_heads: int
    head_dim: int
    intermediate_size: int
    vocab_size: int
    max_context: int
    tied: bool

    def num_lora_parameters(self, lora: LoraConfig) -> int:
        """Parameters of the adapters: rank x (inputs + outputs) of each target, in every layer.

        Targets that a Llama-family layer doesn't have are left out; loading refuses them.
        """
        queries, keys = self.num_heads * self.head_dim, self.num_kv_heads * self.head_dim
        hidden, inner = self.hidden_size, self.intermediate_size
        ends = {
            "q_proj": hidden + queries,
            "k_proj": hidden + keys,
            "v_proj": hidden + keys,
            "o_proj": queries + hidden,
            "gate_proj": hidden + inner,
            "up_proj": hidden + inner,
            "down_proj": inner + hidden,
        }
        return lora.rank * self.num_layers * sum(ends.get(target, 0) for target in lora.targets)

    def num_trainable_parameters(self, lora: LoraConfig | None) -> int:
        """All parameters, or with LoRA the adapters'."""
        return self.num_parameters if lora is None else self.num_lora_parameters(lora)


def facts_from_config(values: Mapping[str, Any], *, where: str, num_parameters: int | None = None) -> ModelFacts:
    """Facts from the contents of a config.json.

    `num_parameters` is what the weights' headers say; without it they are counted, for `COUNTED_TYPES`. Raises
    InputError where the sizes have other names or the parameters can't be counted: no estimate is possible then.
    """
    model_type = str(values.get("model_type", "unknown"))
    needed = ("hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "vocab_size")
    missing = [name for name in needed if not isinstance(values.get(name), int) or values[name] < 1]
    if missing or (num_parameters is None and model_type not in COUNTED_TYPES):
        raise InputError(
            f"the sizes of a {model_type!r} model can't be told before it is loaded, so no estimate is possible",
            received=f"{where}{': no ' + ', '.join(missing) if missing else ''}",
            instead=f"a model of type {', '.join(COUNTED_TYPES)}, or run without an estimate",
        )
    heads = values["num_attention_heads"]
    default_head_dim = 128 if model_type == "qwen3" else values["hidden_size"] // heads
    facts = ModelFacts(
        model_type=model_type,
        num_parameters=0,
        hidden_size=values["hidden_size"],
        num_layers=values["num_hidden_layers"],
        num_heads=heads,
        num_kv_heads=values.get("num_key_value_heads") or heads,
        head_dim=values.get("head_dim") or default_head_dim,
        intermediate_size=values["intermediate_size"],
        vocab_size=values["vocab_size"],
        max_context=values.get("max_position_embeddings") or 2048,
        tied=bool(values.get("tie_word_embeddings", False)),
    )
    return replace(facts, num_parameters=num_parameters or _count(facts, values))


def _count(facts: ModelFacts, values: Mapping[str, Any]) -> int:
    """Parameters of a Llama, Mistral, Qwen2 or Qwen3 model, as their code in transformers builds them."""
    hidden, inner = facts.hidden_size, facts.intermediate_size
    queries, keys = facts.num_heads * facts.head_dim, facts.num_kv_heads * facts.head_dim
    layer = 2 * hidden * queries + 2 * hidden * keys + 3 * hidden * inner + 2 * hidden
    attention_bias = facts.model_type in ("llama", "qwen3") and values.get("attention_bias", False)
    if facts.model_type == "qwen2" or attention_bias:
        layer += queries + 2 * keys
    if attention_bias:
        layer += hidden
    if facts.model_type == "qwen3":
        layer += 2 * facts.head_dim
    if facts.model_type == "llama" and values.get("mlp_bias", False):
        layer += 2 * inner + hidden
    embeddings = facts.vocab_size * hidden * (1 if facts.tied else 2)
    return embeddings + facts.num_layers * layer + hidden
