"""The rollouts of a step as a Parquet file: one row per attempt, token ids and masks included.

`token_ids`, `loss_mask` and `logprobs` hold the whole trajectory end to end. A turn's prompt that continues the
sequence so far adds only its new tokens; one that does not (a chat template that can't append) begins a new stretch.
``turns[i]`` says where in the row its prompt begins (`start`), where it ends and the sampled tokens begin
(`prompt_end`), and where those end (`end`), so nothing is stored twice and nothing is lost.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
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
)
from tahr.store.tables import clean_text, write_table

ROLLOUTS_FOLDER = "rollouts"


def schema() -> Any:
    """The file's `pyarrow.Schema`."""
    import pyarrow as pa

    messages = pa.list_(pa.struct([("role", pa.string()), ("content", pa.string())]))
    turn = pa.struct(
        [
            ("start", pa.int32()),
            ("prompt_end", pa.int32()),
            ("end", pa.int32()),
            ("finish_reason", pa.string()),
            ("policy_version", pa.int32()),
            ("observation", messages),
        ]
    )
    return pa.schema(
        [
            ("stage", pa.string()),
            ("step", pa.int32()),
            ("task_id", pa.string()),
            ("group_id", pa.string()),
            ("index", pa.int32()),
            ("domain", pa.string()),
            ("prompt", pa.string()),
            ("messages", messages),
            ("answer", pa.string()),
            ("completion", pa.string()),
            ("extracted", pa.string()),
            ("outcome", pa.string()),
            ("reward", pa.float64()),
            ("parts", pa.map_(pa.string(), pa.float64())),
            ("correct", pa.float64()),
            ("note", pa.string()),
            ("advantage", pa.float64()),
            ("stop_reason", pa.string()),
            ("finish_reason", pa.string()),
            ("error", pa.string()),
            ("policy_version", pa.int32()),
            ("num_tokens", pa.int32()),
            ("token_ids", pa.list_(pa.int32())),
            ("loss_mask", pa.list_(pa.bool_())),
            ("logprobs", pa.list_(pa.float32())),
            ("turns", pa.list_(turn)),
        ]
    )


def rollouts_path(folder: Path, stage: str, step: int) -> Path:
    """Where the rollouts of one step of the run `folder` lie."""
    return folder / ROLLOUTS_FOLDER / f"{stage}-{step:06d}.parquet"


def list_rollouts(folder: Path) -> list[Path]:
    """Rollout files of the run `folder`, by stage name and step."""
    return sorted((folder / ROLLOUTS_FOLDER).glob("[!.]*-*.parquet"))


def stage_and_step(path: Path) -> tuple[str, int]:
    """What a rollout file's name says."""
    stage, _, step = path.stem.rpartition("-")
    return stage, int(step)


def write_rollouts(
    folder: Path, stage: str, step: int, groups: Sequence[Group], advantages: Sequence[Sequence[float | None]]
) -> Path:
    """Write one step's file. `advantages` has one value per attempt of each group, None where it has none.

    Raises ValueError where `advantages` does not match `groups`.
    """
    path = rollouts_path(folder, stage, step)
    path.parent.mkdir(exist_ok=True)
    write_table(path, list(_rows(stage, step, groups, advantages)), schema())
    return path


def trajectory_of(row: Mapping[str, Any]) -> Trajectory:
    """The trajectory that a row was written from (log-probabilities rounded to float32)."""
    turns = tuple(
        Turn(
            prompt_token_ids=tuple(row["token_ids"][turn["start"] : turn["prompt_end"]]),
            completion=Completion(
                token_ids=tuple(row["token_ids"][turn["prompt_end"] : turn["end"]]),
                logprobs=tuple(row["logprobs"][turn["prompt_end"] : turn["end"]]),
                finish_reason=FinishReason(turn["finish_reason"]),
                policy_version=turn["policy_version"],
            ),
            observation=tuple(Message(role=m["role"], content=m["content"]) for m in turn["observation"]),
        )
        for turn in row["turns"]
    )
    return Trajectory(
        task_id=row["task_id"],
        group_id=row["group_id"],
        index=row["index"],
        turns=turns,
        stop_reason=StopReason(row["stop_reason"]),
        error=row["error"],
    )


def prompt_text(task: Task) -> str:
    """A task's prompt for people: the message itself, or each one under its role where there are several."""
    if len(task.prompt) == 1:
        return task.prompt[0].content
    return "\n\n".join(f"{message.role}: {message.content}" for message in task.prompt)


def answer_text(task: Task) -> str:
    """A task's answer for people: text as it is, anything else as JSON."""
    return task.answer if isinstance(task.answer, str) else json.dumps(task.answer, ensure_ascii=False)


def _rows(
    stage: str, step: int, groups: Sequence[Group], advantages: Sequence[Sequence[float | None]]
) -> Iterator[dict[str, Any]]:
    for group, values in zip(groups, advantages, strict=True):
        for scored, advantage in zip(group.scored, values, strict=True):
            yield {
                "stage": stage,
                "step": step,
                **_task_columns(group.task),
                **_judgement_columns(scored),
                "advantage": advantage,
                **_token_columns(scored.trajectory),
            }


def _task_columns(task: Task) -> dict[str, Any]:
    return {
        "domain": task.domain,
        "prompt": clean_text(prompt_text(task)),
        "messages": _messages(task.prompt),
        "answer": clean_text(answer_text(task)),
    }


def _judgement_columns(scored: Scored) -> dict[str, Any]:
    reward, extracted = scored.reward, scored.verdict.extracted
    parts = dict(reward.parts) if reward else {}
    return {
        "completion": clean_text(scored.text),
        "extracted": None if extracted is None else clean_text(extracted),
        "outcome": str(scored.verdict.outcome),
        "reward": reward.value if reward else None,
        "parts": list(parts.items()),
        "correct": parts.get("correct"),
        "note": clean_text(scored.verdict.note),
    }


def _token_columns(trajectory: Trajectory) -> dict[str, Any]:
    token_ids: list[int] = []
    loss_mask: list[bool] = []
    logprobs: list[float] = []
    turns: list[dict[str, Any]] = []
    start = 0
    for turn in trajectory.turns:
        prompt, completion = list(turn.prompt_token_ids), turn.completion
        if prompt[: len(token_ids) - start] != token_ids[start:]:
            start = len(token_ids)  # this prompt does not continue the last turn: a new stretch
        new = prompt[len(token_ids) - start :]
        prompt_end = len(token_ids) + len(new)
        token_ids += [*new, *completion.token_ids]
        loss_mask += [False] * len(new) + [True] * len(completion.token_ids)
        logprobs += [0.0] * len(new) + list(completion.logprobs)
        turns.append(
            {
                "start": start,
                "prompt_end": prompt_end,
                "end": len(token_ids),
                "finish_reason": str(completion.finish_reason),
                "policy_version": completion.policy_version,
                "observation": _messages(turn.observation),
            }
        )
    last = trajectory.turns[-1].completion if trajectory.turns else None
    return {
        "task_id": trajectory.task_id,
        "group_id": trajectory.group_id,
        "index": trajectory.index,
        "stop_reason": str(trajectory.stop_reason),
        "finish_reason": str(last.finish_reason) if last else None,
        "error": clean_text(trajectory.error),
        "policy_version": last.policy_version if last else None,
        "num_tokens": trajectory.num_sampled_tokens,
        "token_ids": token_ids,
        "loss_mask": loss_mask,
        "logprobs": logprobs,
        "turns": turns,
    }


def _messages(messages: Sequence[Message]) -> list[dict[str, str]]:
    return [{"role": message.role, "content": clean_text(message.content)} for message in messages]
