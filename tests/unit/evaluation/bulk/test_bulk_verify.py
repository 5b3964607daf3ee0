"""Scoring a file of rows: every row gets its own verdict, whatever the others do, and the work can be broken off."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from tahr.core.errors import InputError, TahrError
from tahr.core.types import Outcome
from tahr.evaluation.bulk import verify as bulk
from tahr.evaluation.bulk.judges import RowFormat
from tahr.evaluation.bulk.output import differences
from tahr.evaluation.bulk.tally import Tally
from tahr.evaluation.bulk.verify import BulkJob, Progress, verify_file

OBEDIENT = BulkJob(verifier="hostile_verifiers:Obedient", columns=RowFormat(prompt=None), seconds=0.3)
SLOW = BulkJob(verifier="hostile_verifiers:Obedient", columns=RowFormat(prompt=None), seconds=20.0)
NUMERIC = BulkJob(verifier="numeric", columns=RowFormat(prompt=None))


def write_rows(path: Path, responses: list[str], answer: str = "right") -> Path:
    path.write_text("".join(json.dumps({"answer": answer, "response": one}) + "\n" for one in responses))
    return path


def run(path: Path, job: BulkJob = OBEDIENT, **options: Any) -> tuple[list[dict[str, Any]], Tally]:
    out = path.with_name("verdicts.jsonl")
    tally = verify_file(path, job, out, **{"workers": 1, **options})
    return [json.loads(line) for line in out.read_text().splitlines()], tally


def outcomes(rows: list[dict[str, Any]]) -> list[str]:
    return [row["outcome"] for row in rows]


def test_every_row_has_its_own_verdict_in_order(tmp_path: Path) -> None:
    lines = [
        {"answer": "3", "response": "3", "uid": "a", "parts": 1},
        {"answer": "3", "response": "4", "uid": "b"},
        {"answer": "1/2", "response": "so 0.52", "meta": {"tolerance": 0.05}},
        {"answer": "1/2", "response": "so 0.52"},
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("\ufeff" + "\n\n".join(map(json.dumps, lines)))
    rows, tally = run(path, BulkJob(verifier="numeric", columns=RowFormat(prompt=None, id="uid")))
    assert [(row["line"], row["id"], row["outcome"], row["value"], row["extracted"], row["note"]) for row in rows] == [
        (1, "a", "pass", 1.0, "3", "3 equals 3"),
        (3, "b", "fail", 0.0, "4", "4 is not 3"),
        (5, None, "pass", 1.0, "0.52", "0.52 equals 1/2"),
        (7, None, "fail", 0.0, "0.52", "0.52 is not 1/2"),
    ]
    assert rows[0]["parts"] == {"correct": 1.0}
    assert all(0 < row["seconds"] < 1 for row in rows)
    assert (tally.num_rows, tally.count(Outcome.PASS), tally.mean_reward, tally.num_without_reward) == (4, 2, 0.5, 0)


def test_bad_rows_are_errors_with_their_line_number(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(
        b'{"answer": "3", "response": "3"}\n'
        b'{"answer": "3", "response": \n'
        b'["3", "3"]\n'
        b'{"answer": "3"}\n'
        b'{"response": "3"}\n'
        b'{"answer": "three", "response": "3"}\n'
        b'{"answer": "3", "response": "\xff"}\n'
        b'{"answer": "3", "response": "\\ud800"}\n' + b"[" * 100_000 + b"\n"
        b'{"answer": "3", "response": "3"}'
    )
    rows, tally = run(path, NUMERIC)
    assert [row["line"] for row in rows] == list(range(1, 11))
    assert outcomes(rows) == ["pass", *["error"] * 6, "fail", "error", "pass"]
    assert [row["note"][:34] for row in rows[1:7]] == [
        "bad row: not JSON: Expecting value",
        "bad row: not a JSON object",
        "bad row: no text in column 'respon",
        "bad row: no answer in column 'answ",
        "bad row: the numeric verifier need",
        "bad row: not JSON: 'utf-8' codec c",
    ]
    assert all(row["value"] is None for row in rows if row["outcome"] == "error")
    assert (tally.num_rows, tally.num_without_reward) == (10, 7)


def test_a_line_without_end_costs_itself_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk, "MAX_LINE_BYTES", 1000)
    path = write_rows(tmp_path / "rows.jsonl", ["right", "x" * 5000, "right"])
    rows, _ = run(path)
    assert outcomes(rows) == ["pass", "error", "pass"]
    assert rows[1]["line"] == 2
    assert rows[1]["note"].startswith("bad row: more than")


@pytest.mark.slow
def test_a_hostile_row_costs_itself_only(tmp_path: Path) -> None:
    hostile = {
        "kill": ("error", "its process was killed by signal 9, twice"),
        "exit": ("error", "its process ended with exit code 0, twice"),
        "hang": ("timeout", "no verdict within 2.3 s: its process was killed"),
        "spin": ("timeout", "no result within 0.3 s"),
        "raise no verdict today": ("error", "no verdict today"),
        "leave": ("error", "SystemExit"),
        "memory": ("error", "MemoryError"),
        "print": ("fail", "not equal"),
        f"kill-once {tmp_path / 'killed'}": ("fail", "not equal"),
    }
    responses = [word for text in hostile for word in ("right", text, "wrong")]
    rows, tally = run(write_rows(tmp_path / "rows.jsonl", responses))
    assert len(rows) == len(responses)
    for index, (outcome, note) in enumerate(hostile.values()):
        before, row, after = rows[3 * index : 3 * index + 3]
        assert (before["outcome"], row["outcome"], after["outcome"]) == ("pass", outcome, "fail")
        assert note in row["note"]
    assert tally.num_without_reward == 7


def test_a_check_of_the_task_that_fails_is_the_rows_fault(tmp_path: Path) -> None:
    rows, _ = run(write_rows(tmp_path / "rows.jsonl", ["right"], answer="unjudgeable"))
    assert (rows[0]["outcome"], rows[0]["note"]) == ("error", "bad row: check_task failed: RuntimeError: no such task")


def test_nothing_is_left_running(tmp_path: Path) -> None:
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    marker = "31.4159"
    run(write_rows(tmp_path / "rows.jsonl", ["right", f"leave-a-child {marker}", "kill", f"leave-a-child {marker}"]))
    assert {child.pid for child in psutil.Process().children(recursive=True)} <= before
    assert not [one for one in psutil.process_iter(["cmdline"]) if (one.info["cmdline"] or [])[-1:] == [marker]]


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's help is needed")
def test_no_daemon_is_left_running(tmp_path: Path) -> None:
    marker = "31.41592"
    rows, _ = run(write_rows(tmp_path / "rows.jsonl", ["right", f"leave-a-daemon {marker}", "kill", "right"]), SLOW)
    assert outcomes(rows) == ["pass", "fail", "error", "pass"]
    assert not [one for one in psutil.process_iter(["cmdline"]) if (one.info["cmdline"] or [])[-1:] == [marker]]


@pytest.mark.slow
def test_what_is_there_is_not_judged_again(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "rows.jsonl", ["right", "wrong", "right", "wrong"])
    out = tmp_path / "verdicts.jsonl"
    whole, _ = run(path)
    lines = out.read_bytes().splitlines(keepends=True)
    marked = lines[0].replace(b"equal", b"kept ")
    seen: list[Progress] = []
    for torn in (lines[1][:-1], lines[1][:20], b'{"line": 1}\n', b"\0\0\0"):
        out.write_bytes(marked + torn)
        again, tally = run(path, on_progress=seen.append)
        assert [row["line"] for row in again] == [1, 2, 3, 4]
        assert outcomes(again) == outcomes(whole)
        assert again[0]["note"] == "kept "
        assert (tally.num_rows, tally.count(Outcome.PASS), tally.mean_reward) == (4, 2, 0.5)
        assert (seen[-1].num_rows, seen[-1].num_new) == (4, 3)
        assert seen[-1].done_bytes == seen[-1].total_bytes == path.stat().st_size


@pytest.mark.slow
def test_a_file_that_grew_goes_on(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "rows.jsonl", ["right", "wrong"])
    run(path)
    write_rows(path, ["right", "wrong", "right"])
    rows, tally = run(path)
    assert outcomes(rows) == ["pass", "fail", "pass"]
    assert tally.num_rows == 3


@pytest.mark.slow
def test_other_rows_or_settings_are_refused(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "rows.jsonl", ["right", "wrong"])
    run(path)
    other = BulkJob(verifier="exact", columns=RowFormat(prompt=None), seconds=0.3)
    with pytest.raises(InputError) as refused:
        run(path, other)
    assert str(refused.value).splitlines()[1:] == [
        '  received: verifier: "hostile_verifiers:Obedient" before, now "exact"',
        "  instead:  --restart to judge all rows anew, or another file with --out",
    ]
    several = BulkJob(verifier=OBEDIENT.verifier, columns=RowFormat(prompt=None, id="answer"), seconds=0.5)
    with pytest.raises(InputError) as refused:
        run(path, several)
    assert refused.value.received == 'columns.id: none before, now "answer"\n            seconds: 0.3 before, now 0.5'
    write_rows(path, ["wrong", "wrong"])
    with pytest.raises(InputError, match="verdicts on other rows"):
        run(path)
    rows, _ = run(path, restart=True)
    assert outcomes(rows) == ["fail", "fail"]
    foreign = tmp_path / "foreign.txt"
    foreign.write_text("precious")
    with pytest.raises(InputError, match="no file of verdicts"):
        verify_file(path, OBEDIENT, foreign, workers=1)
    assert foreign.read_text() == "precious"
    with pytest.raises(InputError, match="would overwrite the rows"):
        verify_file(path, OBEDIENT, path, workers=1)
    with pytest.raises(InputError, match="unknown verifier 'numerik'"):
        run(path, BulkJob(verifier="numerik"))


PROGRAM = """
import sys
from pathlib import Path
from tahr.evaluation.bulk.judges import RowFormat
from tahr.evaluation.bulk.output import differences
from tahr.evaluation.bulk.verify import BulkJob, verify_file
sys.path.append(sys.argv[3])
job = BulkJob(verifier="hostile_verifiers:Obedient", columns=RowFormat(prompt=None), seconds=60.0)
verify_file(Path(sys.argv[1]), job, Path(sys.argv[2]), workers=2)
"""


def start(path: Path) -> subprocess.Popen[bytes]:
    tests = str(Path(__file__).parents[3])
    return subprocess.Popen([sys.executable, "-c", PROGRAM, str(path), str(path.with_name("verdicts.jsonl")), tests])


def wait_for(condition: Any, seconds: float = 20.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize("hostile", ["hang", pytest.param("spin", marks=pytest.mark.slow)])
def test_no_process_outlives_a_parent_that_is_killed(tmp_path: Path, hostile: str) -> None:
    path = write_rows(tmp_path / "rows.jsonl", ["leave-a-child 27.18281", hostile, hostile])
    process = start(path)
    try:
        parent = psutil.Process(process.pid)
        wait_for(lambda: len(parent.children(recursive=True)) == 5)  # two supervisors, two workers, a worker's child
        time.sleep(0.1)
        family = parent.children(recursive=True)
    finally:
        process.kill()
        process.wait()
    wait_for(lambda: not any(one.is_running() and one.status() != psutil.STATUS_ZOMBIE for one in family), 5.0)


@pytest.mark.slow
def test_a_killed_run_goes_on_without_losing_or_repeating_a_row(tmp_path: Path) -> None:
    responses = [("right" if index % 3 else "wrong") for index in range(6000)]
    path = write_rows(tmp_path / "rows.jsonl", responses)
    out = tmp_path / "verdicts.jsonl"
    kills = 0
    while kills < 2:
        size = out.stat().st_size if out.exists() else 0
        process = start(path)
        wait_for(lambda size=size, process=process: (out.exists() and out.stat().st_size > size) or process.poll() == 0)
        os.kill(process.pid, signal.SIGKILL)
        kills += process.wait() == -signal.SIGKILL
        if process.returncode == 0:
            break
    assert kills >= 1
    assert start(path).wait() == 0
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row["line"] for row in rows] == list(range(1, 6001))
    assert outcomes(rows) == ["pass" if index % 3 else "fail" for index in range(6000)]


def test_only_a_file_of_verdicts_is_written_over(tmp_path: Path) -> None:
    rows = write_rows(tmp_path / "rows.jsonl", ["right"] * 3)
    before = rows.read_bytes()
    (tmp_path / "hard.jsonl").hardlink_to(rows)
    (tmp_path / "soft.jsonl").symlink_to(rows)
    (tmp_path / "dangling.jsonl").symlink_to(tmp_path / "nowhere" / "x")
    (tmp_path / "folder").mkdir()
    (tmp_path / "other.jsonl").write_text('{"precious": 1}\n')
    os.mkfifo(tmp_path / "pipe")
    names = (
        "hard.jsonl",
        "soft.jsonl",
        "rows.jsonl",
        "dangling.jsonl",
        "folder",
        "other.jsonl",
        "pipe",
        "no/out.jsonl",
    )
    for place in (*(tmp_path / name for name in names), Path("/dev/null"), Path("/proc/out.jsonl")):
        for restart in (False, True):
            with pytest.raises(InputError):
                verify_file(rows, OBEDIENT, place, workers=1, restart=restart)
    assert rows.read_bytes() == before
    assert (tmp_path / "other.jsonl").read_text() == '{"precious": 1}\n'


@pytest.mark.slow
def test_a_verifier_that_kills_its_supervisor_again_and_again_ends_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tahr.evaluation.bulk.lane.MAX_ENDED", 2)
    job = BulkJob(verifier="hostile_verifiers:regicide", columns=RowFormat(prompt=None), seconds=0.3)
    with pytest.raises(TahrError, match="killed again and again"):
        run(write_rows(tmp_path / "rows.jsonl", ["right"] * 3), job)


@pytest.mark.parametrize("content", [b"", b"\n", b"\n \n\t\n\r\n", b"\xef\xbb\xbf\n", b"  "])
def test_a_file_without_rows_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError, match="holds no rows"):
        run(path)
    assert list(tmp_path.iterdir()) == [path]


def test_settings_that_came_back_from_json_are_the_same() -> None:
    before = {"verifiers": {"a": {"args": {"worth": [0, 1], "old": None}}}}
    assert differences(before, {"verifiers": {"a": {"args": {"worth": [0, 1]}}}}) == []
    assert differences(before, {"verifiers": {"a": {"args": {"worth": [0, 2]}}}}) == [
        "verifiers.a.args.worth: [0, 1] before, now [0, 2]"
    ]


@pytest.mark.parametrize(
    ("columns", "wrong", "instead"),
    [
        (
            RowFormat(response="respons"),
            "no column 'respons' for the response",
            "did you mean 'response'? --response response",
        ),
        (RowFormat(answer="gold"), "no column 'gold' for the answer", "--answer COLUMN"),
        (RowFormat(prompt="promt"), "no column 'promt' for the prompt", "did you mean 'prompt'? --prompt prompt"),
        (RowFormat(id="nope"), "no column 'nope' for the id", "--id COLUMN"),
    ],
)
def test_a_column_that_is_not_there_is_refused_at_once(
    tmp_path: Path, columns: RowFormat, wrong: str, instead: str
) -> None:
    path, out = tmp_path / "rows.jsonl", tmp_path / "verdicts.jsonl"
    path.write_text('no JSON\n{"prompt": "?", "answer": "3", "response": "3"}\n')
    with pytest.raises(InputError) as caught:
        verify_file(path, BulkJob(verifier="numeric", columns=columns), out, workers=1)
    assert caught.value.wrong == f"{wrong}, in the first rows of {path}"
    assert caught.value.received == "the columns prompt, answer, response"
    assert caught.value.instead.startswith(instead)
    assert not out.exists()


@pytest.mark.slow
def test_verdicts_without_any_reward_give_way_to_other_settings(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "rows.jsonl", ["3", "4"], answer="three")
    seen: list[str | None] = []
    _, tally = run(path, NUMERIC, on_progress=lambda progress: seen.append(progress.fault))
    ((reason, count),) = tally.reasons(3)
    assert count == 2
    assert reason.startswith("bad row: the numeric verifier")
    assert seen[-1] == reason
    exact = BulkJob(verifier="exact", columns=RowFormat(prompt=None))
    assert outcomes(run(path, exact)[0]) == ["fail", "fail"]
    with pytest.raises(InputError, match="made with other settings"):
        run(path, NUMERIC)


def test_reasons_that_differ_in_ids_alone_are_one() -> None:
    tally = Tally()
    for value, note in ((1.0, "fine"), (None, "failed on task 00000000000000aa: 'a'"), (None, "line 7: no text")):
        tally.add("error" if value is None else "pass", value, note)
    tally.add("error", None, "failed on task 00000000000000bb: 'b'")
    assert tally.reasons(1) == [("failed on task 00000000000000aa: 'a'", 2)]
    assert tally.only_reason is None
