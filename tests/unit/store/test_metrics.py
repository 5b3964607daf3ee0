import json
import math
from pathlib import Path

import pytest

from tahr.core.errors import InputError
from tahr.store.metrics import METRICS_NAME, append_metrics, cut_metrics, is_timing, read_metrics


def test_values_come_back_as_they_were_logged(tmp_path: Path) -> None:
    append_metrics(tmp_path, "sft", 1, {"loss": 0.1 + 0.2, "reward/é": 1})
    append_metrics(tmp_path, "rlvr", 1, {"reward": 1e-300})
    first, second = read_metrics(tmp_path)
    assert (first.stage, first.step, first.metrics) == ("sft", 1, {"loss": 0.30000000000000004, "reward/é": 1.0})
    assert (second.stage, second.metrics) == ("rlvr", {"reward": 1e-300})


def test_a_diverged_loss_is_kept_in_valid_json(tmp_path: Path) -> None:
    append_metrics(tmp_path, "rlvr", 1, {"loss": math.nan, "ratio_max": math.inf, "x": -math.inf})

    def refuse(text: str) -> float:
        raise AssertionError(f"{text} is not JSON")

    json.loads((tmp_path / METRICS_NAME).read_text(), parse_constant=refuse)
    (row,) = read_metrics(tmp_path)
    assert math.isnan(row.metrics["loss"])
    assert row.metrics["ratio_max"] == math.inf
    assert row.metrics["x"] == -math.inf


def test_every_cut_of_the_file_reads_as_its_whole_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.fsync", lambda descriptor: None)  # the disk is not what is tested here, and it is slow
    for step in (1, 2, 3):
        append_metrics(tmp_path, "rlvr", step, {"reward": step / 10})
    path = tmp_path / METRICS_NAME
    whole = path.read_bytes()
    for length in range(len(whole) + 1):
        path.write_bytes(whole[:length])
        num_lines = whole[:length].count(b"\n")
        assert [row.step for row in read_metrics(tmp_path)] == [1, 2, 3][:num_lines]
        cut_metrics(tmp_path)
        assert path.read_bytes() == b"".join(whole.splitlines(keepends=True)[:num_lines])
        append_metrics(tmp_path, "rlvr", 9, {"reward": 1.0})
        assert [row.step for row in read_metrics(tmp_path)] == [*[1, 2, 3][:num_lines], 9]


def test_a_last_line_of_zero_bytes_is_torn(tmp_path: Path) -> None:
    append_metrics(tmp_path, "rlvr", 1, {"reward": 0.5})
    with (tmp_path / METRICS_NAME).open("ab") as file:
        file.write(b"\0\0\0\0\n")
    assert [row.step for row in read_metrics(tmp_path)] == [1]


def test_a_damaged_line_amid_the_file_is_named(tmp_path: Path) -> None:
    append_metrics(tmp_path, "rlvr", 1, {"reward": 0.5})
    with (tmp_path / METRICS_NAME).open("ab") as file:
        file.write(b"{broken\n")
    append_metrics(tmp_path, "rlvr", 2, {"reward": 0.5})
    with pytest.raises(InputError, match=r"line 2 of .*metrics.jsonl is damaged"):
        read_metrics(tmp_path)


def test_no_file_is_no_metrics(tmp_path: Path) -> None:
    assert read_metrics(tmp_path) == []
    cut_metrics(tmp_path)
    assert not (tmp_path / METRICS_NAME).exists()


@pytest.mark.parametrize("name", ["seconds_sampling", "seconds_step", "tokens_per_second", "sft/seconds_step"])
def test_timings(name: str) -> None:
    assert is_timing(name)


@pytest.mark.parametrize("name", ["reward", "num_tokens_sampled", "completion_length", "loss"])
def test_other_metrics_are_no_timings(name: str) -> None:
    assert not is_timing(name)
