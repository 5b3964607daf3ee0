"""What a supervised stage learns from, as samples: conversations rendered once, and gold answers of tasks."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from tahr.core.errors import InputError
from tahr.core.types import Message, Sample, Task
from tahr.data.chats.chat import Chat, Tally
from tahr.models.chat import ChatRenderer, SpecialTokensError
from tahr.models.conversation import Rendered, render_conversation


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A conversation as ids, four bytes each; more than one sequence where its template rewrites earlier turns.

    Example: ``Example(sequences=((array("i", [1, 9, 7, 42, 2]), ((3, 5),)),), domain="talk")``
    """

    sequences: tuple[tuple[array[int], tuple[tuple[int, int], ...]], ...]
    domain: str

    @property
    def num_tokens(self) -> int:
        """Tokens of all sequences."""
        return sum(len(ids) for ids, _ in self.sequences)

    def samples(self) -> list[Sample]:
        """The samples to train on, one for each sequence."""
        return [_sample(tuple(ids), spans, self.domain) for ids, spans in self.sequences]


def encode_chats(
    chats: Iterable[Chat], renderer: ChatRenderer, *, max_context: int, domain: str, tally: Tally
) -> Iterator[Example]:
    """The examples of those chats that fit into `max_context` whole; `tally` counts the others."""
    for chat in chats:
        try:
            rendered = render_conversation(renderer, chat.messages, chat.taught)
        except SpecialTokensError as error:
            tally.refuse("special tokens in the text", chat.place, str(error.received))
            continue
        except InputError as error:  # roles that the template refuses, characters that the vocabulary lacks
            tally.refuse("not rendered by the template", chat.place, error.cause)
            continue
        if max(len(one.token_ids) for one in rendered) > max_context:
            tally.refuse("too long", chat.place)
            continue
        yield Example(sequences=tuple(map(_compact, rendered)), domain=domain)


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldAnswers:
    """Samples from tasks. `answer` gives the text to learn, which is written as that of a conversation is.

    Example: ``GoldAnswers(renderer=renderer, answer=verifiers.gold, max_context=512)``
    """

    renderer: ChatRenderer
    answer: Callable[[Task], str]
    max_context: int

    def sample(self, task: Task) -> Sample:
        """Prompt, gold answer and the id that ends a turn; the loss is on the latter two.

        Raises InputError where they do not fit into the context, as a cut answer would teach to stop short, and where
        the renderer refuses them.
        """
        prompt = self.renderer.render(task.prompt)
        answer = self.renderer.written_answer(self._told(task))
        if len(prompt) + len(answer) > self.max_context:
            raise InputError(
                "an example does not fit into the context",
                received=f"task {task.id}: {len(prompt)} + {len(answer)} tokens",
                instead=f"model.max_context above {self.max_context}, or shorter tasks",
            )
        return _sample((*prompt, *answer), ((len(prompt), len(prompt) + len(answer)),), task.domain)

    def without_special(self, tasks: Sequence[Task], tally: Tally) -> list[Task]:
        """The tasks whose texts hold no special tokens; `tally` counts the others, as it does conversations."""
        kept: list[Task] = []
        for task in tasks:
            tally.num_rows += 1
            try:
                self.renderer.refuse_special(self._told(task))
            except SpecialTokensError as error:
                tally.refuse("special tokens in the text", f"task {task.id}", str(error.received))
            else:
                kept.append(task)
        return kept

    def _told(self, task: Task) -> tuple[Message, ...]:
        return (*task.prompt, Message(role="assistant", content=self.answer(task)))


def _compact(rendered: Rendered) -> tuple[array[int], tuple[tuple[int, int], ...]]:
    return array("i", rendered.token_ids), rendered.spans


def _sample(ids: tuple[int, ...], spans: Sequence[tuple[int, int]], domain: str) -> Sample:
    mask = [False] * len(ids)
    for start, end in spans:
        mask[start:end] = [True] * (end - start)
    zeros = (0.0,) * len(ids)
    return Sample(
        token_ids=ids,
        loss_mask=tuple(mask),
        logprobs=zeros,
        advantages=zeros,
        prompt_length=spans[0][0],
        domain=domain,
    )
