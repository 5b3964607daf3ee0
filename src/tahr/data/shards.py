"""The files behind the name of a data set: one file, those like a pattern, a folder of shards, a dataset on the hub."""

from __future__ import annotations

import re
from pathlib import Path

from tahr.core.errors import InputError, OutOfReachError, UnknownNameError
from tahr.data.rows import READERS

_SPLIT = re.compile(r"(?:^|[-_.])(train|test|validation|valid|val|dev)\d{0,2}(?=[-_.]|$)")  # test2 is of test
_HUB_NAME = re.compile(r"[\w.-]+(?:/[\w.-]+)?")


def find_shards(
    source: str,
    *,
    split: str = "train",
    config: str | None = None,
    revision: str | None = None,
    endpoint: str | None = None,
    download: bool = True,
) -> list[Path]:
    """The files of `source`, in order: a file's path, a pattern, a folder laid out as hub datasets are, or a hub name.

    In a folder, files are found by the split in their name or folder (``main/train-00000-of-00001.parquet``,
    ``data/train.jsonl``; files that name none are of "train") and by their configuration, the top folder. Without
    `download`, a hub dataset that is not in the local cache gives an empty list. Raises InputError: nothing there,
    several configurations, no such split, a hub out of reach.
    """
    path = Path(source).expanduser()
    if path.is_file():
        return [path]
    if path.is_dir():
        return _of_split(source, path, split, config)
    if is_pattern(source):
        found = [file for file in files_like(source) if file.is_file()]
        if not found:
            raise InputError(
                f"no file is like {source}",
                received=source,
                instead="a pattern from the working folder, ** only as a whole folder",
            )
        return found
    if path.suffix.lower() in READERS or not _HUB_NAME.fullmatch(source):
        raise InputError(f"there is no file or folder {source}, and it is no hub name", received=source)
    folder = _fetch(source, revision, endpoint, download)
    return [] if folder is None else _of_split(source, folder, split, config)


def is_pattern(source: str) -> bool:
    """Whether a path stands for several, as in a shell: ``data/*.jsonl``."""
    return any(mark in source for mark in "*?[")


def files_like(pattern: str) -> list[Path]:
    """What there is like a pattern of a path, sorted; nothing where it is no pattern of paths."""
    path = Path(pattern).expanduser()
    anchor = Path(path.anchor) if path.is_absolute() else Path()
    try:
        return sorted(anchor.glob(str(path.relative_to(path.anchor))))
    except ValueError:  # ** beside other characters
        return []


def _of_split(source: str, folder: Path, split: str, config: str | None) -> list[Path]:
    paths = sorted(folder.rglob("*"))
    readable = [path for path in paths if path.suffix.lower() in READERS and _visible(path, folder)]
    by_config: dict[str, list[Path]] = {}
    for path in readable:
        by_config.setdefault(_config_of(path, folder), []).append(path)
    if not by_config:
        raise InputError(f"{source} holds no readable files", instead=f"files ending in {', '.join(READERS)}")
    if config is not None and config not in by_config:
        raise UnknownNameError(f"configuration of {source}", config, by_config)
    if config is None and len(by_config) > 1:
        raise InputError(
            f"{source} has several configurations",
            received=", ".join(sorted(by_config)),
            instead=f'config = "{min(by_config)}"',
        )
    files = by_config[config] if config is not None else next(iter(by_config.values()))
    chosen = [path for path in files if _split_of(path, folder) == split]
    if not chosen:
        raise UnknownNameError(f"split of {source}", split, {_split_of(path, folder) for path in files})
    return chosen


def _fetch(name: str, revision: str | None, endpoint: str | None, download: bool) -> Path | None:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    patterns = [f"*{suffix}" for suffix in READERS]
    try:
        return Path(
            snapshot_download(
                name,
                repo_type="dataset",
                revision=revision,
                allow_patterns=patterns,
                endpoint=endpoint,
                local_files_only=not download,
            )
        )
    except OSError as error:  # every error of the hub's client is one
        if not download and isinstance(error, LocalEntryNotFoundError):
            return None
        out_of_reach = isinstance(error, LocalEntryNotFoundError)
        raise (OutOfReachError if out_of_reach else InputError)(
            f"the dataset {name!r} could not be fetched: {type(error).__name__}: {str(error)[:300]}",
            received=name,
            instead="an existing owner/name and a reachable hub, or the path of a local folder with its files",
        ) from error


def _visible(path: Path, folder: Path) -> bool:
    """Whether no part of the path is hidden, and it is not the dataset's own description."""
    parts = path.relative_to(folder).parts
    return not any(part.startswith(".") for part in parts) and path.name not in {"dataset_info.json", "state.json"}


def _config_of(path: Path, folder: Path) -> str:
    """The configuration that a file belongs to: its top folder, unless that is "data" or a split; "default" then."""
    parts = path.relative_to(folder).parts[:-1]
    return "default" if not parts or parts[0] == "data" or _SPLIT.fullmatch(parts[0]) else parts[0]


def _split_of(path: Path, folder: Path) -> str:
    """The split in a file's name or folder; a file that names none is of "train"."""
    for part in (path.stem, *reversed(path.relative_to(folder).parts[:-1])):
        found = _SPLIT.search(part)
        if found:
            return found[1]
    return "train"
