"""What a model folder holds, read from its file headers: no torch, no weights loaded."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tahr.core.errors import InputError

TOKENIZER_FILES = ("tokenizer.json", "tokenizer.model", "vocab.json")
_LFS_POINTER = b"version https://git-lfs"


def check_folder(folder: Path) -> None:
    """Raise InputError unless `folder` holds a whole model: configuration, tokenizer, every weight file uncut."""
    read_config(folder)
    if not any((folder / name).is_file() for name in TOKENIZER_FILES):
        raise InputError(
            "the model folder has no tokenizer",
            received=str(folder),
            instead=f"a folder with {', '.join(TOKENIZER_FILES[:-1])} or {TOKENIZER_FILES[-1]}",
        )
    for file in weight_files(folder):
        if file.suffix == ".safetensors":
            shapes(file)


def read_config(folder: Path) -> dict[str, Any]:
    """The folder's config.json. Raises InputError where it's missing, broken, or the folder holds an adapter only."""
    file = folder / "config.json"
    if not file.is_file():
        if (folder / "adapter_config.json").is_file():
            raise InputError(
                "the folder holds a LoRA adapter, not a model",
                received=str(folder),
                instead="the folder above it, where the merged model is, or the adapter merged by peft",
            )
        raise InputError("the model folder has no config.json", received=str(folder), instead="a transformers folder")
    return _read_json(file)


def weight_files(folder: Path) -> list[Path]:
    """The folder's weight files, those of the index where there is one.

    Raises InputError: none at all, one named in the index is missing, or one is a Git LFS pointer.
    """
    index = folder / "model.safetensors.index.json"
    if index.is_file():
        files = sorted({folder / name for name in _read_json(index).get("weight_map", {}).values()})
    elif (folder / "model.safetensors").is_file():
        files = [folder / "model.safetensors"]
    else:
        files = sorted(folder.glob("pytorch_model*.bin"))
    if not files:
        raise InputError(
            "the model folder has no weights",
            received=str(folder),
            instead="a folder with model.safetensors (or its parts and model.safetensors.index.json)",
        )
    for file in files:
        if not file.is_file():
            raise InputError("a weight file that the index names is missing", received=str(file), instead="get it")
        with file.open("rb") as opened:
            if opened.read(len(_LFS_POINTER)) == _LFS_POINTER:
                raise InputError(
                    "the weight file is a Git LFS pointer, not the weights", received=str(file), instead="git lfs pull"
                )
    return files


def shapes(file: Path) -> dict[str, tuple[int, ...]]:
    """Names and shapes of a safetensors file's tensors, from its header.

    Raises InputError where the file is damaged or shorter than its header says.
    """
    size = file.stat().st_size
    with file.open("rb") as opened:
        header_size = int.from_bytes(opened.read(8), "little")
        if not 2 <= header_size <= size - 8:
            raise _damaged(file, "its header is cut short")
        try:
            header = json.loads(opened.read(header_size))
            tensors = {name: entry for name, entry in header.items() if name != "__metadata__"}
            end = max((entry["data_offsets"][1] for entry in tensors.values()), default=0)
            found = {name: tuple(map(int, entry["shape"])) for name, entry in tensors.items()}
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise _damaged(file, "its header can't be read") from error
    if 8 + header_size + end != size:
        raise _damaged(file, f"{size} bytes instead of {8 + header_size + end}")
    return found


def num_parameters(folder: Path, *, tied: bool) -> int | None:
    """Parameters in the folder's safetensors files; None where the weights are in another format."""
    files = weight_files(folder)
    if any(file.suffix != ".safetensors" for file in files):
        return None
    return sum(
        math.prod(shape)
        for name, shape in _all_shapes(files)
        if not (tied and name == "lm_head.weight") and not name.endswith("rotary_emb.inv_freq")
    )


def _all_shapes(files: list[Path]) -> Iterator[tuple[str, tuple[int, ...]]]:
    for file in files:
        yield from shapes(file).items()


def _read_json(file: Path) -> dict[str, Any]:
    try:
        values = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(f"the file is not JSON: {error}", received=str(file), instead="get the file again") from error
    if not isinstance(values, dict):
        raise InputError("the file does not hold a JSON object", received=str(file), instead="get the file again")
    return values


def _damaged(file: Path, why: str) -> InputError:
    return InputError(f"the weight file is damaged: {why}", received=str(file), instead="copy or download it again")
