"""Whether two models speak the same tokens: ids sampled from one can be read by the other."""

from __future__ import annotations

from tahr.core.errors import InputError
from tahr.core.types import Message
from tahr.models.chat import ChatRenderer

_PROBES: tuple[tuple[Message, ...], ...] = (
    (Message(role="user", content="a 1"),),
    (
        Message(role="user", content="a"),
        Message(role="assistant", content="b"),
        Message(role="user", content="1"),
    ),
)
"""Conversations in characters that hardly any vocabulary lacks."""


def difference(student: ChatRenderer, teacher: ChatRenderer) -> str:
    """Why ids of one can't be used with the other, in words; empty where they can.

    Compared are the vocabularies, token by token, the id that ends a turn, and what the chat templates make of some
    conversations.
    """
    own, other = student.tokenizer.get_vocab(), teacher.tokenizer.get_vocab()
    if own != other:
        unlike = sum(other.get(token) != id for token, id in own.items())
        return f"the vocabularies differ ({len(own):,} and {len(other):,} tokens, {unlike:,} of them unlike)"
    if student.end_of_turn_id != teacher.end_of_turn_id:
        names = [str(one.tokenizer.convert_ids_to_tokens(one.end_of_turn_id)) for one in (student, teacher)]
        return f"turns end by other tokens ({names[0]!r} and {names[1]!r})"
    if any(_rendered(student, probe) != _rendered(teacher, probe) for probe in _PROBES):
        return "the chat templates write a conversation differently"
    return ""


def _rendered(renderer: ChatRenderer, messages: tuple[Message, ...]) -> tuple[int, ...] | None:
    try:
        return renderer.render(messages)
    except InputError:  # a template that refuses the roles, an alphabet without the letters
        return None
