"""How the rows of the common formats become conversations.

Every reader takes a row's values and the columns' names, and gives the messages with a flag for each: whether the
row lets it be learnt. OpenAI's ``weight = 0`` on an assistant's message takes that message out of the loss.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from tahr.core.errors import InputError, UnknownNameError
from tahr.core.json_text import HALF, has_half_character, parse_json
from tahr.core.types import Message, Role
from tahr.data.columns import RowError

Flagged = list[tuple[Message, bool]]
"""Messages, and whether each may be learnt."""

ROLES: Mapping[str, Role] = {
    "system": "system",
    "developer": "system",  # OpenAI's later name of it
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
}
SPEAKERS: Mapping[str, Role] = {
    **ROLES,
    "human": "user",
    "gpt": "assistant",
    "chatgpt": "assistant",
    "model": "assistant",
    "observation": "tool",
}
"""Whom ShareGPT's "from" names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A format: its columns by what they hold (needed, and read where there), and its reader.

    Example: ``FORMATS["alpaca"].columns == ("instruction", "output")``
    """

    columns: tuple[str, ...]
    optional: tuple[str, ...]
    read: Callable[[Mapping[str, Any], Mapping[str, str]], Flagged]

    def names(self, given: Mapping[str, str]) -> dict[str, str]:
        """What each column is called, `given` before its own name. Raises UnknownNameError for no such column."""
        own = (*self.columns, *self.optional)
        for name in given:
            if name not in own:
                raise UnknownNameError("column of the format", name, own)
        return {name: given.get(name, name) for name in own}


def recognise(values: Mapping[str, Any], given: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """The format of a row, and its columns' names: by columns, and by the keys of the turns in them.

    Raises InputError where the row fits none.
    """
    turns = given.get("messages") or given.get("conversations")
    for column in (turns,) if turns else ("messages", "conversations", "conversation", "dialogue"):
        first = next(iter(_list(values.get(column))), None)
        if isinstance(first, Mapping):
            if "role" in first:
                return "messages", FORMATS["messages"].names(_without(given, "conversations") | {"messages": column})
            if "from" in first:
                return "sharegpt", FORMATS["sharegpt"].names(_without(given, "messages") | {"conversations": column})
    for name in ("prompt_completion", "alpaca"):
        one = FORMATS[name]
        if all(given.get(column, column) in values for column in one.columns):
            return name, one.names(given)
    raise InputError(
        "no format fits the first row",
        received=f"columns {', '.join(sorted(values))}",
        instead="format = 'messages', 'prompt_completion', 'sharegpt' or 'alpaca', with `columns` for other names; "
        + "; ".join(f"{name} has {', '.join(one.columns)}" for name, one in FORMATS.items()),
    )


def _without(given: Mapping[str, str], name: str) -> dict[str, str]:
    return {key: value for key, value in given.items() if key != name}


def _messages(values: Mapping[str, Any], names: Mapping[str, str]) -> Flagged:
    """OpenAI's: a list of {role, content}."""
    return _system(values, names) + _chat(values.get(names["messages"]), names["messages"])


def _prompt_completion(values: Mapping[str, Any], names: Mapping[str, str]) -> Flagged:
    """A question and its answer, each a text or a list of messages; only the completion is learnt."""
    prompt, completion = values.get(names["prompt"]), values.get(names["completion"])
    asked = _chat(prompt, names["prompt"]) if _list(prompt) else [(_of_text("user", prompt, names["prompt"]), True)]
    if _list(completion):
        answered = _chat(completion, names["completion"])
    else:
        answered = [(Message(role="assistant", content=_text(completion, names["completion"])), True)]
    return _system(values, names) + [(message, False) for message, _ in asked] + answered


def _sharegpt(values: Mapping[str, Any], names: Mapping[str, str]) -> Flagged:
    """ShareGPT's: a list of {from, value}, from human, gpt, system and tools."""
    column = names["conversations"]
    turns = [_turn(item, "from", "value", SPEAKERS) for item in _listed(values.get(column), column)]
    return _system(values, names) + turns


def _alpaca(values: Mapping[str, Any], names: Mapping[str, str]) -> Flagged:
    """Alpaca's: an instruction, an input below it where there is one, and the output. No preamble is added."""
    instruction = _of_text("user", values.get(names["instruction"]), names["instruction"])
    given = _optional(values.get(names["input"]), names["input"])
    question = f"{instruction.content}\n\n{given}" if given.strip() else instruction.content
    answer = _text(values.get(names["output"]), names["output"])
    return [
        *_system(values, names),
        (Message(role="user", content=question), False),
        (Message(role="assistant", content=answer), True),
    ]


FORMATS: Mapping[str, Format] = {
    "messages": Format(columns=("messages",), optional=("system",), read=_messages),
    "prompt_completion": Format(columns=("prompt", "completion"), optional=("system",), read=_prompt_completion),
    "sharegpt": Format(columns=("conversations",), optional=("system",), read=_sharegpt),
    "alpaca": Format(columns=("instruction", "output"), optional=("input", "system"), read=_alpaca),
}


def _system(values: Mapping[str, Any], names: Mapping[str, str]) -> Flagged:
    text = _optional(values.get(names["system"]), names["system"])
    return [(Message(role="system", content=text), False)] if text.strip() else []


def _chat(value: Any, column: str) -> Flagged:
    return [_turn(item, "role", "content", ROLES) for item in _listed(value, column)]


def _turn(item: Any, role_key: str, content_key: str, roles: Mapping[str, Role]) -> tuple[Message, bool]:
    if not isinstance(item, Mapping):
        raise RowError(f"a turn is no table with {role_key} and {content_key}: {repr(item)[:80]}")
    turn = cast("Mapping[str, Any]", item)
    role = roles.get(str(turn.get(role_key)))
    if role is None:
        known = ", ".join(roles)
        raise RowError(f"{role_key} is {repr(turn.get(role_key))[:40]}, not one of {known}")
    for key in ("tool_calls", "function_call"):
        if turn.get(key):
            raise RowError(f"a turn has {key}: calls that a template writes from a table can't be learnt from here")
    content = _content(turn.get(content_key), role, content_key)
    weight = turn.get("weight")
    if weight not in (None, 0, 1):
        raise RowError(f"a turn's weight is {weight!r}, neither 0 nor 1")
    return Message(role=role, content=content), role == "assistant" and weight != 0


def _content(value: Any, role: Role, key: str) -> str:
    """A turn's text; what an assistant leaves empty is refused later, anybody else's empty text is malformed."""
    if value is None or value == []:
        raise RowError(f"a turn of {role} has no {key}")
    if isinstance(value, list | tuple):
        value = "".join(map(_part, cast("Iterable[Any]", value)))
    text = _text(value, key)
    if not text.strip() and role != "assistant":
        raise RowError(f"a turn of {role} has no {key}")
    return text


def _part(value: Any) -> str:
    part = cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}
    if part.get("type") != "text" or not isinstance(part.get("text"), str):
        raise RowError(f"a part of a turn is not text: {repr(value)[:80]}")
    return str(part["text"])


def _of_text(role: Role, value: Any, column: str) -> Message:
    text = _text(value, column)
    if not text.strip():
        raise RowError(f"nothing in column {column!r}")
    return Message(role=role, content=text)


def _optional(value: Any, column: str) -> str:
    """The text of a column that may be left out: null, and a table's NaN, are nothing."""
    return "" if value is None or value != value else _text(value, column)


def _text(value: Any, column: str) -> str:
    """The text that it is. A number is none: what wrote it there may have meant another column, or a score."""
    if value is None:
        raise RowError(f"nothing in column {column!r}")
    if not isinstance(value, str):
        raise RowError(f"{column!r} holds no text but {type(value).__name__}: {repr(value)[:80]}")
    if has_half_character(value):
        raise RowError(f"{column!r} holds {HALF}")
    return value


def _listed(value: Any, column: str) -> Sequence[Any]:
    turns = _list(value)
    if not turns:
        raise RowError(f"no list of turns in column {column!r}: {repr(value)[:80]}")
    return turns


def _list(value: Any) -> Sequence[Any]:
    """A list as it is, or from its JSON, which is how tables of text hold one; () for anything else."""
    if isinstance(value, str) and value.lstrip().startswith("[{"):
        try:
            value = parse_json(value)
        except ValueError:
            return ()
    return cast("Sequence[Any]", value) if isinstance(value, list | tuple) else ()
