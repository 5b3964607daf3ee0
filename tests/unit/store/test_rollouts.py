from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
from tahr.store.rollouts import rollouts_path, stage_and_step, trajectory_of, write_rollouts
from tahr.store.tables import read_table


def test_a_step_is_written_attempt_by_attempt(tmp_path: Path, group: Group) -> None:
    path = write_rollouts(tmp_path, "rlvr", 12, [group], [[1.5, -0.5, None]])
    assert path == tmp_path / "rollouts" / "rlvr-000012.parquet" == rollouts_path(tmp_path, "rlvr", 12)
    assert stage_and_step(path) == ("rlvr", 12)
    right, wrong, lost = read_table(path).to_pylist()
    assert right["token_ids"] == [1, 9, 40, 41, 7, 42, 2]
    assert right["loss_mask"] == [False, False, True, True, False, True, True]
    assert right["logprobs"] == [0.0, 0.0, -0.5, -1.0, 0.0, -0.5, -1.0]
    assert right["messages"] == [{"role": "user", "content": "What is 2 + 3?"}]
    assert [
        right[name] for name in ("prompt", "answer", "completion", "extracted", "outcome", "reward", "correct")
    ] == [
        "What is 2 + 3?",
        "5",
        "it is 5",
        "5",
        "pass",
        1.0,
        1.0,
    ]
    assert (right["stop_reason"], right["finish_reason"], right["policy_version"], right["num_tokens"]) == (
        "finished",
        "stop",
        3,
        4,
    )
    assert (wrong["reward"], wrong["advantage"], dict(wrong["parts"])) == (0.25, -0.5, {"correct": 0.0, "format": 1.0})
    # What the infrastructure lost has no reward, which is not a reward of 0.
    assert (lost["reward"], lost["correct"], lost["advantage"], lost["outcome"]) == (None, None, None, "error")
    assert (lost["stop_reason"], lost["error"], lost["token_ids"]) == ("infrastructure", "connection reset", [])


def test_advantages_must_match_the_attempts(tmp_path: Path, group: Group) -> None:
    with pytest.raises(ValueError, match="argument 2 is shorter"):
        write_rollouts(tmp_path, "rlvr", 1, [group], [[1.0]])


def test_a_prompt_that_does_not_continue_begins_a_new_stretch(tmp_path: Path) -> None:
    done = Completion(token_ids=(5,), logprobs=(-0.5,), finish_reason=FinishReason.LENGTH, policy_version=0)
    turns = (
        Turn(prompt_token_ids=(1, 2), completion=done),
        Turn(prompt_token_ids=(1, 8), completion=done),
        Turn(prompt_token_ids=(1, 8, 5, 6), completion=done),
    )
    (row,) = _written(tmp_path, turns)
    assert row["token_ids"] == [1, 2, 5, 1, 8, 5, 6, 5]
    assert [(turn["start"], turn["prompt_end"], turn["end"]) for turn in row["turns"]] == [
        (0, 2, 3),
        (3, 5, 6),
        (3, 7, 8),
    ]


def test_text_that_utf8_cannot_hold_is_kept_readable(tmp_path: Path) -> None:
    task = Task(prompt=(Message(role="user", content="a\ud800b"),), answer=["\udfff", 1], verifier="exact")
    scored = Scored(
        trajectory=Trajectory(task_id=task.id, group_id="g", index=0, turns=(), stop_reason=StopReason.FINISHED),
        text="\x00\ud83d!",
        verdict=passed(),
    )
    path = write_rollouts(tmp_path, "rlvr", 1, [Group(task=task, scored=(scored,))], [[None]])
    (row,) = read_table(path).to_pylist()
    assert (row["prompt"], row["completion"], row["answer"]) == ("a?b", "\x00?!", '["?", 1]')


tokens = st.lists(st.integers(0, 3), max_size=4).map(tuple)
turns = st.lists(
    st.builds(
        Turn,
        prompt_token_ids=tokens,
        completion=tokens.map(
            lambda ids: Completion(
                token_ids=ids, logprobs=(-0.5,) * len(ids), finish_reason=FinishReason.STOP, policy_version=1
            )
        ),
        observation=st.lists(st.builds(Message, role=st.just("tool"), content=st.text(max_size=3)), max_size=2).map(
            tuple
        ),
    ),
    max_size=4,
)


@settings(max_examples=40, deadline=None)
@given(turns)
def test_the_trajectory_can_be_read_back(tmp_path_factory: pytest.TempPathFactory, turns: list[Turn]) -> None:
    (row,) = _written(tmp_path_factory.mktemp("run"), tuple(turns))
    assert trajectory_of(row).turns == tuple(turns)


def _written(folder: Path, turns: tuple[Turn, ...]) -> list[dict[str, object]]:
    task = Task(prompt=(Message(role="user", content="?"),), answer="5", verifier="exact")
    trajectory = Trajectory(task_id=task.id, group_id="g", index=0, turns=turns, stop_reason=StopReason.FINISHED)
    scored = Scored(trajectory=trajectory, text="", verdict=passed())
    return read_table(write_rollouts(folder, "rlvr", 1, [Group(task=task, scored=(scored,))], [[0.0]])).to_pylist()
