"""Put one question to a chat model that judges, and keep what it said."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from tahr.core.errors import EngineError
from tahr.core.judging import ChatModel, Question
from tahr.core.preferences import JudgmentState, content_id
from tahr.core.protocols import Sampling
from tahr.core.seeding import derive_seed
from tahr.core.types import FinishReason, Message
from tahr.judges.fence import fence_for
from tahr.judges.prompt import Prompt
from tahr.judges.reading import own_lines

MAX_KEPT = 2000
"""Most characters of a judge's answer that its provenance keeps, of the end, where the verdict stands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What the judge said: its own `lines`, None where they can't be read. `failed` where no answer came.

    Example: ``Said(lines=["Rating: 4"], failed=False, provenance={"said": "Rating: 4"})``
    """

    lines: list[str] | None
    failed: bool
    provenance: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """A chat model with the way it is asked.

    Example: ``Asker(model=model, sampling=Sampling(max_new_tokens=512, temperature=0.0), seed=7, max_chars=16000)``
    """

    model: ChatModel
    sampling: Sampling
    seed: int
    max_chars: int

    async def ask(
        self, prompt: Prompt, question: Question, answers: Mapping[str, str], *, criterion: str = "", guide: str = ""
    ) -> Said:
        """Ask about `answers`, by their titles (``ANSWER A``), to `question`. `criterion` is fenced, `guide` is not.

        The prompt is filled with ``$tag``, ``$conversation``, ``$answers``, ``$criterion`` and ``$guide``.
        """
        texts = [*(message.content for message in question.prompt), *answers.values(), criterion]
        fence = fence_for(texts, self.seed)
        conversation = [
            fence.wrap(message.role.upper(), message.content, max_chars=self.max_chars) for message in question.prompt
        ]
        shown = [fence.wrap(title, text, max_chars=self.max_chars) for title, text in answers.items()]
        content = prompt.fill(
            tag=fence.tag,
            conversation="\n\n".join(conversation),
            answers="\n\n".join(shown),
            criterion=fence.wrap("CRITERION", criterion, max_chars=self.max_chars) if criterion else "",
            guide=guide,
        )
        kept: dict[str, Any] = {"model": self.model.name, "prompt": prompt.name, "prompt_hash": prompt.hash}
        # from what is asked, so that neither the order of calls nor their number changes a judgment
        seed = derive_seed(self.seed, f"judge {content_id(content)}")
        try:
            reply = await self.model.chat([Message(role="user", content=content)], self.sampling, seed)
        except EngineError as error:
            return Said(lines=None, failed=True, provenance={**kept, "error": str(error)[:MAX_KEPT]})
        kept |= {"seed": seed, "said": _end(reply.text), "finish_reason": str(reply.finish_reason)}
        whole = reply.finish_reason is FinishReason.STOP
        return Said(lines=own_lines(reply.text, fence.tag, texts) if whole else None, failed=False, provenance=kept)


class ModelJudge:
    """What judges that ask a chat model share: they are made from their arguments, then handed the model."""

    kind = ""
    _asker: Asker | None = None

    def with_model(self, asker: Asker) -> Self:
        """A copy that asks `asker`."""
        bound = copy.copy(self)
        bound._asker = asker
        return bound

    @property
    def asker(self) -> Asker:
        """Who is asked. Raises RuntimeError before `with_model`."""
        if self._asker is None:
            raise RuntimeError(f"the judge {self.kind!r} has no model yet: with_model hands it one")
        return self._asker

    @property
    def name(self) -> str:
        """Kind and model."""
        return f"{self.kind}:{self.asker.model.name}"


def combined_state(readings: list[Any], said: list[Said]) -> JudgmentState:
    """The state of a judgment that rests on several answers of its judge: what is missing in one is missing in all."""
    if any(one.failed for one in said):
        return JudgmentState.FAILED
    if any(reading is JudgmentState.UNREADABLE for reading in readings):
        return JudgmentState.UNREADABLE
    if all(reading is JudgmentState.NOT_APPLICABLE for reading in readings):
        return JudgmentState.NOT_APPLICABLE
    return JudgmentState.JUDGED


def _end(text: str) -> str:
    return text if len(text) <= MAX_KEPT else f"({len(text) - MAX_KEPT} characters left out)...{text[-MAX_KEPT:]}"
