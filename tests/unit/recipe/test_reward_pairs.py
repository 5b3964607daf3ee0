"""Pairs of a reward model, as the check sees them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from small_pairs import SMALL_DPO
from tahr.core.errors import InputError
from tahr.data.preferences.files import read_pairs
from tahr.data.preferences.sets import split_pairs
from tahr.recipe.check import check
from tahr.recipe.load import load_recipe

RECIPE = (
    SMALL_DPO.split("[dpo]")[0].replace('["dpo"]', '["reward_model"]')
    + """
[reward_model]
steps = 2
batch_size = 2

[reward_model.pairs.mine]
source = "PAIRS"
validation_percent = 90
"""
)


def test_a_set_of_which_all_is_held_out_has_nothing_to_learn(tmp_path: Path) -> None:
    rows = [{"prompt": f"say {n}", "chosen": "a", "rejected": "b"} for n in range(50)]
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text("".join(json.dumps(row) + "\n" for row in rows))
    _, held_out = split_pairs(read_pairs(pairs).pairs, 90)
    kept = {pair.prompt[0].content for pair in held_out[:3]}
    pairs.write_text("".join(json.dumps(row) + "\n" for row in rows if row["prompt"] in kept))
    path = tmp_path / "small.toml"
    path.write_text(RECIPE.replace("PAIRS", str(pairs)))
    with pytest.raises(InputError) as caught:
        check(load_recipe(path).recipe)
    said = " ".join(str(caught.value).split())
    assert "reward_model.pairs.mine: no pair to learn from (received 3 rows read: 3 pair; " in said
    assert "pairs: 0 to train on, 3 held out)" in said
