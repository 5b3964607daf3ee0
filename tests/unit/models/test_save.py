from __future__ import annotations

from pathlib import Path

import pytest
import torch
from peft import PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer

from tahr.core.errors import InputError
from tahr.models.config import LoraConfig, ModelConfig
from tahr.models.load import LoadedModel, load_model
from tahr.models.save import load_trainable_state, save_model, trainable_state

TOKENS = torch.tensor([[2, 5, 8, 9, 3, 6, 8]])
FILES = {
    "chat_template.jinja",
    "config.json",
    "generation_config.json",
    "model.safetensors",
    "tokenizer.json",
    "tokenizer_config.json",
}


@torch.no_grad()
def logits(model: torch.nn.Module) -> torch.Tensor:
    return model(TOKENS).logits


def test_an_ordinary_folder(model_folder: Path, loaded: LoadedModel) -> None:
    assert {file.name for file in model_folder.iterdir()} == FILES
    assert torch.equal(logits(AutoModelForCausalLM.from_pretrained(model_folder)), logits(loaded.model))
    tokenizer = AutoTokenizer.from_pretrained(model_folder)
    assert tokenizer.backend_tokenizer.to_str() == loaded.tokenizer.backend_tokenizer.to_str()  # pyright: ignore
    assert tokenizer.apply_chat_template([{"role": "user", "content": "a"}], tokenize=False) == (
        "<|start|><|user|>a<|end|>"
    )


def test_nothing_is_left_beside_it_and_a_second_save_replaces(model_folder: Path, loaded: LoadedModel) -> None:
    (model_folder / "stale.txt").write_text("of the earlier model")
    save_model(loaded.model, loaded.tokenizer, model_folder)
    assert {file.name for file in model_folder.iterdir()} == FILES
    assert [file.name for file in model_folder.parent.iterdir()] == [model_folder.name]


def test_a_folder_with_something_else_is_left_alone(tmp_path: Path, loaded: LoadedModel) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(InputError, match="not a model"):
        save_model(loaded.model, loaded.tokenizer, tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize("tied", [True, False])
def test_lora_is_saved_merged_and_as_an_adapter(tmp_path: Path, scratch_config: ModelConfig, tied: bool) -> None:
    if not tied:
        base = load_model(scratch_config)
        base.model.config.tie_word_embeddings = False
        base.model.set_output_embeddings(torch.nn.Linear(16, 18, bias=False))
        save_model(base.model, base.tokenizer, tmp_path / "untied")
        scratch_config = ModelConfig(source=str(tmp_path / "untied"), max_context=64, device="cpu")
    loaded = load_model(scratch_config.model_copy(update={"lora": LoraConfig(rank=2)}))
    for name, parameter in loaded.model.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(parameter, std=0.1)
    expected = logits(loaded.model)
    save_model(loaded.model, loaded.tokenizer, tmp_path / "model")
    assert torch.equal(logits(loaded.model), expected)
    assert {file.name for file in (tmp_path / "model").iterdir()} == {*FILES, "adapter"}
    merged = AutoModelForCausalLM.from_pretrained(tmp_path / "model")
    torch.testing.assert_close(logits(merged), expected)
    base = load_model(scratch_config).model
    assert not torch.allclose(logits(base), expected)
    adapted = PeftModel.from_pretrained(base, str(tmp_path / "model" / "adapter"))
    torch.testing.assert_close(logits(adapted), expected)


def test_trainable_state_holds_tied_weights_once_and_loads_back(scratch_config: ModelConfig) -> None:
    model = load_model(scratch_config, seed=1).model
    state = {name: tensor.clone() for name, tensor in trainable_state(model).items()}
    assert "model.embed_tokens.weight" in state
    assert "lm_head.weight" not in state
    assert sum(tensor.numel() for tensor in state.values()) == 4208
    other = load_model(scratch_config, seed=2).model
    embeddings = other.get_input_embeddings().weight
    load_trainable_state(other, state)
    assert torch.equal(logits(other), logits(model))
    assert other.get_input_embeddings().weight is embeddings


def test_trainable_state_of_lora_is_the_adapters(scratch_config: ModelConfig) -> None:
    model = load_model(scratch_config.model_copy(update={"lora": LoraConfig(rank=1)})).model
    state = trainable_state(model)
    assert len(state) == 2 * 7 * 2
    assert all("lora_" in name for name in state)


def test_a_checkpoint_of_another_model_changes_nothing(scratch_config: ModelConfig) -> None:
    model = load_model(scratch_config).model
    before = logits(model)
    state = {name: torch.zeros_like(tensor) for name, tensor in trainable_state(model).items()}
    with pytest.raises(InputError, match=r"1 names or shapes differ, model\.norm\.weight"):
        load_trainable_state(model, {name: t for name, t in state.items() if name != "model.norm.weight"})
    with pytest.raises(InputError, match="1 names or shapes differ"):
        load_trainable_state(model, {**state, "model.norm.weight": torch.zeros(3)})
    assert torch.equal(logits(model), before)
