"""What was sampled or judged once is never asked for again: JSON lines that are only ever appended to."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any, Self

SYNC_SECONDS = 5.0
"""At most so long a record may be with the operating system alone: a power cut takes no more, at the next record."""


class Journal:
    """Records under their keys, one JSON object a line; only the places of the lines are held in memory.

    A last line that was cut off while it was written is taken off when the file is opened again; a whole one that
    can't be read is passed over, and what stands after it is kept. Not for two writers.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("a+b")
        self._places = dict[str, int]()
        self._end = 0
        self._synced = time.monotonic()
        self._file.seek(0)
        for line in self._file:
            if not line.endswith(b"\n"):
                break  # the process died here
            key = _key(line)
            if key is not None:
                self._places[key] = self._end
            self._end += len(line)
        self._file.truncate(self._end)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, key: str) -> bool:
        return key in self._places

    def get(self, key: str) -> dict[str, Any] | None:
        """The record of `key`, None where there is none."""
        if key not in self._places:
            return None
        self._file.seek(self._places[key])
        return json.loads(self._file.readline())

    def add(self, key: str, record: dict[str, Any]) -> None:
        """Append a record of JSON values; with the operating system when this returns, so that a kill loses nothing."""
        line = json.dumps({"key": key, **record}, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"
        self._file.seek(0, os.SEEK_END)
        self._file.write(line)
        self._file.flush()
        self._places[key] = self._end
        self._end += len(line)
        if time.monotonic() - self._synced >= SYNC_SECONDS:
            os.fsync(self._file.fileno())
            self._synced = time.monotonic()

    def close(self) -> None:
        """Close the file, once all of it is on the disk."""
        os.fsync(self._file.fileno())
        self._file.close()


def _key(line: bytes) -> str | None:
    """The key of a whole line, None where it can't be read."""
    try:
        return str(json.loads(line)["key"])
    except (ValueError, KeyError, TypeError):
        return None
