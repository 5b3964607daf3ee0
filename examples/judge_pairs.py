"""A judge that always prefers what stands first is found out: ``python examples/judge_pairs.py``."""

import asyncio
from collections.abc import Sequence

from tahr.core.judging import Question, Reply
from tahr.core.preferences import Candidate
from tahr.core.protocols import Sampling
from tahr.core.types import FinishReason, Message
from tahr.judges.build import build_judge
from tahr.judges.config import JudgeConfig


class First:
    """A chat model that reads nothing."""

    name = "first"

    async def chat(self, messages: Sequence[Message], sampling: Sampling, seed: int) -> Reply:
        """Prefer what stands first."""
        return Reply(text="Both name a city.\nVerdict: A", finish_reason=FinishReason.STOP)


question = Question(prompt=(Message(role="user", content="Capital of France?"),))
answers = [Candidate(prompt_id=question.id, text=text, model="m") for text in ("Paris.", "Rome.")]
judge = build_judge(JudgeConfig(kind="pairwise", model="j"), models={"j": First()}, seed=0)
(judgment,) = asyncio.run(judge.judge(question, answers))
print(judgment.state, [asked["read"] for asked in judgment.provenance["asked"]])
assert judgment.state == "tie"
