"""Fingerprints of models whose files are as they were when they were last loaded, so that a name needs no weights.

What was asked of a model before is found under its fingerprint. Where nothing is left to ask, nothing need be loaded.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

from tahr.core.errors import InputError, ResourceError
from tahr.models.config import ModelConfig
from tahr.models.folder import cache_folder
from tahr.models.source import Folder, GgufFile, Hub, resolve
from tahr.store.files import write_file

FOLDER = "fingerprints"


def files_identity(config: ModelConfig) -> str:
    """A name for the files of a model as they lie there (path, size, time of change), what it is loaded as, and what
    loads it. Empty where there are no files: a model from scratch, or one that is still to be downloaded."""
    try:
        place = _place(config)
        paths = [] if place is None else [place] if place.is_file() else sorted(place.rglob("*"))
        files = [[str(path), path.stat().st_size, path.stat().st_mtime_ns] for path in paths if path.is_file()]
    except (InputError, OSError):  # told where the model is loaded
        return ""
    versions = [version(package) for package in ("tahr", "torch", "transformers")]
    text = json.dumps([config.model_dump(mode="json"), files, versions])
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest() if files else ""


def fingerprint_of(config: ModelConfig, kind: str, measure: Callable[[], str]) -> str:
    """The kept fingerprint of the model, else what `measure` finds, which is then kept. `kind` is what is loaded."""
    kept = kept_fingerprint(config, kind)
    if kept is not None:
        return kept
    found = measure()
    path = _path(config, kind)
    if path is not None:
        with suppress(OSError, ResourceError):  # it is only for speed
            path.parent.mkdir(parents=True, exist_ok=True)
            write_file(path, found.encode())
    return found


def kept_fingerprint(config: ModelConfig, kind: str) -> str | None:
    """The fingerprint that the model had when it was last loaded as `kind`; None where that isn't known."""
    path = _path(config, kind)
    try:
        return None if path is None else path.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        return None


def _path(config: ModelConfig, kind: str) -> Path | None:
    identity = files_identity(config)
    return cache_folder() / FOLDER / f"{kind}-{identity}" if identity else None


def _place(config: ModelConfig) -> Path | None:
    source = resolve(config)
    if isinstance(source, Folder | GgufFile):
        return source.path.resolve()
    if isinstance(source, Hub):
        from huggingface_hub import try_to_load_from_cache

        found = try_to_load_from_cache(source.id, "config.json", revision=source.revision)
        return Path(found).parent if isinstance(found, str) else None
    return None
