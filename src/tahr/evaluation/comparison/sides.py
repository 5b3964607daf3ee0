"""Which evaluations of two runs belong together, and under which conditions each was made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tahr.core.errors import InputError
from tahr.store.records import Conditions, Evaluation
from tahr.store.run import Run

HELD_OUT = "held-out tasks"
"""What stands for the suite of a training run's own evaluations."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One evaluation of a run, the name that it goes by in tables, and its conditions.

    Example: ``Side(name="eval-ifeval-tiny-20260105-100000", evaluation=evaluation, conditions=conditions)``
    """

    name: str
    evaluation: Evaluation
    conditions: Conditions

    @property
    def suite(self) -> str:
        """The suite that was asked, or `HELD_OUT`."""
        return self.conditions.suite or HELD_OUT


def sides_of(run: Run, only: str = "") -> list[Side]:
    """The evaluations of a run that are compared: for each suite and setting the last one, or those called `only`.

    `only` is an evaluation's name, its first word ("after" is "after ifeval" too) or a suite's setting. Raises
    InputError where there are none.
    """
    found = run.evaluations()
    chosen = [one for one in found if not only or _is_called(one, only)]
    if not chosen:
        raise InputError(
            f"the run {run.folder.resolve().name} has no evaluation" + (f" called {only!r}" if only else ""),
            received=only or None,
            instead=", ".join(one.name for one in found) or "a run that was evaluated (tahr eval MODEL --suite NAME)",
        )
    name = run.folder.resolve().name + (f":{only}" if only else "")
    last: dict[tuple[str, str], Side] = {}
    for one in chosen:
        side = Side(name=name, evaluation=one, conditions=one.conditions or implied_conditions(run, one))
        last[side.suite, side.conditions.setting] = side
    return list(last.values())


def matched(first: Sequence[Side], second: Sequence[Side]) -> list[tuple[Side, Side]]:
    """The sides of one suite and setting; failing those, of one suite where each run has but one setting of it.

    Raises InputError where nothing matches.
    """
    others = {(side.suite, side.conditions.setting): side for side in second}
    exact = [(side, others[key]) for side in first if (key := (side.suite, side.conditions.setting)) in others]
    if exact:
        return exact
    alone = _only_settings(second)
    loose = [(side, alone[suite]) for suite, side in _only_settings(first).items() if suite in alone]
    if loose:
        return loose
    raise InputError(
        f"{first[0].name} and {second[0].name} were not asked the same",
        received=f"{_listed(first)}; {_listed(second)}",
        instead="two runs of one suite and setting, or RUN:NAME to name an evaluation of each",
    )


def _is_called(evaluation: Evaluation, name: str) -> bool:
    setting = evaluation.conditions.setting if evaluation.conditions else ""
    return name in (evaluation.name, evaluation.name.split(" ")[0], setting)


def _only_settings(sides: Sequence[Side]) -> Mapping[str, Side]:
    counts = [side.suite for side in sides]
    return {side.suite: side for side in sides if counts.count(side.suite) == 1}


def _listed(sides: Sequence[Side]) -> str:
    return f"{sides[0].name}: " + ", ".join(f"{side.suite} {side.conditions.setting}".strip() for side in sides)


def implied_conditions(run: Run, evaluation: Evaluation) -> Conditions:
    """What the recipe of a training run says about its own evaluations; their weights have no hash on record."""
    recipe = run.recipe
    section: dict[str, Any] = recipe.get("eval") or {}
    model: dict[str, Any] = recipe.get("model") or {}
    return Conditions(
        suite="",
        setting="",
        model=str(model.get("source", "")),
        training=f"{run.folder.resolve().name}, {evaluation.name}",
        weights="",
        num_parameters=0,
        num_bytes=0,
        seed=run.manifest.seed,
        temperature=float(section.get("temperature", 0.0)),
        max_new_tokens=int(section.get("max_new_tokens", 0)),
        samples_per_task=int(section.get("samples_per_task", 1)),
        seconds=0.0,
        num_cached=0,
    )
