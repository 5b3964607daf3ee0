"""Only who knows the address may see or label, and a bad request changes nothing."""

import http.client
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from small_labels import HOSTILE, desk, pair, serving
from tahr.core.errors import InputError
from tahr.labelling.server import LabelServer


@pytest.fixture
def server(tmp_path: Path) -> Iterator[LabelServer]:
    with serving(desk(tmp_path / "labels.jsonl", [pair("q", HOSTILE, "b"), pair("r", "c", "d")])) as one:
        yield one


def ask(
    server: LabelServer, method: str, path: str, body: object = None, **headers: str
) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=5)
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    connection.request(method, path, body=data, headers=sent)
    reply = connection.getresponse()
    found = reply.status, dict(reply.getheaders()), reply.read()
    connection.close()
    return found


def test_every_answer_forbids_scripts_of_others(server: LabelServer) -> None:
    for path in ("", "page.js", "page.css", "state", "nothing"):
        _, headers, body = ask(server, "GET", f"/{server.token}/{path}")
        assert "default-src 'none'; script-src 'self'" in headers["Content-Security-Policy"]
        assert "unsafe" not in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert (HOSTILE.encode() in body.replace(b'\\"', b'"')) == (path == "state")
    assert ask(server, "GET", f"/{server.token}/state")[1]["Content-Type"] == "application/json"


@pytest.mark.parametrize("path", ["/", "/state", "/wrong/state", "/../etc/passwd", "/%2e%2e/state"])
def test_nothing_is_told_without_the_token(server: LabelServer, path: str) -> None:
    status, _, body = ask(server, "GET", path)
    assert status == 404
    assert server.token.encode() not in body


def test_another_name_or_origin_is_refused(server: LabelServer) -> None:
    here = f"/{server.token}"
    item = server.desk.state(0)["item"]["id"]
    good = {"id": item, "answer": "left", "seconds": 1}
    assert ask(server, "GET", f"{here}/state", Host="evil.example")[0] == 404
    assert ask(server, "POST", f"{here}/label", good, Content_Type="application/json", Origin="https://e.org")[0] == 404
    assert ask(server, "POST", f"{here}/label", good, Content_Type="text/plain")[0] == 400
    assert server.desk.state(0)["done"] == 0


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{",
        b"\xff",
        {"id": "x", "answer": "left", "seconds": 1},
        {"answer": "left"},
        {"id": "ITEM", "answer": "chosen", "seconds": 1},
        {"id": "ITEM", "answer": "left", "seconds": "soon"},
        {"id": "ITEM", "answer": "left", "seconds": None},
        b'{"id": "ITEM", "answer": "left", "seconds": NaN}',
        {"id": "ITEM", "answer": "left", "seconds": 1, "more": "x" * 5000},
    ],
)
def test_a_bad_label_is_refused_and_the_server_lives(server: LabelServer, body: object) -> None:
    item = server.desk.state(0)["item"]["id"]
    if isinstance(body, dict) and body.get("id") == "ITEM":
        body = {**body, "id": item}
    if isinstance(body, bytes):
        body = body.replace(b"ITEM", item.encode())
    assert ask(server, "POST", f"/{server.token}/label", body, Content_Type="application/json")[0] == 400
    assert server.desk.state(0)["done"] == 0
    good = {"id": item, "answer": "left", "seconds": 1}
    status, _, state = ask(server, "POST", f"/{server.token}/label", good, Content_Type="application/json")
    assert (status, json.loads(state)["place"], json.loads(state)["done"]) == (200, 1, 1)


def test_a_label_that_could_not_be_written_is_told_and_not_counted(
    server: LabelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, line: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tahr.data.labels.files.append_line", full)
    good = {"id": server.desk.state(0)["item"]["id"], "answer": "left", "seconds": 1}
    status, _, body = ask(server, "POST", f"/{server.token}/label", good, Content_Type="application/json")
    assert (status, server.desk.state(0)["done"]) == (500, 0)
    assert b"No space left" in body


def test_a_port_in_use_is_named(server: LabelServer) -> None:
    with pytest.raises(InputError, match="can't be used"):
        LabelServer(server.desk, server.server_address[1])
