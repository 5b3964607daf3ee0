"""A reward model: the score of a whole conversation, read at its last token."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from tahr.core.errors import InputError
from tahr.core.types import Message
from tahr.models.chat import ChatRenderer, plain_template
from tahr.models.classifier import SCALE, read_classifier, save_classifier, to_classifier
from tahr.models.config import ModelConfig
from tahr.models.decoder import Decoder, unsupported
from tahr.models.hub import hub_folder
from tahr.models.load import LoadedModel, check_context, explaining_out_of_memory, pick_device
from tahr.models.packing import PackedTokens, pack_groups, packed_length, to_padded
from tahr.models.quiet import quiet_transformers
from tahr.models.reward_source import reward_model_source
from tahr.models.scalar_head import scalar_head
from tahr.models.source import Folder, Hub, resolve

MAX_TOKENS = 8192
"""Packed tokens of one forward pass without gradients."""

_PROBE = (Message(role="user", content="QUESTION"), Message(role="assistant", content="ANSWER"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """Mean and standard deviation of the scores of held-out answers: what a score of some height is worth.

    Example: ``Scale(mean=-0.3, deviation=1.7)``
    """

    mean: float = 0.0
    deviation: float = 1.0


class RewardModel:
    """Scores of conversations. The place that is read follows from the token ids alone, never from padding or an eos.

    `model` is a transformers sequence classifier with one label. `reason` says why the exact path through transformers
    is taken; it is None on the fast one.
    """

    def __init__(self, model: PreTrainedModel, renderer: ChatRenderer, *, max_context: int, source: str = "") -> None:
        self.model = model
        self.renderer = renderer
        self.max_context = max_context
        self.source = source
        self.reason = unsupported(model, max_context=max_context)
        self._decoder = None if self.reason else Decoder(model)

    @classmethod
    def on(cls, loaded: LoadedModel, *, max_context: int, seed: int) -> RewardModel:
        """A new score on a copy of a causal model; `seed` decides its first weights."""
        model = to_classifier(loaded.model, seed=seed)
        return cls(model, loaded.renderer, max_context=max_context, source=loaded.source)

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return next(self.model.parameters()).device

    @property
    def scale(self) -> Scale:
        """What was measured at the end of training; mean 0 and deviation 1 where nothing was."""
        known = getattr(self.model.config, SCALE, None) or {}
        return Scale(mean=float(known.get("mean", 0.0)), deviation=float(known.get("deviation", 1.0)))

    def conversation(self, prompt: Sequence[Message], answer: str) -> tuple[int, ...]:
        """Token ids of the conversation as the chat template writes it, whatever it writes after the answer included.

        Raises InputError where the template refuses it.
        """
        from jinja2 import TemplateError

        messages = (*prompt, Message(role="assistant", content=answer))
        chat: list[Any] = [{"role": message.role, "content": message.content} for message in messages]
        try:
            text = self.renderer.tokenizer.apply_chat_template(chat, tokenize=False)
        except TemplateError as error:
            roles = " -> ".join(message.role for message in messages)
            raise InputError(f"the chat template refuses the conversation: {error}", received=roles) from error
        assert isinstance(text, str)
        return self.renderer.encode(text)

    def refuse_special(self, prompt: Sequence[Message], answer: str) -> None:
        """Raise SpecialTokensError where a message or the answer holds the text of a special token.

        Not for what is only scored: there the special tokens of an answer are taken out.
        """
        self.renderer.refuse_special((*prompt, Message(role="assistant", content=answer)))

    def scores(self, tokens: PackedTokens, rows: Tensor) -> Tensor:
        """Scores (M,) at the packed `rows` (M,), fp32 with gradient."""
        head: Any = self.model.score
        return scalar_head(self._hidden(tokens, rows), head.weight)

    @torch.no_grad()
    def score_groups(
        self, groups: Sequence[Sequence[Sequence[int]]], *, max_tokens: int = MAX_TOKENS
    ) -> list[list[float]]:
        """The score of every sequence of token ids; those of a group share the beginning that they have in common.

        A row's score is the same alone and in any batch, but for rounding. Raises InputError where a sequence is
        longer than `max_context`.
        """
        longest = max((len(one) for group in groups for one in group), default=0)
        if longest > self.max_context:
            raise InputError(
                "a conversation does not fit into the reward model's context",
                received=f"{longest} tokens",
                instead=f"at most {self.max_context}, or a larger max_context",
            )
        found: list[list[float]] = []
        self.model.eval()
        for part in in_parts(groups, max_tokens):
            tokens, rows = pack_groups(part)
            left = iter(self.scores(tokens.to(self.device), rows.to(self.device)).tolist())
            found += [[next(left) for _ in group] for group in part]
        return found

    def save(self, folder: Path, scale: Scale | None = None) -> None:
        """Write a transformers folder, with what `scale` says of held-out scores. Raises as `save_model` does."""
        if scale is not None:
            setattr(self.model.config, SCALE, {"mean": scale.mean, "deviation": scale.deviation})
        last_id = self.conversation(_PROBE[:1], _PROBE[1].content)[-1]
        save_classifier(self.model, self.renderer.tokenizer, folder, last_id=last_id)

    def _hidden(self, tokens: PackedTokens, rows: Tensor) -> Tensor:
        if self._decoder is not None:
            return self._decoder.hidden(tokens).index_select(0, rows)
        input_ids, attention_mask, places = to_padded(tokens)
        device = tokens.token_ids.device
        body: Any = self.model.base_model
        output = body(input_ids=input_ids.to(device), attention_mask=attention_mask.to(device), use_cache=False)
        place = places.to(device)[rows]
        return output.last_hidden_state[place[:, 0], place[:, 1]]


def load_reward_model(config: ModelConfig, *, whole_context: bool = False) -> RewardModel:
    """The reward model of a run, a folder or a hub name, without gradients.

    With `whole_context` it takes as long a conversation as the model was built for instead of ``config.max_context``.
    Raises InputError: nothing there, no reward model, a context longer than the model's; ResourceError on memory.
    """
    source = resolve(config.model_copy(update={"source": reward_model_source(config.source)}))
    if not isinstance(source, Folder | Hub):
        raise InputError(
            "a reward model comes from a folder or a hub name", received=config.source, instead="a run or a folder"
        )
    folder = source.path if isinstance(source, Folder) else hub_folder(source)
    with explaining_out_of_memory(config), quiet_transformers():
        model, tokenizer = read_classifier(folder, config.dtype)
        limit = getattr(model.config, "max_position_embeddings", None)
        if whole_context and limit:
            config = config.model_copy(update={"max_context": int(limit)})
        check_context(model, config)
        nn.Module.to(model, device=pick_device(config.device))
    model.requires_grad_(False)
    model.eval()
    if not tokenizer.chat_template:
        tokenizer.chat_template = plain_template(tokenizer)
    return RewardModel(model, ChatRenderer(tokenizer), max_context=config.max_context, source=config.source)


def in_parts(groups: Sequence[Sequence[Sequence[int]]], max_tokens: int) -> Iterator[Sequence[Sequence[Sequence[int]]]]:
    """The groups in order, cut into parts of at most `max_tokens` packed tokens and at least one group."""
    start, used = 0, 0
    for place, group in enumerate(groups):
        length = packed_length(group)
        if place > start and used + length > max_tokens:
            yield groups[start:place]
            start, used = place, 0
        used += length
    if start < len(groups):
        yield groups[start:]
