"""Labels on disk: a log of lines that is only ever appended to, so that a label once given is never lost.

    {"id": "9f...", "comparison": "5d...", "prompt_id": "1f...", "domain": "chat", "who": "ada", "state": "judged",
     "preferred": "ab...", "shown": ["cd...", "ab..."], "provenance": {"at": "2026-01-05T10:00:00+00:00"}}
    {"revokes": "9f...", "comparison": "5d...", "who": "ada", "at": "2026-01-05T10:00:12+00:00"}

The newest line on a rater and a comparison counts: another label replaces the one before, a revocation leaves none.
"""

from __future__ import annotations

import fcntl
import json
import uuid
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from tahr.core.errors import InputError
from tahr.core.json_text import HALF, has_half_character, parse_json
from tahr.core.preferences import Judgment, JudgmentState
from tahr.data.labels.label import DOMAIN, Label, label_of_pair
from tahr.data.preferences.files import read_pairs
from tahr.store.files import append_line


class LabelFile:
    """A file of labels, and what it says now. Several raters may write to one file, also from several processes.

    Raises InputError where the file holds something else or can't be written. What a crash cut off at its end is no
    label: it is cut away before the next line is written. Where the file was deleted or replaced since, what it lacks
    is written again.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with _alone(path):
            self._current = _replay(path)
            self._seen = path.stat()

    def of(self, who: str) -> dict[str, Label]:
        """What `who` has said, by comparison, the oldest label first."""
        return {comparison: label for (rater, comparison), (_, label) in self._current.items() if rater == who}

    def labels(self) -> list[Label]:
        """Every label that counts."""
        return [label for _, label in self._current.values()]

    def add(self, label: Label) -> None:
        """Append a label and force it to the disk. Raises ResourceError on a full disk: then nothing has changed."""
        name, key = uuid.uuid4().hex[:16], (label.who, label.comparison)
        self._append(_line(name, label))
        self._current.pop(key, None)  # so that the newest stands last
        self._current[key] = (name, label)

    def revoke(self, who: str, comparison: str) -> None:
        """Append that the label of `who` on a comparison no longer counts; KeyError where there is none."""
        name, _ = self._current[who, comparison]
        self._append({"revokes": name, "comparison": comparison, "who": who, "at": now()})
        del self._current[who, comparison]

    def write_missing(self) -> int:
        """Write again what the file at `path` no longer holds because it was deleted or replaced; how many labels.

        A file in its place may hold other labels, which stay. Raises InputError where it holds something else.
        """
        with _alone(self.path):
            return self._write_missing()

    def _write_missing(self) -> int:
        present = self.path.stat()
        same = (present.st_dev, present.st_ino) == (self._seen.st_dev, self._seen.st_ino)
        if same and present.st_size >= self._seen.st_size:
            return 0
        held = _replay(self.path)
        missing = [_line(name, label) for key, (name, label) in self._current.items() if key not in held]
        for line in missing:
            _append_line(self.path, line)
        self._seen = self.path.stat()
        return len(missing)

    def _append(self, line: dict[str, Any]) -> None:
        with _alone(self.path):
            self._write_missing()
            _append_line(self.path, line)
            self._seen = self.path.stat()


def read_labels(path: Path) -> list[Label]:
    """The labels of a file: a log of labels, or a file of pairs, whose own preference counts as the rater's.

    The rater of a file of pairs is called like the file. Raises InputError where it is neither, or empty.
    """
    if not path.is_file():
        raise InputError(f"there is no file {path}", received=str(path), instead="a file of labels or of pairs")
    if _is_log(path):
        labels = [label for _, label in _replay(path).values()]
    else:
        labels = [label_of_pair(pair, path.stem) for pair in read_pairs(path).pairs]
        _refuse_contradiction(path, labels)
    if not labels:
        raise InputError(f"{path} holds no label", instead="a file that somebody has labelled")
    return labels


def _refuse_contradiction(path: Path, labels: Sequence[Label]) -> None:
    """A file of pairs that prefers either answer of a comparison is not one rater's word."""
    said: dict[str, str | None] = {}
    both = [one for one in labels if said.setdefault(one.comparison, one.judgment.preferred) != one.judgment.preferred]
    if both:
        raise InputError(
            f"{path} prefers both answers of {len({one.comparison for one in both})} comparisons",
            received=f"comparison {both[0].comparison} of the prompt {both[0].prompt_id}",
            instead="one row for each comparison, or files of labels, which say who preferred what",
        )


def write_labels(path: Path, labels: Sequence[Label]) -> None:
    """Append `labels` to the file at `path`."""
    file = LabelFile(path)
    for label in labels:
        file.add(label)


def now() -> str:
    """The time as labels have it: UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _line(name: str, label: Label) -> dict[str, Any]:
    judgment = label.judgment
    return {
        "id": name,
        "comparison": label.comparison,
        "prompt_id": label.prompt_id,
        "domain": label.domain,
        "who": label.who,
        "state": judgment.state,
        "preferred": judgment.preferred,
        "shown": list(judgment.candidates),
        "provenance": dict(judgment.provenance),
    }


def _replay(path: Path) -> dict[tuple[str, str], tuple[str, Label]]:
    current: dict[tuple[str, str], tuple[str, Label]] = {}
    for place, row in _rows(path):
        try:
            key = (str(row["who"]), str(row["comparison"]))
            if has_half_character([*key, row.get("domain")]):
                raise ValueError(f"a name holds {HALF}")
            held = current.pop(key, None)
            if "revokes" not in row:
                current[key] = (str(row["id"]), _label(row))
            elif held is not None and held[0] != row["revokes"]:
                current[key] = held
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(
                f"{place} is no label: {type(error).__name__}: {error}",
                received=json.dumps(row)[:200],
                instead="a file that tahr prefs label or tahr prefs import wrote",
            ) from None
    return current


def _label(row: dict[str, Any]) -> Label:
    left, right = map(str, row["shown"])
    judgment = Judgment(
        candidates=(left, right),
        state=JudgmentState(row["state"]),
        judge=str(row["who"]),
        preferred=row["preferred"],
        provenance=cast("dict[str, Any]", row.get("provenance") or {}),
    )
    return Label(
        comparison=str(row["comparison"]),
        prompt_id=str(row["prompt_id"]),
        judgment=judgment,
        domain=str(row.get("domain") or DOMAIN),
    )


def _rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Whole lines with their places; what stands behind the last line break was cut off by a crash."""
    for number, line in enumerate(path.read_bytes().split(b"\n")[:-1], start=1):
        if not line.strip():
            continue
        place = f"{path}, line {number}"
        try:
            row = parse_json(line)
        except ValueError as error:
            raise InputError(f"{place}: not JSON: {error}", received=repr(line[:200])) from None
        if not isinstance(row, dict):
            raise InputError(f"{place}: a label must be a JSON object", received=repr(line[:200]))
        yield place, cast("dict[str, Any]", row)


def _is_log(path: Path) -> bool:
    with path.open("rb") as file:
        line = file.readline()
    return b'"comparison"' in line and b'"who"' in line


def _check_writable(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab"):
            pass
    except OSError as error:
        raise InputError(
            f"labels can't be written to {path}", received=error.strerror, instead="a file that you may write to"
        ) from error


def _append_line(path: Path, line: dict[str, Any]) -> None:
    _cut_torn_line(path)
    append_line(path, json.dumps(line, ensure_ascii=False).encode("utf-8", "backslashreplace"))


def _cut_torn_line(path: Path) -> None:
    data = path.read_bytes() if path.exists() else b""
    if data and not data.endswith(b"\n"):
        with path.open("r+b") as file:
            file.truncate(data.rfind(b"\n") + 1)


@contextmanager
def _alone(path: Path) -> Generator[None]:
    """Hold the file against other writers. Raises InputError where it can't be written."""
    _check_writable(path)
    with path.open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
