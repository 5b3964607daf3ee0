"""Sets of pairs without those that hold a question of the evaluation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tahr.core.preferences import Pair
from tahr.data.preferences.sets import PairSet
from tahr.recipe.decontamination import Kind
from tahr.recipe.session import Session


def clean_pairs(session: Session, sets: Mapping[str, PairSet], *, stage: str, built: str = "") -> dict[str, PairSet]:
    """The sets of a stage, cleaned. Raises InputError where the recipe refuses contaminated sources.

    The set `built` asks the run's own training tasks, and so is looked through for held-out ones where these are.
    """
    kinds: dict[str, Kind] = {name: "built" if name == built else "pairs" for name in sets}
    return {name: _clean(session, kinds[name], f"{stage}.{name}", one) for name, one in sets.items()}


def _clean(session: Session, kind: Kind, name: str, pairs: PairSet) -> PairSet:
    kept = session.without_questions(kind, name, (*pairs.train, *pairs.validation), text=_text, place=_place)
    ids = {pair.id for pair in kept}
    train, validation = (tuple(pair for pair in part if pair.id in ids) for part in (pairs.train, pairs.validation))
    return replace(pairs, train=train, validation=validation)


def _text(pair: Pair) -> str:
    return "\n".join((*(message.content for message in pair.prompt), pair.chosen, pair.rejected))


def _place(pair: Pair) -> str:
    return f"pair {pair.id}"
