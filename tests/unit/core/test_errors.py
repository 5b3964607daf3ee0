import pytest

from tahr.core.errors import nearest_name


@pytest.mark.parametrize(
    ("name", "nearest"),
    [("GRPO", "grpo"), ("grop", "grpo"), ("DR-GRPO", "dr_grpo"), ("Q_PROJ", "Q_proj"), ("nothing", None)],
)
def test_the_nearest_name_whatever_the_capitals(name, nearest):
    assert nearest_name(name, ["dr_grpo", "grpo", "Q_proj"]) == nearest
