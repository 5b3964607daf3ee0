import json
from collections.abc import Callable
from pathlib import Path

import pytest

from small_recipes import CrashAfter, CrashError, write_recipe
from tahr.core.errors import InputError
from tahr.core.progress import SilentProgress
from tahr.recipe.load import load_recipe
from tahr.recipe.run import run_recipe
from tahr.store.run import Run


class ClosedPipe(SilentProgress):
    """A reader that went away, as `| head` does."""

    def message(self, text: str) -> None:
        if text.startswith("run folder"):
            raise BrokenPipeError("Broken pipe")


def test_a_reader_that_goes_away_as_the_run_begins_leaves_a_run_that_says_so(tmp_path: Path) -> None:
    loaded = load_recipe(write_recipe(tmp_path))
    with pytest.raises(BrokenPipeError):
        run_recipe(loaded, runs_root=tmp_path, folder=tmp_path / "run", progress=ClosedPipe())
    manifest = Run.open(tmp_path / "run").manifest
    assert (manifest.status, manifest.error) == ("failed", "BrokenPipeError: Broken pipe")


CHATS = """
[sft.chats.mine]
source = "{folder}/chats.jsonl"
"""


def write_chats(path: Path, *answers: str) -> None:
    rows = [{"prompt": "say it", "completion": answer} for answer in answers]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture
def broken_run(tmp_path: Path) -> Callable[[int], Path]:
    """A run on chats that crashed after so many steps."""

    def begin(steps: int) -> Path:
        write_chats(tmp_path / "chats.jsonl", "ab", "ba", "abc")
        recipe = write_recipe(tmp_path)
        text = recipe.read_text().replace('[sft]\ntasks = ["reverse"]\n', "[sft]\n")
        recipe.write_text(text + CHATS.format(folder=tmp_path))
        folder = tmp_path / "run"
        with pytest.raises(CrashError):
            run_recipe(load_recipe(recipe), runs_root=tmp_path, folder=folder, progress=CrashAfter(steps))
        return folder

    return begin


def go_on(folder: Path) -> Run:
    return run_recipe(
        load_recipe(folder / "recipe.toml"), runs_root=folder.parent, resume=folder, progress=SilentProgress()
    )


@pytest.mark.slow
@pytest.mark.parametrize("change", ["changed", "gone"])
def test_a_run_does_not_go_on_with_other_data(broken_run: Callable[[int], Path], change: str) -> None:
    folder = broken_run(3)
    chats = folder.parent / "chats.jsonl"
    kept = chats.read_bytes()
    if change == "changed":
        write_chats(chats, "b", "a", "abc")
    else:
        chats.unlink()
    with pytest.raises(InputError, match="sft would go on with other data") as caught:
        go_on(folder)
    assert f"chats.jsonl ({change})" in str(caught.value)
    assert Run.open(folder).manifest.status == "failed"
    chats.write_bytes(kept)
    assert go_on(folder).manifest.status == "finished"


@pytest.mark.slow
@pytest.mark.parametrize("steps", [7, 9])  # the newest checkpoint is that at the end of sft, or one of rlvr
def test_data_of_a_stage_that_is_over_may_go(broken_run: Callable[[int], Path], steps: int) -> None:
    folder = broken_run(steps)
    (folder.parent / "chats.jsonl").unlink()
    assert go_on(folder).manifest.status == "finished"
