"""What a reference policy gives answers, computed once: kept on disk by content, so that no position can mix them up.

A key is a hash of the reference's weights, of the prompt's token ids and of the answer's. Values outlive the run:
another one with the same reference and some of the same answers (another loss, say) finds them again.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from importlib.metadata import version
from pathlib import Path

import torch
from torch import Tensor

from tahr.core.errors import InputError
from tahr.store.files import disk_errors
from tahr.training.pair_batch import pair_batches
from tahr.training.pairs import EncodedPair
from tahr.training.step import Policy

KEPT_NAME = "reference_logprobs.sqlite"
_TABLE = "CREATE TABLE IF NOT EXISTS logprobs (key BLOB PRIMARY KEY, value REAL NOT NULL) WITHOUT ROWID"
_INSERT = "INSERT OR IGNORE INTO logprobs VALUES (?, ?)"
_LOOKUPS_AT_ONCE = 500


class ReferenceLogprobs:
    """Summed log-probabilities (nats) of whole answers under the reference, by content."""

    def __init__(self, name: str, values: Mapping[bytes, float]) -> None:
        self._name = name
        self._values = values

    def of(self, pairs: Sequence[EncodedPair], device: torch.device) -> tuple[Tensor, Tensor]:
        """The reference's values of chosen and rejected answers, both (P,) fp32. Raises KeyError for an unknown one."""
        rows = [[self._values[key_of(self._name, pair.prompt, one)] for one in pair.answers] for pair in pairs]
        chosen, rejected = torch.tensor(rows, dtype=torch.float32, device=device).view(-1, 2).unbind(1)
        return chosen, rejected


def key_of(name: str, prompt: Sequence[int], answer: Sequence[int]) -> bytes:
    """16 bytes for an answer to a prompt under the reference `name`."""
    text = f"{name}|{','.join(map(str, prompt))}|{','.join(map(str, answer))}"
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def reference_name(model_hash: str) -> str:
    """The reference's name in keys: its weights, and the versions of what computes with them."""
    return f"{model_hash} torch {torch.__version__} tahr {version('tahr')}"


def compute(
    policy: Policy,
    name: str,
    pairs: Sequence[EncodedPair],
    *,
    max_tokens: int,
    shared: Path,
    kept: Path,
    on_pairs: Callable[[int], None],
) -> ReferenceLogprobs:
    """The values of `pairs` under `policy` as it is now, those that the file `shared` lacks computed and added to it.

    All of them are kept in the file `kept` too, from which `read` takes them when the policy has moved on. A batch is
    computed whole or not at all: what was cut short and goes on gives the same values. `on_pairs` hears how many more
    pairs are known. Raises ResourceError on a full disk.
    """
    values: dict[bytes, float] = {}
    with disk_errors(shared), closing(_open(shared)) as store:
        for part in pair_batches(pairs, max_tokens=max_tokens, device=policy.device):
            keys = [key_of(name, pair.prompt, answer) for pair in part.pairs for answer in pair.answers]
            found = _find(store, keys)
            if any(key not in found for key in keys):
                with torch.no_grad():
                    logprobs, _ = policy.logprobs(part.batch.tokens, part.batch.rows, part.batch.targets)
                numbers = torch.stack(part.sums(logprobs), dim=1).flatten().tolist()
                _add(store, dict(zip(keys, numbers, strict=True)))
                found = _find(store, keys)
            values |= found
            on_pairs(len(part.pairs))
    with disk_errors(kept), closing(_open(kept)) as own:
        _add(own, values)
    return ReferenceLogprobs(name, values)


def read(kept: Path, name: str) -> ReferenceLogprobs:
    """What `compute` kept. Raises InputError where the file is missing or damaged."""
    try:
        with closing(sqlite3.connect(f"file:{kept}?mode=ro", uri=True)) as store:
            return ReferenceLogprobs(name, dict(store.execute("SELECT key, value FROM logprobs")))
    except sqlite3.Error as error:
        raise InputError(
            f"the reference's log-probabilities in {kept} are missing or damaged",
            received=f"{type(error).__name__}: {error}",
            instead="the file as it was, from a copy; without one, a new run",
        ) from error


def check_kept(folder: Path) -> None:
    """Raise InputError where the run `folder` does not keep the values that its stage goes on with."""
    read(folder / KEPT_NAME, "")


def _open(path: Path) -> sqlite3.Connection:
    """The table in `path`, made where it isn't there. Raises InputError where the file holds something else."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        store = sqlite3.connect(path, timeout=60)
        with store:
            store.execute(_TABLE)
    except sqlite3.DatabaseError as error:
        raise InputError(
            f"{path} can't be used to keep the reference's log-probabilities",
            received=f"{type(error).__name__}: {error}",
            instead="remove a damaged file, it holds nothing but what can be computed again; or name a folder that "
            "you may write to in $TAHR_CACHE",
        ) from error
    return store


def _find(store: sqlite3.Connection, keys: Sequence[bytes]) -> dict[bytes, float]:
    found: dict[bytes, float] = {}
    for start in range(0, len(keys), _LOOKUPS_AT_ONCE):
        some = keys[start : start + _LOOKUPS_AT_ONCE]
        marks = ",".join("?" * len(some))
        found |= dict(store.execute(f"SELECT key, value FROM logprobs WHERE key IN ({marks})", some))
    return found


def _add(store: sqlite3.Connection, values: Mapping[bytes, float]) -> None:
    with store:
        store.executemany(_INSERT, values.items())
