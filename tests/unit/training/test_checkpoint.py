import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from tahr.core.errors import InputError
from tahr.training.checkpoint import OPTIMIZER_NAME, STATE_NAME, WEIGHTS_NAME, load_checkpoint, read_checkpoint


@pytest.mark.parametrize("name", [WEIGHTS_NAME, OPTIMIZER_NAME, STATE_NAME])
@pytest.mark.parametrize("left", [0, 5, 40])
def test_a_file_cut_short_is_named_before_the_policy_is_touched(tmp_path: Path, name: str, left: int) -> None:
    save_file({"weight": torch.ones(4, 4)}, tmp_path / WEIGHTS_NAME)
    torch.save({"state": {}, "param_groups": [{"lr": 0.1}]}, tmp_path / OPTIMIZER_NAME)
    (tmp_path / STATE_NAME).write_text(json.dumps({"policy_version": 1, "step": 2, "cursor": 12345678901234567890}))
    whole = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(whole[:left])

    class Untouched:
        device = torch.device("cpu")

    with pytest.raises(InputError, match=f"is damaged: {name} can't be read"):
        load_checkpoint(tmp_path, Untouched())  # pyright: ignore[reportArgumentType]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"{STATE_NAME} can't be read"):
        read_checkpoint(tmp_path)
