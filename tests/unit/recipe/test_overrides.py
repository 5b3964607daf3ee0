import pytest

from tahr.core.errors import InputError
from tahr.recipe.overrides import apply_overrides, parse_value

VALUES = {
    "name": "small",
    "stages": ["rlvr"],
    "tasks": {"sums": {"source": "arithmetic"}},
    "rlvr": {"tasks": {"sums": 1.0}, "steps": 3},
}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-6", 1e-6),
        ("12", 12),
        ("true", True),
        ("cosine", "cosine"),
        ('"12"', "12"),
        ('["sft", "rlvr"]', ["sft", "rlvr"]),
        ("{rank = 8}", {"rank": 8}),
        ("owner/name", "owner/name"),
        ("1\nsteps = 2", "1\nsteps = 2"),
    ],
)
def test_values_are_toml_and_anything_else_is_a_string(text, value):
    assert parse_value(text) == value
    assert type(parse_value(text)) is type(value)


def test_overrides_are_set_in_order_and_leave_the_original_alone():
    changed = apply_overrides(VALUES, ["rlvr.steps=5", "rlvr.sampling.max_new_tokens=9", "rlvr.steps=7"])
    assert changed["rlvr"] == {"tasks": {"sums": 1.0}, "steps": 7, "sampling": {"max_new_tokens": 9}}
    assert VALUES["rlvr"] == {"tasks": {"sums": 1.0}, "steps": 3}


def test_nothing_after_the_sign_removes_the_key():
    assert "rlvr" not in apply_overrides(VALUES, ["rlvr="])
    assert apply_overrides(VALUES, ["seed="]) == VALUES


def test_named_sections_and_free_arguments_can_be_reached():
    changed = apply_overrides(VALUES, ["tasks.sums.args.levels=[1, 2]", "tasks.more={source='countdown'}"])
    assert changed["tasks"] == {
        "sums": {"source": "arithmetic", "args": {"levels": [1, 2]}},
        "more": {"source": "countdown"},
    }


@pytest.mark.parametrize(
    ("override", "hint"),
    [
        ("rlvr.learning_rat=1", "did you mean rlvr.learning_rate?"),
        ("learning_rate=1", "did you mean sft.learning_rate or rejection_sampling.learning_rate or "),
        ("rlvr.max_new_tokens=1", "did you mean rlvr.sampling.max_new_tokens?"),
        ("tasks.sum.num_tasks=1", "did you mean tasks.sums.num_tasks?"),
        ("nonsense=1", "the sections are "),
        ("rlvr.steps.more=1", "did you mean rlvr.steps?"),
    ],
)
def test_an_unknown_path_names_the_nearest(override, hint):
    with pytest.raises(InputError) as caught:
        apply_overrides(VALUES, [override])
    assert hint in str(caught.value)
    assert override.split("=")[0] in str(caught.value)


@pytest.mark.parametrize("override", ["rlvr.steps", "=3", ""])
def test_an_override_without_path_or_value_is_refused(override):
    with pytest.raises(InputError, match="not of the form path=value"):
        apply_overrides(VALUES, [override])
