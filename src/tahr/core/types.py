"""The nouns. Every stage returns a new type; nothing is "None until later".

    Task -> Trajectory (turns of Completion) -> Scored (Trajectory + Verdict) -> Group -> Sample -> Batch

`Batch` holds tensors and lives in `tahr.training.batch`; everything here is plain Python.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

Role = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One chat message.

    Example: ``Message(role="user", content="What is 2 + 3?")``
    """

    role: Role
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A question with what its verifier must know; frozen data, no behaviour.

    `answer` and `meta` hold JSON values (str, int, float, bool, None, list, dict). `id` is a hash of everything
    that decides the reward (prompt, answer, verifier, environment), so that equal tasks have equal ids wherever
    they come from. `domain` groups tasks in metrics.

    Example: ``Task(prompt=(Message(role="user", content="What is 2 + 3?"),), answer="5", verifier="numeric",
    domain="arithmetic", meta={"level": 1})``
    """

    prompt: tuple[Message, ...]
    answer: Any
    verifier: str
    environment: str = "single_turn"
    domain: str = "default"
    meta: Mapping[str, Any] = field(default_factory=dict[str, Any])
    id: str = field(init=False)

    def __post_init__(self) -> None:
        messages = [[message.role, message.content] for message in self.prompt]
        content = json.dumps([messages, self.answer, self.verifier, self.environment], sort_keys=True)
        object.__setattr__(self, "id", hashlib.blake2b(content.encode(), digest_size=8).hexdigest())


class FinishReason(StrEnum):
    """Why an engine stopped sampling one completion."""

    STOP = "stop"  # a stop id or a stop string was sampled
    LENGTH = "length"  # the token budget or the context ran out


class StopReason(StrEnum):
    """How a trajectory ended. Only INFRASTRUCTURE is retried or dropped; it is never scored."""

    FINISHED = "finished"  # the policy ended by itself; its answer may be right or wrong
    OUT_OF_BUDGET = "out_of_budget"  # tokens, turns or context ran out
    TASK_ERROR = "task_error"  # a tool or the model's use of it failed for good
    INFRASTRUCTURE = "infrastructure"  # engine or machine failure: not the policy's doing


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """What an engine sampled after one prompt. `logprobs` are of the distribution really sampled from, in nats.

    A sampled stop id is the last of `token_ids`; both tuples have equal length.

    Example: ``Completion(token_ids=(42, 2), logprobs=(-0.1, -0.02), finish_reason=FinishReason.STOP,
    policy_version=3)``
    """

    token_ids: tuple[int, ...]
    logprobs: tuple[float, ...]
    finish_reason: FinishReason
    policy_version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One prompt, what the policy answered, and the messages that the environment gave back (empty at the end).

    Example: ``Turn(prompt_token_ids=(1, 9, 7), completion=completion, observation=())``
    """

    prompt_token_ids: tuple[int, ...]
    completion: Completion
    observation: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Trajectory:
    """One attempt at a task; a single-turn task is a trajectory of one turn.

    `group_id` names the set of attempts at one task that are compared with each other, `index` the place in it.

    Example: ``Trajectory(task_id="9f86d081884c7d65", group_id="4:9f86d081884c7d65", index=0, turns=(turn,),
    stop_reason=StopReason.FINISHED, error="")``
    """

    task_id: str
    group_id: str
    index: int
    turns: tuple[Turn, ...]
    stop_reason: StopReason
    error: str = ""

    @property
    def num_sampled_tokens(self) -> int:
        """Tokens that the policy sampled, over all turns."""
        return sum(len(turn.completion.token_ids) for turn in self.turns)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reward:
    """`value` is what is trained on; `parts` holds every named component, raw ``correct`` (0 or 1) among them.

    Example: ``Reward(value=0.9, parts={"correct": 1.0, "format": 0.5}, note="5 equals 5")``
    """

    value: float
    parts: Mapping[str, float]
    note: str = ""


class Outcome(StrEnum):
    """What a verifier found. Only PASS, FAIL and CHEAT carry a reward."""

    PASS = "pass"
    FAIL = "fail"
    CHEAT = "cheat"
    TIMEOUT = "timeout"
    ERROR = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A verifier's finding. `reward` is None, never 0, where it could not be computed (TIMEOUT, ERROR).

    Example: ``Verdict(outcome=Outcome.PASS, reward=Reward(value=1.0, parts={"correct": 1.0}), extracted="5",
    note="5 equals 5")``
    """

    outcome: Outcome
    reward: Reward | None
    extracted: str | None = None
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A trajectory, the text that was judged (the last turn's), and the verdict on it.

    Example: ``Scored(trajectory=trajectory, text="The answer is 5.", verdict=verdict)``
    """

    trajectory: Trajectory
    text: str
    verdict: Verdict

    @property
    def reward(self) -> Reward | None:
        """The verdict's reward, or None where it is absent."""
        return self.verdict.reward


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """All scored attempts at one task under one policy; the unit that advantages are computed over.

    Example: ``Group(task=task, scored=(first, second))``
    """

    task: Task
    scored: tuple[Scored, ...]

    @property
    def rewards(self) -> tuple[float | None, ...]:
        """Each attempt's trained-on reward; None where it is absent."""
        return tuple(scored.reward.value if scored.reward else None for scored in self.scored)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One token sequence to train on.

    `token_ids`, `loss_mask`, `logprobs` and `advantages` have one length T. `loss_mask[t]` says that the policy
    sampled token t; elsewhere `logprobs` and `advantages` are 0 and unused. `prompt_length` counts the tokens
    before the first sampled one: samples that share them are computed together. `domain` is the task's.

    Example: ``Sample(token_ids=(1, 9, 42, 2), loss_mask=(False, False, True, True), logprobs=(0.0, 0.0, -0.1, -0.2),
    advantages=(0.0, 0.0, 1.5, 1.5), prompt_length=2)``
    """

    token_ids: tuple[int, ...]
    loss_mask: tuple[bool, ...]
    logprobs: tuple[float, ...]
    advantages: tuple[float, ...]
    prompt_length: int
    domain: str = ""

    @property
    def num_loss_tokens(self) -> int:
        """Tokens that enter the loss."""
        return sum(self.loss_mask)


def passed(note: str = "", *, extracted: str | None = None, parts: Mapping[str, float] | None = None) -> Verdict:
    """A PASS verdict worth 1; `parts` gains ``correct = 1``."""
    reward = Reward(value=1.0, parts={"correct": 1.0, **(parts or {})}, note=note)
    return Verdict(outcome=Outcome.PASS, reward=reward, extracted=extracted, note=note)


def failed(
    note: str, *, value: float = 0.0, extracted: str | None = None, parts: Mapping[str, float] | None = None
) -> Verdict:
    """A FAIL verdict worth `value` (partial credit); `parts` gains ``correct = 0``."""
    reward = Reward(value=value, parts={"correct": 0.0, **(parts or {})}, note=note)
    return Verdict(outcome=Outcome.FAIL, reward=reward, extracted=extracted, note=note)


def broken(note: str) -> Verdict:
    """An ERROR verdict: the verifier itself failed, so there is no reward."""
    return Verdict(outcome=Outcome.ERROR, reward=None, note=note)
