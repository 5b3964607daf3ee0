"""Reading what came through a candidate's private pipe: hostile bytes, bounded by the process that collected them."""

from __future__ import annotations

import base64
import os
from dataclasses import replace
from typing import Any

from tahr.sandbox.inside.values import MalformedError, decode
from tahr.sandbox.protocol import CallResult, Claim, Reason, RunResult

_MAX_NOTE = 500


def run_result(report: dict[str, Any]) -> RunResult:
    """A RunResult from a worker's report."""
    return _read(report).run


def call_result(report: dict[str, Any]) -> CallResult:
    """A CallResult from a worker's report."""
    return _read(report)


def read_remote(run: RunResult, nonce: str) -> CallResult:
    """A CallResult from a program's standard output, where the claim is one line that begins with `nonce`."""
    lines = run.stdout.split(b"\n")
    found = [line[len(nonce) :] for line in lines if line.startswith(nonce.encode())]
    rest = b"\n".join(line for line in lines if not line.startswith(nonce.encode()))
    run = replace(run, stdout=rest)
    if run.reason is not Reason.FINISHED or not found:
        return CallResult(claim=Claim.MISSING, value=None, run=run)
    try:
        if len(found) > 1 or found[0][:1] not in {b"R", b"U", b"X"}:
            raise MalformedError("more than one result")
        claim, value, error = _claim((found[0][:1], decode(base64.b64decode(found[0][1:], validate=True))))
    except (MalformedError, ValueError) as error:
        return CallResult(claim=Claim.FORGED, value=None, run=replace(run, error=f"forged: {error}"))
    return CallResult(claim=claim, value=value, run=replace(run, error=error))


def _read(report: dict[str, Any]) -> CallResult:
    try:
        frames = _frames(report["claim"], report["nonce"])
        forged = ""
    except MalformedError as error:
        frames, forged = [], str(error)
    events = tuple(text for kind, value in frames if kind == b"E" and (text := _text(value)))
    finals = [(kind, value) for kind, value in frames if kind != b"E"]
    if len(finals) > 1:
        finals, forged = [], "more than one result"
    claim, value, error = _claim(finals[0]) if finals else (Claim.MISSING, None, "")
    if forged:
        claim, value, error = Claim.FORGED, None, f"forged: {forged}"
    reason, note = _reason(report, error)
    if reason is not Reason.FINISHED and claim is Claim.RETURNED:
        claim, value = Claim.MISSING, None
    return CallResult(claim=claim, value=value, run=_run(report, reason, events, error, note))


def _frames(data: bytes, nonce: bytes) -> list[tuple[bytes, Any]]:
    """Kind and value of every frame. Raises MalformedError on anything that no frame writer writes."""
    frames: list[tuple[bytes, Any]] = []
    at, head = 0, len(nonce) + 9
    while at < len(data):
        start = data[at : at + head]
        if len(start) < head or not start.startswith(nonce):
            raise MalformedError("bytes without the run's nonce")
        kind, digits = start[len(nonce) : len(nonce) + 1], start[len(nonce) + 1 :]
        if digits.strip(b"0123456789abcdef") or kind not in {b"E", b"R", b"U", b"X"}:
            raise MalformedError("a frame of an unknown kind")
        size = int(digits, 16)
        if at + head + size > len(data):
            return frames  # the process ended in the midst of writing
        frames.append((kind, decode(data[at + head : at + head + size])))
        at += head + size
    return frames


def _claim(final: tuple[bytes, Any]) -> tuple[Claim, Any, str]:
    kind, value = final
    if kind == b"R":
        return Claim.RETURNED, value, ""
    if kind == b"U":
        return Claim.UNPLAIN, None, f"returned {_text(value)}"
    stage, name, message = (_text(one) for one in value) if type(value) is tuple and len(value) == 3 else ("", "", "")
    return Claim.RAISED, None, f"{stage}: {name}: {message}".rstrip(": ")


def _text(value: Any) -> str:
    return value[:_MAX_NOTE].encode("utf-8", "replace").decode() if type(value) is str else ""


def _reason(report: dict[str, Any], error: str) -> tuple[Reason, str]:
    """The collector's reason, made finer by how the process died."""
    reason, status = Reason(report["reason"]), report["status"]
    if reason is not Reason.FINISHED:
        return reason, f"stopped: {reason.value}"
    if error.split(": ")[1:2] == ["MemoryError"]:
        return Reason.MEMORY, "ran out of its memory"
    if os.WIFSIGNALED(status):
        signal = os.WTERMSIG(status)
        if signal == 24 or (signal == 9 and report["cpu"] >= report["cpu_seconds"]):
            return Reason.TIMEOUT, "used up its CPU time"
        return Reason.KILLED, f"ended by signal {signal}"
    return Reason.FINISHED, ""


def _run(report: dict[str, Any], reason: Reason, events: tuple[str, ...], error: str, note: str) -> RunResult:
    status = report["status"]
    exited = os.WIFEXITED(status)
    return RunResult(
        reason=reason,
        status=os.WEXITSTATUS(status) if exited else None,
        signal=None if exited else os.WTERMSIG(status),
        stdout=report["stdout"],
        stderr=report["stderr"],
        truncated=any(report["truncated"]),
        wall_seconds=report["wall"],
        cpu_seconds=report["cpu"],
        peak_mb=report["peak"] / 1024,
        survivors=report["survivors"],
        written=tuple(report["files"]),
        events=events,
        error=error,
        note=note,
    )
