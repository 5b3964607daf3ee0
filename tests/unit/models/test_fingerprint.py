"""Equal fingerprints mean equal outputs: what is kept under one is given out again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tahr.models.config import LoraConfig, ModelConfig
from tahr.models.load import LoadedModel, load_model


def fingerprint(folder: Path, **settings: Any) -> str:
    return load_model(ModelConfig(source=str(folder), max_context=64, device="cpu", **settings)).fingerprint()


def edit(file: Path, **values: Any) -> None:
    file.write_text(json.dumps({**json.loads(file.read_text()), **values}))


def test_a_model_keeps_its_name_through_saving_loading_and_use(loaded: LoadedModel, model_folder: Path) -> None:
    before = loaded.fingerprint()
    assert fingerprint(model_folder) == before
    loaded.tokenizer(["1", "1 + 1"], padding=True, truncation=True, max_length=2)
    assert loaded.fingerprint() == before
    edit(model_folder / "config.json", transformers_version="4.0.0", architectures=["Other"], use_cache=False)
    assert fingerprint(model_folder) == before


@pytest.mark.parametrize(
    "changed",
    [
        {"rms_norm_eps": 0.1},
        {"rope_parameters": {"rope_type": "default", "rope_theta": 5.0}},
        {"attention_dropout": 0.5},
    ],
)
def test_the_same_weights_under_another_config_are_another_model(model_folder: Path, changed: dict[str, Any]) -> None:
    before = fingerprint(model_folder)
    edit(model_folder / "config.json", **changed)
    assert fingerprint(model_folder) != before


def test_another_template_or_other_ends_are_another_name(model_folder: Path) -> None:
    before = fingerprint(model_folder)
    template = model_folder / "chat_template.jinja"
    template.write_text(template.read_text().replace("content", "content | trim"))
    trimmed = fingerprint(model_folder)
    edit(model_folder / "generation_config.json", eos_token_id=[3, 0])
    assert len({before, trimmed, fingerprint(model_folder)}) == 3


def test_adapters_and_what_they_are_scaled_by_count(model_folder: Path) -> None:
    plain = fingerprint(model_folder)
    low, high = (fingerprint(model_folder, lora=LoraConfig(rank=2, alpha=alpha)) for alpha in (2.0, 4.0))
    assert len({plain, low, high}) == 3
