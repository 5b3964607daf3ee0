from pathlib import Path

import pytest

from small_recipes import write_recipe
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
