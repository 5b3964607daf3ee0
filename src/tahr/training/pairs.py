"""Pairs of answers as token ids. Works without torch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from tahr.core.errors import InputError
from tahr.core.preferences import Pair
from tahr.core.types import Message


class PairRenderer(Protocol):
    """What pairs need of a chat renderer."""

    def render(self, messages: Sequence[Message]) -> tuple[int, ...]:
        """Ids up to the point where the assistant begins to speak."""
        ...

    def written_answer(self, messages: Sequence[Message]) -> tuple[int, ...]:
        """Ids of the last message, a whole answer, the one that ends its turn the last."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class EncodedPair:
    """A pair's prompt and answers as token ids. `id` is the pair's own, a hash of its content.

    Example: ``EncodedPair(id="1f3870be274f6c49", prompt=(1, 9, 7), chosen=(42, 2), rejected=(43, 44, 2))``
    """

    id: str
    prompt: tuple[int, ...]
    chosen: tuple[int, ...]
    rejected: tuple[int, ...]

    @property
    def answers(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Chosen, then rejected."""
        return self.chosen, self.rejected


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoded:
    """The pairs that can be learnt from, and how many can't: too long for the context, equal as token ids, or with
    text that the model's template or vocabulary refuses (`reason` is the first such refusal and what it was about).

    Example: ``Encoded(pairs=(pair,), num_too_long=3, num_equal=0, num_refused=0, reason="")``
    """

    pairs: tuple[EncodedPair, ...]
    num_too_long: int
    num_equal: int
    num_refused: int
    reason: str

    @property
    def left_out(self) -> str:
        """Words for what is left out, empty where nothing is."""
        counts = {
            "too long for the context": self.num_too_long,
            "with equal answers": self.num_equal,
            f"that can't be rendered ({self.reason})": self.num_refused,
        }
        return ", ".join(f"{count} {what}" for what, count in counts.items() if count)


def encode_pairs(pairs: Iterable[Pair], renderer: PairRenderer, *, max_context: int) -> Encoded:
    """Render every pair. One of which any answer would be cut is left out: a cut answer is another answer."""
    kept: list[EncodedPair] = []
    num_too_long = num_equal = num_refused = 0
    reason = ""
    for pair in pairs:
        try:
            prompt = renderer.render(pair.prompt)
            chosen, rejected = (
                renderer.written_answer((*pair.prompt, Message(role="assistant", content=text)))
                for text in (pair.chosen, pair.rejected)
            )
        except InputError as error:
            num_refused += 1
            reason = reason or error.cause
            continue
        if chosen == rejected:
            num_equal += 1
        elif len(prompt) + max(len(chosen), len(rejected)) > max_context:
            num_too_long += 1
        else:
            kept.append(EncodedPair(id=pair.id, prompt=prompt, chosen=chosen, rejected=rejected))
    return Encoded(
        pairs=tuple(kept), num_too_long=num_too_long, num_equal=num_equal, num_refused=num_refused, reason=reason
    )
