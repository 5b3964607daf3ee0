"""Converting pairs: what is kept, what is said to be lost, what is refused."""

import json

from tahr.core.preferences import Pair
from tahr.core.types import Message
from tahr.data.preferences.files import read_pairs, write_pairs


def pairs(folder, role="user"):
    made = [
        Pair(
            prompt=(Message(role=role, content=f"q{n}"), Message(role="user", content="and?")),
            chosen=f"good {n}",
            rejected="bad",
            margin=float(n + 1) if n < 2 else None,
            provenance={"judge": "exact", "chosen_model": "a"},
        )
        for n in range(3)
    ]
    write_pairs(folder / "pairs.jsonl", made)
    return made


def test_what_a_format_has_no_room_for_is_said_and_the_rest_comes_back(tahr, tmp_path):
    made = pairs(tmp_path)
    done = tahr("prefs", "convert", tmp_path / "pairs.jsonl", tmp_path / "out.jsonl", "--to", "tulu")
    assert done.code == 0, done.err
    assert "provenance.judge of 3 of 3 pairs" in done.out and "margin" not in done.out
    assert "provenance.chosen_model" not in done.out and "3 pairs into" in done.out
    back = read_pairs(tmp_path / "out.jsonl")
    assert (back.format, [one.id for one in back.pairs]) == ("tulu", [one.id for one in made])
    assert [one.margin for one in back.pairs] == [1.0, 2.0, None]
    done = tahr("prefs", "convert", tmp_path / "out.jsonl", tmp_path / "hh.jsonl", "--to", "hh")
    assert "margin of 2 of 3 pairs" in done.out
    rows = [json.loads(line) for line in (tmp_path / "hh.jsonl").read_text().splitlines()]
    assert set(rows[0]) == {"chosen", "rejected"}


def test_what_can_not_be_told_is_refused_and_nothing_is_written(tahr, tmp_path):
    pairs(tmp_path, role="system")
    source, out = tmp_path / "pairs.jsonl", tmp_path / "out.jsonl"
    done = tahr("prefs", "convert", source, out, "--to", "hh")
    assert done.code == 2 and "a message of the system" in done.err and not out.exists()
    assert "ultrafeedback_raw" not in tahr("prefs", "convert", source, out, "--to", "hf").err.partition("valid")[2]
    before = source.read_bytes()
    assert tahr("prefs", "convert", source, source, "--to", "tulu").code == 2
    assert source.read_bytes() == before
