"""Sets of pairs: no prompt on two sides, and what is drawn depends on content alone."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tahr.core.errors import InputError
from tahr.core.preferences import Pair
from tahr.core.types import Message
from tahr.data.preferences.binarize import binarize
from tahr.data.preferences.config import PairSetConfig
from tahr.data.preferences.files import write_pairs
from tahr.data.preferences.sets import draw_pairs, load_pair_sets, split_pairs
from tahr.data.splits import NUM_BUCKETS, bucket_of, question_key


def pairs(count: int, answers: int = 2) -> list[Pair]:
    return [
        Pair(prompt=(Message(role="user", content=f"Question {number}?"),), chosen="yes", rejected=f"no {index}")
        for number in range(count)
        for index in range(answers)
    ]


def test_no_prompt_is_on_two_sides_of_a_set(tmp_path: Path) -> None:
    write_pairs(tmp_path / "p.jsonl", pairs(200))
    config = PairSetConfig(source=str(tmp_path / "p.jsonl"), validation_percent=20)
    (found,) = load_pair_sets({"p": config}, where="dpo.pairs").values()
    sides = [{pair.prompt_id for pair in side} for side in (found.train, found.validation)]
    assert sides[0].isdisjoint(sides[1])
    assert len(found.train) + len(found.validation) == 400
    assert 40 <= len(found.validation) <= 120  # 80 expected
    assert found.read.format == "tahr"


def test_no_prompt_is_trained_on_that_another_set_holds_out(tmp_path: Path) -> None:
    write_pairs(tmp_path / "a.jsonl", pairs(100, 1))
    write_pairs(tmp_path / "b.jsonl", pairs(100, 2), "plain")
    configs = {
        "a": PairSetConfig(source=str(tmp_path / "a.jsonl"), validation_percent=0, weight=2.0),
        "b": PairSetConfig(source=str(tmp_path / "b.jsonl"), validation_percent=30),
    }
    sets = load_pair_sets(configs, where="dpo.pairs")
    held_out = {question_key(pair.prompt) for pair in sets["b"].validation}
    assert held_out
    assert not held_out & {question_key(pair.prompt) for pair in sets["a"].train}
    assert sets["a"].num_moved == len(held_out)
    assert sets["a"].weight == 2.0


def test_spaces_do_not_make_another_prompt() -> None:
    texts = [f"Question {number}  of many?" for number in range(50)]
    twice = [
        Pair(prompt=(Message(role="user", content=text),), chosen="a", rejected="b")
        for one in texts
        for text in (one, one.replace("  ", "\n"))
    ]
    train, validation = split_pairs(twice, 30)
    assert len(train) % 2 == 0
    assert len(validation) % 2 == 0
    assert validation


def test_pairs_of_training_tasks_are_split_anew() -> None:
    prompts = [(Message(role="user", content=f"How much is {number}?"),) for number in range(400)]
    training = [Pair(prompt=one, chosen="a", rejected="b") for one in prompts if bucket_of(one) >= NUM_BUCKETS // 5]
    assert split_pairs(training, 20) == (tuple(training), ())  # what a task set holds out has these buckets already
    train, validation = split_pairs(training, 20, within=True)
    assert len(train) + len(validation) == len(training)
    assert 0.1 < len(validation) / len(training) < 0.3


def test_what_is_drawn_does_not_depend_on_the_other_rows() -> None:
    everything = pairs(30, 1)
    drawn = draw_pairs(everything, 10, seed=3)
    assert len(drawn) == 10
    left_out = next(pair for pair in everything if pair not in drawn)
    assert draw_pairs([pair for pair in everything if pair != left_out], 10, seed=3) == drawn
    assert draw_pairs(everything, 10, seed=4) != drawn
    assert draw_pairs(everything, None, seed=3) == tuple(everything)


def test_a_fault_names_the_section(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"dpo\.pairs\.mine: there is no file"):
        load_pair_sets({"mine": PairSetConfig(source=str(tmp_path / "no.jsonl"))}, where="dpo.pairs")
    (tmp_path / "odd.jsonl").write_text(json.dumps({"text": "?"}) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match="no known format of pairs"):
        load_pair_sets({"mine": PairSetConfig(source=str(tmp_path / "odd.jsonl"))}, where="dpo.pairs")


def test_no_answers_give_no_pair() -> None:
    assert binarize((Message(role="user", content="?"),), [], {}).note == "0 different answers"


def test_a_set_says_what_became_of_its_rows(tmp_path: Path) -> None:
    rows = [{"prompt": f"q{number}", "chosen": "a", "rejected": "b"} for number in range(4)]
    rows.append({"prompt": "q", "chosen": "a", "rejected": "a"})
    path = tmp_path / "p.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    config = PairSetConfig(source=str(path), validation_percent=0)
    found = load_pair_sets({"mine": config}, where="dpo.pairs")["mine"]
    assert str(found) == "5 rows read: 1 identical, 4 pair; pairs: 4 to train on"
    gone = replace(found, train=(), validation=found.train[:3], num_moved=1)
    assert str(gone) == "5 rows read: 1 identical, 4 pair; pairs: 0 to train on, 3 held out, 1 held out by others"
