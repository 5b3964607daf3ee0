"""Tasks from a dataset on the hub, or from a local folder in the same layout."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field

from tahr.core.errors import InputError, UnknownNameError
from tahr.core.protocols import task_sources
from tahr.core.types import Task
from tahr.data.columns import Columns
from tahr.data.rows import READERS, Row, read_rows

_SPLIT = re.compile(r"(?:^|[-_.])(train|test|validation|valid|val|dev)(?=[-_.]|$)")


@task_sources.register("hub")
@dataclass(frozen=True, slots=True, kw_only=True)
class Hub(Columns):
    """Tasks from the Parquet, JSONL or CSV files of a hub dataset (owner/name), or of a local folder laid out so.

    Files are found by the dataset's own split in their name or folder: ``main/train-00000-of-00001.parquet``,
    ``data/train.jsonl``. The splits of the task set are tahr's own, by content.
    """

    name: Annotated[str, Field(min_length=1, description="owner/name on the hub, or a local folder")]
    split: Annotated[str, Field(min_length=1, description="the dataset's own split to read")] = "train"
    config: Annotated[str | None, Field(description="the dataset's configuration: a folder in it, such as main")] = None
    revision: Annotated[str | None, Field(description="branch, tag or commit")] = None
    endpoint: Annotated[str | None, Field(description="address of another hub")] = None

    def generate(self, count: int, seed: int) -> list[Task]:
        """`count` tasks; fewer where there are fewer rows. Raises InputError, also where the hub is out of reach."""
        folder = Path(self.name).expanduser()
        if not folder.is_dir():
            folder = self._download()
        rows: list[Row] = []
        for path in self._files(folder):
            rows.extend(read_rows(path))
        return self.tasks(rows, count, seed)

    def _files(self, folder: Path) -> list[Path]:
        """The files of the split, in order."""
        paths = sorted(folder.rglob("*"))
        readable = [path for path in paths if path.suffix.lower() in READERS and _visible(path, folder)]
        by_config: dict[str, list[Path]] = {}
        for path in readable:
            by_config.setdefault(_config_of(path, folder), []).append(path)
        if not by_config:
            raise InputError(f"{self.name} holds no readable files", instead=f"files ending in {', '.join(READERS)}")
        if self.config is not None and self.config not in by_config:
            raise UnknownNameError(f"configuration of {self.name}", self.config, by_config)
        if self.config is None and len(by_config) > 1:
            raise InputError(
                f"{self.name} has several configurations",
                received=", ".join(sorted(by_config)),
                instead=f'config = "{min(by_config)}"',
            )
        files = by_config[self.config] if self.config is not None else next(iter(by_config.values()))
        chosen = [path for path in files if _split_of(path, folder) == self.split]
        if not chosen:
            raise UnknownNameError(f"split of {self.name}", self.split, {_split_of(path, folder) for path in files})
        return chosen

    def _download(self) -> Path:
        if not re.fullmatch(r"[\w.-]+(?:/[\w.-]+)?", self.name):
            raise InputError(f"there is no folder {self.name}, and it is no hub name", received=self.name)
        from huggingface_hub import snapshot_download

        patterns = [f"*{suffix}" for suffix in READERS]
        try:
            return Path(
                snapshot_download(
                    self.name,
                    repo_type="dataset",
                    revision=self.revision,
                    allow_patterns=patterns,
                    endpoint=self.endpoint,
                )
            )
        except OSError as error:  # every error of the hub's client is one
            raise InputError(
                f"the dataset {self.name!r} could not be fetched: {type(error).__name__}: {str(error)[:300]}",
                received=self.name,
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
