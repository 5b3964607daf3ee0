"""The questions of a build, from tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tahr.core.errors import InputError
from tahr.core.judging import Question
from tahr.core.types import Task
from tahr.data.mixture import Mixture


def draw_questions(
    tasks: Mapping[str, Sequence[Task]], weights: Mapping[str, float], *, count: int, seed: int
) -> tuple[Question, ...]:
    """`count` different questions, or as many as there are, drawn from the sets by their weights.

    Where a set runs out the others go on. Raises InputError where there is no question.
    """
    left = {name: list({Question(prompt=task.prompt).id: task for task in tasks[name]}.values()) for name in weights}
    found: dict[str, Question] = {}
    while len(found) < count and any(left.values()):
        shares = {name: weights[name] for name, some in left.items() if some and weights[name] > 0}
        if not shares:
            break
        # as many draws as leave no set empty-handed, so that nothing is drawn twice
        whole = min(len(left[name]) * sum(shares.values()) / share for name, share in shares.items())
        drawn = Mixture(left, shares, seed=seed).take(0, max(1, min(count - len(found), int(whole))))
        found.update((one.id, one) for one in (Question(prompt=task.prompt, task=task) for task in drawn))
        left = {
            name: [task for task in some if Question(prompt=task.prompt).id not in found] for name, some in left.items()
        }
    if not found:
        raise InputError("there is no question to ask", received=", ".join(weights), instead="tasks to train on")
    return tuple(found.values())[:count]
