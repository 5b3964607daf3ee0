from __future__ import annotations

import errno
from pathlib import Path

import pytest
from safetensors import SafetensorError

from tahr.core.errors import ResourceError
from tahr.models.folder import cache_folder, written_whole


def test_cache_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("TAHR_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert cache_folder() == tmp_path / ".cache" / "tahr"
    monkeypatch.setenv("XDG_CACHE_HOME", "/xdg")
    assert cache_folder() == Path("/xdg/tahr")
    monkeypatch.setenv("TAHR_CACHE", "~/own")
    assert cache_folder() == tmp_path / "own"


def test_an_interrupted_write_leaves_the_earlier_folder(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    with written_whole(folder) as temporary:
        (temporary / "config.json").write_text("1")
    with pytest.raises(KeyboardInterrupt), written_whole(folder) as temporary:
        (temporary / "config.json").write_text("2")
        raise KeyboardInterrupt
    assert (folder / "config.json").read_text() == "1"
    assert list(tmp_path.iterdir()) == [folder]


@pytest.mark.parametrize(("keep", "expected"), [(False, "second"), (True, "first")])
def test_two_writers_at_once(tmp_path: Path, keep: bool, expected: str) -> None:
    folder = tmp_path / "model"
    with written_whole(folder, keep_existing=keep) as slow:
        with written_whole(folder, keep_existing=keep) as quick:
            (quick / "config.json").write_text("first")
        (slow / "config.json").write_text("second")
    assert (folder / "config.json").read_text() == expected
    assert list(tmp_path.iterdir()) == [folder]


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "disk is full"),
        (SafetensorError("Error while serializing: I/O error: No space left on device (os error 28)"), "disk is full"),
        (PermissionError(errno.EACCES, "Permission denied"), "may not be written"),
        (OSError(errno.EROFS, "Read-only file system"), "may not be written"),
    ],
)
def test_disk_errors_are_explained_and_leave_nothing(tmp_path: Path, error: Exception, message: str) -> None:
    with pytest.raises(ResourceError, match=message), written_whole(tmp_path / "model") as temporary:
        (temporary / "half").write_text("")
        raise error
    assert list(tmp_path.iterdir()) == []


def test_other_errors_pass(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="something else"), written_whole(tmp_path / "model"):
        raise OSError(errno.EIO, "something else")


def test_the_folder_is_readable_by_others(tmp_path: Path) -> None:
    with written_whole(tmp_path / "model") as temporary:
        (temporary / "file").touch(mode=0o600)
    plain = tmp_path / "plain"
    plain.mkdir()
    (plain / "file").touch()
    assert (tmp_path / "model").stat().st_mode == plain.stat().st_mode
    assert (tmp_path / "model" / "file").stat().st_mode == (plain / "file").stat().st_mode
