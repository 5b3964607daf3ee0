"""The stage ``dpo``."""

from __future__ import annotations

from collections.abc import Mapping

from tahr.core.errors import InputError
from tahr.data.mixture import Mixture
from tahr.data.preferences.sets import PairSet, keep_apart, load_pair_sets
from tahr.models.folder import cache_folder
from tahr.recipe.session import Session
from tahr.recipe.stages.built_pairs import built_pairs
from tahr.recipe.stages.clean_pairs import clean_pairs
from tahr.recipe.stages.stage import Place
from tahr.training.dpo import Dpo
from tahr.training.pairs import Encoded, EncodedPair, encode_pairs

CACHE = "reference_logprobs"


def train_dpo(session: Session, place: Place) -> None:
    """Preference tuning on pairs of answers."""
    config = session.recipe.dpo
    assert config is not None  # the recipe's check refuses a stage without its section
    sets = load_pair_sets(config.pairs, where="dpo.pairs") if config.pairs else {}
    if config.build is not None:
        built = built_pairs(session, place, config.build)
        if built is None:  # a stop was asked for; what was answered so far is kept
            return
        sets = keep_apart({**sets, "build": built})
    sets = clean_pairs(session, sets, stage="dpo", built="build" if config.build is not None else "")
    train = {name: _train(session, name, one) for name, one in sets.items()}
    validation = [pair for name, one in sets.items() for pair in _encode(session, name, one, "validation").pairs]
    Dpo(
        config=config,
        policy=place.policy,
        draws=_draws(session, train, {name: one.weight for name, one in sets.items()}),
        num_train=sum(map(len, train.values())),
        validation=validation,
        run=session.run,
        progress=session.progress,
        stop=session.stop,
        cache=cache_folder() / CACHE,
        max_context=session.recipe.model.max_context,
        run_seed=session.recipe.seed,
        cursor=place.cursor,
        name=str(place.saved.state["reference"]) if place.saved else "",
    ).train(first_step=place.first_step)


def _train(session: Session, name: str, pairs: PairSet) -> tuple[EncodedPair, ...]:
    """The pairs of a set to train on. Raises InputError with what became of its rows where there is none."""
    found = _encode(session, name, pairs, "train")
    if not found.pairs:
        raise InputError(
            f"{_place_of(name, session)} has no pair to learn from",
            received=f"{pairs}; left out: {found.left_out}" if found.left_out else pairs,
            instead="a larger model.max_context, other pairs, or without this set",
        )
    return found.pairs


def _encode(session: Session, name: str, pairs: PairSet, split: str) -> Encoded:
    found = encode_pairs(
        pairs.train if split == "train" else pairs.validation,
        session.loaded.renderer,
        max_context=session.recipe.model.max_context,
    )
    left_out = f"; left out: {found.left_out}" if found.left_out else ""
    session.progress.message(f"{_place_of(name, session)}: {len(found.pairs)} pairs for {split}{left_out}")
    return found


def _draws(
    session: Session, train: Mapping[str, tuple[EncodedPair, ...]], weights: Mapping[str, float]
) -> Mixture[EncodedPair]:
    """The order of training."""
    return Mixture(train, weights, seed=session.recipe.seed + session.recipe.stages.index("dpo"))


def _place_of(name: str, session: Session) -> str:
    """Where the recipe names a set."""
    config = session.recipe.dpo
    return f"dpo.pairs.{name}" if config is not None and name in config.pairs else f"dpo.{name}"
