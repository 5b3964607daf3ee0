"""What is known of a reward model's pairs before the run, and what contradicts itself in ``[reward_model]``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from tahr.core.preferences import Pair
from tahr.data.preferences.sets import load_pair_sets
from tahr.data.task_pairs import task_pairs
from tahr.recipe.findings import Findings
from tahr.recipe.parts import Parts
from tahr.recipe.prompts import CHARACTERS_PER_TOKEN, TEMPLATE_TOKENS, UNKNOWN_TOKENS
from tahr.recipe.schema import Recipe
from tahr.training.reward_model_config import RewardModelConfig

NUM_COUNTED = 50
"""Pairs of a set, or tasks, whose lengths are looked at."""

HIGH_RATE = 5e-4
"""Above this even adapters forget what the model knew."""


def find_reward_model_conflicts(config: RewardModelConfig, findings: Findings) -> None:
    """File what contradicts itself in the section."""
    if not config.pairs and not config.tasks:
        findings.conflict(
            "reward_model",
            "nothing to learn from",
            instead="[reward_model.pairs.NAME] with a source, or tasks = [...], whose gold answers are set against "
            "wrong ones",
        )
    if config.evaluate_every > config.steps:
        findings.warn("reward_model.evaluate_every", "longer than the stage: no measurement happens within it")
    if config.pairs and not config.tasks and not any(one.validation_percent for one in config.pairs.values()):
        findings.warn(
            "reward_model.pairs", "no pair is held out: nothing will show whether what is learnt carries over"
        )
    if config.learning_rate > HIGH_RATE:
        findings.warn(
            "reward_model.learning_rate",
            "far above what reward models are trained with",
            received=config.learning_rate,
            instead="about 1e-5 for all weights, 1e-4 for adapters",
        )


def reward_pair_tokens(recipe: Recipe, parts: Parts, findings: Findings) -> float:
    """Mean tokens of a pair, its prompt counted once, guessed from characters; UNKNOWN_TOKENS without any at hand.

    Files pair sets that can't be read and tasks that give no pair.
    """
    config = recipe.reward_model
    if config is None:
        return 0.0
    here = {name: one for name, one in config.pairs.items() if Path(one.source).expanduser().exists()}
    for name in config.pairs.keys() - here.keys():
        findings.warn(
            f"reward_model.pairs.{name}",
            f"is not on this disk: {UNKNOWN_TOKENS:,.0f} tokens are assumed of each pair",
            received=config.pairs[name].source,
        )
    sets = findings.try_to("reward_model.pairs", lambda: load_pair_sets(here, where="reward_model.pairs")) or {}
    for name, one in sets.items():
        if not one.train:
            findings.conflict(
                f"reward_model.pairs.{name}",
                "no pair to learn from",
                received=one,
                instead="other pairs, or fewer held out",
            )
    means: list[tuple[float, float]] = [(one.weight, _mean_tokens(one.train)) for one in sets.values() if one.train]
    for name in config.tasks:
        if name in parts.sets:
            pairs = list(task_pairs(parts.sets[name].train[:NUM_COUNTED], parts.verifiers, seed=recipe.seed))
            means += [(1.0, _mean_tokens(pairs))] if pairs else []
            if not pairs:
                findings.conflict(
                    "reward_model.tasks",
                    f"no gold answer of {name!r} is wrong for another of its tasks",
                    instead="a task set with answers of its own for each task",
                )
    weight = sum(one for one, _ in means)
    return sum(one * mean for one, mean in means) / weight if weight else UNKNOWN_TOKENS


def _mean_tokens(pairs: Sequence[Pair]) -> float:
    counted = pairs[:: max(1, len(pairs) // NUM_COUNTED)]
    return TEMPLATE_TOKENS + fmean(map(_num_characters, counted)) / CHARACTERS_PER_TOKEN


def _num_characters(pair: Pair) -> int:
    return sum(len(message.content) for message in pair.prompt) + len(pair.chosen) + len(pair.rejected)
