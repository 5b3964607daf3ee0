"""Short sentences under constraints: a task that a small instruct model succeeds at sometimes from the start."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Annotated, Any, Literal

from pydantic import Field

from tahr.core.errors import InputError
from tahr.core.protocols import task_sources
from tahr.core.types import Task
from tahr.data.sources.letters import check_range
from tahr.data.sources.stream import distinct, question
from tahr.data.sources.vocabulary import ENDINGS, KEYWORDS, TOPICS

Kind = Literal["lowercase", "no_commas", "contains", "ends_with", "no_letter", "excludes", "no_digits"]

_OPENINGS = (
    "Write one short sentence about {topic}.",
    "Write a single short sentence about {topic}.",
    "Say something about {topic} in one short sentence.",
    "Tell me about {topic} in one short sentence.",
)
_EXAMPLES = (
    "many people love {topic} and the {keyword} that comes with it",
    "we talked about {topic} while the {keyword} was close to us",
    "there is a story about {topic} and one small {keyword}",
    "my friend thinks of {topic} and a {keyword}",
)


@task_sources.register("text_constraints")
@dataclass(frozen=True, slots=True, kw_only=True)
class TextConstraints:
    """One short sentence about a topic that keeps constraints: lower case, no commas, a given word, and more.

    Being one plausible sentence is always a constraint too, so that the best answer is a sentence and never junk.
    """

    kinds: Annotated[tuple[Kind, ...], Field(min_length=1, description="the constraints that tasks are made of")] = (
        "lowercase",
        "no_commas",
        "contains",
    )
    min_constraints: Annotated[
        int | None, Field(ge=1, description="fewest constraints in one task; all of `kinds` by default")
    ] = None
    max_constraints: Annotated[int | None, Field(ge=1, description="most in one task; all by default")] = None
    min_words: Annotated[int, Field(ge=3, le=15, description="fewest words of the sentence")] = 5
    max_words: Annotated[int, Field(ge=15, le=200, description="most words of the sentence")] = 20

    def __post_init__(self) -> None:
        if len(set(self.kinds)) < len(self.kinds):
            raise InputError("a kind of constraint is listed twice", received=list(self.kinds))
        low, high = self._bounds()
        check_range("min_constraints", low, "max_constraints", high)
        check_range("max_constraints", high, "the number of kinds", len(self.kinds))

    def generate(self, count: int, seed: int) -> list[Task]:
        """The first `count` distinct tasks of stream `seed`."""
        return distinct(self._draw, count, seed, "text_constraints")

    def _bounds(self) -> tuple[int, int]:
        high = len(self.kinds) if self.max_constraints is None else self.max_constraints
        return (high if self.min_constraints is None else self.min_constraints), high

    def _draw(self, random: Random) -> Task:
        topic, keyword, ending = random.choice(TOPICS), random.choice(KEYWORDS), random.choice(ENDINGS)
        chosen = random.sample(self.kinds, random.randint(*self._bounds()))
        example = random.choice(_EXAMPLES).format(topic=topic, keyword=keyword)
        example += f" {ending}." if "ends_with" in chosen else "."
        sentence = {"kind": "sentence", "min_words": self.min_words, "max_words": self.max_words}
        asked, constraints = [random.choice(_OPENINGS).format(topic=topic)], [sentence]
        for kind in chosen:
            wish, constraint = _constraint(kind, random, topic, keyword, ending, example)
            asked.append(wish)
            constraints.append(constraint)
        return Task(
            prompt=question(" ".join(asked)),
            answer=sorted(constraints, key=lambda constraint: str(constraint["kind"])),
            verifier="constraints",
            meta={"example": example, "num_constraints": len(chosen)},
        )


def _constraint(
    kind: Kind, random: Random, topic: str, keyword: str, ending: str, example: str
) -> tuple[str, dict[str, Any]]:
    """The wish in words, and the constraint as the verifier reads it."""
    match kind:
        case "lowercase":
            return "Use only lower case letters.", {"kind": kind}
        case "no_commas":
            return "Do not use commas.", {"kind": kind}
        case "no_digits":
            return "Do not use any digits.", {"kind": kind}
        case "contains":
            return f"Use the word {keyword}.", {"kind": kind, "words": [keyword]}
        case "ends_with":
            return f'End with the words "{ending}".', {"kind": kind, "phrase": ending}
        case "no_letter":
            letter = random.choice(sorted(set("bcdfgjkmpqvwxyz") - set(example)))
            return f"Do not use the letter {letter}.", {"kind": kind, "letter": letter}
        case "excludes":
            allowed = sorted(word for word in ("is", "was", "has", "very", "beautiful", "great") if word not in example)
            banned = random.choice(allowed)
            return f"Do not use the word {banned}.", {"kind": kind, "words": [banned]}
