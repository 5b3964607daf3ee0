"""A fingerprint is kept as long as the files of its model are as they were."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tahr.models.config import ModelConfig
from tahr.models.kept_fingerprint import files_identity, fingerprint_of, kept_fingerprint


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TAHR_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def config(tmp_path: Path) -> ModelConfig:
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(b"weights")
    return ModelConfig(source=str(folder))


def refuse() -> str:
    raise AssertionError("it is known")


def test_it_is_measured_once(config: ModelConfig) -> None:
    assert kept_fingerprint(config, "chat") is None
    assert fingerprint_of(config, "chat", lambda: "abc") == "abc"
    assert fingerprint_of(config, "chat", refuse) == "abc"
    assert kept_fingerprint(config, "chat") == "abc"
    assert kept_fingerprint(config, "reward") is None


@pytest.mark.parametrize("change", ["size", "time", "more", "dtype"])
def test_another_file_time_or_type_is_another_model(config: ModelConfig, change: str) -> None:
    fingerprint_of(config, "chat", lambda: "abc")
    weights = Path(config.source) / "model.safetensors"
    if change == "size":
        weights.write_bytes(b"more weights")
    elif change == "time":
        os.utime(weights, ns=(1, 1))
    elif change == "more":
        (weights.parent / "adapter.json").write_text("{}")
    else:
        config = config.model_copy(update={"dtype": "bfloat16"})
    assert kept_fingerprint(config, "chat") is None


@pytest.mark.parametrize("source", ["scratch", "nobody/nothing", "gone.gguf"])
def test_what_has_no_files_is_never_known(source: str, cache: Path) -> None:
    config = ModelConfig(source=source)
    assert files_identity(config) == ""
    assert fingerprint_of(config, "chat", lambda: "abc") == "abc"
    assert fingerprint_of(config, "chat", lambda: "def") == "def"
    assert not cache.exists()


def test_a_cache_that_may_not_be_written_is_no_obstacle(config: ModelConfig, cache: Path) -> None:
    cache.write_text("a file where the folder should be")
    assert fingerprint_of(config, "chat", lambda: "abc") == "abc"
    assert kept_fingerprint(config, "chat") is None
