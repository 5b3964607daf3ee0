"""Between messages and token ids: the chat template, the stop ids, and appending a turn byte for byte."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tahr.core.errors import InputError
from tahr.core.json_text import HALF, has_half_character
from tahr.core.types import Message

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

PLAIN_TEMPLATE = (
    "{% for message in messages %}{{ message['role'] | capitalize + ':\n' + message['content'] }}"
    "{% if message['role'] == 'assistant' %}{{ eos_token }}{% endif %}{{ '\n\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ 'Assistant:\n' }}{% endif %}"
)
"""For a base model without a template: each message under its role's name, an assistant's closed by the eos token."""

# Stands for an assistant's answer when a template is asked what it writes after one.
_ANSWER = "ANSWER"
_THINKING, _THINKING_END = "<think>", "</think>"
_QUESTION = Message(role="user", content="QUESTION")


class SpecialTokensError(InputError):
    """A message holds a special token's text: it would be read as the end of a turn, or as another's turn."""


def plain_template(tokenizer: PreTrainedTokenizerBase) -> str:
    """`PLAIN_TEMPLATE`, after the beginning-of-sequence token where the tokenizer itself would begin with it."""
    adds_bos = tokenizer.bos_token_id is not None and tokenizer("").input_ids[:1] == [tokenizer.bos_token_id]
    return "{{ bos_token }}" + PLAIN_TEMPLATE if adds_bos else PLAIN_TEMPLATE


class ChatRenderer:
    """The `Renderer` of one tokenizer.

    `stop_token_ids` holds the id by which the template ends an assistant's turn, the tokenizer's eos, and what the
    caller adds (the generation config's), each once. `end_of_turn_id` is the one a policy should end its answer with.
    """

    def __init__(self, tokenizer: PreTrainedTokenizerBase, stop_token_ids: Sequence[int] = ()) -> None:
        self.tokenizer = tokenizer
        self._template = None if tokenizer.chat_template else plain_template(tokenizer)
        self._options: dict[str, Any] = {}
        closing = self._closing_id()
        eos: Any = tokenizer.eos_token_id
        candidates: list[int] = [*(id for id in (closing, eos) if id is not None), *stop_token_ids]
        if not candidates:
            raise InputError(
                "nothing ends an answer: the tokenizer has no eos token and its chat template closes no turn",
                received=tokenizer.name_or_path,
                instead="set eos_token in the folder's tokenizer_config.json",
            )
        self.end_of_turn_id = candidates[0]
        self._stop_token_ids = tuple(dict.fromkeys(candidates))

    def with_thinking(self, thinking: bool) -> ChatRenderer:
        """The same renderer with the template's switch for thinking (``enable_thinking``) on or off.

        Raises InputError where the template has no such switch.
        """
        if "enable_thinking" not in str(self._template or self.tokenizer.chat_template):
            raise InputError(
                "the model's chat template has no switch for thinking (enable_thinking)",
                received=f"thinking = {str(thinking).lower()}",
                instead="a setting without `thinking`, or a model that thinks by its template",
            )
        switched = copy(self)
        switched._options = {**self._options, "enable_thinking": thinking}
        return switched

    def fingerprint(self) -> str:
        """Hash of all that decides which ids messages become: template, options, vocabulary, ends; 16 digits."""
        backend: Any = getattr(self.tokenizer, "backend_tokenizer", None)
        known: Any = json.loads(backend.to_str()) if backend is not None else sorted(self.tokenizer.get_vocab().items())
        if isinstance(known, dict):  # where it was asked to cut or to fill up is a state of use
            known = {**known, "truncation": None, "padding": None}
        special = self.tokenizer.special_tokens_map
        template = self._template or self.tokenizer.chat_template
        all_of_it = json.dumps([template, self._options, special, self._stop_token_ids, known], default=str)
        return hashlib.blake2b(all_of_it.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()

    @property
    def stop_token_ids(self) -> tuple[int, ...]:
        """Ids that end the assistant's turn; the template's own comes first."""
        return self._stop_token_ids

    def render(self, messages: Sequence[Message]) -> tuple[int, ...]:
        """Token ids of a conversation up to the point where the assistant begins to speak.

        The template alone decides about the beginning-of-sequence token. Raises InputError where the template
        refuses the messages, begins with that token twice, or the text has characters that the vocabulary lacks.
        """
        text = self._text(messages, prompt=True)
        ids = self.encode(text)
        bos = self.tokenizer.bos_token_id
        if bos is not None and ids[:2] == (bos, bos):
            raise InputError(
                "the chat template begins with the beginning-of-sequence token twice",
                received=repr(text[:80]),
                instead="remove one of the two from chat_template",
            )
        self._refuse_unknown(text, ids)
        return ids

    def encode(self, text: str) -> tuple[int, ...]:
        """Token ids of `text` alone; nothing is added before or after it. Raises InputError for half of a character."""
        if has_half_character(text):
            raise InputError(
                f"the text holds {HALF}",
                received=repr(text[:80]),
                instead="whole characters, which a tokenizer can read",
            )
        return tuple(self.tokenizer(text, add_special_tokens=False).input_ids)

    def encode_answer(self, text: str) -> tuple[int, ...]:
        """Token ids of an assistant's whole answer, as a policy would sample it: the text, then the end of the turn.

        Raises InputError where the text has characters that the vocabulary lacks.
        """
        ids = self.encode(text)
        self._refuse_unknown(text, ids)
        return (*ids, self.end_of_turn_id)

    def written_answer(self, messages: Sequence[Message]) -> tuple[int, ...]:
        """Token ids of the last message, an assistant's, as the template writes it up to the end of its turn.

        They come after those that `render` gives for the messages before it, and are what every stage learns that is
        given an answer as text. A template may trim the text, or put an empty thought before it. One that begins a
        thought when it asks, or drops thoughts when it writes, is not followed in that: the thought stays, as a policy
        would sample it.

        Raises InputError where the template writes the turn in another way than it asks for one, where the vocabulary
        lacks characters; SpecialTokensError where a message holds the text of special tokens.
        """
        self.refuse_special(messages)
        answer = messages[-1].content
        before = self._text(messages[:-1], prompt=True)
        after = self._text(messages, prompt=False)
        text = after.removeprefix(before)
        opened = before.rstrip().endswith(_THINKING)
        if _THINKING_END in answer and (_THINKING_END not in text if after.startswith(before) else opened):
            return self.encode_answer(answer.lstrip().removeprefix(_THINKING).lstrip("\n") if opened else answer)
        if not after.startswith(before):
            raise InputError(
                "the chat template writes an answer in another way than it asks for one",
                received=f"asked with {before[-60:]!r}, written {after[-60 - len(answer) :][:120]!r}",
                instead="a template whose add_generation_prompt is how it begins an assistant's turn",
            )
        ids = self.encode(text)
        self._refuse_unknown(text, ids)
        if self.end_of_turn_id in ids:
            return ids[: ids.index(self.end_of_turn_id) + 1]
        return (*self.encode(text.rstrip()), self.end_of_turn_id)

    @property
    def special_texts(self) -> tuple[str, ...]:
        """The special tokens as text: where a message holds one, it would be read as more than text."""
        return self._special_texts

    def refuse_special(self, messages: Sequence[Message]) -> None:
        """Raise SpecialTokensError where a message holds the text of a special token."""
        texts = ((mark, message.content) for message in messages for mark in self._special_texts)
        found = next(((mark, text) for mark, text in texts if mark in text), None)
        if found is not None:
            mark, text = found
            place = text.index(mark)
            raise SpecialTokensError(
                "special tokens in the text",
                received=f"{mark!r} in {text[max(0, place - 30) : place + len(mark) + 30]!r}",
                instead="the text without them",
            )

    @cached_property
    def _special_texts(self) -> tuple[str, ...]:
        ends = (str(self.tokenizer.convert_ids_to_tokens(id)) for id in self._stop_token_ids)
        return tuple(sorted({*self.tokenizer.all_special_tokens, *ends} - {str(self.tokenizer.unk_token)}))

    def decode(self, token_ids: Sequence[int]) -> str:
        """Text of sampled ids, special tokens left out and nothing tidied up."""
        return self._decode(token_ids, skip_special_tokens=True)

    def extend(
        self, previous_ids: Sequence[int], messages: Sequence[Message], *, history: Sequence[Message] = ()
    ) -> tuple[int, ...] | None:
        """The next prompt: `previous_ids` (prompt and sampled answer) as they stand, then the new `messages`.

        Where the answer was cut off, the end of its turn is added. `history` is the conversation that `previous_ids`
        stand for, the sampled answer last; without it a stand-in conversation is asked, which has thinking in
        its answer if `previous_ids` have. Returns None where the template would now write the earlier turns differently
        (it drops earlier thinking, moves the system message, ...): then the caller must branch and render afresh.
        """
        rest = self._continuation(history or self._stand_in(previous_ids), messages)
        if rest is None:
            return None
        rest_ids = self.encode(rest)
        last = previous_ids[-1] if previous_ids else None
        if last in self._stop_token_ids and rest_ids[:1] != (last,):
            return None  # the answer ended by another id than the template's
        return (*previous_ids, *(rest_ids[1:] if last in self._stop_token_ids else rest_ids))

    def _stand_in(self, previous_ids: Sequence[int]) -> tuple[Message, Message]:
        thinks = _THINKING_END in self._decode(previous_ids, skip_special_tokens=False)
        opened = self._text([_QUESTION], prompt=True).rstrip().endswith(_THINKING)
        thinking = f"THOUGHT\n{_THINKING_END}\n\n" if thinks else ""
        if thinking and not opened:
            thinking = f"{_THINKING}\n{thinking}"
        return _QUESTION, Message(role="assistant", content=thinking + _ANSWER)

    def _continuation(self, history: Sequence[Message], messages: Sequence[Message]) -> str | None:
        """What the template writes after the last answer of `history`; None where it rewrites what was before."""
        before = self._text(history[:-1], prompt=True)
        after = self._text([*history, *messages], prompt=True)
        # A template that trims the answer leaves the sampled ids as they are: only its white space differs.
        for answer in (history[-1].content, history[-1].content.strip()):
            if after.startswith(before + answer):
                return after.removeprefix(before + answer)
        return None

    def _closing_id(self) -> int | None:
        """The special token that the template writes right after an assistant's answer."""
        text = self._text([_QUESTION, Message(role="assistant", content=_ANSWER)], prompt=False)
        ids = self.encode(text.rpartition(_ANSWER)[2].lstrip())
        return ids[0] if ids and ids[0] in self.tokenizer.added_tokens_decoder else None

    def _text(self, messages: Sequence[Message], *, prompt: bool) -> str:
        from jinja2 import TemplateError

        chat: list[Any] = [{"role": message.role, "content": message.content} for message in messages]
        try:
            text = self.tokenizer.apply_chat_template(
                chat, chat_template=self._template, tokenize=False, add_generation_prompt=prompt, **self._options
            )
        except TemplateError as error:
            raise InputError(
                f"the model's chat template refuses the conversation: {error}",
                received=" -> ".join(message.role for message in messages),
                instead="roles in an order that the template knows (many want no system message, or user first)",
            ) from error
        assert isinstance(text, str)
        return text

    def _decode(self, token_ids: Sequence[int], *, skip_special_tokens: bool) -> str:
        text = self.tokenizer.decode(
            list(token_ids), skip_special_tokens=skip_special_tokens, clean_up_tokenization_spaces=False
        )
        assert isinstance(text, str)
        return text

    def _refuse_unknown(self, text: str, ids: Sequence[int]) -> None:
        """Unknown characters would reach the model as one and the same token, and no answer could hold them."""
        unknown = self.tokenizer.unk_token_id
        if unknown is None or unknown not in ids or str(self.tokenizer.unk_token) in text:
            return
        places = self.tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)["offset_mapping"]
        spans: list[tuple[int, int]] = [span for span, id in zip(places, ids, strict=True) if id == unknown]
        missing = sorted({text[start:end] for start, end in spans})
        raise InputError(
            "the text has characters that the model's vocabulary lacks",
            received=f"{''.join(missing)!r} in {text[:80]!r}",
            instead="add them to model.architecture.alphabet, or choose another task",
        )
