"""The seams of preference data: who writes an answer, and who judges answers.

    Question -> ChatModel writes Candidates -> Judge finds Judgments -> pairs

Both are asynchronous, as both may be a model that is waited for; many calls run at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from tahr.core.preferences import Candidate, Judgment, id_of_prompt
from tahr.core.protocols import Sampling
from tahr.core.registry import Registry
from tahr.core.types import FinishReason, Message, Task


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a chat model answered. Token counts are None where who serves the model doesn't tell them.

    Example: ``Reply(text="Paris.", finish_reason=FinishReason.STOP, num_prompt_tokens=12, num_tokens=3)``
    """

    text: str
    finish_reason: FinishReason
    num_prompt_tokens: int | None = None
    num_tokens: int | None = None


@runtime_checkable
class ChatModel(Protocol):
    """A model that is spoken to in messages: a folder's, the policy itself, or one behind a server."""

    @property
    def name(self) -> str:
        """What provenance calls it, checkpoint included."""
        ...

    async def chat(self, messages: Sequence[Message], sampling: Sampling, seed: int) -> Reply:
        """Answer the conversation. Raises EngineError where no answer came for reasons outside the model's output."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What candidates answer: a conversation, and the task behind it where there is one (a verifier needs it).

    Example: ``Question(prompt=(Message(role="user", content="Capital of France?"),))``
    """

    prompt: tuple[Message, ...]
    task: Task | None = None
    id: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "id", id_of_prompt(self.prompt))


@runtime_checkable
class Judge(Protocol):
    """Judges the answers to one question: each by itself, or two against one another."""

    @property
    def name(self) -> str:
        """What provenance calls it, its model included."""
        ...

    async def judge(self, question: Question, candidates: Sequence[Candidate]) -> tuple[Judgment, ...]:
        """What is found of the candidates, whose texts are hostile.

        A judge of single answers gives one judgment a candidate, in their order; a judge of pairs one judgment for each
        two candidates, in the order of ``itertools.combinations``. What could not be found is a judgment with the state
        that says so, never an exception and never a middling rating.
        """
        ...


@runtime_checkable
class DependsOnMore(Protocol):
    """A judge whose judgments follow from more than its own settings, the conversation and the answers."""

    def depends_on(self, question: Question) -> str:
        """What else decides, as text: where it is the same, earlier judgments stand."""
        ...


judges: Registry[type[Judge]] = Registry("judge")
