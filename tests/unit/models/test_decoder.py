"""Our decoder against `transformers` on the same weights: log-probabilities, entropies and every gradient."""

from __future__ import annotations

import random

import pytest
import torch
from torch import nn

from small_models import FAMILY, small_model
from tahr.models.config import LoraConfig
from tahr.models.decoder import Decoder, unsupported
from tahr.models.head import head_logprobs
from tahr.models.kernels import rms_norm, rotary, swiglu, take_rows
from tahr.models.linear import PackedLinear, linear
from tahr.models.logprobs import PolicyLogprobs
from tahr.models.lora import apply_lora
from tahr.models.packing import pack_blocks
from tahr.models.projection import effective_weight, project


def layout(seed=0, *, ragged=True, blocks=3):
    """Random blocks (one without a prefix), and every place after which a token is predicted."""
    draw = random.Random(seed)
    packed, rows, targets, start = [], [], [], 0
    for block in range(blocks):
        prefix = [draw.randrange(3, 96) for _ in range(0 if block == 1 else 4 + block)]
        suffixes = [[draw.randrange(3, 96) for _ in range(draw.randint(1, 7) if ragged else 5)] for _ in range(4)]
        rows.extend(range(start, start + len(prefix)))
        start += len(prefix)
        for suffix in suffixes:
            rows.extend(range(start, start + len(suffix)))
            start += len(suffix)
        packed.append((prefix, suffixes))
    targets = [draw.randrange(96) for _ in rows]
    return pack_blocks(packed), torch.tensor(rows), torch.tensor(targets)


def gradients(model, *, exact, temperature=0.7, **layout_settings):
    model.zero_grad()
    tokens, rows, targets = layout(**layout_settings)
    logprobs, entropy = PolicyLogprobs(model, exact=exact)(tokens, rows, targets, temperature=temperature)
    (logprobs * torch.linspace(-1, 1, len(rows))).sum().backward()
    return logprobs.detach(), entropy, {n: p.grad.clone() for n, p in model.named_parameters() if p.requires_grad}


def difference(left, right):
    return float((left - right).norm() / right.norm())


@pytest.mark.parametrize("ragged", [True, False])
@pytest.mark.parametrize("name", sorted(FAMILY))
def test_log_probabilities_and_gradients_equal_those_of_transformers(name, ragged):
    """N20 and the prefix sharing: packed and shared equals one padded batch of whole sequences."""
    model = small_model(name)
    fast, fast_entropy, fast_gradients = gradients(model, exact=False, ragged=ragged)
    slow, slow_entropy, slow_gradients = gradients(model, exact=True, ragged=ragged)
    assert torch.allclose(fast, slow, atol=1e-5)
    assert torch.allclose(fast_entropy, slow_entropy, atol=1e-5)
    for parameter, gradient in slow_gradients.items():
        assert difference(fast_gradients[parameter], gradient) < 1e-4, parameter


def test_the_same_holds_under_lora():
    model = small_model("qwen2")
    model.requires_grad_(False)
    apply_lora(model, LoraConfig(rank=4, targets=("q_proj", "down_proj", "gate_proj")), seed=0)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.requires_grad:
                parameter.normal_(std=0.1)
    fast, _, fast_gradients = gradients(model, exact=False)
    slow, _, slow_gradients = gradients(model, exact=True)
    assert torch.allclose(fast, slow, atol=1e-5)
    assert fast_gradients
    for parameter, gradient in slow_gradients.items():
        assert difference(fast_gradients[parameter], gradient) < 1e-4, parameter


def test_an_adapter_added_into_the_weight_gives_the_same_product():
    model = small_model("llama")
    apply_lora(model, LoraConfig(rank=4, targets=("q_proj",)), seed=0)
    module = model.model.layers[0].self_attn.q_proj
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.normal_(std=0.3)
    x = torch.randn(5, 48)
    weight, bias = effective_weight(module)
    assert torch.allclose(project(module, x), nn.functional.linear(x, weight, bias), atol=1e-4)


def test_other_models_say_why_they_take_the_exact_path():
    from transformers import GPT2Config, GPT2LMHeadModel, MistralConfig, MistralForCausalLM

    gpt2 = GPT2LMHeadModel(GPT2Config(vocab_size=32, n_embd=16, n_layer=1, n_head=2))
    assert "GPT2LMHeadModel" in (unsupported(gpt2) or "")
    with pytest.raises(TypeError, match="GPT2LMHeadModel"):
        Decoder(gpt2)
    sizes = {"vocab_size": 32, "hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1}
    heads = {"num_attention_heads": 2, "num_key_value_heads": 1}
    windowed = MistralForCausalLM(MistralConfig(**sizes, **heads, sliding_window=8))
    assert "sliding window" in (unsupported(windowed, max_context=16) or "")
    assert unsupported(windowed, max_context=8) is None


def test_gradients_of_the_elementwise_parts():
    torch.manual_seed(0)

    def double(*shape):
        return torch.randn(*shape, dtype=torch.float64, requires_grad=True)

    angle = torch.randn(5, 1, 4, dtype=torch.float64)
    assert torch.autograd.gradcheck(swiglu, (double(4, 6), double(4, 6)))
    assert torch.autograd.gradcheck(lambda x: rotary(x, angle.cos(), angle.sin()), double(5, 3, 8))
    rows = torch.tensor([0, 1, 0, 2])  # the third is padding
    pick = torch.tensor([1.0, 1.0, 0.0, 1.0], dtype=torch.float64)[:, None]
    inverse = torch.tensor([0, 1, 3])
    assert torch.autograd.gradcheck(lambda x: take_rows(x, rows, inverse) * pick, double(3, 2))
    assert torch.autograd.gradcheck(lambda x: take_rows(x, torch.tensor([2, 0])), double(3, 2))
    x, weight = torch.randn(4, 6, requires_grad=True), torch.randn(6, requires_grad=True)
    mine = torch.autograd.grad(rms_norm(x, weight, 1e-5).pow(3).sum(), (x, weight))
    theirs = torch.autograd.grad(nn.functional.rms_norm(x, (6,), weight, 1e-5).pow(3).sum(), (x, weight))
    for left, right in zip(mine, theirs, strict=True):
        assert torch.allclose(left, right, atol=1e-5)


@pytest.mark.parametrize("bias", [True, False])
def test_products_through_onednn_equal_those_of_torch(bias):
    torch.manual_seed(0)
    x, weight = torch.randn(7, 12, requires_grad=True), torch.randn(5, 12, requires_grad=True)
    shift = torch.randn(5, requires_grad=True) if bias else None
    inputs = [x, weight, *([shift] if bias else [])]
    mine = torch.autograd.grad(linear(x, weight, shift).pow(2).sum(), inputs)
    theirs = torch.autograd.grad(nn.functional.linear(x, weight, shift).pow(2).sum(), inputs)
    for left, right in zip(mine, theirs, strict=True):
        assert torch.allclose(left, right, atol=1e-4)
    with torch.no_grad():
        packed = PackedLinear(weight, shift, num_rows=64)
        assert torch.allclose(packed(x), nn.functional.linear(x, weight, shift), atol=1e-5)


@pytest.mark.parametrize("vocabulary", [40, 512, 1300])
def test_tiled_log_probabilities_equal_the_plain_ones(vocabulary, monkeypatch):
    monkeypatch.setattr("tahr.models.head.TILE_BYTES", 4 * 9 * 64)
    torch.manual_seed(0)
    hidden, weight = torch.randn(9, 16, requires_grad=True), torch.randn(vocabulary, 16, requires_grad=True)
    targets = torch.randint(vocabulary, (9,))
    factors = torch.randn(9)
    got, entropy = head_logprobs(hidden, weight, targets, temperature=0.6)
    plain = torch.log_softmax(hidden @ weight.t() / 0.6, dim=-1)
    expected = plain.gather(1, targets[:, None]).squeeze(1)
    assert torch.allclose(got, expected, atol=1e-5)
    assert torch.allclose(entropy, -(plain.exp() * plain).sum(1), atol=1e-4)
    mine = torch.autograd.grad((got * factors).sum(), (hidden, weight))
    theirs = torch.autograd.grad((expected * factors).sum(), (hidden, weight))
    for left, right in zip(mine, theirs, strict=True):
        assert torch.allclose(left, right, atol=1e-4)


def test_an_empty_suffix_can_not_be_packed():
    with pytest.raises(ValueError, match="empty suffix"):
        pack_blocks([([1, 2], [[3], []])])
