"""Contests are read from pairs and from RewardBench 2's layout, and scored alike."""

import json

import pytest

from tahr.core.errors import InputError
from tahr.evaluation.preferences.contest import read_contests
from tahr.evaluation.preferences.scored import score_contests

ROW = {
    "id": "7",
    "prompt": "2 + 3?",
    "chosen": ["5"],
    "rejected": ["6", "4", "seven"],
    "num_correct": 1,
    "num_rejected": 3,
    "subset": "Math",
}


class ByLength:
    """Scores a conversation by its length; refuses the word "no"."""

    max_context = 12

    def conversation(self, prompt, answer):
        if answer == "no":
            raise InputError("refused")
        return tuple(range(len(prompt[-1].content) + len(answer)))

    def score_groups(self, groups):
        return [[float(len(one)) for one in group] for group in groups]


def _write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def test_reward_bench_rows_are_recognised_by_their_lists(tmp_path):
    contests, format = read_contests(_write(tmp_path / "rb.jsonl", [ROW]))
    assert format == "rewardbench2"
    (contest,) = contests
    assert (contest.id, contest.domain) == ("7", "Math")
    assert (contest.chosen, contest.rejected) == (("5",), ("6", "4", "seven"))
    assert contest.prompt[0].content == "2 + 3?"


def test_reward_bench_reads_parquet(tmp_path):
    import pyarrow as arrow
    import pyarrow.parquet as parquet

    parquet.write_table(arrow.Table.from_pylist([ROW]), tmp_path / "rb.parquet")
    contests, format = read_contests(str(tmp_path / "rb.parquet"))
    assert format == "rewardbench2"
    assert contests[0].rejected == ("6", "4", "seven")


def test_pairs_are_contests_of_two(tmp_path):
    pair = {"prompt": [{"role": "user", "content": "2 + 3?"}], "chosen": "5", "rejected": "6"}
    contests, format = read_contests(_write(tmp_path / "pairs.jsonl", [pair]))
    assert format != "rewardbench2"
    assert (contests[0].chosen, contests[0].rejected) == (("5",), ("6",))


def test_a_later_row_in_another_layout_is_named(tmp_path):
    path = _write(tmp_path / "rb.jsonl", [ROW, {**ROW, "chosen": "5"}])
    with pytest.raises(InputError, match="line 2"):
        read_contests(path)


def test_what_does_not_fit_or_is_refused_is_counted_and_never_scored(tmp_path):
    rows = [ROW, {**ROW, "id": "8", "rejected": ["far too long", "4"]}, {**ROW, "id": "9", "chosen": ["no"]}]
    contests, _ = read_contests(_write(tmp_path / "rb.jsonl", rows))
    done = []
    scored, num_excluded = score_contests(contests, ByLength(), on_done=done.append)
    assert [one.contest.id for one in scored] == ["7"]
    assert (num_excluded, sum(done)) == (2, 3)
    assert scored[0].scores == (7.0, 7.0, 7.0, 11.0)
    assert scored[0].pairs == [(7.0, 7.0, 0), (7.0, 7.0, 0), (7.0, 11.0, -4)]
