"""Answers to one prompt, some of which are better: pairs, and rows in the layout of RewardBench 2."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tahr.core.errors import InputError
from tahr.core.preferences import Pair
from tahr.core.types import Message
from tahr.data.preferences.files import read_pairs
from tahr.data.rows import Row, stream_rows
from tahr.data.shards import find_shards

REWARD_BENCH = "rewardbench2"


@dataclass(frozen=True, slots=True, kw_only=True)
class Contest:
    """One prompt with its better and its worse answers. `domain` is the row's subset, empty where there is none.

    Example: ``Contest(id="17", prompt=(Message(role="user", content="2 + 3?"),), chosen=("5",), rejected=("6", "4",
    "7"), domain="Math")``
    """

    id: str
    prompt: tuple[Message, ...]
    chosen: tuple[str, ...]
    rejected: tuple[str, ...]
    domain: str = ""

    @property
    def answers(self) -> tuple[str, ...]:
        """Chosen, then rejected."""
        return (*self.chosen, *self.rejected)


def read_contests(source: str) -> tuple[tuple[Contest, ...], str]:
    """The contests of a file, folder or hub name, and their format's name.

    Rows whose `chosen` is a list of texts are RewardBench 2's; everything else is read as `read_pairs` reads it, the
    split "test" before "train" in folders and on the hub. Raises InputError.
    """
    files, split = _files(source)
    first = next((row for file in files for row in stream_rows(file)), None)
    if first is not None and _is_reward_bench(first.values):
        return tuple(_row(row) for file in files for row in stream_rows(file)), REWARD_BENCH
    found = read_pairs(source, split=split)
    return tuple(map(of_pair, found.pairs)), found.format


def of_pair(pair: Pair) -> Contest:
    """A pair as a contest of two; its domain is what its provenance calls so, if anything."""
    domain = pair.provenance.get("domain") or pair.provenance.get("subset") or ""
    return Contest(id=pair.id, prompt=pair.prompt, chosen=(pair.chosen,), rejected=(pair.rejected,), domain=str(domain))


def _files(source: str) -> tuple[Sequence[Any], str]:
    try:
        return find_shards(source, split="test"), "test"
    except InputError:
        return find_shards(source), "train"


def _is_reward_bench(values: Mapping[str, Any]) -> bool:
    return _texts(values.get("chosen")) is not None and _texts(values.get("rejected")) is not None


def _texts(value: Any) -> tuple[str, ...] | None:
    """A list of texts, at least one; None for anything else, conversations among it."""
    if isinstance(value, list | tuple) and value and all(isinstance(one, str) for one in value):  # pyright: ignore[reportUnknownVariableType]
        return tuple(str(one) for one in value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return None


def _row(row: Row) -> Contest:
    values = row.values
    chosen, rejected = _texts(values.get("chosen")), _texts(values.get("rejected"))
    prompt = values.get("prompt")
    if chosen is None or rejected is None or not isinstance(prompt, str):
        raise InputError(
            f"{row.place}: not in the layout of RewardBench 2",
            received=f"columns {', '.join(values)}",
            instead="prompt (text), chosen and rejected (lists of texts), subset",
        )
    return Contest(
        id=str(values.get("id", row.place)),
        prompt=(Message(role="user", content=prompt),),
        chosen=chosen,
        rejected=rejected,
        domain=str(values.get("subset") or values.get("domain") or ""),
    )
