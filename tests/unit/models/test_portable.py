from __future__ import annotations

import json
from pathlib import Path

from transformers import AutoConfig, LlamaConfig

from tahr.models.portable import older_config, older_tokenizer_config

ROPE = {
    "rope_type": "llama3",
    "rope_theta": 500000.0,
    "factor": 32.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}


def test_a_saved_folder_has_both_spellings(model_folder: Path) -> None:
    config = json.loads((model_folder / "config.json").read_text())
    assert config["rope_theta"] == config["rope_parameters"]["rope_theta"] == 10000.0
    assert config["rope_scaling"] is None
    assert config["torch_dtype"] == config["dtype"] == "float32"
    tokenizer = json.loads((model_folder / "tokenizer_config.json").read_text())
    assert tokenizer["tokenizer_class"] == "PreTrainedTokenizerFast"
    assert "extra_special_tokens" not in tokenizer
    assert tokenizer["additional_special_tokens"] == ["<|system|>", "<|user|>", "<|assistant|>", "<|tool|>"]
    assert AutoConfig.from_pretrained(model_folder).rope_parameters == {"rope_type": "default", "rope_theta": 10000.0}


def test_scaled_rotary_positions() -> None:
    values = LlamaConfig(rope_parameters=ROPE, max_position_embeddings=131072).to_dict()
    older = older_config(values)
    assert older["rope_theta"] == 500000.0
    assert older["rope_scaling"] == {name: value for name, value in ROPE.items() if name != "rope_theta"}
    assert LlamaConfig.from_dict(older).rope_parameters == ROPE


def test_what_has_no_older_name_stays() -> None:
    per_layer = {"model_type": "gemma3_text", "rope_parameters": {"full_attention": {"rope_theta": 1e6}}}
    assert older_config(per_layer) == per_layer
    assert older_tokenizer_config({"tokenizer_class": "Qwen2Tokenizer"}) == {"tokenizer_class": "Qwen2Tokenizer"}
