"""Judge every row of a file of JSON lines: streamed in, spread over processes, written out in order."""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from queue import SimpleQueue
from threading import BoundedSemaphore, Lock
from typing import Any, BinaryIO

from tahr.core.errors import InputError
from tahr.evaluation.bulk.columns import check_columns
from tahr.evaluation.bulk.judges import RowFormat, Verifiers, built_verifiers, lost_row
from tahr.evaluation.bulk.lane import Lane, Lost, Work
from tahr.evaluation.bulk.output import Output
from tahr.evaluation.bulk.tally import Tally

MAX_LINE_BYTES = 32 * 2**20
BATCH_BYTES, BATCH_ROWS, BATCH_SECONDS = 2**20, 256, 0.1  # a batch is as large as the first of these allows
MAX_WAITING_BYTES = 64 * 2**20  # verdicts that wait for an earlier row's

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkJob:
    """What decides the verdicts. `verifiers` holds a recipe's ``[verifiers.NAME]`` sections.

    `seconds` is the limit for one row; `memory_bytes` that of one worker.

    Example: ``BulkJob(verifier="numeric", columns=RowFormat(response="completion"), seconds=10.0)``
    """

    verifier: str
    verifiers: Verifiers = field(default_factory=dict[str, Mapping[str, Any]])
    columns: RowFormat = field(default_factory=RowFormat)
    seconds: float = 10.0
    memory_bytes: int = 4 * 2**30

    def settings(self) -> dict[str, Any]:
        """Everything as JSON values."""
        return asdict(self)

    def work(self) -> Work:
        """What a lane does for this job."""
        values = self.settings()
        names = ("verifier", "verifiers", "columns", "seconds")
        return Work(
            judge="tahr.evaluation.bulk.judges:row_judge",
            arguments={name: values[name] for name in names},
            seconds=self.seconds,
            memory_bytes=self.memory_bytes,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far the work is: rows judged in all and by this call, and bytes of the file behind and in all.

    `fault` is the one reason why no row so far has a reward; None where any has one, or there are several reasons.

    Example: ``Progress(num_rows=5000, num_new=2000, done_bytes=1_000_000, total_bytes=4_000_000)``
    """

    num_rows: int
    num_new: int
    done_bytes: int
    total_bytes: int
    fault: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Batch:
    """Consecutive rows with their line numbers; `end` is where the file goes on. A None is too long to be read."""

    lines: list[int]
    rows: list[bytes | None]
    end: int


def verify_file(
    path: Path,
    job: BulkJob,
    out: Path,
    *,
    workers: int,
    restart: bool = False,
    on_progress: Callable[[Progress], None] | None = None,
) -> Tally:
    """Judge every row of `path` and write a line for each into `out`, going on where an earlier call stopped.

    Rows that can't be read are errors with their line number; rows that the verifier can't judge in time, or that kill
    its process, are timeouts and errors; none of them holds up or spoils another. Memory does not grow with the file.
    Returns the counts over all rows. Raises InputError (no such file, none with a row in it, a column that the first
    rows don't have, unknown verifier, `out` made otherwise), ResourceError on a full disk.
    """
    if not path.is_file():
        raise InputError(f"there is no file {path}", received=path, instead="a file of JSON lines")
    built_verifiers(job.verifiers).get(job.verifier)
    if not _has_rows(path):
        raise InputError(f"{path} holds no rows", received="an empty file", instead="a JSON object on each line")
    check_columns(path, job.columns)
    output = Output(out, path, job.settings(), restart=restart)
    try:
        with path.open("rb") as file, _pool(job.work(), workers) as pool:
            _run(file, path.stat().st_size, output, pool, on_progress)
    finally:
        output.close()
    return output.tally


def _has_rows(path: Path) -> bool:
    """Whether anything stands in the file but blank lines."""
    with path.open("rb") as file:
        piece = file.read(MAX_LINE_BYTES).removeprefix(_BOM)
        while piece and not piece.strip():
            piece = file.read(MAX_LINE_BYTES)
    return bool(piece)


class _Pool:
    """Lanes with a thread each; batches wait for a lane in the order in which they came."""

    def __init__(self, work: Work, workers: int) -> None:
        self.lanes = [Lane(work) for _ in range(workers)]
        self.threads = ThreadPoolExecutor(workers)
        self.seconds_per_row = BATCH_SECONDS
        self.done_bytes = 0
        self._free: SimpleQueue[Lane] = SimpleQueue()
        for lane in self.lanes:
            self._free.put(lane)
        self._room = BoundedSemaphore(2 * workers)
        self._lock = Lock()

    def submit(self, batch: _Batch) -> Future[bytes]:
        """Judge a batch as soon as a lane is free; waits while twice as many batches as lanes are under way."""
        self._room.acquire()
        future = self.threads.submit(self._judge, batch)
        future.add_done_callback(lambda _: self._room.release())
        return future

    def taken(self, future: Future[bytes]) -> bytes:
        """The lines of a batch, once it is done."""
        lines = future.result()
        with self._lock:
            self.done_bytes -= len(lines)
        return lines

    def _judge(self, batch: _Batch) -> bytes:
        items = [b"%d %s" % (line, row) for line, row in zip(batch.lines, batch.rows, strict=True) if row is not None]
        lane = self._free.get()
        started = time.perf_counter()
        try:
            judged = iter(lane.judge(items) if items else [])
        finally:
            self._free.put(lane)
        seconds = (time.perf_counter() - started) / len(batch.rows)
        found = [_TOO_LONG if row is None else next(judged) for row in batch.rows]
        lines = b"".join(_line(line, one) + b"\n" for line, one in zip(batch.lines, found, strict=True))
        with self._lock:
            self.done_bytes += len(lines)
            self.seconds_per_row += 0.2 * (seconds - self.seconds_per_row)
        return lines


_TOO_LONG = Lost(reason=f"bad row: more than {MAX_LINE_BYTES} bytes", timeout=False)


def _line(number: int, judged: bytes | Lost) -> bytes:
    return lost_row(number, judged).encode() if isinstance(judged, Lost) else judged


@contextmanager
def _pool(work: Work, workers: int) -> Generator[_Pool]:
    """A pool that leaves no process behind, however the block ends."""
    pool = _Pool(work, workers)
    try:
        yield pool
    finally:
        for lane in pool.lanes:
            lane.interrupt()
        pool.threads.shutdown(wait=True, cancel_futures=True)
        for lane in pool.lanes:
            lane.close()


def _run(
    file: BinaryIO, size: int, output: Output, pool: _Pool, on_progress: Callable[[Progress], None] | None
) -> None:
    before = output.tally.num_rows
    waiting: deque[tuple[int, Future[bytes]]] = deque()  # with where the file goes on behind each

    def write_first() -> None:
        end, future = waiting.popleft()
        lines = pool.taken(future)
        for line in lines.splitlines():
            judged = json.loads(line)
            output.tally.add(judged["outcome"], judged["value"], judged["note"])
        output.append(lines)
        if on_progress is not None:
            rows = output.tally.num_rows
            on_progress(
                Progress(
                    num_rows=rows,
                    num_new=rows - before,
                    done_bytes=end,
                    total_bytes=size,
                    fault=output.tally.only_reason,
                )
            )

    for batch in _batches(file, output.last_line, pool):
        waiting.append((batch.end, pool.submit(batch)))
        while waiting and (waiting[0][1].done() or pool.done_bytes > MAX_WAITING_BYTES):
            write_first()
    while waiting:
        write_first()


def _batches(file: BinaryIO, last_line: int, pool: _Pool) -> Iterator[_Batch]:
    """The rows behind line `last_line`; empty lines are none."""
    batch = _Batch(lines=[], rows=[], end=0)
    num_bytes, number = 0, 0
    while True:
        line = file.readline(MAX_LINE_BYTES + 1)
        if not line:
            break
        number += 1
        row = _row(file, line, number)
        if number <= last_line or row == b"":
            continue
        batch.lines.append(number)
        batch.rows.append(row)
        num_bytes += len(row or b"")
        wanted = min(BATCH_ROWS, max(1, round(BATCH_SECONDS / max(pool.seconds_per_row, 1e-9))))
        if len(batch.rows) >= wanted or num_bytes >= BATCH_BYTES:
            yield _Batch(lines=batch.lines, rows=batch.rows, end=file.tell())
            batch, num_bytes = _Batch(lines=[], rows=[], end=0), 0
    if batch.rows:
        yield _Batch(lines=batch.lines, rows=batch.rows, end=file.tell())


def _row(file: BinaryIO, line: bytes, number: int) -> bytes | None:
    """The content of a line, or None where it is too long: its rest is skipped."""
    if len(line) > MAX_LINE_BYTES and not line.endswith(b"\n"):
        while (rest := file.readline(MAX_LINE_BYTES)) and not rest.endswith(b"\n"):
            continue
        return None
    return (line.removeprefix(_BOM) if number == 1 else line).strip()
