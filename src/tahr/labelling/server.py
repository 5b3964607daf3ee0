"""The server of the labelling page: this machine only, behind a random path, with no way for a text to run.

Answers come from models and are hostile. They leave this server as JSON, the page sets them as text, and its content
policy refuses scripts, styles, pictures and connections of any other origin, inline ones included. Requests must know
the token and name the server by its own address, so that another page in the same browser can neither read nor label.
"""

from __future__ import annotations

import hmac
import json
import secrets
import sys
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import Any, cast

from tahr.core.errors import InputError, TahrError
from tahr.core.json_text import parse_json
from tahr.labelling.desk import Desk

MAX_BODY = 4096  # bytes of a request
FILES = {
    "": ("page.html", "text/html; charset=utf-8"),
    "page.css": ("page.css", "text/css; charset=utf-8"),
    "page.js": ("page.js", "text/javascript; charset=utf-8"),
}
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


class LabelServer(ThreadingHTTPServer):
    """Serves one desk at 127.0.0.1. Port 0 takes a free one.

    Raises InputError where the port is taken. `serve_forever` blocks, `shutdown` from another thread ends it.
    """

    daemon_threads = True

    def __init__(self, desk: Desk, port: int = 0) -> None:
        self.desk, self.token, self.lock = desk, secrets.token_urlsafe(24), threading.Lock()
        try:
            super().__init__(("127.0.0.1", port), _Handler)
        except (OSError, OverflowError) as error:
            raise InputError(f"port {port} can't be used: {error}", received=port, instead="--port 0") from None
        self.hosts = {f"{name}:{self.server_address[1]}" for name in ("127.0.0.1", "localhost")}

    @property
    def url(self) -> str:
        """Where the page is; whoever knows it may label."""
        return f"http://127.0.0.1:{self.server_address[1]}/{self.token}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that went away is no fault of the server's; anything else is told on stderr."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    server: LabelServer  # pyright: ignore[reportIncompatibleVariableOverride]
    server_version, sys_version = "tahr", ""
    timeout = 30

    def do_GET(self) -> None:
        """The page's files, and its state."""
        path = self._path()
        if path in FILES:
            name, kind = FILES[path]
            self._send(200, kind, files("tahr.labelling").joinpath(name).read_bytes())
        elif path is not None and path.partition("/")[0] == "state":
            wanted = path.partition("/")[2]
            place = int(wanted) if _is_count(wanted) else None
            self._reply(lambda desk: desk.state(place))
        else:
            self._refuse(404, "there is nothing here")

    def do_POST(self) -> None:
        """A label, or an undo."""
        path = self._path()
        origin = self.headers.get("Origin")
        if origin is not None and origin.removeprefix("http://") not in self.server.hosts:
            path = None
        if path not in {"label", "undo"}:
            self._refuse(404, "there is nothing here")
            return
        length = self.headers.get("Content-Length", "")
        if self.headers.get("Content-Type") != "application/json" or not _is_count(length) or int(length) > MAX_BODY:
            self._refuse(400, f"a request is JSON of at most {MAX_BODY} bytes")
            return
        try:
            body = parse_json(self.rfile.read(int(length)))
        except ValueError:
            body = None
        if not isinstance(body, dict):
            self._refuse(400, "a request is a JSON object")
            return
        values = cast("dict[str, Any]", body)
        self._reply((lambda desk: _undo(desk)) if path == "undo" else (lambda desk: _label(desk, values)))

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: the terminal shows what matters."""

    def _path(self) -> str | None:
        """What is asked for behind the token; None without it, or where the server goes by a strange name."""
        token, _, rest = self.path.removeprefix("/").partition("/")
        known = hmac.compare_digest(token.encode("utf-8", "replace"), self.server.token.encode())
        return rest if known and self.headers.get("Host") in self.server.hosts else None

    def _reply(self, act: Callable[[Desk], dict[str, Any]]) -> None:
        try:
            with self.server.lock:  # one label after the other, each on the disk before the next
                state = act(self.server.desk)
        except (KeyError, TypeError, ValueError) as error:
            self._refuse(400, f"no such label: {error}")
        except (TahrError, OSError) as error:
            self._refuse(500, str(error))
        else:
            self._send(200, "application/json", json.dumps(state).encode())

    def _refuse(self, status: int, why: str) -> None:
        self.close_connection = True
        self._send(status, "application/json", json.dumps({"error": why}).encode())

    def _send(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        for name, value in {**HEADERS, "Content-Type": kind, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10


def _label(desk: Desk, body: dict[str, Any]) -> dict[str, Any]:
    return desk.state(desk.label(str(body["id"]), str(body["answer"]), float(body["seconds"])))


def _undo(desk: Desk) -> dict[str, Any]:
    return desk.state(desk.undo())
