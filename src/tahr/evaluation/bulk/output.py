"""The file of verdicts: one line for each row, in the rows' order, so that what is there says where to go on.

A file beside it says what made the verdicts. Whoever goes on with other settings, or over another file of rows, is told
so instead of being given a mixture.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, cast

from tahr.core.errors import InputError
from tahr.evaluation.bulk.judges import decoded
from tahr.evaluation.bulk.tally import Tally
from tahr.store.files import disk_errors, write_file

FINGERPRINT_BYTES = 65536  # of the rows' file: it may grow between two runs, but not begin otherwise


class Output:
    """Verdicts on the disk. `tally` counts what is there; `last_line` is the last row that has a verdict."""

    def __init__(self, path: Path, rows: Path, settings: Mapping[str, Any], *, restart: bool) -> None:
        """Open `path` to go on after its last whole line, or from the start with `restart`.

        Raises InputError: it is no file that can be written, it is the rows' own, another process writes it, it holds
        something else, or it was made with other settings.
        """
        self.path = path
        self.tally = Tally()
        self.last_line = 0
        _check_place(path, rows)
        try:
            with disk_errors(path.parent):
                self._file = path.open("a+b")
        except OSError as error:
            wrong = f"{path} can't be written: {error.strerror}"
            raise InputError(wrong, received=path, instead="another file with --out") from error
        try:
            self._lock()
            self._begin(rows, settings, restart)
        except BaseException:
            self._file.close()
            raise

    def append(self, lines: bytes) -> None:
        """Add whole lines. Raises ResourceError on a full disk."""
        with disk_errors(self.path.parent):
            self._file.write(lines)
            self._file.flush()

    def close(self) -> None:
        """Force everything to the disk."""
        with disk_errors(self.path.parent):
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(
                f"another process is writing {self.path}", instead="wait for it, or another file with --out"
            ) from None

    def _begin(self, rows: Path, settings: Mapping[str, Any], restart: bool) -> None:
        about = self.path.with_name(f"{self.path.name}.about.json")
        size = os.fstat(self._file.fileno()).st_size
        if size and not restart and not self._is_worthless(about, settings):
            self._check_same(about, rows, settings)
            self._read()
        elif size and not about.is_file():
            raise InputError(
                f"{self.path} exists and is no file of verdicts", instead="another file with --out, or remove it first"
            )
        else:
            self._file.truncate(0)
            described = {"settings": settings, "rows": str(rows), "begins": _fingerprint(rows, FINGERPRINT_BYTES)}
            write_file(about, json.dumps(described, indent=2).encode() + b"\n")

    def _is_worthless(self, about: Path, settings: Mapping[str, Any]) -> bool:
        """Whether the verdicts were made with other settings and none has a reward, as after a misspelt option.

        Nothing is lost then by judging anew.
        """
        try:
            same = not differences(json.loads(about.read_bytes())["settings"], json.loads(json.dumps(settings)))
            self._file.seek(0)
            return not same and all(decoded(line).value is None for line in self._file)
        except (OSError, ValueError, KeyError, TypeError):
            return False

    def _check_same(self, about: Path, rows: Path, settings: Mapping[str, Any]) -> None:
        instead = "--restart to judge all rows anew, or another file with --out"
        try:
            made = json.loads(about.read_bytes())
            before, begins = made["settings"], made["begins"]
        except (OSError, ValueError, KeyError, TypeError):
            raise InputError(f"{self.path} exists and is no file of verdicts to go on with", instead=instead) from None
        if begins != _fingerprint(rows, begins["length"]):
            raise InputError(f"{self.path} holds verdicts on other rows", received=rows, instead=instead)
        # by way of JSON, in which a tuple that was written comes back as a list
        if changed := differences(before, json.loads(json.dumps(settings))):
            received = "\n            ".join(changed)
            raise InputError(f"{self.path} was made with other settings", received=received, instead=instead)

    def _read(self) -> None:
        """Count the verdicts that are there, and cut off what a killed process left half written."""
        self._file.seek(0)
        end = 0
        for line in self._file:
            try:
                judged = decoded(line)
                if not line.endswith(b"\n") or judged.line <= self.last_line:
                    break
                self.tally.add(judged.outcome, judged.value, judged.note)
            except (ValueError, TypeError):
                break
            self.last_line = judged.line
            end += len(line)
        self._file.truncate(end)


def differences(before: Any, now: Any, where: str = "") -> list[str]:
    """What differs between two settings as JSON has them, one line each: the dotted path, the old and the new value.

    >>> differences({"seconds": 10.0, "columns": {"id": None}}, {"seconds": 10.0, "columns": {"id": "uid"}})
    ['columns.id: none before, now "uid"']
    """
    if before == now:
        return []
    if not (isinstance(before, dict) and isinstance(now, dict)):
        return [f"{where}: {_shown(before)} before, now {_shown(now)}"]
    old, new = cast("dict[str, Any]", before), cast("dict[str, Any]", now)
    names = sorted({*old, *new})
    return [line for name in names for line in differences(old.get(name), new.get(name), f"{where}.{name}".lstrip("."))]


def _shown(value: Any) -> str:
    text = "none" if value is None else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 200 else text[:197] + "..."


def _check_place(path: Path, rows: Path) -> None:
    """Raise InputError where no file can be written at `path`, or the rows are there, by another name too."""
    instead = "another file with --out"
    if path.exists():
        if not path.is_file():
            raise InputError(f"{path} is no file that verdicts can be written to", received=path, instead=instead)
        if path.samefile(rows):
            raise InputError("the verdicts would overwrite the rows", received=path, instead=instead)
    elif not path.resolve().parent.is_dir():
        raise InputError(f"there is no folder {path.resolve().parent}", received=path, instead=instead)


def _fingerprint(path: Path, length: int) -> dict[str, Any]:
    """What the first bytes of a file are: how many, and their hash."""
    with path.open("rb") as file:
        return _digest(file, length)


def _digest(file: BinaryIO, length: int) -> dict[str, Any]:
    start = file.read(length)
    return {"length": len(start), "hash": hashlib.blake2b(start, digest_size=16).hexdigest()}
