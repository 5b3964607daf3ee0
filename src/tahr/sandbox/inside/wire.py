"""Frames on the socket between a worker's processes and the trainer: a length, then one plain value."""

from __future__ import annotations

import _socket
import marshal
import struct
from typing import Any

from . import report
from .values import decode, encode

_WHOLE = 1 << 16  # what is read at once
MOST_EXTENDED = 4  # times its wall time may a program last that computes, but whose core others have
GO = b"g"  # asks a server for a run; the frames that follow are read by the process that it forks


def request(value: Any) -> bytes:
    """One value for a worker's process, which trusts the trainer."""
    return _framed(marshal.dumps(value))


def trial(
    nonce: bytes, stdin: bytes, files: dict[str, bytes], what: Any
) -> tuple[bytes, bytes, dict[str, bytes], bytes]:
    """The request of a trial: `what` is read by the candidate's own process alone."""
    return nonce, stdin, files, marshal.dumps(what)


def receive_request(channel: _socket.socket) -> Any:
    """Read what `request` made, in a worker's process. Raises EOFError where the trainer is gone, and OSError."""
    return marshal.loads(_content(channel))


def send(channel: _socket.socket, value: Any) -> None:
    """Answer the trainer, which trusts nobody. Raises OSError where it is gone."""
    channel.sendall(_framed(encode(value)))


def _framed(data: bytes) -> bytes:
    return struct.pack("!I", len(data)) + data


def receive(channel: _socket.socket) -> Any:
    """Read one answer. Raises EOFError where the other side is gone, OSError, and MalformedError."""
    data = _content(channel)
    return report.unpack(data) if data[:1] == report.TAG else decode(data)


def _content(channel: _socket.socket) -> bytes:
    (size,) = struct.unpack("!I", _exactly(channel, 4))
    return _exactly(channel, size)


def _exactly(channel: _socket.socket, size: int) -> bytes:
    data = channel.recv(size) if size <= _WHOLE else b""
    if len(data) == size:
        return data
    if not data and size <= _WHOLE:
        raise EOFError
    parts = [data]
    size -= len(data)
    while size:
        part = channel.recv(min(size, 1 << 20))
        if not part:
            raise EOFError
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
