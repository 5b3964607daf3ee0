import pytest

from tahr.losses.presets import PRESETS


def test_all_are_listed_with_what_they_set(tahr):
    result = tahr("losses")
    assert result.code == 0
    assert len(PRESETS) >= 18
    assert all(name in result.out for name in PRESETS)
    assert "loss.clip_high = 0.28" in " ".join(result.out.split())


@pytest.mark.parametrize("name", PRESETS)
def test_each_can_be_explained(tahr, name):
    result = tahr("losses", "--explain", name)
    assert result.code == 0
    assert PRESETS[name].paper in result.out
    assert "loss  = sum over tokens of w x (" in result.out


def test_the_formula_has_the_values(tahr):
    out = tahr("losses", "--explain", "dapo").out
    assert "min(r A, clip(r, 0.8, 1.28) A)" in out
    assert "late  = 1 x clip((tokens - 0.8 x max_new_tokens) / (0.2 x max_new_tokens), 0, 1)" in out
    assert "w     = 1 / (tokens of the update)" in out
    assert "rlvr.loss.clip_high = 0.28" in out


def test_an_unknown_name_names_the_nearest(tahr):
    result = tahr("losses", "--explain", "dappo")
    assert result.code == 2
    assert "did you mean 'dppo'?" in result.err


@pytest.mark.parametrize(
    "arguments", [("--explain", "ppo"), ("ppo", "--explain"), ("ppo",), ("PPO", "--explain"), ("--explain", "Ppo")]
)
def test_the_name_may_stand_on_either_side(tahr, arguments):
    assert tahr("losses", *arguments).out == tahr("losses", "--explain", "ppo").out != ""


@pytest.mark.parametrize(
    ("written", "name"),
    [("Dr.GRPO", "dr_grpo"), ("dr-grpo", "dr_grpo"), ("REINFORCE++", "reinforce_pp"), ("clip cov", "clip_cov")],
)
def test_a_name_may_be_written_as_papers_write_it(tahr, written, name):
    assert f"{PRESETS[name].title} ({PRESETS[name].paper})" in tahr("losses", written).out


def test_several_are_explained_one_below_the_other(tahr):
    result = tahr("losses", "grpo", "dapo", "--explain")
    first, second = result.out.index(PRESETS["grpo"].title), result.out.index(PRESETS["dapo"].title)
    assert (result.code, first < second) == (0, True)
    wrong = tahr("losses", "grpo", "dappo")
    assert (wrong.code, wrong.out, "did you mean 'dppo'?" in wrong.err) == (2, "", True)


def test_explaining_nothing_says_what_there_is(tahr):
    result = tahr("losses", "--explain")
    assert (result.code, "tahr losses --explain NAME" in result.err, "dr_grpo" in result.err) == (2, True, True)
