import errno
import os
from pathlib import Path

import pytest

from tahr.core.errors import InputError, ResourceError
from tahr.store.files import append_line, disk_errors, remove_temporary, write_file


def full_disk(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    write_file(path, b"old")
    write_file(path, b"new and longer")
    assert path.read_bytes() == b"new and longer"
    assert [one.name for one in tmp_path.iterdir()] == ["a.json"]


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_full_disk_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    path = tmp_path / "a.json"
    write_file(path, b"old")
    monkeypatch.setattr(os, call, full_disk)
    with pytest.raises(ResourceError) as caught:
        write_file(path, b"new")
    assert str(tmp_path) in str(caught.value)
    assert "free some space" in str(caught.value)
    assert path.read_bytes() == b"old"
    assert [one.name for one in tmp_path.iterdir()] == ["a.json"]


@pytest.mark.parametrize(
    "words",
    [
        "Error while serializing: I/O error: No space left on device (os error 28)",
        "[enforce fail at inline_container.cc:672] . unexpected pos 141888 vs 141776",
    ],
)
def test_a_full_disk_in_the_words_of_libraries_that_write_by_themselves(tmp_path: Path, words: str) -> None:
    with pytest.raises(ResourceError, match="the disk is full") as caught, disk_errors(tmp_path):
        raise RuntimeError(words)
    assert words in str(caught.value)
    with pytest.raises(RuntimeError, match="shapes differ"), disk_errors(tmp_path):
        raise RuntimeError("shapes differ")


def test_a_line_that_fails_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "log"
    append_line(path, b"one")
    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(ResourceError):
        append_line(path, b"two")
    assert path.read_bytes() == b"one\n"


def test_a_forbidden_folder_is_the_users_to_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "replace", forbidden)
    with pytest.raises(InputError, match="can't be written"):
        write_file(tmp_path / "a", b"")


def test_other_errors_pass_unchanged(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_file(tmp_path / "absent" / "a", b"")


def test_rubbish_of_a_crash_is_removed(tmp_path: Path) -> None:
    (tmp_path / ".tmp-a").write_text("half")
    (tmp_path / ".tmp-folder").mkdir()
    (tmp_path / ".tmp-folder" / "x").write_text("half")
    (tmp_path / "kept").write_text("whole")
    remove_temporary(tmp_path)
    assert [one.name for one in tmp_path.iterdir()] == ["kept"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_really_full_device(tmp_path: Path) -> None:
    (tmp_path / "log").symlink_to("/dev/full")
    with pytest.raises(ResourceError):
        append_line(tmp_path / "log", b"x")
