"""Untrained models of a few thousand parameters, one for each architecture of the family."""

from __future__ import annotations

import torch
from transformers import (
    LlamaConfig,
    LlamaForCausalLM,
    MistralConfig,
    MistralForCausalLM,
    Qwen2Config,
    Qwen2ForCausalLM,
    Qwen3Config,
    Qwen3ForCausalLM,
)

SIZES = {
    "vocab_size": 96,
    "hidden_size": 48,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 6,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "max_position_embeddings": 256,
    "initializer_range": 0.3,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "pad_token_id": 2,
}
FAMILY = {
    "llama": (LlamaConfig, LlamaForCausalLM, {"tie_word_embeddings": True}),
    "mistral": (MistralConfig, MistralForCausalLM, {"sliding_window": None}),
    "qwen2": (Qwen2Config, Qwen2ForCausalLM, {}),
    "qwen3": (Qwen3Config, Qwen3ForCausalLM, {"tie_word_embeddings": False}),
    "llama3_rope": (
        LlamaConfig,
        LlamaForCausalLM,
        {
            "rope_parameters": {
                "rope_type": "llama3",
                "rope_theta": 10000.0,
                "factor": 8.0,
                "low_freq_factor": 1.0,
                "high_freq_factor": 4.0,
                "original_max_position_embeddings": 32,
            }
        },
    ),
}


def small_model(name: str):
    config_class, model_class, extra = FAMILY[name]
    torch.manual_seed(0)
    model = model_class(config_class(**{**SIZES, **extra})).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() == 1:  # norms and biases start at 1 and 0, where mistakes hide
                parameter.add_(torch.randn_like(parameter) * 0.1)
    return model
