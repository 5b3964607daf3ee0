"""Messages between a lane and its supervisor: a kind, a length, and that many bytes."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import BinaryIO

_HEAD = struct.Struct("=cQ")


class Kind(StrEnum):
    """What a frame holds. ROWS go to the supervisor, the others come back."""

    ROWS = "r"  # items to judge
    VERDICTS = "v"  # one line per item, in order
    DIED = "d"  # the worker died: JSON {"item": index, "reason": text, "timeout": bool}
    READY = "o"  # the supervisor is ready, nothing inside
    REFUSED = "x"  # the supervisor can't work: why, as text


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One message.

    Example: ``Frame(kind=Kind.VERDICTS, content=b'{"outcome": "pass"}')``
    """

    kind: Kind
    content: bytes = b""


def write_frame(pipe: BinaryIO, frame: Frame) -> None:
    """Send one message. Raises OSError where the other side has gone."""
    pipe.write(_HEAD.pack(frame.kind.value.encode(), len(frame.content)) + frame.content)
    pipe.flush()


def read_frame(pipe: BinaryIO) -> Frame | None:
    """The next message; None where the other side has gone, in the middle of one too."""
    head = pipe.read(_HEAD.size)
    if len(head) < _HEAD.size:
        return None
    kind, length = _HEAD.unpack(head)
    content = pipe.read(length)
    return Frame(kind=Kind(kind.decode()), content=content) if len(content) == length else None


def packed(items: Sequence[bytes]) -> bytes:
    """Items as one content; none of them may hold a line end."""
    return b"\n".join(items)


def unpacked(content: bytes) -> list[bytes]:
    """The items of a content; there is at least one."""
    return content.split(b"\n")
