"""Pairs as whole conversations: what can't be learnt is left out, counted, and its first cause said."""

from __future__ import annotations

from collections.abc import Sequence

from tahr.core.errors import InputError
from tahr.core.preferences import Pair
from tahr.core.types import Message
from tahr.training.scored_pairs import tokenize_pairs


class Letters:
    def conversation(self, prompt: Sequence[Message], answer: str) -> tuple[int, ...]:
        return tuple(map(ord, "".join(message.content for message in prompt) + answer))

    def refuse_special(self, prompt: Sequence[Message], answer: str) -> None:
        if "<end>" in answer or any("<end>" in message.content for message in prompt):
            raise InputError("special tokens in the text", received="'<end>'")


def test_what_cannot_be_learnt_is_left_out_and_counted() -> None:
    rows = [
        ("q", "a", "b"),
        ("q", "a", "a"),
        ("q", "a" * 9, "b"),
        ("q", "a<end>", "b"),
        ("q", "a", "b<end>"),
        ("<end>", "a", "b"),
    ]
    pairs = [
        Pair(prompt=(Message(role="user", content=asked),), chosen=chosen, rejected=rejected)
        for asked, chosen, rejected in rows
    ]
    kept, left_out = tokenize_pairs(pairs, Letters(), max_context=8)
    assert [(one.chosen, one.rejected) for one in kept] == [((113, 97), (113, 98))]
    assert left_out == {
        "too long for the context": 1,
        "with equal answers": 1,
        "that can't be rendered (special tokens in the text: '<end>')": 3,
    }
