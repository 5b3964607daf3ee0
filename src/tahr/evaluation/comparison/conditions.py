"""What differs between two evaluations, and whether a difference of their scores means anything.

One thing may differ, and is then what is compared: the weights, or the setting, or how answers were sampled. Where two
differ, nobody can say which of them made the difference.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, get_args

from tahr.core.errors import InputError, UnknownNameError
from tahr.evaluation.comparison.sides import Side
from tahr.evaluation.same_questions import num_judged_otherwise
from tahr.store.records import Conditions

Thing = Literal["weights", "setting", "wording", "temperature", "filters", "max_new_tokens", "request"]
THINGS: tuple[Thing, ...] = get_args(Thing)
_OF_SETTING = {"wording", "max_new_tokens"}


def differing(first: Side, second: Side) -> dict[Thing, tuple[str, str]]:
    """What differs that may move a score, with its two values."""
    one, other = first.conditions, second.conditions
    values: dict[Thing, tuple[str, str]] = {
        "weights": (_weights(one, other), _weights(other, one)),
        "setting": (one.setting, other.setting),
        "wording": (one.wording, other.wording),
        "temperature": (f"{one.temperature:g}", f"{other.temperature:g}"),
        "filters": (one.filters or "none", other.filters or "none"),
        "max_new_tokens": (str(one.max_new_tokens), str(other.max_new_tokens)),
        "request": (one.request or "nothing more", other.request or "nothing more"),
    }
    return {
        thing: values[thing]
        for thing in THINGS
        # a setting has its own words and its own budget of tokens, which count with it
        if values[thing][0] != values[thing][1] and (thing not in _OF_SETTING or one.setting == other.setting)
    }


def check_comparable(first: Side, second: Side, *, allowed: Collection[str] = ()) -> tuple[Thing, ...]:
    """What is compared: the one thing that differs besides those `allowed` to; empty where nothing differs.

    Raises InputError where two or more differ, or an allowed thing is none of `THINGS`.
    """
    for name in allowed:
        if name not in THINGS:
            raise UnknownNameError("condition", name, THINGS)
    found = differing(first, second)
    compared: list[Thing] = [thing for thing in found if thing not in allowed]
    if len(compared) > 1:
        told = "; ".join(f"{thing}: {found[thing][0]} and {found[thing][1]}" for thing in compared)
        raise InputError(
            f"{first.name} and {second.name} can't be compared on {first.suite}: more than one thing differs",
            received=told,
            instead=f"evaluations alike in all but one, or --allow {compared[-1]} to compare them all the same",
        )
    return tuple(compared)


def remarks(first: Side, second: Side) -> list[str]:
    """What else a reader must know: it moves no expected score, but its precision, or what it is about."""
    one, other = first.conditions, second.conditions
    found = [f"{thing} differs: {pair[0]} and {pair[1]}" for thing, pair in differing(first, second).items()]
    if not found:
        found.append("nothing differs but chance: a placebo, which should be near zero")
    if first.evaluation.split != second.evaluation.split:
        found.append(f"splits differ: {first.evaluation.split} and {second.evaluation.split}; common questions count")
    num_otherwise = num_judged_otherwise(first.evaluation, second.evaluation)
    if num_otherwise:
        found.append(
            f"{num_otherwise} questions in the same words are left out: the verifier, the right answer or the "
            "environment differs"
        )
    found += [
        f"{side.name} may have learnt questions of evaluations ({side.conditions.contaminated})"
        for side in (first, second)
        if side.conditions.contaminated
    ]
    if one.samples_per_task != other.samples_per_task:
        found.append(f"attempts at a question differ: {one.samples_per_task} and {other.samples_per_task}")
    if one.seed != other.seed and (one.temperature or other.temperature):
        found.append(f"seeds differ: {one.seed} and {other.seed}")
    return found


def _weights(conditions: Conditions, other: Conditions) -> str:
    """The weights as people know them; by their hash, where both sides have one."""
    origin = conditions.training or conditions.model
    if conditions.weights and other.weights:
        same = conditions.weights == other.weights
        return conditions.weights[:16] if same else f"{origin} ({conditions.weights[:8]})"
    return origin
