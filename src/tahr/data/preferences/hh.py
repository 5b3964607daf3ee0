"""The dialogues of HH (Bai et al. 2022): two transcripts that differ in their last answer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tahr.core.errors import InputError
from tahr.core.preferences import Pair
from tahr.data.columns import RowError
from tahr.data.preferences.states import Reading
from tahr.data.preferences.two_answers import read_two_answers

_SPEAKER = re.compile(r"\n\n(Human|Assistant):")
_NAMES = {"user": "Human", "assistant": "Assistant"}


def read_dialogues(values: Mapping[str, Any]) -> Reading:
    """The pair of two transcripts. Raises RowError where one is no transcript or does not end with an answer."""
    both = {name: _turns(values.get(name), name) for name in ("chosen", "rejected")}
    return read_two_answers({**values, "prompt": None, **both})


def is_dialogue(text: Any) -> bool:
    """Whether a text begins as a transcript does."""
    return isinstance(text, str) and _SPEAKER.match(text) is not None


def write_dialogues(pair: Pair) -> dict[str, Any]:
    """Both transcripts. Raises InputError where the prompt has a role that transcripts lack, or their marks in it."""
    texts = [message.content for message in pair.prompt] + [pair.chosen, pair.rejected]
    faulty = [message.role for message in pair.prompt if message.role not in _NAMES]
    if faulty or any(_SPEAKER.search(text) for text in texts):
        raise InputError(
            f"the pair {pair.id} can't be told as a transcript of Human and Assistant",
            received=f"a message of the {faulty[0]}" if faulty else "a text with such a mark in it",
            instead="another format: tahr, tulu or ultrafeedback",
        )
    before = "".join(f"\n\n{_NAMES[message.role]}: {message.content}" for message in pair.prompt)
    return {
        name: f"{before}\n\nAssistant: {text}" for name, text in (("chosen", pair.chosen), ("rejected", pair.rejected))
    }


def _turns(text: Any, name: str) -> list[dict[str, str]]:
    """The messages of a transcript, without the one space after each speaker's colon."""
    if not is_dialogue(text):
        raise RowError(f"{name!r} is no transcript of Human and Assistant")
    _, *parts = _SPEAKER.split(text)
    roles = {name: role for role, name in _NAMES.items()}
    return [
        {"role": roles[speaker], "content": said.removeprefix(" ")}
        for speaker, said in zip(parts[::2], parts[1::2], strict=True)
    ]
