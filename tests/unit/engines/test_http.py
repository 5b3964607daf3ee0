"""The HTTP chat model against a server in a thread that answers, fails, stalls or talks nonsense as it is told."""

import asyncio
import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from tahr.core.errors import EngineError, InputError
from tahr.core.judging import ChatModel, Reply
from tahr.core.protocols import Sampling
from tahr.core.types import FinishReason, Message
from tahr.engines.config import ChatModelConfig
from tahr.engines.http import client as client_module
from tahr.engines.http.client import HttpChat
from tahr.engines.http.reading import retry_after
from talking_server import Stub, completion

KEY = "sk-secret-0123456789"
ASKED = [Message(role="user", content="Capital of France? \ud800")]
SAMPLING = Sampling(max_new_tokens=9, temperature=0.0)


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stub]:
    monkeypatch.setattr(client_module, "FIRST_PAUSE_SECONDS", 0.001)
    stub = Stub()
    yield stub
    stub.close()


def chat(stub: Stub, *, sampling: Sampling = SAMPLING, times: int = 1, seed: int = 5, **settings: Any):
    config = ChatModelConfig(url=stub.url, model="m", **{"timeout_seconds": 5.0, "max_retries": 2, **settings})
    model = HttpChat(label="server:m", config=config)

    async def ask() -> list[Reply]:
        try:
            return await asyncio.gather(*(model.chat(ASKED, sampling, seed) for _ in range(times)))
        finally:
            await model.close()

    return asyncio.run(ask()), model


def refusal(stub: Stub, **settings: Any) -> EngineError:
    with pytest.raises(EngineError) as caught:
        chat(stub, **settings)
    return caught.value


def test_a_conversation_is_sent_and_its_answer_read(stub: Stub) -> None:
    sampling = Sampling(max_new_tokens=9, temperature=0.7, top_k=5, stop=("\n",))
    (reply,), model = chat(stub, sampling=sampling, seed=2**31 + 7)
    assert reply == Reply(text="Paris.", finish_reason=FinishReason.STOP, num_prompt_tokens=12, num_tokens=3)
    assert stub.paths == ["/v1/chat/completions"]
    assert stub.bodies == [
        {
            "model": "m",
            "messages": [{"role": "user", "content": "Capital of France? ?"}],
            "max_tokens": 9,
            "temperature": 0.7,
            "top_p": 1.0,
            "seed": 7,
            "stop": ["\n"],
            "top_k": 5,
        }
    ]
    assert isinstance(model, ChatModel)
    assert (model.name, stub.keys) == ("server:m", [None])
    assert (model.usage.num_requests, model.usage.num_prompt_tokens, model.usage.num_tokens) == (1, 12, 3)


@pytest.mark.parametrize(
    ("body", "reply"),
    [
        (completion(finish_reason="length"), Reply(text="Paris.", finish_reason=FinishReason.LENGTH)),
        (completion(""), Reply(text="", finish_reason=FinishReason.STOP)),
        (completion(None, "length", reasoning="hm"), Reply(text="", finish_reason=FinishReason.LENGTH)),
        (completion("so \ud83d"), Reply(text="so \ufffd", finish_reason=FinishReason.STOP)),
        (completion(None, refusal="I won't."), Reply(text="I won't.", finish_reason=FinishReason.STOP)),
        (completion("Verdict: A", refusal="I won't."), Reply(text="I won't.", finish_reason=FinishReason.STOP)),
        (completion(refusal=""), Reply(text="Paris.", finish_reason=FinishReason.STOP)),
    ],
)
def test_ends_of_answers_are_told_apart(stub: Stub, body: bytes, reply: Reply) -> None:
    stub.answers = [(200, {}, body, 0.0)]
    (found,), _ = chat(stub)
    assert (found.text, found.finish_reason) == (reply.text, reply.finish_reason)


@pytest.mark.parametrize(
    ("usage", "text", "counted"),
    [
        ({"prompt_tokens": 12, "completion_tokens": 3}, "Paris.", (12, 3)),
        ({"prompt_tokens": 0, "completion_tokens": 0}, "Paris.", (None, None)),
        ({"prompt_tokens": 12, "completion_tokens": 0}, "", (12, 0)),
        ({"completion_tokens": 3}, "Paris.", (None, 3)),
        ({"prompt_tokens": "12", "completion_tokens": True}, "Paris.", (None, None)),
        (None, "Paris.", (None, None)),
        ([], "Paris.", (None, None)),
    ],
)
def test_tokens_that_a_server_does_not_count_are_unknown(stub: Stub, usage: Any, text: str, counted: tuple) -> None:
    stub.answers = [(200, {}, json.dumps(json.loads(completion(text)) | {"usage": usage}).encode(), 0.0)]
    (reply,), model = chat(stub)
    assert (reply.num_prompt_tokens, reply.num_tokens) == counted
    assert model.usage.num_uncounted == (None in counted)


@pytest.mark.parametrize(
    "body",
    [
        completion()[:40],
        b"",
        b"<html>busy</html>",
        b"[" * 100_000,
        b'{"error": {"message": "no such model"}}',
        b'{"choices": []}',
        completion(None),
        completion(17),
        completion(finish_reason="content_filter"),
        completion(finish_reason="tool_calls"),
        completion(finish_reason=None),
        completion(finish_reason=["stop"]),
    ],
    ids=range(12),
)
def test_what_is_no_answer_is_an_error_that_shows_it(stub: Stub, body: bytes) -> None:
    stub.answers = [(200, {}, body, 0.0)]
    error = refusal(stub)
    assert "not a chat completion" in error.wrong
    assert body.decode()[:30] in str(error.received)
    assert len(str(error)) < 700
    assert len(stub.bodies) == 1


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_server_that_fails_for_the_moment_is_asked_again(stub: Stub, status: int) -> None:
    stub.answers = [(status, {}, b"busy", 0.0), (status, {}, b"busy", 0.0), (200, {}, completion(), 0.0)]
    (reply,), model = chat(stub)
    assert reply.text == "Paris."
    assert (model.usage.num_requests, model.usage.num_retries) == (3, 2)
    assert stub.bodies[0] == stub.bodies[2]


def test_a_server_that_keeps_failing_is_given_up(stub: Stub) -> None:
    stub.answers = [(500, {}, b"out of memory", 0.0)]
    error = refusal(stub)
    assert "in 3 tries (status 500)" in error.wrong
    assert "out of memory" in str(error.received)
    assert len(stub.bodies) == 3


def test_a_server_is_given_the_time_that_it_asks_for(stub: Stub) -> None:
    stub.answers = [(429, {"Retry-After": "0.3"}, b"", 0.0), (200, {}, completion(), 0.0)]
    since = time.monotonic()
    chat(stub)
    assert time.monotonic() - since >= 0.3
    stub.answers = [(429, {"Retry-After": "3600"}, b"", 0.0)]
    error = refusal(stub)
    assert "in 1 try (status 429, and the server asks to wait 3600 s)" in error.wrong


def test_waits_are_read_in_seconds_and_as_dates() -> None:
    now = datetime(2026, 1, 1, 12, 0, 0, tzinfo=UTC)
    assert retry_after("Thu, 01 Jan 2026 12:00:30 GMT", now) == 30.0
    assert retry_after("Thu, 01 Jan 2026 11:00:00 GMT", now) == 0.0
    assert [retry_after(value) for value in ("2", "-1", "nan", "inf", "soon", "", None)] == [2.0, 0.0, *[None] * 5]


def test_a_request_that_can_never_succeed_is_not_repeated(stub: Stub) -> None:
    stub.answers = [(400, {}, b'{"error": "context too long"}', 0.0)]
    error = refusal(stub)
    assert "status 400" in error.wrong
    assert "context too long" in str(error.received)
    assert len(stub.bodies) == 1


def test_a_server_that_stalls_breaks_off_or_is_not_there_is_given_up(stub: Stub) -> None:
    stub.answers = [(200, {}, completion(), 0.5)]
    assert "in 2 tries (no answer within 0.1 s)" in refusal(stub, timeout_seconds=0.1, max_retries=1).wrong
    stub.answers = [(200, {"Content-Length": "100000"}, completion(), 0.0)]
    assert "RemoteProtocolError" in refusal(stub, max_retries=0).wrong
    stub.url = "http://127.0.0.1:9/v1"
    assert "ConnectError" in refusal(stub, max_retries=0).wrong


def test_an_answer_without_end_is_cut(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "MAX_BYTES", 1000)
    stub.answers = [(200, {}, completion("a" * 2000), 0.0)]
    assert "more than 1000 bytes" in refusal(stub).wrong


def test_no_more_requests_wait_at_once_than_allowed(stub: Stub) -> None:
    stub.answers = [(200, {}, completion(), 0.05)]
    replies, _ = chat(stub, times=6, max_concurrency=2)
    assert len(replies) == 6
    assert stub.most_at_once == 2


def test_a_key_goes_into_the_header_and_nowhere_else(
    stub: Stub, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("STUB_KEY", f"{KEY}\n")
    caplog.set_level("DEBUG")
    stub.answers = [(401, {}, f"wrong key {KEY}".encode(), 0.0)]
    error = refusal(stub, api_key_env="STUB_KEY")
    assert stub.keys == [f"Bearer {KEY}"]
    assert "wrong key ***" in str(error.received)
    assert "STUB_KEY" in error.instead
    stub.answers = [(200, {}, f"nonsense {KEY}".encode(), 0.0)]
    assert KEY not in str(refusal(stub, api_key_env="STUB_KEY"))
    stub.answers = [(307, {"Location": f"{stub.url}/elsewhere"}, b"", 0.0)]
    assert "status 307" in refusal(stub, api_key_env="STUB_KEY").wrong
    assert KEY not in caplog.text
    stub.answers = [(200, {}, completion(KEY), 0.0)]
    (reply,), model = chat(stub, api_key_env="STUB_KEY")
    assert reply.text == KEY  # what a model says is not changed
    assert KEY not in repr(vars(model))


@pytest.mark.parametrize("key", [None, "  ", "sk-ключ"])
def test_a_key_that_is_not_set_is_known_at_once(stub: Stub, key: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STUB_KEY", raising=False)
    if key is not None:
        monkeypatch.setenv("STUB_KEY", key)
    with pytest.raises(InputError, match="STUB_KEY") as caught:
        chat(stub, api_key_env="STUB_KEY")
    assert "ключ" not in str(caught.value)


def test_one_model_serves_several_event_loops(stub: Stub) -> None:
    model = HttpChat(label="m", config=ChatModelConfig(url=f"{stub.url}/", model="m"))

    async def ask() -> str:
        try:
            return (await model.chat(ASKED, SAMPLING, 1)).text
        finally:
            await model.close()

    assert [asyncio.run(ask()) for _ in range(2)] == ["Paris.", "Paris."]


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({}, "one of the two"),
        ({"source": "a", "url": "http://a/v1", "model": "m"}, "one of the two"),
        ({"source": "a", "api_key_env": "K"}, "api_key_env: only for a model behind a url"),
        ({"url": "localhost:8000/v1", "model": "m"}, "an address such as"),
        ({"url": "http://me:secret@a/v1", "model": "m"}, "no password"),
        ({"url": "http://a/v1"}, "model is missing"),
    ],
)
def test_faults_in_the_settings_are_named(values: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        ChatModelConfig.read(values, where="dpo.build.models.other")
