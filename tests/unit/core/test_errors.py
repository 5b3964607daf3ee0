import pytest

from tahr.core.errors import InputError, UnknownNameError, nearest_name


@pytest.mark.parametrize(
    ("name", "nearest"),
    [("GRPO", "grpo"), ("grop", "grpo"), ("DR-GRPO", "dr_grpo"), ("Q_PROJ", "Q_proj"), ("nothing", None)],
)
def test_the_nearest_name_whatever_the_capitals(name, nearest):
    assert nearest_name(name, ["dr_grpo", "grpo", "Q_proj"]) == nearest


def test_a_name_that_two_registries_know_is_listed_once():
    error = UnknownNameError("evaluation", "bhh", ["champ", "bbh", "arithmetic", "bbh", "champ"])
    assert error.instead == "did you mean 'bbh'? valid: arithmetic, bbh, champ"


def test_the_cause_is_one_line_of_what_was_wrong_and_received():
    assert InputError("no such file", received="a\n  b", instead="another").cause == "no such file: a b"
    assert InputError("no such file").cause == "no such file"
