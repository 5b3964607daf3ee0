"""What the run's first process says of a trial, as one block: a head of numbers, then the bytes that it collected."""

from __future__ import annotations

import struct
from typing import Any

from .values import MalformedError, decode, encode

TAG = b"R"  # no value that `values.encode` writes begins with it
REASONS = ("finished", "timeout", "output", "memory")
_HEAD = struct.Struct("<cB??iddqi16sIIII")


def pack(report: dict[str, Any]) -> bytes:
    """A report as bytes; its keys are those that `unpack` returns."""
    out, err, claim = report["stdout"], report["stderr"], report["claim"]
    files = encode(report["files"]) if report["files"] else b""
    head = _HEAD.pack(
        TAG,
        REASONS.index(report["reason"]),
        *report["truncated"],
        report["status"],
        report["wall"],
        report["cpu"],
        report["peak"],
        report["survivors"],
        report["nonce"],
        len(out),
        len(err),
        len(claim),
        len(files),
    )
    return b"".join((head, out, err, claim, files))


def unpack(data: bytes) -> dict[str, Any]:
    """The report that `pack` wrote. Raises MalformedError."""
    try:
        _, reason, cut_out, cut_err, status, wall, cpu, peak, survivors, nonce, *sizes = _HEAD.unpack_from(data)
        known = REASONS[reason]
    except (struct.error, IndexError) as error:
        raise MalformedError(f"malformed report: {error}") from None
    parts: list[bytes] = []
    at = _HEAD.size
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
