from collections.abc import Callable
from pathlib import Path

import pytest

from tahr.core.errors import InputError, UnknownNameError
from tahr.report.picture import write_picture
from tahr.store.run import Run


def test_the_same_run_gives_the_same_picture(full_run: Run, tmp_path: Path) -> None:
    first = write_picture(full_run, tmp_path / "a.svg").read_bytes()
    assert write_picture(full_run, tmp_path / "b.svg").read_bytes() == first
    assert first.startswith(b"<?xml")
    assert b"Held-out reward +0.403 (+0.367 to +0.438)" in first
    png = write_picture(full_run, tmp_path / "a.png").read_bytes()
    assert png.startswith(b"\x89PNG")


def test_other_formats_and_empty_runs_are_refused(full_run: Run, new_run: Callable[..., Run], tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="picture format 'jpg'"):
        write_picture(full_run, tmp_path / "a.jpg")
    with pytest.raises(InputError, match="no evaluation before and after"):
        write_picture(new_run(), tmp_path / "a.png")
    assert not (tmp_path / "a.png").exists()
