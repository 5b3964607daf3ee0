"""What a rater is shown and what is kept of it."""

from pathlib import Path

import pytest

from small_labels import desk, pairs
from tahr.core.errors import InputError
from tahr.data.labels.files import read_labels


def test_a_label_says_what_was_preferred_whatever_side_it_stood_on(tmp_path: Path) -> None:
    one = desk(tmp_path / "l.jsonl", pairs(40))
    sides: set[str] = set()
    for place in range(40):
        item = one.state(place)["item"]
        side = "left" if item["left"] == str(2 * place) else "right"  # the right answer, wherever it stands
        sides.add(side)
        assert one.label(item["id"], side, 2.0) == place + 1
    assert sides == {"left", "right"}
    by_id = {two.id: dict((two.first, two.second)) for two in one.comparisons}
    better = [by_id[label.comparison][label.judgment.preferred or ""] for label in read_labels(tmp_path / "l.jsonl")]
    assert better == [str(2 * place) for place in range(40)]
    assert one.state(None)["item"] is None


def test_sides_depend_on_rater_pair_and_seed_and_on_nothing_else(tmp_path: Path) -> None:
    def lefts(who: str, seed: int, of: int = 24) -> list[str]:
        one = desk(tmp_path / f"{who}.jsonl", pairs(of), who=who, seed=seed)
        return [one.state(place)["item"]["left"] for place in range(24)]

    assert lefts("ada", 0) == lefts("ada", 0, of=30)
    assert len({tuple(lefts(who, seed)) for who in ("ada", "bob") for seed in (0, 1)}) == 4


def test_work_goes_on_where_it_ended_and_undo_takes_back_the_newest(tmp_path: Path) -> None:
    path = tmp_path / "l.jsonl"
    one = desk(path, pairs(4))
    names = [one.state(place)["item"]["id"] for place in range(4)]
    one.label(names[0], "left", 3.0)
    one.label(names[2], "tie", 5.0)
    one.label(names[1], "not_applicable", 9999.0)
    again = desk(path, pairs(4))
    state = again.state(None)
    assert (state["place"], state["done"], state["seconds_left"]) == (3, 3, 5.0)  # the median of 3, 5 and an hour
    assert state["tally"]["tie"] == state["tally"]["not_applicable"] == 1
    assert (again.undo(), again.undo(), again.undo(), again.undo()) == (1, 2, 0, None)
    assert desk(path, pairs(4)).state(None)["done"] == 0


def test_another_rater_begins_anew_in_the_same_file(tmp_path: Path) -> None:
    path = tmp_path / "l.jsonl"
    one = desk(path, pairs(2))
    one.label(one.state(0)["item"]["id"], "left", 1.0)
    assert desk(path, pairs(2), who="bob").state(None)["done"] == 0


def test_models_are_not_shown_and_unknown_labels_are_refused(tmp_path: Path) -> None:
    one = desk(tmp_path / "l.jsonl", pairs(1))
    assert "secret" not in str(one.state(0))
    with pytest.raises(KeyError):
        one.label("nothing", "left", 1.0)
    with pytest.raises(ValueError, match="none of left"):
        one.label(one.state(0)["item"]["id"], "chosen", 1.0)
    with pytest.raises(InputError):
        desk(tmp_path / "l.jsonl", pairs(1), who=" ")
    assert (tmp_path / "l.jsonl").read_bytes() == b""
