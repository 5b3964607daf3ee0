from __future__ import annotations

import struct
import sys
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
import torch
from tokenizers import pre_tokenizers

from tahr.core.errors import InputError, ResourceError
from tahr.core.types import Message
from tahr.models import gguf_file
from tahr.models.config import ArchitectureConfig, LoraConfig, ModelConfig
from tahr.models.gguf_header import read_gguf_header
from tahr.models.known import facts
from tahr.models.load import load_model
from tahr.models.save import save_model

SHAPE = ArchitectureConfig(hidden_size=32, num_layers=2, num_heads=4, num_kv_heads=2, intermediate_size=32)
TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m.role }} {{ m.content }}<|im_end|>{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant{% endif %}"
)
TOKENS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", *sorted(pre_tokenizers.ByteLevel.alphabet()), "Ġa"]
LAYER = {
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}


def original() -> torch.nn.Module:
    """A Llama whose weights the file holds; its vocabulary is TOKENS."""
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(0)
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(TOKENS),
            hidden_size=32,
            num_hidden_layers=2,
            num_attention_heads=4,
            num_key_value_heads=2,
            intermediate_size=32,
            max_position_embeddings=128,
            tie_word_embeddings=True,
        )
    ).eval()


def interleave(weight: torch.Tensor, num_heads: int) -> torch.Tensor:
    """The order of a head's rows in GGUF: pairs that rotate together lie side by side."""
    return weight.reshape(num_heads, 2, -1, weight.shape[1]).transpose(1, 2).reshape(weight.shape)


def write(path: Path, model: torch.nn.Module, pre: str = "smollm") -> Path:
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(128)
    writer.add_embedding_length(32)
    writer.add_block_count(2)
    writer.add_feed_forward_length(32)
    writer.add_head_count(4)
    writer.add_head_count_kv(2)
    writer.add_rope_dimension_count(8)
    writer.add_rope_freq_base(10000.0)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_vocab_size(len(TOKENS))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(pre)
    writer.add_token_list(TOKENS)
    writer.add_token_types([3, 3, 3] + [1] * (len(TOKENS) - 3))
    writer.add_token_merges(["Ġ a"])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_pad_token_id(2)
    writer.add_chat_template(TEMPLATE)
    weights = {name: tensor.detach() for name, tensor in model.named_parameters()}
    names = {"token_embd": "model.embed_tokens", "output_norm": "model.norm"}
    names |= {f"blk.{i}.{ours}": f"model.layers.{i}.{theirs}" for i in (0, 1) for ours, theirs in LAYER.items()}
    for ours, theirs in names.items():
        weight = weights[f"{theirs}.weight"]
        weight = interleave(weight, 4) if "attn_q" in ours else weight
        weight = interleave(weight, 2) if "attn_k" in ours else weight
        writer.add_tensor(f"{ours}.weight", weight.contiguous().numpy().astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("TAHR_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write(tmp_path / "tiny.gguf", original())


def config(path: Path, **values: Any) -> ModelConfig:
    return ModelConfig(source=str(path), max_context=64, device="cpu", **values)


@torch.no_grad()
def test_weights_tokens_and_template_are_the_files(file: Path) -> None:
    loaded = load_model(config(file))
    assert loaded.source == str(file)
    ids = torch.tensor([[1, 9, 7, 30, 2]])
    torch.testing.assert_close(loaded.model(ids).logits, original()(ids).logits, atol=1e-6, rtol=1e-5)
    prompt = loaded.renderer.render([Message(role="user", content="5²")])
    assert prompt.count(1) == 2  # one <|im_start|> for each turn, none added in front: it is also the bos token
    assert prompt[0] == 1
    assert loaded.renderer.stop_token_ids == (2,)
    assert loaded.renderer.decode(prompt) == "user 5²assistant"


def test_digits_stand_alone_where_the_vocabulary_was_learned_so(file: Path, tmp_path: Path) -> None:
    def pieces(path: Path) -> list[str]:
        backend: Any = load_model(config(path)).tokenizer.backend_tokenizer  # pyright: ignore
        return [piece for piece, _ in backend.pre_tokenizer.pre_tokenize_str("x 12 ²")]

    assert pieces(file) == ["x", "Ġ", "1", "2", "Ġ", "Â²"]
    assert pieces(write(tmp_path / "gpt2.gguf", original(), pre="gpt-2")) == ["x", "Ġ12", "ĠÂ²"]


def test_converted_once_then_read_from_the_cache(file: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load_model(config(file))
    assert len(list((cache / "gguf").iterdir())) == 1

    def fail(*args: object) -> None:
        raise AssertionError("converted twice")

    monkeypatch.setattr(gguf_file, "_convert", fail)
    load_model(config(file))
    copy = file.with_name("copy.gguf")
    copy.write_bytes(file.read_bytes())
    load_model(config(copy))  # the cache goes by content
    with pytest.raises(AssertionError, match="converted twice"):
        load_model(config(write(file, original(), pre="gpt-2")))


def test_it_can_be_trained_saved_and_given_adapters(file: Path, tmp_path: Path) -> None:
    for number, lora in enumerate((None, LoraConfig(rank=1))):
        loaded = load_model(config(file, lora=lora))
        assert not hasattr(loaded.model.config, "quantization_config")
        save_model(loaded.model, loaded.tokenizer, tmp_path / str(number))
        again = load_model(config(tmp_path / str(number)))
        assert torch.equal(again.model.get_input_embeddings().weight, loaded.model.get_input_embeddings().weight)
        assert again.tokenizer.chat_template == TEMPLATE


def test_facts_come_from_the_header(file: Path) -> None:
    found = facts(config(file))
    assert found.num_parameters == sum(p.numel() for p in original().parameters())
    assert (found.hidden_size, found.num_layers, found.num_heads, found.num_kv_heads) == (32, 2, 4, 2)
    assert (found.head_dim, found.intermediate_size, found.vocab_size) == (8, 32, len(TOKENS))
    assert (found.max_context, found.tied) == (128, True)


def test_the_header_agrees_with_the_gguf_package(file: Path) -> None:
    header, reader = read_gguf_header(file), gguf.GGUFReader(file)
    assert header.shapes == {tensor.name: tuple(map(int, tensor.shape)) for tensor in reader.tensors}
    for name, entry in reader.fields.items():
        if name.startswith("GGUF."):
            continue
        contents = entry.contents()
        assert header.settings[name] == (len(contents) if isinstance(contents, list) else contents), name


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:5],
        lambda data: data[:40],
        lambda data: data[:2000],
        lambda data: data[:4] + struct.pack("<IQQ", 3, 2**60, 2**60) + data[24:],
    ],
)
def test_a_damaged_header(file: Path, damage: Any) -> None:
    file.write_bytes(damage(file.read_bytes()))
    with pytest.raises(InputError, match="header can't be read"):
        facts(config(file))


def test_an_unknown_version_of_the_format(file: Path) -> None:
    data = file.read_bytes()
    file.write_bytes(data[:4] + struct.pack("<I", 9) + data[8:])
    with pytest.raises(InputError, match="unknown version"):
        facts(config(file))


def test_weights_cut_short(file: Path, cache: Path) -> None:
    file.write_bytes(file.read_bytes()[:-1000])
    with pytest.raises(InputError, match=r"can't read the \.gguf file"):
        load_model(config(file))
    assert list((cache / "gguf").iterdir()) == []


def test_a_cache_that_may_not_be_written(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = file.with_name("blocked")
    blocked.write_text("a file where the cache folder should be")
    monkeypatch.setenv("TAHR_CACHE", str(blocked))
    with pytest.raises(ResourceError, match="TAHR_CACHE"):
        load_model(config(file))


@pytest.mark.slow
def test_smollm2_is_the_real_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("TAHR_CACHE")
    loaded = load_model(ModelConfig(source="smollm2-135m", device="cpu"))
    prompt = loaded.renderer.render([Message(role="user", content="What is 2 + 3?")])
    # <|im_start|>system ... <|im_end|>\n<|im_start|>user\nWhat is 2 + 3?<|im_end|>\n<|im_start|>assistant\n
    assert prompt[:4] == (1, 9690, 198, 2683)
    assert prompt[20:] == (198, 1, 4093, 198, 1780, 314, 216, 34, 1232, 216, 35, 47, 2, 198, 1, 520, 9531, 198)
    assert prompt.count(1) == 3
    assert loaded.renderer.stop_token_ids == (2,)
    ids: Any = loaded.model.generate(torch.tensor([prompt]), max_new_tokens=12, do_sample=False)  # pyright: ignore
    assert tuple(ids[0, -1:].tolist()) == (2,)
    assert loaded.renderer.decode(ids[0, len(prompt) :].tolist()) == "2 + 3 = 5"
    save_model(loaded.model, loaded.tokenizer, tmp_path / "saved")
    again = load_model(ModelConfig(source=str(tmp_path / "saved"), device="cpu"))
    assert again.renderer.render([Message(role="user", content="What is 2 + 3?")]) == prompt
    assert torch.equal(again.model.get_input_embeddings().weight, loaded.model.get_input_embeddings().weight)


@pytest.mark.parametrize("is_terminal", [False, True])
def test_a_conversion_draws_its_bar_in_a_terminal_alone(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, is_terminal: bool
) -> None:
    from transformers import modeling_gguf_pytorch_utils as used

    before = used.tqdm
    monkeypatch.setattr(sys.stderr, "isatty", lambda: is_terminal, raising=False)
    load_model(config(file))
    shown = capsys.readouterr()
    assert ("GGUF" in shown.err) is is_terminal
    assert shown.out == "" and (is_terminal or shown.err == "")
    assert used.tqdm is before
