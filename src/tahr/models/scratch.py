"""A small Llama-family model with random weights and one token per character."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tahr.core.seeding import derive_seed
from tahr.models.config import ArchitectureConfig

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

PAD, UNKNOWN, START, END = "<|pad|>", "<|unknown|>", "<|start|>", "<|end|>"
ROLES = ("<|system|>", "<|user|>", "<|assistant|>", "<|tool|>")
SPECIAL_TOKENS = (PAD, UNKNOWN, START, END, *ROLES)

CHAT_TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}"
    "<|{{ message['role'] }}|>{{ message['content'] }}{{ eos_token }}"
    "{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


def vocabulary(architecture: ArchitectureConfig) -> list[str]:
    """Every token in the order of its id: the special tokens, then the alphabet."""
    return [*SPECIAL_TOKENS, *architecture.alphabet]


def make_tokenizer(architecture: ArchitectureConfig, max_context: int) -> PreTrainedTokenizerBase:
    """A character-level fast tokenizer; a character outside the alphabet becomes ``<|unknown|>``.

    Byte-pair encoding without merges is one token per character, and unlike a word-level model keeps every space.
    """
    from tokenizers import Tokenizer, decoders, models
    from transformers import PreTrainedTokenizerFast

    ids = {token: index for index, token in enumerate(vocabulary(architecture))}
    backend = Tokenizer(models.BPE(vocab=ids, merges=[], unk_token=UNKNOWN))
    backend.decoder = decoders.Fuse()
    backend.add_special_tokens(list(SPECIAL_TOKENS))
    return PreTrainedTokenizerFast(
        tokenizer_object=backend,
        pad_token=PAD,
        unk_token=UNKNOWN,
        bos_token=START,
        eos_token=END,
        extra_special_tokens=list(ROLES),
        clean_up_tokenization_spaces=False,
        model_max_length=max_context,
        chat_template=CHAT_TEMPLATE,
    )


def make_model(architecture: ArchitectureConfig, max_context: int, seed: int) -> PreTrainedModel:
    """A `LlamaForCausalLM` in float32 with tied embeddings; equal seeds give equal weights.

    Torch's global generator is left as it was.
    """
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=len(vocabulary(architecture)),
        hidden_size=architecture.hidden_size,
        num_hidden_layers=architecture.num_layers,
        num_attention_heads=architecture.num_heads,
        num_key_value_heads=architecture.num_kv_heads,
        intermediate_size=architecture.intermediate_size,
        max_position_embeddings=max_context,
        tie_word_embeddings=True,
        pad_token_id=SPECIAL_TOKENS.index(PAD),
        bos_token_id=SPECIAL_TOKENS.index(START),
        eos_token_id=SPECIAL_TOKENS.index(END),
    )
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(derive_seed(seed, "model.scratch"))
        return LlamaForCausalLM(config)
