"""School word problems made from templates, one to four steps long, each with its worked solution."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Annotated

from pydantic import Field

from tahr.core.protocols import task_sources
from tahr.core.types import Task
from tahr.data.sources.stream import distinct, question
from tahr.data.sources.vocabulary import NAMES, OBJECTS

MAX_LEVEL = 4


@dataclass(slots=True, kw_only=True)
class Story:
    """A problem while it is being told: its sentences, the steps of the solution, and how many things there are now."""

    random: Random
    name: str
    friend: str
    thing: str
    amount: int
    told: list[str] = field(default_factory=list[str])
    worked: list[str] = field(default_factory=list[str])

    def step(self, sentence: str, sign: str, number: int) -> None:
        """Tell one event and work it out."""
        before = self.amount
        self.amount = {"+": before + number, "-": before - number, "*": before * number, "/": before // number}[sign]
        self.told.append(sentence)
        self.worked.append(f"{before} {sign} {number} = {self.amount}")


Event = Callable[[Story], None]


def _gets(story: Story) -> None:
    number = story.random.randint(2, 30)
    verb = story.random.choice(("buys", "finds", "makes", "is given"))
    story.step(f"{story.name} {verb} {number} more {story.thing}.", "+", number)


def _gives(story: Story) -> None:
    number = story.random.randint(1, story.amount - 1)
    way = story.random.choice(("gives {} of them to {}", "sells {} of them", "loses {}"))
    story.step(f"{story.name} {way.format(number, story.friend)}.", "-", number)


def _multiplies(story: Story) -> None:
    number, word = story.random.choice(((2, "twice"), (3, "three times"), (4, "four times"), (5, "five times")))
    story.step(f"A week later {story.name} has {word} as many {story.thing}.", "*", number)


def _shares(story: Story) -> None:
    ways = [number for number in range(2, 10) if story.amount % number == 0]
    number = story.random.choice(ways)
    story.step(
        f"{story.name} puts them into {number} bags with equally many in each, and keeps only one bag.", "/", number
    )


def _friend_adds(story: Story) -> None:
    number, more = story.random.randint(2, 9), story.random.randint(2, 9)
    total = number * more
    story.told.append(f"{story.friend} brings {number} boxes with {more} {story.thing} in each, all for {story.name}.")
    story.worked.append(f"{number} * {more} = {total}")
    story.worked.append(f"{story.amount} + {total} = {story.amount + total}")
    story.amount += total


def _events(story: Story) -> list[Event]:
    """What may happen next, given how many things there are."""
    events = [_gets, _friend_adds]
    if story.amount > 2:
        events.append(_gives)
    if story.amount <= 200:
        events.append(_multiplies)
    if any(story.amount % number == 0 for number in range(2, 10)):
        events.append(_shares)
    return events


@task_sources.register("word_problems")
@dataclass(frozen=True, slots=True, kw_only=True)
class WordProblems:
    """Stories about people and things, asking how many there are; the level is the number of events, 1 to 4.

    The example is the worked solution, a step a line, and the number behind "####" at the end.
    """

    levels: Annotated[
        tuple[Annotated[int, Field(ge=1, le=MAX_LEVEL)], ...],
        Field(min_length=1, description="numbers of events that stories are drawn with, each as often"),
    ] = (1, 2)
    instruction: Annotated[str, Field(description="sentence behind the question; may be empty")] = (
        "End with #### and the number."
    )

    def generate(self, count: int, seed: int) -> list[Task]:
        """The first `count` distinct tasks of stream `seed`."""
        return distinct(self._draw, count, seed, "word_problems")

    def _draw(self, random: Random) -> Task:
        name, friend = random.sample(NAMES, 2)
        amount = random.randint(3, 40)
        story = Story(random=random, name=name, friend=friend, thing=random.choice(OBJECTS), amount=amount)
        opening = random.choice(("has {} {}", "starts the day with {} {}", "counts {} {} on the table"))
        story.told.append(f"{name} {opening.format(amount, story.thing)}.")
        level = random.choice(self.levels)
        last: Event | None = None
        for _ in range(level):
            last = random.choice([event for event in _events(story) if event is not last])
            last(story)
        asked = f"How many {story.thing} does {name} have now?"
        return Task(
            prompt=question(" ".join([*story.told, asked, self.instruction]).strip()),
            answer=str(story.amount),
            verifier="numeric",
            meta={"level": level, "example": "\n".join([*story.worked, f"#### {story.amount}"])},
        )
