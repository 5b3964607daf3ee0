from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from tahr.core.errors import InputError, ResourceError
from tahr.core.types import Message
from tahr.models import load
from tahr.models.config import LoraConfig, ModelConfig
from tahr.models.load import LoadedModel, load_model, pick_device


def edit(file: Path, **values: Any) -> None:
    file.write_text(json.dumps({**json.loads(file.read_text()), **values}))


def folder_config(folder: Path, **values: Any) -> ModelConfig:
    return ModelConfig(source=str(folder), max_context=64, device="cpu", **values)


def test_a_saved_folder_loads_as_it_was(loaded: LoadedModel, model_folder: Path) -> None:
    again = load_model(folder_config(model_folder))
    assert again.source == str(model_folder)
    assert not again.model.training
    assert all(parameter.requires_grad for parameter in again.model.parameters())
    for name, parameter in loaded.model.named_parameters():
        assert torch.equal(parameter, again.model.get_parameter(name)), name
    messages = [Message(role="user", content="1 + 2?")]
    assert again.renderer.render(messages) == loaded.renderer.render(messages)
    assert again.renderer.stop_token_ids == (3,)


def test_stop_ids_of_the_generation_settings(model_folder: Path) -> None:
    edit(model_folder / "generation_config.json", eos_token_id=[3, 0])
    assert load_model(folder_config(model_folder)).renderer.stop_token_ids == (3, 0)


def test_a_model_without_a_template_gets_the_plain_one(model_folder: Path) -> None:
    (model_folder / "chat_template.jinja").unlink()
    again = load_model(folder_config(model_folder))
    assert again.tokenizer.chat_template is not None
    assert "capitalize" in again.tokenizer.chat_template  # pyright: ignore[reportOperatorIssue]


def test_bfloat16_on_a_cpu_is_warned_about(model_folder: Path) -> None:
    with pytest.warns(UserWarning, match="bfloat16"):
        again = load_model(folder_config(model_folder, dtype="bfloat16"))
    assert {parameter.dtype for parameter in again.model.parameters()} == {torch.bfloat16}


def test_rotary_frequencies_stay_float32(model_folder: Path, scratch_config: ModelConfig) -> None:
    for config in (folder_config(model_folder), scratch_config):
        with pytest.warns(UserWarning, match="bfloat16"):
            model = load_model(config.model_copy(update={"dtype": "bfloat16"})).model
        frequencies = model.get_buffer("model.rotary_emb.inv_freq")
        assert frequencies.dtype == torch.float32
        # 10000 ** -(0, 2, 4, 6) / 8
        assert frequencies.tolist() == pytest.approx([1.0, 0.1, 0.01, 0.001], rel=1e-6)


def test_weights_that_the_model_does_not_use_are_warned_about(model_folder: Path) -> None:
    edit(model_folder / "config.json", num_hidden_layers=1)
    with pytest.warns(UserWarning, match=r"9 tensors are not part of the model, such as model\.layers\.1"):
        load_model(folder_config(model_folder))


def test_a_tokenizer_of_another_model(model_folder: Path) -> None:
    tokenizer = json.loads((model_folder / "tokenizer.json").read_text())
    tokenizer["model"]["vocab"]["Z"] = 18
    (model_folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    with pytest.raises(InputError, match="19 tokens, 18 embeddings"):
        load_model(folder_config(model_folder))


def test_a_longer_context_than_the_models(model_folder: Path) -> None:
    with pytest.raises(InputError, match="max_context = 64 or less"):
        load_model(ModelConfig(source=str(model_folder), max_context=65))


def test_weights_that_do_not_fit_the_configuration(model_folder: Path) -> None:
    edit(model_folder / "config.json", num_hidden_layers=3)
    with pytest.raises(InputError, match=r"^9 tensors[^\n]*\n.*no model\.layers\.2"):
        load_model(folder_config(model_folder))
    edit(model_folder / "config.json", num_hidden_layers=2, intermediate_size=32)
    with pytest.raises(InputError, match=r"^6 tensors[^\n]*\n.*down_proj.weight is \(16, 24\), not \(16, 32\)"):
        load_model(folder_config(model_folder))


def test_a_folder_of_no_language_model(model_folder: Path) -> None:
    edit(model_folder / "config.json", model_type="nonsense")
    with pytest.raises(InputError, match="can't load the model"):
        load_model(folder_config(model_folder))


def test_code_in_a_folder_is_never_run(model_folder: Path) -> None:
    marker = model_folder / "ran"
    (model_folder / "evil.py").write_text(f"open({str(marker)!r}, 'w')\nclass Evil: ...")
    edit(model_folder / "config.json", model_type="evil", auto_map={"AutoConfig": "evil.Evil"})
    with pytest.raises(InputError, match="can't load the model"):
        load_model(folder_config(model_folder))
    assert not marker.exists()


@pytest.mark.parametrize(
    ("name", "message"),
    [("gpu", "not a device"), ("cuda:99", "GPU that is not there"), ("mps", "neither"), ("meta", "neither")],
)
def test_devices(name: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        pick_device(name)


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB"),
        RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 8 bytes"),
    ],
)
def test_out_of_memory_says_what_to_set(
    monkeypatch: pytest.MonkeyPatch, scratch_config: ModelConfig, error: Exception
) -> None:
    def fail(*args: object) -> None:
        raise error

    monkeypatch.setattr(load, "make_model", fail)
    with pytest.raises(ResourceError, match=r"dtype = 'bfloat16', or a \[model\.lora\] section.*, or a smaller"):
        load_model(scratch_config)
    tight = scratch_config.model_copy(update={"dtype": "bfloat16", "lora": LoraConfig()})
    with pytest.warns(UserWarning), pytest.raises(ResourceError, match="instead:  a smaller model"):
        load_model(tight)


def test_other_runtime_errors_pass(monkeypatch: pytest.MonkeyPatch, scratch_config: ModelConfig) -> None:
    def fail(*args: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(load, "make_model", fail)
    with pytest.raises(RuntimeError, match="a bug"):
        load_model(scratch_config)
