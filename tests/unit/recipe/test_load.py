from pathlib import Path

import pytest

from tahr.core.errors import InputError
from tahr.recipe.load import load_recipe, to_toml
from tahr.recipe.preferences.build import load_prefs

MINIMAL = """
name = "small"
stages = ["rlvr"]
model = { source = "smollm2-135m", max_context = 256 }
tasks.sums = { source = "arithmetic", num_tasks = 200 }
rlvr = { tasks = { sums = 1.0 }, steps = 3 }
"""


@pytest.fixture
def write(tmp_path: Path):
    def write(text: str, name: str = "recipe.toml") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def fault(path: Path, *overrides: str) -> str:
    with pytest.raises(InputError) as caught:
        load_recipe(path, overrides)
    assert caught.value.exit_code == 2
    return str(caught.value)


def test_defaults_are_filled_in_and_given_values_kept(write):
    recipe = load_recipe(write(MINIMAL)).recipe
    assert recipe.rlvr is not None
    assert (recipe.rlvr.steps, recipe.rlvr.group_size, recipe.rlvr.learning_rate) == (3, 8, 1e-6)
    assert recipe.sft is None


RECIPES = Path(__file__).parents[3] / "recipes"
POOL = """
[dpo]
steps = 1
[dpo.build]
tasks = { sums = 1.0 }
on_policy_share = 0.5
[dpo.build.models.here]
source = "smollm2-135m"
[dpo.build.models.there]
url = "http://127.0.0.1:1/v1"
model = "m"
"""


def assert_loads_back(write, recipe):
    again = load_recipe(write(to_toml(recipe))).recipe
    assert again == recipe
    assert to_toml(again) == to_toml(recipe)


@pytest.mark.parametrize("name", sorted(path.stem for path in RECIPES.glob("*.toml") if path.stem != "prefs"))
def test_the_resolved_recipe_loads_back_equal(write, name):
    assert_loads_back(write, load_recipe(RECIPES / f"{name}.toml").recipe)


def test_a_resolved_pool_of_models_loads_back_equal(write):
    recipe = load_recipe(write(MINIMAL.replace('stages = ["rlvr"]', 'stages = ["dpo", "rlvr"]') + POOL)).recipe
    assert recipe.dpo is not None and recipe.dpo.build is not None
    assert [one.url for one in recipe.dpo.build.models.values()] == ["", "http://127.0.0.1:1/v1"]
    assert_loads_back(write, recipe)


def test_a_resolved_build_of_pairs_loads_back_equal(write):
    config = load_prefs(RECIPES / "prefs.toml", ['build.models={a={source="b"}}'])
    assert load_prefs(write(to_toml(config))) == config


def test_a_hostile_string_survives_the_way_to_toml_and_back(write):
    loaded = load_recipe(write(MINIMAL), ["rlvr.sampling.stop=['\\n', '\"', \"a'b\", \"\\u0007é\\\\\"]"])
    assert load_recipe(write(loaded.text)).recipe == loaded.recipe


def test_every_fault_is_in_one_message_with_its_path(write):
    text = MINIMAL.replace(
        "steps = 3", 'steps = "3", learning_rat = 1.0, group_size = 0, loss = {aggregation = "token"}'
    )
    message = fault(write(text.replace('name = "small"', "")))
    assert "has 5 faults" in message
    assert "name: a value is required" in message
    assert "rlvr.steps: Input should be a valid integer (received '3')" in message
    assert "unknown key 'rlvr.learning_rat': did you mean 'learning_rate'? valid keys: advantage, " in message
    assert "rlvr.group_size: Input should be greater than or equal to 1 (received 0)" in message
    assert "rlvr.loss.aggregation: " in message
    assert "did you mean 'token_mean'?" in message


def test_a_key_of_an_inner_section_is_pointed_to(write):
    message = fault(write(MINIMAL.replace("steps = 3", "steps = 3, max_new_tokens = 9")))
    assert "unknown key 'rlvr.max_new_tokens': did you mean 'sampling.max_new_tokens'?" in message


def test_types_are_strict_but_an_integer_is_a_number(write):
    assert "Input should be a valid integer" in fault(write(MINIMAL.replace("steps = 3", "steps = true")))
    assert "Input should be a valid integer" in fault(write(MINIMAL.replace("steps = 3", "steps = 3.5")))
    whole = load_recipe(write(MINIMAL.replace("sums = 1.0", "sums = 1"))).recipe
    assert whole.rlvr is not None
    assert whole.rlvr.tasks == {"sums": 1.0}


@pytest.mark.parametrize("value", ["inf", "nan"])
def test_numbers_must_be_finite(write, value):
    assert "rlvr.learning_rate" in fault(write(MINIMAL.replace("steps = 3", f"steps = 3, learning_rate = {value}")))


def test_a_missing_file_names_the_nearest_one(write):
    path = write(MINIMAL, "quickstart.toml")
    message = fault(path.with_name("quikstart.toml"))
    assert "there is no such recipe" in message
    assert f"did you mean {path}?" in message


def test_a_missing_folder_is_said(tmp_path):
    assert f"the folder {tmp_path / 'no'} does not exist either" in fault(tmp_path / "no" / "recipe.toml")


def test_a_folder_lists_the_recipes_in_it(write):
    path = write(MINIMAL, "first.toml")
    message = fault(path.parent)
    assert "the recipe is a folder, not a file" in message
    assert "one of first.toml" in message


def test_broken_toml_shows_line_and_column(write):
    message = fault(write('name = "x"\nseed = = 3\n'))
    assert "at line 2, column 8" in message
    assert message.endswith("  2 | seed = = 3\n    |        ^")


def test_bytes_that_are_no_text_are_refused(tmp_path):
    path = tmp_path / "recipe.toml"
    path.write_bytes(b"\xff\xfe\x00")
    assert "can't be read" in fault(path)


def test_a_byte_order_mark_is_no_fault(tmp_path):
    path = tmp_path / "recipe.toml"
    path.write_bytes(b"\xef\xbb\xbf" + MINIMAL.encode())
    assert load_recipe(path).recipe.name == "small"
