import pytest

from tahr.core.ranges import BINARY, RewardRange
from tahr.core.types import Outcome, Reward, Verdict, failed, passed
from tahr.verifiers.sound import settle_cheat, sound

CHEAT = Verdict(outcome=Outcome.CHEAT, reward=Reward(value=1.0, parts={"correct": 0.0}))


def test_a_reward_outside_its_own_range_is_not_trained_on() -> None:
    assert sound(failed("no"), BINARY) == failed("no")
    with pytest.raises(ValueError, match=r"its fail is worth 0\.5, outside its own range"):
        sound(failed("half", value=0.5), BINARY)
    assert sound(failed("half", value=0.5)).reward is not None
    with pytest.raises(ValueError, match="its pass is worth 1, outside"):
        sound(passed(), RewardRange(passing=(2.0, 3.0), failing=(0.0, 1.0)))


def test_rounding_is_no_fault() -> None:
    verdict = Verdict(outcome=Outcome.PASS, reward=Reward(value=1.0 + 1e-12, parts={}))
    assert sound(verdict, BINARY) is verdict


@pytest.mark.parametrize(
    ("worth", "known", "value"),
    [
        (0.0, BINARY, 0.0),
        (-1.0, BINARY, -1.0),
        (-0.5, RewardRange(passing=(0.0, 1.0), failing=(-1.0, 0.0)), -1.0),  # never more than what fails
        (0.0, RewardRange(passing=(2.0, 2.0), failing=(1.0, 1.0)), 0.0),
        (-0.5, None, -0.5),
    ],
)
def test_cheating_is_worth_what_the_recipe_says(worth: float, known: RewardRange | None, value: float) -> None:
    settled = settle_cheat(CHEAT, worth, known)
    assert settled.reward is not None
    assert (settled.reward.value, settled.reward.parts) == (value, {"correct": 0.0})
    if known is not None:
        assert known.with_cheating(worth).low <= value


def test_what_does_not_cheat_stays() -> None:
    assert settle_cheat(passed(), -1.0, BINARY) == passed()
