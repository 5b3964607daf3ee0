import errno
import os
from pathlib import Path

import pytest

from tahr.core.errors import ResourceError
from tahr.store.checkpoints import list_checkpoints, list_damaged, remove_incomplete, save_checkpoint


def save(folder: Path, step: int, *, keep: int = 2, stage: str = "rlvr", content: str = "w") -> None:
    with save_checkpoint(folder, stage, step, keep) as target:
        (target / "weights").write_text(content)
        (target / "deep").mkdir()
        (target / "deep" / "state").write_text(content)


def test_the_newest_are_kept(tmp_path: Path) -> None:
    for step in (10, 20, 30):
        save(tmp_path, step)
    assert [(one.stage, one.step, one.number) for one in list_checkpoints(tmp_path)] == [
        ("rlvr", 20, 2),
        ("rlvr", 30, 3),
    ]
    assert sorted(path.name for path in (tmp_path / "checkpoints").iterdir()) == ["rlvr-000020", "rlvr-000030"]
    assert (tmp_path / "checkpoints" / "rlvr-000030" / "deep" / "state").read_text() == "w"


def test_the_end_of_every_stage_is_kept(tmp_path: Path) -> None:
    for stage in ("sft", "dpo", "rlvr"):
        for step in (10, 20, 30):
            save(tmp_path, step, stage=stage)
    kept = [(one.stage, one.step) for one in list_checkpoints(tmp_path)]
    assert kept == [("sft", 30), ("dpo", 30), ("rlvr", 20), ("rlvr", 30)]


def test_age_is_counted_across_stages(tmp_path: Path) -> None:
    save(tmp_path, 50, stage="sft")
    save(tmp_path, 1, stage="rlvr")
    assert list_checkpoints(tmp_path)[-1].stage == "rlvr"


def test_a_step_saved_again_replaces_the_older_one(tmp_path: Path) -> None:
    save(tmp_path, 10, keep=1, content="old")
    save(tmp_path, 10, keep=1, content="new")
    (one,) = list_checkpoints(tmp_path)
    assert (one.folder / "weights").read_text() == "new"


def test_a_failure_inside_leaves_the_earlier_ones(tmp_path: Path) -> None:
    save(tmp_path, 10)
    with pytest.raises(KeyboardInterrupt), save_checkpoint(tmp_path, "rlvr", 20, 2) as target:
        (target / "weights").write_text("half")
        raise KeyboardInterrupt
    assert [one.step for one in list_checkpoints(tmp_path)] == [10]
    assert [path.name for path in (tmp_path / "checkpoints").iterdir()] == ["rlvr-000010"]


@pytest.mark.parametrize("call", ["fsync", "replace", "rename"])
def test_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    save(tmp_path, 10)

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, call, full)
        with pytest.raises(ResourceError, match="disk is full"):
            save(tmp_path, 20)
    assert [path.name for path in (tmp_path / "checkpoints").iterdir()] == ["rlvr-000010"]
    save(tmp_path, 20)
    assert [one.step for one in list_checkpoints(tmp_path)] == [10, 20]


def test_folders_without_a_marker_are_no_checkpoints(tmp_path: Path) -> None:
    save(tmp_path, 10)
    root = tmp_path / "checkpoints"
    for name, marker in (
        ("rlvr-000020", None),
        ("rlvr-000030", "{"),
        ("rlvr-000040", "[]"),
        (".tmp-rlvr-000050", None),
    ):
        (root / name).mkdir()
        if marker:
            (root / name / "checkpoint.json").write_text(marker)
    assert [one.step for one in list_checkpoints(tmp_path)] == [10]
    remove_incomplete(tmp_path)
    # a crash leaves no marker half written: those are damaged, and stay for people to look at
    assert sorted(path.name for path in root.iterdir()) == ["rlvr-000010", "rlvr-000030", "rlvr-000040"]
    assert [path.name for path in list_damaged(tmp_path)] == ["rlvr-000030", "rlvr-000040"]
