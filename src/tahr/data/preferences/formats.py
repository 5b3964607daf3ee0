"""The formats of preference data: how each is recognised, read and written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from tahr.core.errors import UnknownNameError
from tahr.core.preferences import Pair
from tahr.core.types import Message
from tahr.data.columns import RowError
from tahr.data.preferences.config import Choice
from tahr.data.preferences.hh import is_dialogue, read_dialogues, write_dialogues
from tahr.data.preferences.states import Reading, RowState
from tahr.data.preferences.two_answers import conversation, read_two_answers
from tahr.data.preferences.ultrafeedback import read_completions

Values = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """What a reader may need where a row holds more than two answers.

    Example: ``ReadOptions(choice="best_vs_worst", min_margin=0.5, seed=0)``
    """

    choice: Choice = "best_vs_random"
    min_margin: float = 0.0
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One format: `read` raises RowError on a broken row, `write` is None where it can only be read.

    Example: ``FORMATS["hh"].write(pair)``
    """

    recognises: Callable[[Values], bool]
    read: Callable[[Values, ReadOptions], Reading]
    write: Callable[[Pair], dict[str, Any]] | None


def _read_own(values: Values, _: ReadOptions) -> Reading:
    provenance = values.get("provenance")
    prompt, chosen, rejected = conversation(values)
    checked = read_two_answers(
        {"prompt": values["prompt"], "margin": values.get("margin"), "chosen": chosen, "rejected": rejected}
    )
    if checked.state is not RowState.PAIR:
        return checked
    if not isinstance(provenance, dict):
        raise RowError("no provenance")
    own = cast("dict[str, Any]", provenance)
    pair = Pair(prompt=prompt, chosen=chosen, rejected=rejected, margin=checked.pairs[0].margin, provenance=own)
    return Reading(pairs=(pair,), state=RowState.PAIR)


def _write_own(pair: Pair) -> dict[str, Any]:
    return {
        "id": pair.id,
        "prompt": _tables(pair.prompt),
        "chosen": pair.chosen,
        "rejected": pair.rejected,
        "margin": pair.margin,
        "provenance": dict(pair.provenance),
    }


def _write_ultrafeedback(pair: Pair) -> dict[str, Any]:
    return {
        "prompt": pair.prompt[-1].content,
        "prompt_id": pair.prompt_id,
        **_conversations(pair),
        "score_chosen": pair.provenance.get("chosen_rating"),
        "score_rejected": pair.provenance.get("rejected_rating"),
        **_known(pair, "margin", "source", "chosen_model", "rejected_model"),
    }


def _write_tulu(pair: Pair) -> dict[str, Any]:
    names = ("margin", "source", "chosen_model", "rejected_model", "chosen_rating", "rejected_rating")
    return {"id": pair.id, "prompt": pair.prompt[-1].content, **_conversations(pair), **_known(pair, *names)}


def _write_plain(pair: Pair) -> dict[str, Any]:
    single = len(pair.prompt) == 1 and pair.prompt[0].role == "user"
    prompt = pair.prompt[0].content if single else _tables(pair.prompt)
    return {"prompt": prompt, "chosen": pair.chosen, "rejected": pair.rejected, **_known(pair, "margin")}


def _conversations(pair: Pair) -> dict[str, Any]:
    before = _tables(pair.prompt)
    sides = {"chosen": pair.chosen, "rejected": pair.rejected}
    return {name: [*before, {"role": "assistant", "content": text}] for name, text in sides.items()}


def _known(pair: Pair, *names: str) -> dict[str, Any]:
    values = {**pair.provenance, "margin": pair.margin}
    return {name: values[name] for name in names if values.get(name) is not None}


def _tables(messages: tuple[Message, ...]) -> list[dict[str, str]]:
    return [{"role": message.role, "content": message.content} for message in messages]


def _two_answers(values: Values, _: ReadOptions) -> Reading:
    return read_two_answers(values)


FORMATS: Mapping[str, Format] = {
    "tahr": Format(
        recognises=lambda values: isinstance(values.get("prompt"), list) and "provenance" in values,
        read=_read_own,
        write=_write_own,
    ),
    "ultrafeedback_raw": Format(
        recognises=lambda values: "instruction" in values and isinstance(values.get("completions"), list),
        read=lambda values, how: read_completions(values, choice=how.choice, min_margin=how.min_margin, seed=how.seed),
        write=None,
    ),
    "hh": Format(
        recognises=lambda values: "prompt" not in values and is_dialogue(values.get("chosen")),
        read=lambda values, _: read_dialogues(values),
        write=write_dialogues,
    ),
    "ultrafeedback": Format(
        recognises=lambda values: isinstance(values.get("chosen"), list) and "score_chosen" in values,
        read=_two_answers,
        write=_write_ultrafeedback,
    ),
    "tulu": Format(
        recognises=lambda values: isinstance(values.get("chosen"), list) and isinstance(values.get("rejected"), list),
        read=_two_answers,
        write=_write_tulu,
    ),
    "plain": Format(
        recognises=lambda values: {"prompt", "chosen", "rejected"} <= set(values), read=_two_answers, write=_write_plain
    ),
}
"""Every format by name, in the order in which they are tried on a row whose format nobody named."""


def find_format(name: str) -> Format:
    """The format called `name`. Raises UnknownNameError."""
    if name not in FORMATS:
        raise UnknownNameError("format of pairs", name, ("auto", *FORMATS))
    return FORMATS[name]


def recognise(values: Values) -> str | None:
    """The name of the format of a row; None where it is like none."""
    return next((name for name, one in FORMATS.items() if one.recognises(values)), None)
