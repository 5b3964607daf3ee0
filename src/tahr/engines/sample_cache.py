"""Samples under the hash of all that decides them, in one SQLite file that several processes may use at once."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from tahr.core.errors import InputError, ResourceError
from tahr.store.files import disk_errors

BUSY_SECONDS = 60.0
"""How long one process waits for another that writes; a write takes a fraction of a millisecond."""

_SEAL = 8


class SampleCache:
    """Values of bytes by keys of bytes, in the SQLite file `path`.

    What `put` was given is with the operating system when it returns, so that a killed process loses nothing; a power
    cut may take the last moments, and leaves a whole file. Raises InputError where the file is no such cache or is
    damaged, ResourceError on a full disk.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder, SampleCache(Path(folder) / "samples.sqlite") as cache:
    ...     cache.put(b"key", b"value")
    ...     cache.get(b"key"), cache.get(b"other"), len(cache)
    (b'value', None, 1)
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with disk_errors(path.parent):
            _make_folder(path.parent)
            # without an open transaction, each write is one of its own
            self._database = self._told(lambda: sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None))
            for statement in (
                "PRAGMA journal_mode = WAL",  # writes are appended; readers never wait for one
                "PRAGMA synchronous = NORMAL",
                "CREATE TABLE IF NOT EXISTS samples (key BLOB PRIMARY KEY, value BLOB NOT NULL)",
            ):
                self._run(statement)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        return int(self._run("SELECT count(*) FROM samples").fetchone()[0])

    def get(self, key: bytes) -> bytes | None:
        """The value under `key`, None where there is none; one that is not as it was kept is removed."""
        found = self._run("SELECT CAST(value AS BLOB) FROM samples WHERE key = ?", key).fetchone()
        if found is None:
            return None
        sealed = bytes(found[0])
        value = sealed[_SEAL:]
        if sealed[:_SEAL] == _seal(key, value):
            return value
        self._run("DELETE FROM samples WHERE key = ?", key)
        return None

    def put(self, key: bytes, value: bytes) -> None:
        """Keep `value` under `key`; one that is there already stays."""
        self._run("INSERT OR IGNORE INTO samples VALUES (?, ?)", key, _seal(key, value) + value)

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def _run(self, statement: str, *values: bytes) -> sqlite3.Cursor:
        return self._told(lambda: self._database.execute(statement, values))

    def _told(self, work: Any) -> Any:
        """What `work` gives, its failures in words for people."""
        try:
            return work()
        except sqlite3.OperationalError as error:
            if "disk is full" in str(error):
                raise ResourceError(
                    "the disk is full: no further sample can be kept",
                    received=self.path,
                    instead=f"free some space, delete {self.path}, or go on without a cache",
                ) from error
            raise InputError(
                f"the cache of samples can't be used: {error}",
                received=self.path,
                instead="a folder on a local disk that you may write to, or no cache",
            ) from error
        except sqlite3.DatabaseError as error:
            raise InputError(
                f"the cache of samples is damaged: {error}",
                received=self.path,
                instead=f"delete {self.path} (what is in it is sampled again), or another folder",
            ) from error


def _seal(key: bytes, value: bytes) -> bytes:
    """Bytes before a value by which one that was cut, changed or put under another key is known."""
    return hashlib.blake2b(key + b"\0" + value, digest_size=_SEAL).digest()


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise InputError(
            "the cache of samples needs a folder", received=folder, instead="a path that leads through no file"
        ) from None


def content_key(values: Mapping[str, Any]) -> bytes:
    """16 bytes that stand for JSON values, whatever the order of their keys."""
    text = json.dumps(values, sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
