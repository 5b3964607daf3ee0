"""What is known of a recipe's pairs before the run: their number, their lengths, what would be left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from tahr.core.preferences import Pair
from tahr.data.preferences.config import PairSetConfig
from tahr.data.preferences.sets import PairSet, load_pair_sets
from tahr.data.shards import find_shards
from tahr.recipe.findings import Findings
from tahr.recipe.prompts import CHARACTERS_PER_TOKEN, TEMPLATE_TOKENS, UNKNOWN_TOKENS, renderer_at_hand
from tahr.recipe.schema import Recipe
from tahr.training.pairs import encode_pairs

if TYPE_CHECKING:
    from tahr.models.chat import ChatRenderer

NUM_COUNTED = 200
"""Pairs of a set whose tokens are counted."""

FEW_KEPT = 0.5
"""A set of which more than this share would be left out is warned of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairFacts:
    """One set of pairs. `tokens` is the mean of a sample, prompts counted once; `left_out` says what of that sample
    can't be learnt from.

    Example: ``PairFacts(name="tulu", num_train=950, num_validation=50, weight=1.0, tokens=812.0, left_out="")``
    """

    name: str
    num_train: int
    num_validation: int
    weight: float
    tokens: float
    left_out: str


def measure_pairs(recipe: Recipe, findings: Findings) -> tuple[PairFacts, ...]:
    """Facts of every set of ``[dpo.pairs]`` that is at hand; files what can't be read or is mostly left out."""
    if recipe.dpo is None or not recipe.dpo.pairs:
        return ()
    at_hand = {name: one for name, one in recipe.dpo.pairs.items() if _is_at_hand(f"dpo.pairs.{name}", one, findings)}
    sets = findings.try_to("dpo.pairs", lambda: load_pair_sets(at_hand, where="dpo.pairs")) or {}
    renderer = renderer_at_hand(recipe.model) if sets else None
    facts = [_facts(recipe, one, renderer, findings) for one in sets.values()]
    built = recipe.dpo.build is not None and recipe.dpo.build.validation_percent > 0
    if facts and not built and not any(one.num_validation for one in facts):
        findings.warn("dpo.pairs", "no pair is held out: nothing will show whether what is learnt carries over")
    return tuple(facts)


def pair_tokens(facts: Sequence[PairFacts]) -> float:
    """Mean tokens of a pair over the mixture; `UNKNOWN_TOKENS` where no set is at hand."""
    weight = sum(one.weight for one in facts)
    return sum(one.weight * one.tokens for one in facts) / weight if weight else UNKNOWN_TOKENS


def _is_at_hand(where: str, config: PairSetConfig, findings: Findings) -> bool:
    """Whether the set can be read without a download; where not, that is said."""
    if Path(config.source).expanduser().exists():
        return True
    shards = findings.try_to(
        where,
        lambda: find_shards(
            config.source, split=config.split, config=config.config, revision=config.revision, download=False
        ),
    )
    if shards == []:
        findings.warn(
            where,
            f"is not in the local hub cache: {UNKNOWN_TOKENS:,.0f} tokens are assumed of each pair",
            received=config.source,
            instead=f"download it first: hf download --repo-type dataset {config.source}",
        )
    return bool(shards)


def _facts(recipe: Recipe, pairs: PairSet, renderer: ChatRenderer | None, findings: Findings) -> PairFacts:
    where = f"dpo.pairs.{pairs.name}"
    sample = pairs.train[:: max(1, len(pairs.train) // NUM_COUNTED)][:NUM_COUNTED]
    lengths = [_guess(pair) for pair in sample]
    left_out = ""
    if renderer is not None:
        encoded = encode_pairs(sample, renderer, max_context=recipe.model.max_context)
        lengths = [len(one.prompt) + sum(map(len, one.answers)) for one in encoded.pairs]
        left_out = encoded.left_out
    if not lengths or len(lengths) < FEW_KEPT * len(sample):
        report = findings.warn if lengths else findings.conflict
        report(
            where,
            f"{len(sample) - len(lengths)} of {len(sample)} pairs looked at can't be learnt from",
            received=left_out or pairs,
            instead="a larger model.max_context, or other pairs",
        )
    return PairFacts(
        name=pairs.name,
        num_train=len(pairs.train),
        num_validation=len(pairs.validation),
        weight=pairs.weight,
        tokens=fmean(lengths) if lengths else 0.0,
        left_out=left_out,
    )


def _guess(pair: Pair) -> float:
    """Tokens from characters."""
    characters = sum(len(message.content) for message in pair.prompt) + len(pair.chosen) + len(pair.rejected)
    return TEMPLATE_TOKENS + characters / CHARACTERS_PER_TOKEN
