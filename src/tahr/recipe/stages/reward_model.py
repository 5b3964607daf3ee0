"""The stage ``reward_model``."""

from __future__ import annotations

from collections.abc import Sequence

from tahr.core.errors import InputError
from tahr.core.preferences import Pair
from tahr.data.mixture import Mixture
from tahr.data.preferences.files import write_pairs
from tahr.data.preferences.sets import load_pair_sets
from tahr.data.task_pairs import task_pairs
from tahr.models.reward import RewardModel
from tahr.models.reward_source import REWARD_FOLDER
from tahr.recipe.session import Session
from tahr.recipe.stages.clean_pairs import clean_pairs
from tahr.recipe.stages.stage import Place
from tahr.training.reward_model import STAGE, RewardModelTraining
from tahr.training.reward_model_config import RewardModelConfig
from tahr.training.scored_pairs import TokenPair, tokenize_pairs

HELD_OUT_NAME = "held_out_pairs.jsonl"
"""Where a run keeps the pairs that its reward model was measured on, and never learnt from."""


def train_reward_model(session: Session, place: Place) -> None:
    """A reward model from pairs, started from the policy; the policy stays as it is."""
    config = session.recipe.reward_model
    assert config is not None  # the recipe's check refuses a stage without its section
    max_context, seed = session.recipe.model.max_context, session.recipe.seed
    model = RewardModel.on(session.loaded, max_context=max_context, seed=seed)
    train, held_out = collect_pairs(session, config)
    sets = {name: _tokenized(session, name, pairs, model) for name, pairs in train.items()}
    weights = {name: config.pairs[name].weight if name in config.pairs else 1.0 for name in sets}
    if held_out:
        write_pairs(session.run.folder / HELD_OUT_NAME, held_out)
    stage = RewardModelTraining(
        config=config,
        policy=place.policy,
        model=model,
        draws=Mixture(sets, weights, seed=seed + session.recipe.stages.index(STAGE)),
        num_train=sum(map(len, sets.values())),
        validation=_tokenized(session, "held-out", held_out, model) if held_out else [],
        run=session.run,
        progress=session.progress,
        stop=session.stop,
        run_seed=seed,
        save_model=lambda scale: model.save(session.run.folder / REWARD_FOLDER, scale),
        cursor=place.cursor,
    )
    if place.saved is not None:
        stage.restore(place.saved.more)
    stage.train(first_step=place.first_step)


def collect_pairs(session: Session, config: RewardModelConfig) -> tuple[dict[str, Sequence[Pair]], list[Pair]]:
    """Pairs to learn from by the name of their set, and all that are held out."""
    sets = clean_pairs(session, load_pair_sets(config.pairs, where="reward_model.pairs"), stage="reward_model")
    for name, one in sets.items():
        if not one.train:
            raise InputError(
                f"reward_model.pairs.{name} has no pair to learn from", received=one, instead="other pairs"
            )
    train: dict[str, Sequence[Pair]] = {name: one.train for name, one in sets.items()}
    held_out = [pair for one in sets.values() for pair in one.validation]
    for name in config.tasks:
        tasks, held_out_tasks = session.training_tasks(name), session.task_sets[name].validation
        train[f"tasks.{name}"] = list(task_pairs(tasks, session.verifiers, seed=session.recipe.seed))
        held_out += task_pairs(held_out_tasks, session.verifiers, seed=session.recipe.seed)
    return train, held_out


def _tokenized(session: Session, name: str, pairs: Sequence[Pair], model: RewardModel) -> list[TokenPair]:
    found, left_out = tokenize_pairs(pairs, model, max_context=model.max_context)
    words = "".join(f", {count} left out {why}" for why, count in left_out.items())
    session.progress.message(f"{name}: {len(found):,} pairs{words}")
    if not found:
        raise InputError(
            f"no pair of {name} can be learnt from",
            received=f"{len(pairs)} pairs{words}",
            instead="a larger model.max_context, or other pairs",
        )
    return found
