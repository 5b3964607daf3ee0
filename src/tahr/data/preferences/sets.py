"""Named sets of pairs for training: read, drawn from, and split so that no prompt is on two sides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tahr.core.errors import InputError
from tahr.core.preferences import Pair, content_id
from tahr.data.preferences.config import PairSetConfig
from tahr.data.preferences.files import PairFile, read_pairs
from tahr.data.preferences.formats import ReadOptions
from tahr.data.preferences.states import told_rows
from tahr.data.splits import NUM_BUCKETS, bucket_of, question_key


@dataclass(frozen=True, slots=True, kw_only=True)
class PairSet:
    """A named set of pairs in two splits that share no prompt.

    `read` is what the source gave before anything was drawn; `num_moved` counts pairs left out of training because
    another set holds their prompt out.

    Example: ``PairSet(name="tulu", train=(pair,), validation=(), weight=1.0, read=pair_file)``
    """

    name: str
    train: tuple[Pair, ...]
    validation: tuple[Pair, ...]
    weight: float
    read: PairFile
    num_moved: int = 0

    def __str__(self) -> str:
        """What became of the rows, for people."""
        sides = {"to train on": len(self.train), "held out": len(self.validation), "held out by others": self.num_moved}
        told = ", ".join(f"{count:,} {side}" for side, count in sides.items() if count or side == "to train on")
        return f"{told_rows(self.read.counts)}; pairs: {told}"


def load_pair_sets(configs: Mapping[str, PairSetConfig], *, where: str) -> dict[str, PairSet]:
    """The sets under their names. No prompt that one set holds out is trained on through another.

    Raises InputError that names the section, such as ``dpo.pairs.tulu``, for a source that can't be read.
    """
    sets = {name: _load(name, config, f"{where}.{name}") for name, config in configs.items()}
    return keep_apart(sets)


def keep_apart(sets: Mapping[str, PairSet]) -> dict[str, PairSet]:
    """The sets, without training pairs whose prompt one of them holds out."""
    held_out = {question_key(pair.prompt) for one in sets.values() for pair in one.validation}
    return {name: _without(one, held_out) for name, one in sets.items()}


def split_pairs(
    pairs: Sequence[Pair], validation_percent: int, *, within: bool = False
) -> tuple[tuple[Pair, ...], tuple[Pair, ...]]:
    """Training and validation pairs; the prompt's text alone decides.

    `within`: the prompts are of training tasks, on one side of a split already.
    """
    limit = validation_percent * NUM_BUCKETS
    sides = [bucket_of(pair.prompt, within=within) * 100 < limit for pair in pairs]
    train, validation = (
        tuple(p for p, held in zip(pairs, sides, strict=True) if held is side) for side in (False, True)
    )
    return train, validation


def draw_pairs(pairs: Sequence[Pair], count: int | None, seed: int) -> tuple[Pair, ...]:
    """`count` of the pairs in their order. What is drawn depends on each pair's content, never on its place."""
    if count is None or count >= len(pairs):
        return tuple(pairs)
    lucky = sorted(pairs, key=lambda pair: content_id(str(seed), pair.id))[:count]
    names = {pair.id for pair in lucky}
    return tuple(pair for pair in pairs if pair.id in names)


def _load(name: str, config: PairSetConfig, where: str) -> PairSet:
    options = ReadOptions(choice=config.choice, min_margin=config.min_margin, seed=config.seed)
    try:
        read = read_pairs(
            config.source,
            config.format,
            columns=config.columns,
            split=config.split,
            config=config.config,
            revision=config.revision,
            options=options,
        )
    except InputError as error:
        raise InputError(f"{where}: {error.wrong}", received=error.received, instead=error.instead) from error
    drawn = draw_pairs(read.pairs, config.count, config.seed)
    train, validation = split_pairs(drawn, config.validation_percent)
    return PairSet(name=name, train=train, validation=validation, weight=config.weight, read=read)


def _without(pairs: PairSet, held_out: set[str]) -> PairSet:
    train = tuple(pair for pair in pairs.train if question_key(pair.prompt) not in held_out)
    return replace(pairs, train=train, num_moved=len(pairs.train) - len(train))
