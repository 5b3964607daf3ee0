"""The Llama family read from a `transformers` model and run our way: flat tokens, shared prefixes, fast products.

Covers Llama, SmolLM, Mistral, Qwen2 and Qwen3. The weights stay in the `transformers` model, which remains what is
trained and saved; this file only decides how its layers are computed. `unsupported` says why another model takes the
exact path through `transformers` instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from tahr.models.kernels import rms_norm, rotary, swiglu, take_rows
from tahr.models.packing import Block, PackedTokens
from tahr.models.projection import is_projection, project

FAMILY = frozenset({"LlamaForCausalLM", "MistralForCausalLM", "Qwen2ForCausalLM", "Qwen3ForCausalLM"})
SCORING = frozenset(name.replace("CausalLM", "SequenceClassification") for name in FAMILY)
"""The same models with a score in place of the vocabulary: reward models."""


def causal_lm(model: nn.Module) -> Any:
    """The `transformers` causal model itself, out of a peft wrapper where there is one."""
    return model.get_base_model() if hasattr(model, "get_base_model") else model  # pyright: ignore[reportCallIssue]


def unsupported(model: nn.Module, *, max_context: int = 0) -> str | None:
    """Why `Decoder` can't compute this model exactly, or None where it can."""
    inner = causal_lm(model)
    config = inner.config
    name = type(inner).__name__
    if name not in FAMILY | SCORING:
        return f"{name} is not one of {', '.join(sorted(FAMILY))}"
    if config.hidden_act != "silu":
        return f"activation {config.hidden_act!r} is not silu"
    window = getattr(config, "sliding_window", None)
    if window and getattr(config, "use_sliding_window", True) and (max_context or window + 1) > window:
        return f"its sliding window of {window} tokens is shorter than the context"
    layer = inner.model.layers[0]
    modules = [getattr(layer.self_attn, part) for part in ("q_proj", "k_proj", "v_proj", "o_proj")]
    modules += [getattr(layer.mlp, part) for part in ("gate_proj", "up_proj", "down_proj")]
    odd = [type(module).__name__ for module in modules if not is_projection(module)]
    return f"its linear layers are {odd[0]}" if odd else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """One decoder layer's modules, by role. `q_norm` and `k_norm` are None except in Qwen3."""

    q: nn.Module
    k: nn.Module
    v: nn.Module
    o: nn.Module
    gate: nn.Module
    up: nn.Module
    down: nn.Module
    input_norm: Any
    post_norm: Any
    q_norm: Any
    k_norm: Any


class Decoder:
    """A view of a Llama-family model. Raises TypeError where `unsupported` gives a reason.

    `num_heads` Hq query heads share `num_kv_heads` Hkv key/value heads of `head_dim` D. `head` is the output layer:
    of the vocabulary, or of a reward model's one score.
    """

    def __init__(self, model: nn.Module) -> None:
        reason = unsupported(model)
        if reason is not None and "sliding window" not in reason:
            raise TypeError(reason)
        inner = causal_lm(model)
        config = inner.config
        self.num_heads = int(config.num_attention_heads)
        self.num_kv_heads = int(config.num_key_value_heads)
        self.head_dim = int(getattr(config, "head_dim", None) or config.hidden_size // self.num_heads)
        self.epsilon = float(config.rms_norm_eps)
        self.embedding: nn.Embedding = inner.model.embed_tokens
        self.head: nn.Linear = inner.score if type(inner).__name__ in SCORING else inner.lm_head
        self.final_norm = inner.model.norm
        self.layers = [_read_layer(layer) for layer in inner.model.layers]
        self._rotary_embedding = inner.model.rotary_emb

    def cos_sin(self, position_ids: Tensor) -> tuple[Tensor, Tensor]:
        """Cosines and sines (N, 1, D/2) of the model's own rotary embedding, whatever its scaling."""
        cos, sin = self._rotary_embedding(self.embedding.weight, position_ids[None])
        half = self.head_dim // 2
        return cos[0, :, None, :half].contiguous(), sin[0, :, None, :half].contiguous()

    def hidden(self, tokens: PackedTokens) -> Tensor:
        """Final normed hidden states (N, hidden) of all packed tokens, with gradients."""
        x = self.embedding(tokens.token_ids)
        cos, sin = self.cos_sin(tokens.position_ids)
        masks = [_suffix_mask(block, x) for block in tokens.blocks]
        for layer in self.layers:
            normed = rms_norm(x, layer.input_norm.weight, self.epsilon)
            x = x + project(layer.o, self._attention(layer, normed, cos, sin, tokens.blocks, masks))
            normed = rms_norm(x, layer.post_norm.weight, self.epsilon)
            x = x + project(layer.down, swiglu(project(layer.gate, normed), project(layer.up, normed)))
        return rms_norm(x, self.final_norm.weight, self.epsilon)

    def _attention(
        self,
        layer: Layer,
        x: Tensor,
        cos: Tensor,
        sin: Tensor,
        blocks: Sequence[Block],
        masks: Sequence[Tensor | None],
    ) -> Tensor:
        """Causal attention within each block; `x` (N, hidden) -> (N, Hq * D)."""
        num_tokens = x.shape[0]
        q = project(layer.q, x).view(num_tokens, self.num_heads, self.head_dim)
        k = project(layer.k, x).view(num_tokens, self.num_kv_heads, self.head_dim)
        v = project(layer.v, x).view(num_tokens, self.num_kv_heads, self.head_dim)
        if layer.q_norm is not None:
            q, k = rms_norm(q, layer.q_norm.weight, self.epsilon), rms_norm(k, layer.k_norm.weight, self.epsilon)
        q, k = rotary(q, cos, sin), rotary(k, cos, sin)
        parts: list[Tensor] = []
        for block, mask in zip(blocks, masks, strict=True):
            parts.extend(_block_attention(block, q, k, v, mask))
        return torch.cat(parts).flatten(1)


def _read_layer(layer: Any) -> Layer:
    attention, mlp = layer.self_attn, layer.mlp
    return Layer(
        q=attention.q_proj,
        k=attention.k_proj,
        v=attention.v_proj,
        o=attention.o_proj,
        gate=mlp.gate_proj,
        up=mlp.up_proj,
        down=mlp.down_proj,
        input_norm=layer.input_layernorm,
        post_norm=layer.post_attention_layernorm,
        q_norm=getattr(attention, "q_norm", None),
        k_norm=getattr(attention, "k_norm", None),
    )


def _suffix_mask(block: Block, like: Tensor) -> Tensor | None:
    """Additive mask (L, P + L): the whole prefix and the causal part of the suffix. None where P is 0.

    Padding needs no mask of its own: it lies behind every real token of its row.
    """
    if block.prefix_length == 0 or block.longest == 0:
        return None
    size = block.longest
    mask = torch.zeros(size, block.prefix_length + size, dtype=like.dtype, device=like.device)
    mask[:, block.prefix_length :] = torch.full((size, size), -torch.inf, dtype=like.dtype).triu(1)
    return mask


def _block_attention(block: Block, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> list[Tensor]:
    """Attention output of one block's rows, in order: prefix (P, Hq, D), then suffixes (tokens, Hq, D)."""
    middle = block.start + block.prefix_length
    outputs: list[Tensor] = []
    prefix = slice(block.start, middle)
    if block.prefix_length:
        outputs.append(_attend(q[prefix][None], k[prefix][None], v[prefix][None], None)[0])
    if block.suffix_lengths:
        rows = slice(middle, middle + block.num_suffix_tokens)
        q_s, k_s, v_s = (_pad(block, x[rows]) for x in (q, k, v))
        if block.prefix_length:
            num_suffixes = len(block.suffix_lengths)
            k_s = torch.cat([k[prefix].expand(num_suffixes, -1, -1, -1), k_s], dim=1)
            v_s = torch.cat([v[prefix].expand(num_suffixes, -1, -1, -1), v_s], dim=1)
        outputs.append(_unpad(block, _attend(q_s, k_s, v_s, mask)))
    return outputs


def _attend(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
    """Scaled dot-product attention on (G, L, heads, D) tensors; causal where `mask` is None."""
    out = functional.scaled_dot_product_attention(
        q.transpose(1, 2),
        k.transpose(1, 2),
        v.transpose(1, 2),
        attn_mask=mask,
        is_causal=mask is None,
        enable_gqa=q.shape[2] != k.shape[2],
    )
    return out.transpose(1, 2)


def _pad(block: Block, x: Tensor) -> Tensor:
    """Suffix rows (tokens, heads, D) on the block's (G, L, heads, D) grid."""
    if block.pad_rows is not None:
        x = take_rows(x, block.pad_rows, block.unpad_rows)
    return x.unflatten(0, (len(block.suffix_lengths), block.longest))


def _unpad(block: Block, x: Tensor) -> Tensor:
    """The grid (G, L, heads, D) back to suffix rows (tokens, heads, D)."""
    x = x.flatten(0, 1)
    return x if block.unpad_rows is None else take_rows(x, block.unpad_rows)
