"""A set of conversations from its files: every row a chat, refused, or a named fault."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from tahr.core.errors import InputError
from tahr.core.seeding import stream
from tahr.data.chats.chat import Chat, RefusedError, Tally, check_turns
from tahr.data.chats.config import ChatSetConfig
from tahr.data.chats.formats import FORMATS, Format, recognise
from tahr.data.columns import MAX_FAULTS, RowError
from tahr.data.rows import Row, stream_rows
from tahr.data.shards import find_shards
from tahr.data.splits import NUM_BUCKETS, bucket_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatSet:
    """The distinct conversations of one set, shuffled by its seed, in two splits that share no question.

    `format` is what the rows were read as; `tally` counts what was left out.

    Example: ``ChatSet(name="talk", config=config, format="messages", train=(chat,), validation=(), tally=tally)``
    """

    name: str
    config: ChatSetConfig
    format: str
    train: tuple[Chat, ...]
    validation: tuple[Chat, ...]
    tally: Tally = field(default_factory=Tally)

    def where(self, keep: Callable[[Chat], bool]) -> ChatSet:
        """The set without the chats that `keep` refuses, which are counted as contaminated."""
        train, validation = (tuple(filter(keep, chats)) for chats in (self.train, self.validation))
        num_gone = len(self.train) + len(self.validation) - len(train) - len(validation)
        return replace(self, train=train, validation=validation, tally=replace(self.tally, num_contaminated=num_gone))


def read_chats(name: str, config: ChatSetConfig, *, download: bool = True) -> ChatSet | None:
    """The set `name`; None where it is on the hub, not in the local cache, and `download` is False.

    Raises InputError: no such files, no format that fits, no row that can be learnt from; and malformed rows, each
    named (up to `MAX_FAULTS`), unless the set skips them.
    """
    paths = find_shards(
        config.source, split=config.split, config=config.config, revision=config.revision, download=download
    )
    if not paths:
        return None
    rows = (row for path in paths for row in stream_rows(path))
    reader, tally = _Reader(config), Tally()
    chats = list(_distinct(reader.chats(rows, tally), tally))
    if not chats:
        raise InputError(f"no row of {config.source} can be learnt from", received=tally.text())
    stream(config.seed, "chats.rows").shuffle(chats)
    held_out = [bucket_of(chat.question) * 100 < config.validation_percent * NUM_BUCKETS for chat in chats]
    return ChatSet(
        name=name,
        config=config,
        format=reader.taken,
        train=tuple(chat for chat, out in zip(chats, held_out, strict=True) if not out),
        validation=tuple(chat for chat, out in zip(chats, held_out, strict=True) if out),
        tally=tally,
    )


class _Reader:
    """Reads rows in the format that the set names, or that its first row shows."""

    def __init__(self, config: ChatSetConfig) -> None:
        self._config = config
        self.taken = ""
        self._format: Format | None = None
        self._names: dict[str, str] = {}

    def chats(self, rows: Iterable[Row], tally: Tally) -> Iterator[Chat]:
        """The conversations of `rows`; `tally` counts the rows, and what is refused or malformed."""
        faults: list[str] = []
        for row in rows:
            tally.num_rows += 1
            try:
                yield self._chat(row)
            except RefusedError as refusal:
                tally.refuse(str(refusal), row.place)
            except RowError as fault:
                tally.num_bad += 1
                if len(faults) < MAX_FAULTS:
                    faults.append(f"{row.place}: {fault}")
        if faults and not self._config.skip_bad_rows:
            more = f"\n  and {tally.num_bad - MAX_FAULTS} more" if tally.num_bad > MAX_FAULTS else ""
            raise InputError(
                f"{tally.num_bad} of {tally.num_rows} rows of {self._config.source} are no conversations "
                f"in the format {self.taken!r}",
                received="\n  ".join(["", *faults]) + more,
                instead="mend them, another format, or skip_bad_rows = true, which leaves them out and counts them",
            )

    def _chat(self, row: Row) -> Chat:
        if self._format is None:
            self._take_format(row)
        assert self._format is not None
        flagged = self._format.read(row.values, self._names)
        messages = tuple(message for message, _ in flagged)
        taught = tuple(place for place, (_, learnt) in enumerate(flagged) if learnt)
        taught = taught[-1:] if self._config.train_on == "last" else taught
        check_turns(messages, taught)
        return Chat(messages=messages, taught=taught, place=row.place)

    def _take_format(self, row: Row) -> None:
        config = self._config
        if config.format == "auto":
            self.taken, self._names = recognise(row.values, config.columns)
        else:
            self.taken, self._names = config.format, FORMATS[config.format].names(config.columns)
        self._format = FORMATS[self.taken]
        for column in self._format.columns:
            if self._names[column] not in row.values:
                raise InputError(
                    f"{Path(row.place).name}: there is no column {self._names[column]!r} for the format {self.taken!r}",
                    received=f"columns {', '.join(sorted(row.values))}",
                    instead=f"columns = {{ {column} = '...' }}, or another format",
                )


def _distinct(chats: Iterable[Chat], tally: Tally) -> Iterator[Chat]:
    seen: set[bytes] = set()
    for chat in chats:
        content = json.dumps([[[message.role, message.content] for message in chat.messages], chat.taught])
        key = hashlib.blake2b(content.encode(), digest_size=16).digest()
        if key in seen:
            tally.num_duplicates += 1
        else:
            seen.add(key)
            yield chat
