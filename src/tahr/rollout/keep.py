"""Which attempts of a group are worth imitating: rejection sampling.

RAFT (Dong et al. 2023, arXiv:2304.06767) keeps the best of a group, RFT (Yuan et al. 2023, arXiv:2308.01825) the
distinct correct ones, STaR (Zelikman et al. 2022, arXiv:2203.14465) those that reach the right answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tahr.core.seeding import stream
from tahr.core.types import Group, Outcome, Scored
from tahr.rollout.keep_config import KeepConfig
from tahr.rollout.samples import is_truncated

GRAM = 3
"""Tokens in a row by which two attempts are compared."""


def choose(group: Group, config: KeepConfig, *, seed: int) -> tuple[bool, ...]:
    """Whether each attempt of `group` is kept.

    Of attempts with the same text that may be kept one counts: the first, or the shortest where that is preferred.
    `seed` decides among equals.
    """
    worthy = [place for place, scored in enumerate(group.scored) if is_worthy(scored, config)]
    if config.prefer == "shortest":  # the same text may be sampled in other tokens
        worthy.sort(key=lambda place: group.scored[place].trajectory.num_sampled_tokens)
    worthy = sorted(_first_of_each_text(group, worthy))
    if not config.min_pass_rate <= pass_rate(group) <= config.max_pass_rate:
        worthy = []
    stream(seed, "keep", index=0).shuffle(worthy)
    kept = set(_ranked(group, worthy, config)[: config.max_per_task])
    return tuple(place in kept for place in range(len(group.scored)))


def is_worthy(scored: Scored, config: KeepConfig) -> bool:
    """Whether an attempt passes, whole and honest, with the reward asked for.

    To pass an impossible task (a canary) is to cheat, whatever the verifier calls it.
    """
    reward = scored.reward
    if scored.verdict.outcome is not Outcome.PASS or reward is None or is_truncated(scored):
        return False
    enough = config.min_reward is None or reward.value >= config.min_reward
    return enough and not reward.parts.get("canary")


def pass_rate(group: Group) -> float:
    """Share of the judged attempts that pass; 0 where none was judged."""
    judged = [one for one in group.scored if one.reward is not None]
    return sum(one.verdict.outcome is Outcome.PASS for one in judged) / max(len(judged), 1)


def num_duplicates(group: Group) -> int:
    """Attempts that say what an earlier one of the group said."""
    return len(group.scored) - len(list(_first_of_each_text(group, range(len(group.scored)))))


def _first_of_each_text(group: Group, places: Sequence[int]) -> Iterator[int]:
    seen: set[str] = set()
    for place in places:
        text = group.scored[place].text.strip()
        if text not in seen:
            seen.add(text)
            yield place


def _ranked(group: Group, places: Sequence[int], config: KeepConfig) -> list[int]:
    """`places`, which are in a random order, the preferred first."""
    if config.prefer == "shortest":
        return sorted(places, key=lambda place: group.scored[place].trajectory.num_sampled_tokens)
    if config.prefer == "distinct":
        return _least_alike_first(group, places, config.max_per_task)
    return list(places)


def _least_alike_first(group: Group, places: Sequence[int], count: int) -> list[int]:
    """Greedy: after the first, always the one whose nearest neighbour among those chosen is farthest."""
    grams = {place: _grams(group.scored[place]) for place in places}
    nearest = dict.fromkeys(places, 0.0)
    chosen: list[int] = []
    while nearest and len(chosen) < count:
        best = min(nearest, key=lambda place: nearest[place])
        chosen.append(best)
        del nearest[best]
        for place in nearest:
            nearest[place] = max(nearest[place], _likeness(grams[place], grams[best]))
    return chosen


def _grams(scored: Scored) -> frozenset[tuple[int, ...]]:
    ids = [id for turn in scored.trajectory.turns for id in turn.completion.token_ids]
    return frozenset(tuple(ids[start : start + GRAM]) for start in range(max(len(ids) - GRAM + 1, 1)))


def _likeness(left: frozenset[tuple[int, ...]], right: frozenset[tuple[int, ...]]) -> float:
    """Jaccard index: shared over all."""
    return len(left & right) / len(left | right)
