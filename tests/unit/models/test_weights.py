from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tahr.core.errors import InputError
from tahr.models.weights import check_folder, num_parameters, read_config, shapes


def test_a_whole_folder_passes(model_folder: Path) -> None:
    check_folder(model_folder)
    assert shapes(model_folder / "model.safetensors")["model.embed_tokens.weight"] == (18, 16)


@pytest.mark.parametrize(
    ("removed", "message"),
    [
        ("config.json", "no config.json"),
        ("model.safetensors", "no weights"),
        ("tokenizer.json", "no tokenizer"),
    ],
)
def test_missing_files(model_folder: Path, removed: str, message: str) -> None:
    (model_folder / removed).unlink()
    with pytest.raises(InputError, match=message):
        check_folder(model_folder)


def test_an_adapter_is_not_a_model(tmp_path: Path) -> None:
    (tmp_path / "adapter_config.json").write_text("{}")
    with pytest.raises(InputError, match="LoRA adapter, not a model"):
        read_config(tmp_path)


@pytest.mark.parametrize("contents", ["{", "[]"])
def test_broken_config(tmp_path: Path, contents: str) -> None:
    (tmp_path / "config.json").write_text(contents)
    with pytest.raises(InputError, match="JSON"):
        read_config(tmp_path)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda data: data[:-1], "bytes instead of"),
        (lambda data: data[:20], "header is cut short"),
        (lambda data: b"", "header is cut short"),
        (lambda data: data[:8] + b"x" + data[9:], "can't be read"),
        (lambda data: b"version https://git-lfs.github.com/spec/v1\noid sha256:1", "Git LFS pointer"),
    ],
)
def test_damaged_weights(model_folder: Path, damage, message: str) -> None:
    file = model_folder / "model.safetensors"
    file.write_bytes(damage(file.read_bytes()))
    with pytest.raises(InputError, match=message):
        check_folder(model_folder)


def test_parts_named_by_an_index(model_folder: Path) -> None:
    whole = model_folder / "model.safetensors"
    part = model_folder / "model-00001-of-00002.safetensors"
    shutil.move(whole, part)
    index = {"weight_map": {"a": part.name, "b": "model-00002-of-00002.safetensors"}}
    (model_folder / "model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(InputError, match=r"index names is missing\n.*model-00002-of-00002"):
        check_folder(model_folder)
    shutil.copy(part, model_folder / "model-00002-of-00002.safetensors")
    check_folder(model_folder)


def test_a_copy_of_tied_embeddings_is_counted_once(tmp_path: Path) -> None:
    import torch
    from safetensors.torch import save_file

    tensors = {"model.embed_tokens.weight": torch.zeros(5, 4), "lm_head.weight": torch.zeros(5, 4)}
    save_file(tensors, tmp_path / "model.safetensors")
    assert num_parameters(tmp_path, tied=True) == 20
    assert num_parameters(tmp_path, tied=False) == 40


def test_pickled_weights_are_not_counted(tmp_path: Path) -> None:
    (tmp_path / "pytorch_model.bin").write_bytes(b"PK")
    assert num_parameters(tmp_path, tied=True) is None
