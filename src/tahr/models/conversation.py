"""A conversation as token ids with the turns to learn marked, by rendering it turn by turn.

What is learnt in a turn is what the policy would have to sample there: it is asked with the ids of the rendered
conversation so far, and answers with the ids of what the template writes next, up to the id that ends its turn. Nothing
is ever sought in the text or among the ids of the whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tahr.core.types import Message
from tahr.models.chat import ChatRenderer


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """One token sequence, and the spans (start, end) of it that are learnt, in order; the last one ends it.

    Example: ``Rendered(token_ids=(1, 9, 7, 42, 2), spans=((3, 5),))``
    """

    token_ids: tuple[int, ...]
    spans: tuple[tuple[int, int], ...]


def render_conversation(
    renderer: ChatRenderer, messages: Sequence[Message], taught: Sequence[int]
) -> tuple[Rendered, ...]:
    """The sequences that teach the assistant's turns at the places `taught`, ascending; almost always one.

    Where the ids of the conversation up to one turn are not how the ids up to a later turn begin (the template drops
    earlier thinking, say), the later turn begins a sequence of its own, in which earlier ones are only read.

    Raises InputError where the template refuses the messages, writes an answer in another way than it asks for one, or
    the vocabulary lacks characters; SpecialTokensError where a message holds the text of special tokens.
    """
    renderer.refuse_special(messages)
    done: list[Rendered] = []
    ids: tuple[int, ...] = ()
    spans: list[tuple[int, int]] = []
    for place in taught:
        prompt = renderer.render(messages[:place])
        if spans and prompt[: len(ids)] != ids:
            done.append(Rendered(token_ids=ids, spans=tuple(spans)))
            spans = []
        answer = renderer.written_answer(messages[: place + 1])
        ids = (*prompt, *answer)
        spans.append((len(prompt), len(ids)))
    return (*done, Rendered(token_ids=ids, spans=tuple(spans)))
