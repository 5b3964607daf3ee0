"""A run whose process dies at any moment goes on to the same records as a run that was never interrupted.

The process really dies: a child is forked for every point at which the store forces data to the disk or renames, and
ends there by ``os._exit``, which runs no clean-up. The parent then resumes the run as the trainer would.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tahr.core.types import (
    Completion,
    FinishReason,
    Group,
    Message,
    Scored,
    StopReason,
    Task,
    Trajectory,
    Turn,
    passed,
)
from tahr.store.records import Evaluation, EvaluationRow
from tahr.store.run import Run
from tahr.store.tables import read_table

STAGES = ("sft", "rlvr")
PLAN = (("sft", 1), ("rlvr", 1), ("rlvr", 2))
DIED, DONE = 17, 0


def train(run: Run, start: int) -> None:
    """Steps of the plan from `start` on, each with rollouts, metrics, an evaluation and a checkpoint."""
    for number in range(start, len(PLAN)):
        stage, step = PLAN[number]
        run.write_rollouts(stage, step, [_group(number)], [[number / 10]])
        run.log(stage, step, {"reward": number / 8, "entropy": 1 / (number + 1)})
        run.write_evaluation(_evaluation(stage, step, number))
        with run.checkpoint(stage, step) as folder:
            (folder / "weights").write_text(f"{number}")


def records(run: Run) -> dict[str, Any]:
    """Everything that the run holds but the times of logging."""
    rollouts = {path.name: read_table(path).to_pylist() for path in sorted((run.folder / "rollouts").iterdir())}
    checkpoint = run.latest_checkpoint()
    assert checkpoint is not None
    return {
        "metrics": [(row.stage, row.step, dict(row.metrics)) for row in run.metrics()],
        "rollouts": rollouts,
        "evaluations": run.evaluations(),
        "weights": (checkpoint.folder / "weights").read_text(),
    }


def create(folder: Path) -> Run:
    return Run.create(folder.parent, "x", recipe={"stages": STAGES}, recipe_toml="", seed=1, folder=folder)


def die_at(point: int, folder: Path) -> int:
    """Train in a child that dies before its `point`-th write; the child's exit code."""
    child = os.fork()
    if child == 0:
        count = 0

        def counted(call: Callable[..., Any]) -> Callable[..., Any]:
            def wrapper(*args: Any, **kwargs: Any) -> Any:
                nonlocal count
                count += 1
                if count == point:
                    os._exit(DIED)
                return call(*args, **kwargs)

            return wrapper

        run = create(folder)
        for name in ("fsync", "replace", "rename", "unlink", "rmdir", "mkdir"):
            setattr(os, name, counted(getattr(os, name)))
        train(run, 0)
        os._exit(DONE)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def main(root: Path) -> None:
    """Die at every point in turn, resume, and compare. Prints the number of points."""
    import pyarrow.parquet  # noqa: F401 (loaded once here, instead of in every child)

    # The children lose their process, not the machine's power: what they wrote is there without forcing it to the disk.
    os.fsync = lambda descriptor: None
    point, expected = 0, None
    while True:
        point += 1
        code = die_at(point, root / f"run{point}")
        assert code in (DIED, DONE), code
        if code == DONE:
            break
        with Run.open(root / f"run{point}", write=True) as run:
            num_steps_logged = len(run.metrics())
            checkpoint = run.latest_checkpoint()
            start = PLAN.index((checkpoint.stage, checkpoint.step)) + 1 if checkpoint else 0
            assert num_steps_logged - start <= 1, "more than the step under way was lost"
            run.rewind(STAGES, checkpoint)
            train(run, start)
            found = records(run)
        if expected is None:
            with create(root / "unbroken") as run:
                train(run, 0)
                expected = records(run)
        assert found == expected, f"died at write {point}"
    print(point - 1)


def test_dying_at_any_write_changes_nothing(tmp_path: Path) -> None:
    program = [sys.executable, __file__, str(tmp_path)]
    answer = subprocess.run(program, capture_output=True, text=True, check=False, timeout=300)
    assert answer.returncode == 0, answer.stderr
    assert int(answer.stdout) >= 55


def _group(number: int) -> Group:
    task = Task(prompt=(Message(role="user", content=f"question {number}"),), answer="5", verifier="exact")
    completion = Completion(
        token_ids=(number, 2), logprobs=(-0.5, -0.25), finish_reason=FinishReason.STOP, policy_version=number
    )
    trajectory = Trajectory(
        task_id=task.id,
        group_id=f"{number}",
        index=0,
        turns=(Turn(prompt_token_ids=(1,), completion=completion),),
        stop_reason=StopReason.FINISHED,
    )
    return Group(task=task, scored=(Scored(trajectory=trajectory, text="5", verdict=passed()),))


def _evaluation(stage: str, step: int, number: int) -> Evaluation:
    row = EvaluationRow(
        task_id="a",
        domain="d",
        index=0,
        prompt="?",
        answer="5",
        text="5",
        score=number / 10,
        parts={"correct": 1.0},
        outcome="pass",
        note="",
        num_tokens=2,
        finish_reason="stop",
    )
    return Evaluation(name=f"step-{step:06d}", stage=stage, step=step, split="validation", rows=(row,))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
