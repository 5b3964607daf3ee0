"""Rollout files back to groups."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tahr.core.errors import InputError
from tahr.core.types import Group, Outcome, Reward, Scored, Task, Verdict
from tahr.store.rollouts import trajectory_of
from tahr.store.tables import read_table


def read_groups(path: Path, tasks: Mapping[str, Task]) -> list[Group]:
    """The groups that `tahr.store.rollouts.write_rollouts` wrote, in their order; `tasks` by id.

    Log-probabilities come back as float32. Raises InputError where the file is missing or damaged, or where a task of
    it is not among `tasks`.
    """
    members: dict[str, list[Mapping[str, Any]]] = {}
    for row in read_table(path).to_pylist():
        members.setdefault(row["group_id"], []).append(row)
    return [_group(path, rows, tasks) for rows in members.values()]


def _group(path: Path, rows: list[Mapping[str, Any]], tasks: Mapping[str, Task]) -> Group:
    task = tasks.get(rows[0]["task_id"])
    if task is None:
        raise InputError(
            f"{path} holds attempts at a task that the recipe does not have",
            received=rows[0]["task_id"],
            instead="the task sets as they were when the run began",
        )
    return Group(task=task, scored=tuple(_scored(row) for row in rows))


def _scored(row: Mapping[str, Any]) -> Scored:
    reward = None
    if row["reward"] is not None:
        reward = Reward(value=row["reward"], parts=dict(row["parts"]), note=row["note"])
    verdict = Verdict(outcome=Outcome(row["outcome"]), reward=reward, extracted=row["extracted"], note=row["note"])
    return Scored(trajectory=trajectory_of(row), text=row["completion"], verdict=verdict)
