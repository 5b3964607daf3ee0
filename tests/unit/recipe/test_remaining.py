from pathlib import Path

import pytest

from small_recipes import SMALL, write_recipe
from tahr.core.errors import InputError
from tahr.recipe.check import check
from tahr.recipe.load import load_recipe
from tahr.recipe.remaining import remaining, stages_over
from tahr.store.checkpoints import Checkpoint

CHATS = """
[sft.chats.mine]
source = "{folder}/chats.jsonl"
"""


@pytest.mark.parametrize(
    ("stage", "step", "over"),
    [("sft", 4, ()), ("sft", 6, ("sft",)), ("rlvr", 2, ("sft",)), ("rlvr", 4, ("sft", "rlvr")), ("other", 1, ())],
)
def test_a_stage_is_over_once_a_checkpoint_stands_at_its_end(
    tmp_path: Path, stage: str, step: int, over: tuple[str, ...]
) -> None:
    recipe = load_recipe(write_recipe(tmp_path)).recipe
    assert stages_over(recipe, Checkpoint(folder=tmp_path, number=1, stage=stage, step=step)) == over


def test_nothing_is_over_without_a_checkpoint(tmp_path: Path) -> None:
    recipe = load_recipe(write_recipe(tmp_path)).recipe
    assert stages_over(recipe, None) == ()
    assert remaining(recipe, ()) == recipe


def test_what_remains_has_neither_the_stage_nor_its_section(tmp_path: Path) -> None:
    left = remaining(load_recipe(write_recipe(tmp_path)).recipe, ("sft",))
    assert (left.stages, left.sft) == (("rlvr",), None)
    assert left.rlvr is not None


def test_the_check_asks_for_no_file_of_a_stage_that_is_over(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text(SMALL + CHATS.format(folder=tmp_path))
    recipe = load_recipe(path).recipe
    with pytest.raises(InputError, match="there is no file or folder"):
        check(recipe)
    assert [stage.name for stage in estimated(recipe, ("sft",))] == ["rlvr", "eval"]
    assert [stage.name for stage in estimated(recipe, ("sft", "rlvr"))] == ["eval"]


def estimated(recipe, over):
    found = check(recipe, over=over)
    assert found.estimate is not None
    # the settings themselves are sound: no stage is missed, and its tasks are not called unused
    assert not [warning for warning in found.warnings if warning.startswith(("tasks.", "stages"))]
    return found.estimate.stages
