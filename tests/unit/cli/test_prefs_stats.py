"""The tables of a set of pairs, and the file of its numbers."""

import json


def test_the_numbers_of_a_file_are_shown_and_written(tahr, tmp_path):
    row = {"prompt": "p", "chosen": "good", "rejected": "b", "chosen_model": "[b]x", "rejected_model": "y"}
    rows = [row, row, {**row, "chosen": "tie", "margin": 0}, {**row, "prompt": "q"}]
    source, out = tmp_path / "pairs.jsonl", tmp_path / "stats.json"
    source.write_text("\n".join(map(json.dumps, rows)))
    done = tahr("prefs", "stats", source, "--json", out)
    assert done.code == 0, done.err
    assert "[b]x" in done.out and "Who beats whom" in done.out and "1.000 (0.342 to 1.000)" in done.out
    found = json.loads(out.read_text())
    assert found["states"] == {"pair": 2, "tie": 1, "duplicate": 1}
    assert found["beats"] == [{"chosen": "[b]x", "rejected": "y", "pairs": 2}]
    assert (found["num_pairs"], found["num_prompts"], found["margins"]) == (2, 2, None)
    assert tahr("prefs", "stats", source, "--json", tmp_path / "no" / "stats.json").code == 2
