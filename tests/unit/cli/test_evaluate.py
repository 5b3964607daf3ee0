"""``tahr eval`` of models behind servers that fail in some way: what is said, and how it is counted."""

from __future__ import annotations

import pytest

from talking_server import Stub, completion

SUITE = """
[tasks.sums]
source = "arithmetic"
num_tasks = 8

[sampling]
max_new_tokens = 4
"""
ONCE = ("--set", "server.max_retries=0", "--set", "server.max_concurrency=1")


@pytest.fixture
def suite(tmp_path):
    path = tmp_path / "sums.toml"
    path.write_text(SUITE)
    return path


@pytest.fixture
def stub():
    made = Stub()
    yield made
    made.close()


def test_reasons_of_attempts_without_a_reward_are_told_with_their_counts(tahr, suite, stub, tmp_path):
    stub.answers = [
        *[(500, {}, b"over", 0.0), (200, {}, b"<html>", 0.0)] * 2,
        (500, {}, b"loaded", 0.0),
        (200, {}, completion("7"), 0.0),
    ]
    done = tahr("eval", f"m@{stub.url}", "--suite", suite, "--runs", tmp_path, *ONCE)
    assert done.code == 0, done.err
    assert (
        f"5 attempts without reward: 3 times: m: no answer from {stub.url} in 1 try (status 500); 2 times: m: not a"
        in done.out
    )
    [folder] = tmp_path.glob("eval-sums-*")
    assert "5 attempts without reward: 3 times: m: no answer" in tahr("show", folder).out
    reported = tahr("report", folder)
    assert reported.code == 0, reported.err
    page = (folder / "report.html").read_text()
    assert "Why attempts have no reward" in page and "<b>3</b> m: no answer from" in page


def test_a_server_that_is_down_is_one_message(tahr, suite, tmp_path):
    done = tahr("eval", "m@http://127.0.0.1:1/v1", "--suite", suite, "--runs", tmp_path, *ONCE)
    assert done.code == 1
    assert done.err.count("instead:") == 1
    assert "received: 8 times: m: no answer from http://127.0.0.1:1/v1 in 1 try" in done.err


def test_an_address_without_http_is_told_as_such(tahr, suite, tmp_path):
    done = tahr("eval", "m@localhost:8765/v1", "--suite", suite, "--runs", tmp_path)
    assert done.code == 2
    assert "begins with http:// or https://" in done.err
    assert "instead:  m@http://localhost:8765/v1" in done.err
    assert "NAME@http" in tahr("eval", "--help").out
