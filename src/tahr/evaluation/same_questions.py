"""Why two evaluations share no question: a question's id holds what judges it, so that words alone don't make it."""

from __future__ import annotations

from tahr.core.errors import InputError
from tahr.store.records import Evaluation


def num_judged_otherwise(first: Evaluation, second: Evaluation) -> int:
    """How many questions both were asked in the same words, but under other ids: the verifier, the right answer or the
    environment differs."""
    one, other = _ids_by_prompt(first), _ids_by_prompt(second)
    return sum(one[prompt].isdisjoint(other[prompt]) for prompt in one.keys() & other.keys())


def nothing_shared(names: tuple[str, str], first: Evaluation, second: Evaluation) -> InputError:
    """The error for two evaluations (of the runs or entries `names`) without a question that has a value in both."""
    one, other = ({row.task_id for row in side.rows} for side in (first, second))
    whose = f"{names[0]} and {names[1]}"
    asked = f"{names[0]}: {len(one)} questions; {names[1]}: {len(other)} questions"
    if one & other:
        scored = [
            len({row.task_id for row in side.rows if row.score is not None and row.task_id in one & other})
            for side in (first, second)
        ]
        return InputError(
            f"{whose} were asked {len(one & other)} common questions, of which none has a value on both sides",
            received=f"{names[0]}: {scored[0]} of them with a reward; {names[1]}: {scored[1]}",
            instead="runs whose attempts could be judged (`tahr show RUN --kind absent` says why some could not)",
        )
    alike = num_judged_otherwise(first, second)
    if alike:
        return InputError(
            f"{whose} asked {alike} questions in the same words but judge them differently: the verifier, the right "
            "answer or the environment differs, and with it the questions' ids",
            received=asked,
            instead="runs that judge alike: `tahr eval` again with one --verifier for all takes answers from the cache",
        )
    return InputError(
        f"{whose} have no question in common",
        received=asked,
        instead="runs of the same questions: one suite, split and setting of its tasks, judged by one verifier",
    )


def _ids_by_prompt(evaluation: Evaluation) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for row in evaluation.rows:
        found.setdefault(row.prompt, set()).add(row.task_id)
    return found
