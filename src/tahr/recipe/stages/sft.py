"""The stage ``sft``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from tahr.core.errors import InputError
from tahr.core.types import Task
from tahr.data.chats.chat import Chat, Tally
from tahr.data.chats.read import ChatSet, read_chats
from tahr.data.mixture import Mixture
from tahr.recipe.session import Session
from tahr.recipe.stages.stage import Place
from tahr.training.config import SftConfig
from tahr.training.examples import Example, GoldAnswers, encode_chats
from tahr.training.sft import Sft

MOST_VALIDATED = 500
"""Held-out conversations of one set that a validation loss is taken over."""


def train_sft(session: Session, place: Place) -> None:
    """Supervised fine-tuning on conversations and on the task sets' own gold answers."""
    config, renderer = session.recipe.sft, session.loaded.renderer
    assert config is not None  # the recipe's check refuses a stage without its section
    max_context = session.recipe.model.max_context
    gold = GoldAnswers(renderer=renderer, answer=session.verifiers.gold, max_context=max_context)
    sets: dict[str, Sequence[Task | Example]] = {name: _tasks(session, name, gold) for name in config.tasks}
    held_out: list[Example] = []
    for name in config.chats:
        train, validation = _examples(session, name, config)
        sets[f"chats.{name}"] = train
        held_out += validation
    Sft(
        config=config,
        policy=place.policy,
        draws=mix(config, sets, seed=session.recipe.seed + session.recipe.stages.index("sft")),
        gold=gold.sample,
        run=session.run,
        progress=session.progress,
        stop=session.stop,
        max_context=max_context,
        run_seed=session.recipe.seed,
        cursor=place.cursor,
        held_out=[sample for example in held_out for sample in example.samples()],
    ).train(first_step=place.first_step)


def mix(config: SftConfig, sets: dict[str, Sequence[Task | Example]], *, seed: int) -> Mixture[Task | Example]:
    """The order of the examples: by weight where a chat set has one or there are only tasks, else as one pile."""
    weights = {name: one.weight for name, one in config.chats.items()}
    if not weights or any(weight is not None for weight in weights.values()):
        shares = dict.fromkeys(sets, 1.0) | {f"chats.{name}": weight or 1.0 for name, weight in weights.items()}
        return Mixture(sets, shares, seed=seed)
    return Mixture({"all": [item for name in sorted(sets) for item in sets[name]]}, {"all": 1.0}, seed=seed)


def _tasks(session: Session, name: str, gold: GoldAnswers) -> list[Task]:
    """The tasks of a set whose answers can be learnt; says what was left out."""
    tally = Tally()
    kept = gold.without_special(session.training_tasks(name), tally)
    if tally.refused:
        session.progress.message(f"tasks.{name}: {tally.text()}; {len(kept):,} to learn from")
    if tally.refused and not kept:
        raise InputError(f"no task of tasks.{name} can be learnt from", received=tally.text(), instead="other tasks")
    return kept


def _examples(session: Session, name: str, config: SftConfig) -> tuple[list[Example], list[Example]]:
    """What there is to learn from a chat set, and what it keeps out; says what was left out."""
    chats = read_chats(name, config.chats[name])
    assert chats is not None  # it was downloaded where it was not at hand
    chats = _clean(session, chats)
    train = list(islice(_encoded(session, chats, chats.train), chats.config.count))
    validation = list(islice(_encoded(session, chats, chats.validation), MOST_VALIDATED))
    session.progress.message(f"chats.{name} ({chats.format}): {chats.tally.text()}; {len(train):,} to learn from")
    _check_count(chats, len(train))
    return train, validation


def _clean(session: Session, chats: ChatSet) -> ChatSet:
    """The set without rows that hold a question of the evaluation."""
    kept = session.without_questions(
        "chats",
        chats.name,
        (*chats.train, *chats.validation),
        text=lambda chat: chat.text,
        place=lambda chat: chat.place,
    )
    places = {chat.place for chat in kept}
    return chats.where(lambda chat: chat.place in places)


def _encoded(session: Session, chats: ChatSet, part: Sequence[Chat]) -> Iterator[Example]:
    return encode_chats(
        part,
        session.loaded.renderer,
        max_context=session.recipe.model.max_context,
        domain=chats.name,
        tally=chats.tally,
    )


def _check_count(chats: ChatSet, found: int) -> None:
    wanted = chats.config.count or 1
    if found < wanted:
        raise InputError(
            f"sft.chats.{chats.name}: {found:,} rows can be learnt from, and {wanted:,} are asked for",
            received=chats.tally.text(),
            instead="a smaller count, a larger model.max_context, or more rows",
        )
