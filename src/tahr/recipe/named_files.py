"""The files and folders that a section of a recipe names, by their content."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tahr.data.shards import files_like, is_pattern
from tahr.evaluation.exports.formats import EXPORTS_FOLDER
from tahr.store.evaluations import EVALUATIONS_FOLDER
from tahr.store.manifest import MANIFEST_NAME
from tahr.store.rollouts import ROLLOUTS_FOLDER

PLACES = {"source", "model", "path", "file", "files", "folder", "teacher", "template", "data"}
"""Settings whose value may be the bare name of a file or folder, or a pattern of such names."""

_TOLD = {EVALUATIONS_FOLDER, ROLLOUTS_FOLDER, EXPORTS_FOLDER}
_MAX_PATH = 4096

_IS_PUNCTUATION = re.compile(r"\W*").fullmatch
"""Nothing, or a stop string such as "." or "/": it would be the working folder, or the whole disk."""


def named_files(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Every existing path among the texts of a section, patterns resolved, with a hash of what lies there.

    `name` is the key that the value stands under.
    """
    if isinstance(value, dict):
        for key, inner in value.items():  # pyright: ignore[reportUnknownVariableType]
            yield from named_files(inner, str(key))  # pyright: ignore[reportUnknownArgumentType]
    elif isinstance(value, list | tuple):
        for inner in value:  # pyright: ignore[reportUnknownVariableType]
            yield from named_files(inner, name)
    elif isinstance(value, str) and _is_path(value, name):
        for path in _matching(value, name):
            if path.is_file():
                yield str(path), _content(path)
            elif path.is_dir():
                yield (
                    str(path),
                    hash_values([[str(found.relative_to(path)), _content(found)] for found in _within(path)]),
                )


def hash_values(value: Any) -> str:
    """A short hash of JSON values, whatever the order of keys."""
    return hashlib.blake2b(json.dumps(value, sort_keys=True, default=str).encode(), digest_size=8).hexdigest()


def _is_path(text: str, name: str) -> bool:
    """Whether a setting may name a file or folder: by its characters, or by the setting where it is a bare word."""
    if len(text) >= _MAX_PATH or "\0" in text or _IS_PUNCTUATION(text):
        return False
    return name in PLACES or "/" in text or "." in text


def _matching(text: str, name: str) -> list[Path]:
    """The paths that a text stands for: several where it is a pattern, which only a place is (elsewhere a regex)."""
    path = Path(text).expanduser()
    return files_like(text) if name in PLACES and is_pattern(text) and not path.exists() else [path]


def _within(folder: Path) -> list[Path]:
    """The files of a folder, in order; of a run, those that a later run may start from, not what is told about it."""
    inside = sorted(found for found in folder.rglob("*") if found.is_file())
    if not (folder / MANIFEST_NAME).is_file():
        return inside
    return [found for found in inside if found.parent != folder and found.relative_to(folder).parts[0] not in _TOLD]


def _content(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=8)).hexdigest()
