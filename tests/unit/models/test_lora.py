from __future__ import annotations

import pytest
import torch

from tahr.core.errors import InputError
from tahr.models.config import LoraConfig, ModelConfig
from tahr.models.load import load_model
from tahr.models.lora import adapted_layers, has_lora, merged_state

TOKENS = torch.tensor([[2, 5, 8, 9, 3, 6, 8]])


def with_lora(config: ModelConfig, seed: int = 0, **values) -> torch.nn.Module:
    lora = LoraConfig(rank=2, alpha=6.0, targets=("q_proj", "down_proj"), **values)
    return load_model(config.model_copy(update={"lora": lora}), seed=seed).model


def disturb(model: torch.nn.Module) -> None:
    for name, parameter in model.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(parameter, std=0.1)


def test_only_adapters_require_gradients(scratch_config: ModelConfig) -> None:
    model = with_lora(scratch_config)
    trainable = {name: tuple(p.shape) for name, p in model.named_parameters() if p.requires_grad}
    assert len(trainable) == 2 * 2 * 2  # two matrices on two layers of two blocks
    assert trainable["model.layers.0.self_attn.q_proj.lora_A.default.weight"] == (2, 16)
    assert trainable["model.layers.1.mlp.down_proj.lora_B.default.weight"] == (16, 2)
    assert has_lora(model)  # pyright: ignore[reportArgumentType]


def test_a_fresh_adapter_changes_nothing(scratch_config: ModelConfig) -> None:
    plain = load_model(scratch_config).model
    assert not has_lora(plain)
    with torch.no_grad():
        assert torch.equal(with_lora(scratch_config)(TOKENS).logits, plain(TOKENS).logits)


def test_the_seed_decides_the_adapter(scratch_config: ModelConfig) -> None:
    name = "model.layers.0.self_attn.q_proj.lora_A.default.weight"
    first, again = (with_lora(scratch_config, 3).get_parameter(name) for _ in range(2))
    assert torch.equal(first, again)
    assert not torch.equal(first, with_lora(scratch_config, 4).get_parameter(name))


def test_adapters_are_float32_on_a_bfloat16_model(scratch_config: ModelConfig) -> None:
    with pytest.warns(UserWarning):
        model = with_lora(scratch_config.model_copy(update={"dtype": "bfloat16"}))
    assert {p.dtype for p in model.parameters() if p.requires_grad} == {torch.float32}
    assert {p.dtype for p in model.parameters() if not p.requires_grad} == {torch.bfloat16}
    loss = model(TOKENS, labels=TOKENS).loss
    loss.backward()
    assert all(p.grad is not None for p in model.parameters() if p.requires_grad)


def test_merging_is_the_formula_and_leaves_the_model_alone(scratch_config: ModelConfig) -> None:
    model = with_lora(scratch_config)
    disturb(model)
    before = {name: parameter.clone() for name, parameter in model.named_parameters()}
    merged = merged_state(model)  # pyright: ignore[reportArgumentType]
    layer = "model.layers.0.self_attn.q_proj"
    # alpha / rank = 3
    delta = 3 * before[f"{layer}.lora_B.default.weight"] @ before[f"{layer}.lora_A.default.weight"]
    torch.testing.assert_close(merged[f"{layer}.weight"], before[f"{layer}.base_layer.weight"] + delta)
    assert (
        merged["model.layers.0.self_attn.k_proj.weight"].data_ptr()
        == model.get_parameter("model.layers.0.self_attn.k_proj.weight").data_ptr()
    )
    assert not [name for name in merged if "lora" in name or "base_layer" in name]
    for name, parameter in model.named_parameters():
        assert torch.equal(parameter, before[name])


def test_a_misspelt_target_is_named(scratch_config: ModelConfig) -> None:
    lora = LoraConfig(targets=("q_proj", "k_prj"))
    with pytest.raises(InputError, match=r"received: k_prj\n.*did you mean 'k_proj'"):
        load_model(scratch_config.model_copy(update={"lora": lora}))


def test_adapted_layers_are_listed(scratch_config: ModelConfig) -> None:
    names = [name for name, _ in adapted_layers(with_lora(scratch_config))]  # pyright: ignore[reportArgumentType]
    assert names == [f"model.layers.{i}.{part}" for i in (0, 1) for part in ("self_attn.q_proj", "mlp.down_proj")]
