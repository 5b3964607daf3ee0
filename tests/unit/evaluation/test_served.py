"""Attempts of a model behind a server: the words it is asked, what is kept of its answers, and what can't be asked."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from tahr.core.errors import EngineError, InputError
from tahr.core.protocols import Sampling
from tahr.core.types import FinishReason, Message, Task
from tahr.engines.http.client import HttpChat
from tahr.evaluation.runner import attempt_in_windows
from tahr.evaluation.served import ChatCollector, is_served, served_config
from tahr.store.records import EvaluationRow
from tahr.verifiers.build import build_verifiers
from talking_models import Talker
from talking_server import Stub, completion

TASKS = [
    Task(prompt=(Message(role="user", content=f"{n} + 1?"),), answer=str(n + 1), verifier="numeric", domain="sums")
    for n in range(5)
]


def rows_of(collector: ChatCollector, tasks: list[Task], group_size: int = 1) -> list[EvaluationRow]:
    async def run() -> list[EvaluationRow]:
        found: dict[int, list[EvaluationRow]] = {}
        sampling = Sampling(max_new_tokens=8, temperature=0.5)
        groups = attempt_in_windows(collector, tasks, group_size=group_size, sampling=sampling, window=2)
        async for place, group in groups:
            found[place] = [collector.row(group.task, scored) for scored in group.scored]
        return [row for place in sorted(found) for row in found[place]]

    return asyncio.run(run())


def collector(chat) -> ChatCollector:
    return ChatCollector(chat=chat, verifiers=build_verifiers({}), run_seed=0)


def test_answers_are_judged_and_their_tokens_are_those_that_the_server_counts():
    stub = Stub(says=lambda body: (200, {}, completion(str(int(body["messages"][0]["content"].split()[0]) + 1)), 0.0))
    try:
        config = served_config(f"qwen3@{stub.url}", thinking=False)
        rows = rows_of(collector(HttpChat(label="qwen3", config=config)), TASKS)
    finally:
        stub.close()
    assert [(row.task_id, row.text, row.score) for row in rows] == [
        (task.id, str(n + 1), 1.0) for n, task in enumerate(TASKS)
    ]
    assert {(row.num_prompt_tokens, row.num_tokens, row.finish_reason, row.logprob) for row in rows} == {
        (12, 3, "stop", None)
    }
    assert {body["model"] for body in stub.bodies} == {"qwen3"}
    assert all(body["chat_template_kwargs"] == {"enable_thinking": False} for body in stub.bodies)


def test_attempts_have_seeds_of_their_own_that_repeat():
    first, second = Talker(lambda _: "1"), Talker(lambda _: "1")
    rows_of(collector(first), TASKS[:2], group_size=3)
    rows_of(collector(second), list(reversed(TASKS[:2])), group_size=3)
    assert len(set(first.seeds)) == 6
    assert sorted(first.seeds) == sorted(second.seeds)


def test_an_answer_that_was_cut_off_says_so_and_uncounted_tokens_are_none():
    [row] = rows_of(collector(Talker(lambda _: "1", finish_reason=FinishReason.LENGTH)), TASKS[:1])
    assert (row.finish_reason, row.num_tokens, row.num_prompt_tokens) == ("length", None, None)


def test_what_the_server_does_not_answer_has_no_score():
    talker = Talker(lambda text: EngineError("busy") if text.startswith("1") else "1")
    rows = rows_of(collector(talker), TASKS[:2])
    assert [(row.score, row.finish_reason) for row in rows] == [(1.0, "stop"), (None, "infrastructure")]
    assert (rows[1].note, rows[1].num_tokens, rows[1].num_prompt_tokens) == ("busy", None, None)


def test_an_environment_of_several_turns_is_refused():
    with pytest.raises(InputError, match="single questions"):
        rows_of(collector(Talker(lambda _: "1")), [replace(TASKS[0], environment="tools")])


def test_names_of_served_models():
    assert is_served("org/name@https://host/v1")
    assert not is_served("runs/a@b")
    config = served_config("org/name@https://host/v1")
    assert (config.model, config.url, config.request) == ("org/name", "https://host/v1", {})
    with pytest.raises(InputError, match="model"):
        served_config("@http://host/v1")
