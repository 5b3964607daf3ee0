"""What the run's first process says of a trial, as one block: a head of numbers, then the bytes that it collected."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

from .values import MalformedError, decode, encode

TAG = b"R"  # no value that `values.encode` writes begins with it
REASONS = ("finished", "timeout", "output", "memory", "disk")
_HEAD = struct.Struct("!IcB??iddqi16sIIII")
_BODY = struct.Struct("!cB??iddqi16sIIII")
_BODY_SIZE = _BODY.size


def frame(
    reason: str,
    cut_out: bool,
    cut_err: bool,
    wall: float,
    used: tuple[int, float, int, int],
    nonce: bytes,
    out: bytearray,
    err: bytearray,
    claim: bytearray,
    written: Sequence[str],
) -> bytes:
    """A report with its length before it, as `wire.receive` reads it.

    `used` has the wait status, the processor time in seconds, the largest memory in KiB and the number of survivors.
    """
    files = encode(list(written)) if written else b""
    status, cpu, peak, survivors = used
    num_out, num_err, num_claim, num_files = len(out), len(err), len(claim), len(files)
    size = _BODY_SIZE + num_out + num_err + num_claim + num_files
    code = REASONS.index(reason)
    # fmt: off
    head = _HEAD.pack(size, TAG, code, cut_out, cut_err, status, wall, cpu, peak, survivors, nonce,
                      num_out, num_err, num_claim, num_files)
    # fmt: on
    return b"".join((head, out, err, claim, files))


def unpack(data: bytes) -> dict[str, Any]:
    """The report that `frame` wrote, without its length. Raises MalformedError."""
    try:
        _, reason, cut_out, cut_err, status, wall, cpu, peak, survivors, nonce, *sizes = _BODY.unpack_from(data)
        known = REASONS[reason]
    except (struct.error, IndexError) as error:
        raise MalformedError(f"malformed report: {error}") from None
    parts: list[bytes] = []
    at = _BODY.size
    for size in sizes:
        parts.append(data[at : at + size])
        at += size
    if at != len(data):
        raise MalformedError("a report of another length than it says")
    return {
        "reason": known,
        "status": status,
        "stdout": parts[0],
        "stderr": parts[1],
        "truncated": [cut_out, cut_err],
        "wall": wall,
        "cpu": cpu,
        "peak": peak,
        "survivors": survivors,
        "files": decode(parts[3]) if parts[3] else [],
        "claim": parts[2],
        "nonce": nonce,
    }
