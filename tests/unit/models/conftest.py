from __future__ import annotations

from pathlib import Path

import pytest

from tahr.models.config import ArchitectureConfig, ModelConfig
from tahr.models.load import LoadedModel, load_model
from tahr.models.save import save_model

ARCHITECTURE = ArchitectureConfig(
    alphabet="abc 0123+?", hidden_size=16, num_layers=2, num_heads=2, num_kv_heads=1, intermediate_size=24
)
SCRATCH = ModelConfig(source="scratch", max_context=64, device="cpu", architecture=ARCHITECTURE)


@pytest.fixture
def scratch_config() -> ModelConfig:
    return SCRATCH


@pytest.fixture
def loaded() -> LoadedModel:
    return load_model(SCRATCH)


@pytest.fixture
def model_folder(tmp_path: Path, loaded: LoadedModel) -> Path:
    folder = tmp_path / "model"
    save_model(loaded.model, loaded.tokenizer, folder)
    return folder
