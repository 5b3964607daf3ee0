"""The questions of a build, from tasks and from files of prompts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tahr.core.errors import InputError
from tahr.core.judging import Question
from tahr.core.types import Task
from tahr.data.mixture import Mixture
from tahr.data.prompts import read_prompts
from tahr.preference.config import BuildConfig


def questions_for(
    build: BuildConfig, tasks: Mapping[str, Sequence[Task]], *, where: str, seed: int
) -> tuple[Question, ...]:
    """What a build asks: of the sets in `tasks`, which may be trained on, and of its own prompts.

    `where` is the section's place in its file. Raises InputError: no question, prompts that can't be read.
    """
    sets: dict[str, Sequence[Question]] = {name: of_tasks(tasks[name]) for name in build.tasks}
    sets |= read_prompts(build.prompts, where=f"{where}.prompts")
    weights = {**build.tasks, **{name: one.weight for name, one in build.prompts.items()}}
    return draw_questions(sets, weights, count=build.num_prompts, seed=seed)


def of_tasks(tasks: Sequence[Task]) -> list[Question]:
    """The questions of tasks, which know what a verifier needs."""
    return [Question(prompt=task.prompt, task=task) for task in tasks]


def draw_questions(
    sets: Mapping[str, Sequence[Question]], weights: Mapping[str, float], *, count: int, seed: int
) -> tuple[Question, ...]:
    """`count` different questions, or as many as there are, drawn from the sets by their weights.

    Where a set runs out the others go on. Raises InputError where there is no question.
    """
    left = {name: list({question.id: question for question in sets[name]}.values()) for name in weights}
    found: dict[str, Question] = {}
    while len(found) < count and any(left.values()):
        shares = {name: weights[name] for name, some in left.items() if some and weights[name] > 0}
        if not shares:
            break
        # as many draws as leave no set empty-handed, so that nothing is drawn twice
        whole = min(len(left[name]) * sum(shares.values()) / share for name, share in shares.items())
        drawn = Mixture(left, shares, seed=seed).take(0, max(1, min(count - len(found), int(whole))))
        found.update((one.id, one) for one in drawn)
        left = {name: [question for question in some if question.id not in found] for name, some in left.items()}
    if not found:
        raise InputError("there is no question to ask", received=", ".join(weights), instead="tasks to train on")
    return tuple(found.values())[:count]
