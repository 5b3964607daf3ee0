"""Rows that hold two answers under `chosen` and `rejected`: as texts, or as whole conversations."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, cast

from tahr.core.preferences import Pair
from tahr.core.types import Message
from tahr.data.columns import RowError, is_missing, message_of
from tahr.data.preferences.states import Reading, RowState, no_pair

_RATINGS = ("{}_rating", "{}-rating", "score_{}", "{}_score")
_KEPT = ("source", "id", "prompt_id", "chosen_model", "rejected_model", "chosen-model", "rejected-model")


class DifferentPromptsError(Exception):
    """The two conversations of a row are not answers to one prompt."""


def read_two_answers(values: Mapping[str, Any]) -> Reading:
    """The pair of a row, its ratings under any of the names in use. Raises RowError where a part is missing."""
    try:
        prompt, chosen, rejected = conversation(values)
    except DifferentPromptsError as error:
        return no_pair(RowState.DIFFERENT_PROMPTS, str(error))
    if chosen == rejected:
        return no_pair(RowState.IDENTICAL, "both answers are the same text")
    ratings = {side: _rating(values, side) for side in ("chosen", "rejected")}
    margin = _number(values.get("margin"), "margin")
    high, low = ratings["chosen"], ratings["rejected"]
    if high is not None and low is not None:
        margin = high - low
    if margin is not None and margin <= 0:
        state = RowState.TIE if margin == 0 else RowState.CONTRADICTED
        return no_pair(state, f"rated {high} and {low}" if high is not None else f"margin {margin}")
    provenance = {key.replace("-", "_"): values[key] for key in _KEPT if values.get(key) is not None}
    provenance |= {f"{side}_rating": value for side, value in ratings.items() if value is not None}
    for key in ("id", "prompt_id"):
        if key in provenance:
            provenance[f"source_{key}"] = provenance.pop(key)
    pair = Pair(prompt=prompt, chosen=chosen, rejected=rejected, margin=margin, provenance=provenance)
    return Reading(pairs=(pair,), state=RowState.PAIR)


def conversation(values: Mapping[str, Any]) -> tuple[tuple[Message, ...], str, str]:
    """Prompt and both answers. Conversations give their own prompt, an answer alone is one to the prompt's column.

    Raises RowError for a part that is missing, DifferentPromptsError where the conversations part too early.
    """
    prompt = _prompt(values.get("prompt"), values.get("system"))
    before_chosen, chosen = _answer(values.get("chosen"), "chosen")
    before_rejected, rejected = _answer(values.get("rejected"), "rejected")
    if before_chosen != before_rejected:
        raise DifferentPromptsError("the conversations differ before the last answer")
    prompt = before_chosen or prompt
    if not prompt:
        raise RowError("no prompt")
    return prompt, chosen, rejected


def _prompt(value: Any, system: Any) -> tuple[Message, ...]:
    if not is_missing(system) and not isinstance(system, str):
        raise RowError(f"'system' holds no text but {type(system).__name__}: {repr(system)[:80]}")
    first = (Message(role="system", content=system),) if isinstance(system, str) and system.strip() else ()
    if isinstance(value, list):
        return first + tuple(message_of(item) for item in cast("list[Any]", value))
    if isinstance(value, str) and value.strip():
        return (*first, Message(role="user", content=value))
    return ()


def _answer(value: Any, name: str) -> tuple[tuple[Message, ...], str]:
    """What a conversation says before its last message, and that message; nothing before a text alone."""
    if isinstance(value, str) and value.strip():
        return (), value
    if not isinstance(value, list) or not value:
        raise RowError(f"no answer in {name!r}")
    messages = tuple(message_of(item) for item in cast("list[Any]", value))
    if messages[-1].role != "assistant":
        raise RowError(f"{name!r} ends with a message of the {messages[-1].role}")
    return messages[:-1], messages[-1].content


def _rating(values: Mapping[str, Any], side: str) -> float | None:
    name = next((form.format(side) for form in _RATINGS if values.get(form.format(side)) is not None), None)
    return None if name is None else _number(values[name], name)


def _number(value: Any, name: str) -> float | None:
    """A finite number, None for none. Raises RowError for anything else."""
    if value is None or value == "":
        return None
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise RowError(f"{name} is no number: {repr(value)[:80]}")
    return number
