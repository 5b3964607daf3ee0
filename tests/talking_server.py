"""A server in a thread that speaks OpenAI's protocol over real HTTP: it answers, fails, stalls or talks nonsense."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, dict[str, str], bytes, float]
"""Status, headers, body, and the seconds before it is sent."""


def completion(text: Any = "Paris.", finish_reason: Any = "stop", **more: Any) -> bytes:
    """The body of a chat completion."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text, **more}, "finish_reason": finish_reason}
    return json.dumps({"choices": [choice], "usage": {"prompt_tokens": 12, "completion_tokens": 3}}).encode()


class Stub:
    """Answers each request as `says` makes of its body, or with the next of `answers` (the last one for ever)."""

    def __init__(self, says: Callable[[dict[str, Any]], Answer] | None = None) -> None:
        self.says = says
        self.answers: list[Answer] = [(200, {}, completion(), 0.0)]
        self.bodies: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.keys: list[str | None] = []
        self.at_once = self.most_at_once = 0
        self.lock = threading.Lock()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def close(self) -> None:
        """No request is taken any more."""
        self.server.shutdown()
        self.server.server_close()

    def _next(self, body: dict[str, Any]) -> Answer:
        if self.says is not None:
            return self.says(body)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        stub = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                with stub.lock:
                    stub.at_once += 1
                    stub.most_at_once = max(stub.most_at_once, stub.at_once)
                    stub.paths.append(self.path)
                    stub.keys.append(self.headers["Authorization"])
                    stub.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                    status, headers, body, seconds = stub._next(stub.bodies[-1])
                time.sleep(seconds)
                with stub.lock:
                    stub.at_once -= 1
                try:
                    self.send_response(status)
                    for name, value in {"Content-Length": str(len(body)), **headers}.items():
                        self.send_header(name, value)
                    self.end_headers()
                    self.wfile.write(body)
                    if headers.get("Content-Length"):
                        self.close_connection = True
                except OSError:
                    pass  # the client has gone

            def log_message(self, format: str, *args: Any) -> None: ...

        return Handler
