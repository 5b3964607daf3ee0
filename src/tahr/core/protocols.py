"""The seams of the system: what a verifier, an environment, an engine, a renderer and a loss must offer.

Each is a protocol, so that a third party's part needs no base class: register it, name it in an entry point, or
write ``package.module:Name`` in a recipe.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from tahr.core.registry import Registry
from tahr.core.types import Completion, Message, Task, Trajectory, Verdict


@runtime_checkable
class Verifier(Protocol):
    """Judges one answer. Built once per run from the recipe, then called from any thread."""

    def check_task(self, task: Task) -> None:
        """Raise InputError where `task.answer` or its arguments can't be judged by this verifier."""
        ...

    def verify(self, task: Task, text: str) -> Verdict:
        """Judge `text`, which is hostile: never raise, never hang, never reward it for cheating."""
        ...

    def gold(self, task: Task) -> str | None:
        """A text that this verifier must pass, so that every verifier is checked against its own answers.

        None where nobody knows one (prompts written by people, with rules to keep): such a task can be tried and
        judged, never imitated.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How tokens are drawn. `top_k` 0, `top_p` 1 and `min_p` 0 switch the filters off; temperature 0 is greedy.

    Example: ``Sampling(max_new_tokens=64, temperature=1.0, stop=("\\n",), stop_token_ids=(2,))``
    """

    max_new_tokens: int
    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int = 0
    min_p: float = 0.0
    stop: tuple[str, ...] = ()
    stop_token_ids: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationRequest:
    """One completion to sample. The same prompt, sampling and seed under the same weights give the same tokens.

    Example: ``GenerationRequest(prompt_token_ids=(1, 9, 7), sampling=Sampling(max_new_tokens=8), seed=17)``
    """

    prompt_token_ids: tuple[int, ...]
    sampling: Sampling
    seed: int


@runtime_checkable
class Engine(Protocol):
    """Who samples tokens."""

    @property
    def policy_version(self) -> int:
        """The version of the weights that the next token will be sampled from."""
        ...

    @property
    def max_context(self) -> int:
        """The most tokens that prompt and completion may have together."""
        ...

    def load_weights(self, policy: Any, version: int) -> None:
        """Sample from the trained weights from now on; `version` counts the updates that made them."""
        ...

    async def complete(self, request: GenerationRequest) -> Completion:
        """Sample one completion; many calls run at once and share the batch.

        Raises EngineError where sampling failed for reasons outside the model's output.
        """
        ...


@runtime_checkable
class Renderer(Protocol):
    """Between messages and token ids: the chat template and the tokenizer."""

    @property
    def stop_token_ids(self) -> tuple[int, ...]:
        """Ids that end the assistant's turn."""
        ...

    def render(self, messages: Sequence[Message]) -> tuple[int, ...]:
        """Token ids of a conversation up to the point where the assistant begins to speak."""
        ...

    def decode(self, token_ids: Sequence[int]) -> str:
        """Text of sampled ids, special tokens left out."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutContext:
    """What an environment needs to play one attempt.

    Example: ``RolloutContext(engine=engine, renderer=renderer, sampling=Sampling(max_new_tokens=64), seed=17,
    group_id="4:9f86d081884c7d65", index=0)``
    """

    engine: Engine
    renderer: Renderer
    sampling: Sampling
    seed: int
    group_id: str
    index: int


@runtime_checkable
class Environment(Protocol):
    """Plays one attempt at a task from the first prompt to the end. EngineError passes through to the caller."""

    async def rollout(self, task: Task, context: RolloutContext) -> Trajectory:
        """One attempt. What the model does wrong ends up in the trajectory, never in an exception."""
        ...


@runtime_checkable
class TaskSource(Protocol):
    """A seeded supply of tasks.

    A source whose class has ``evaluation_only = True`` (a benchmark) gives nothing to train on, unless the task set
    says ``train_on_benchmark``. One with ``finite = True`` ends by itself: a suite may ask it for all that it has. One
    with ``packaged``, a path inside of an installed package, has its tasks there and reads no network.
    """

    def generate(self, count: int, seed: int) -> Sequence[Task]:
        """The first `count` distinct tasks of the stream `seed`; fewer where the source is finite."""
        ...


verifiers: Registry[type[Verifier]] = Registry("verifier")
environments: Registry[type[Environment]] = Registry("environment")
task_sources: Registry[type[TaskSource]] = Registry("task source")
