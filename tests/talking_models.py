"""Chat models that answer as a test has them, and remember what they were asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tahr.core.errors import EngineError
from tahr.core.judging import Reply
from tahr.core.protocols import Sampling
from tahr.core.types import FinishReason, Message


@dataclass
class Talker:
    """Says what `says` makes of the last message; an EngineError that it returns is raised."""

    says: Callable[[str], str | EngineError]
    finish_reason: FinishReason = FinishReason.STOP
    name: str = "talker"
    asked: list[str] = field(default_factory=list)
    seeds: list[int] = field(default_factory=list)

    async def chat(self, messages: Sequence[Message], sampling: Sampling, seed: int) -> Reply:
        self.asked.append(messages[-1].content)
        self.seeds.append(seed)
        said = self.says(messages[-1].content)
        if isinstance(said, EngineError):
            raise said
        return Reply(text=said, finish_reason=self.finish_reason)
