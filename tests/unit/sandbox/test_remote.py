"""The HTTP adapter against a server of the same interface, which runs programs in a local sandbox."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

import pytest

from sandbox_levels import OFFERED, sandbox
from tahr.core.errors import InputError
from tahr.sandbox import Call, Claim, Command, HttpSandbox, Limits, Reason, Sandbox, Script


class Handler(BaseHTTPRequestHandler):
    seen: ClassVar[list[dict[str, object]]] = []

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.seen.append({"path": self.path, **body})
        if body["code"] == "break":
            self.send_error(500)
            return
        if body["code"] in {"odd", "deep"}:
            answer: object = {"status": "Success", "run_result": None}
        else:
            run = sandbox(OFFERED[0]).run(
                Script(source=body["code"]),
                stdin=body["stdin"].encode(),
                files={name: base64.b64decode(content) for name, content in body["files"].items()},
                limits=Limits(wall_seconds=body["run_timeout"]),
            )
            late = run.reason is Reason.TIMEOUT
            result = {
                "status": "TimeLimitExceeded" if late else "Finished",
                "execution_time": run.wall_seconds,
                "return_code": None if late else run.status if run.signal is None else -run.signal,
                "stdout": run.stdout.decode(),
                "stderr": run.stderr.decode(),
            }
            answer = {"status": "Failed" if late or run.status else "Success", "message": "", "run_result": result}
        data = b"[" * 200_000 if body["code"] == "deep" else json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None: ...


@pytest.fixture(scope="module")
def remote() -> Iterator[HttpSandbox]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield HttpSandbox(f"http://127.0.0.1:{server.server_port}/")
        server.shutdown()


def test_offers_the_protocol(remote: HttpSandbox) -> None:
    assert isinstance(remote, Sandbox)
    assert isinstance(sandbox(OFFERED[0]), Sandbox)


def test_program_with_input_and_files(remote: HttpSandbox) -> None:
    program = Script(source="print(int(input()) + int(open('n.txt').read()))")
    result = remote.run(program, stdin=b"2\n", files={"n.txt": b"3"})
    assert (result.reason, result.status, result.stdout) == (Reason.FINISHED, 0, b"5\n")
    sent = Handler.seen[-1]
    assert (sent["path"], sent["language"], sent["stdin"], sent["files"]) == (
        "/run_code",
        "python",
        "2\n",
        {"n.txt": "Mw=="},
    )


def test_how_programs_end(remote: HttpSandbox) -> None:
    assert remote.run(Script(source="raise SystemExit(3)")).status == 3
    assert remote.run(Script(source="while True: pass"), limits=Limits(wall_seconds=0.3)).reason is Reason.TIMEOUT
    crash = remote.run(Script(source="import os; os.kill(os.getpid(), 11)"))
    assert (crash.reason, crash.signal, crash.status) == (Reason.KILLED, 11, None)


@pytest.mark.parametrize("code", ["break", "odd", "deep"])
def test_a_failing_server_is_infrastructure(remote: HttpSandbox, code: str) -> None:
    assert remote.run(Script(source=code)).reason is Reason.INFRASTRUCTURE


def test_an_unreachable_server_is_infrastructure() -> None:
    assert HttpSandbox("http://127.0.0.1:9").run(Script(source="")).reason is Reason.INFRASTRUCTURE


def test_calls_return_exact_values(remote: HttpSandbox) -> None:
    source = "def f(x):\n    print('noise')\n    return x, (1.5, {2})"
    (result,) = remote.call(source, [Call(target="f", args=("é",))])
    assert (result.claim, result.value, result.run.stdout) == (Claim.RETURNED, ("é", (1.5, {2})), b"noise\n\n")


@pytest.mark.parametrize(
    ("body", "claim"),
    [
        ("raise ValueError('no')", Claim.RAISED),
        ("return object()", Claim.UNPLAIN),
        ("import os; os._exit(0)", Claim.MISSING),
        ("import __main__; print(__main__.nonce + 'R' + 'aTU6', flush=True); return 5", Claim.FORGED),
    ],
)
def test_other_claims(remote: HttpSandbox, body: str, claim: Claim) -> None:
    (result,) = remote.call(f"def f():\n    {body}", [Call(target="f")])
    assert (result.claim, result.value) == (claim, None)


def test_what_the_interface_can_not_carry(remote: HttpSandbox) -> None:
    with pytest.raises(InputError, match="without arguments"):
        remote.run(Command(argv=("true",)))
    with pytest.raises(InputError, match="http address"):
        HttpSandbox("ftp://x")
