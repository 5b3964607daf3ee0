"""Frames on the socket between a worker's processes and the trainer: a length, then one plain value."""

from __future__ import annotations

import socket
import struct
from typing import Any

from .values import decode, encode

GO = b"g"  # asks a server for a run; the frames that follow are read by the process that it forks


def send(channel: socket.socket, value: Any) -> None:
    """Write one value. Raises OSError where the other side is gone."""
    channel.sendall(frame(value))


def frame(value: Any) -> bytes:
    """One value with its length before it."""
    data = encode(value)
    return struct.pack("!I", len(data)) + data


def receive(channel: socket.socket) -> Any:
    """Read one value. Raises EOFError where the other side is gone, OSError, and MalformedError."""
    (size,) = struct.unpack("!I", _exactly(channel, 4))
    return decode(_exactly(channel, size))


def _exactly(channel: socket.socket, size: int) -> bytes:
    parts: list[bytes] = []
    while size:
        part = channel.recv(min(size, 1 << 20))
        if not part:
            raise EOFError
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
