"""A sandbox on another machine: the HTTP interface of SandboxFusion's ``POST /run_code``.

Source: bytedance/SandboxFusion, docs "run_code": ``{code, language, run_timeout, stdin, files}`` in, ``{status,
message, run_result}`` out, with ``{status, execution_time, return_code, stdout, stderr}``. Files travel as base64.
"""

from __future__ import annotations

import base64
import json
import math
import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import ProxyHandler, Request, build_opener

from tahr.core.errors import InputError
from tahr.core.json_text import parse_json
from tahr.sandbox.claims import read_remote
from tahr.sandbox.inside.values import encode
from tahr.sandbox.protocol import Call, CallResult, Command, Limits, Reason, RunResult, Script
from tahr.sandbox.remote_call import call_program

_SLACK_SECONDS = 30.0
_MAX_ANSWER = 64 << 20


class HttpSandbox:
    """Runs Python programs through a server that offers ``/run_code``; what it isolates is the server's affair.

    `url` is the server's address, `language` what it calls the interpreter. Limits other than the wall time and the
    output's length are the server's own. Raises InputError on an address that is no http(s) URL.
    """

    def __init__(self, url: str, *, language: str = "python") -> None:
        if urlsplit(url).scheme not in {"http", "https"} or not urlsplit(url).hostname:
            raise InputError("a remote sandbox needs an http address", received=url, instead="http://127.0.0.1:8080")
        self._url, self._language = url.rstrip("/") + "/run_code", language
        self._opener = build_opener(ProxyHandler({}))

    @property
    def level(self) -> str:
        """Always ``remote``."""
        return "remote"

    def run(
        self,
        program: Script | Command,
        *,
        stdin: bytes = b"",
        files: Mapping[str, bytes] | None = None,
        limits: Limits | None = None,
    ) -> RunResult:
        """Run one Python program. Raises InputError for a Command, which the interface can't carry."""
        if isinstance(program, Command) or program.arguments:
            raise InputError("a remote sandbox runs Python source without arguments", received=program)
        return self._run(program.source, stdin, files or {}, limits or Limits())

    def run_each(
        self,
        program: Script | Command,
        stdins: Sequence[bytes],
        *,
        files: Mapping[str, bytes] | None = None,
        limits: Limits | None = None,
        until: Callable[[RunResult], bool] | None = None,
    ) -> tuple[RunResult, ...]:
        """One request per input."""
        results: list[RunResult] = []
        for stdin in stdins:
            results.append(self.run(program, stdin=stdin, files=files, limits=limits))
            if until is not None and until(results[-1]):
                break
        return tuple(results)

    def call(
        self,
        source: str,
        calls: Sequence[Call],
        *,
        files: Mapping[str, bytes] | None = None,
        limits: Limits | None = None,
        until: Callable[[CallResult], bool] | None = None,
    ) -> tuple[CallResult, ...]:
        """One request per call; the claim travels on standard output behind a nonce of its own."""
        results: list[CallResult] = []
        for one in calls:
            nonce = secrets.token_hex(8)
            request = encode((source, one.target, one.args, dict(one.kwargs), nonce))
            run = self._run(call_program(request), b"", files or {}, limits or Limits())
            results.append(read_remote(run, nonce))
            if until is not None and until(results[-1]):
                break
        return tuple(results)

    def close(self) -> None:
        """Nothing is held between requests."""

    def _run(self, source: str, stdin: bytes, files: Mapping[str, bytes], limits: Limits) -> RunResult:
        body = {
            "code": source,
            "language": self._language,
            "run_timeout": limits.wall_seconds,
            "stdin": stdin.decode("utf-8", "replace"),
            "files": {name: base64.b64encode(content).decode() for name, content in files.items()},
        }
        request = Request(self._url, json.dumps(body).encode(), {"Content-Type": "application/json"})
        try:
            with self._opener.open(request, timeout=limits.wall_seconds + _SLACK_SECONDS) as answer:
                found = parse_json(answer.read(_MAX_ANSWER))
            return _result(found, limits)
        except (URLError, OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            return RunResult(reason=Reason.INFRASTRUCTURE, note=f"{self._url}: {type(error).__name__}: {error}")


def _result(answer: dict[str, Any], limits: Limits) -> RunResult:
    """Raises ValueError, KeyError, TypeError or AttributeError on an answer of another shape."""
    if answer["status"] == "SandboxError":
        raise ValueError(answer.get("message") or "SandboxError")
    run = cast("dict[str, Any]", answer["run_result"])
    out, err = ((run.get(name) or "").encode("utf-8", "replace") for name in ("stdout", "stderr"))
    code, limit = run.get("return_code"), limits.output_bytes
    reason = Reason.FINISHED
    if run["status"] == "TimeLimitExceeded":
        reason = Reason.TIMEOUT
    elif run["status"] != "Finished":
        raise ValueError(f"run_result.status {run['status']!r}")
    elif code is None or int(code) < 0:
        reason = Reason.KILLED
    number = None if code is None else int(code)
    seconds = float(run.get("execution_time") or 0.0)
    return RunResult(
        reason=reason,
        status=number if reason is Reason.FINISHED else None,
        signal=-number if reason is Reason.KILLED and number is not None else None,
        stdout=out[:limit],
        stderr=err[:limit],
        truncated=max(len(out), len(err)) > limit,
        wall_seconds=seconds if math.isfinite(seconds) else 0.0,
        note="" if reason is Reason.FINISHED else f"stopped: {reason.value}",
    )
