"""The trainer's side of one fork server: start it, hand it runs, read what it reports, end it."""

from __future__ import annotations

import compileall
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, cast

from tahr.core.errors import TahrError
from tahr.sandbox import bubblewrap, cgroup, tree
from tahr.sandbox.inside import wire
from tahr.sandbox.inside.values import MalformedError
from tahr.sandbox.protocol import Limits

# Loaded in every server. Each page of them costs each process: what is large and seldom used is left to the runs whose
# program speaks of it.
MODULES = (
    *("math", "re", "collections", "itertools", "functools", "heapq", "bisect", "string", "random", "typing", "copy"),
    *("operator", "enum", "traceback"),
)
RARE_MODULES = (
    *("json", "datetime", "fractions", "decimal", "statistics", "dataclasses", "array", "cmath", "hashlib", "queue"),
    *("abc", "time", "numbers"),
)
# What every candidate's and server's environment is: nothing of the trainer's.
ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": "/tmp",
    "TMPDIR": "/tmp",
    "LANG": "C.UTF-8",
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
}
_BIND_NOW = {"LD_BIND_NOW": "1"}  # or each fork looks up by itself what it calls of shared libraries
UID = 65534
# Without user namespaces each of root's workers has a user of its own, whose processes are counted: one of these, below
# what a container maps, and apart from those of other programs' workers.
_FIRST_UID, _NUM_UIDS = 60_000, 5_500
_serial = count()
_SECONDS_TO_START = 30.0
_SLACK_SECONDS = 10.0  # how much later than its own limit a run's first process may report
_SECONDS_TO_END = 0.5
_SECONDS_TO_CLEAN = 5.0  # at the level whose server has a folder on the machine's disk to delete
_OWN_PROCESSES = 4  # bubblewrap's two, the server, the run's first
_MIB = 1 << 20


class WorkerError(TahrError):
    """A fork server failed or went away; the run in it has no result."""


class OutOfMemoryError(WorkerError):
    """The run took so much memory that the kernel ended its first process."""


class Worker:
    """One fork server, which serves one run at a time. Raises WorkerError where it does not come up."""

    def __init__(self, level: str, packages: tuple[str, ...], modules: tuple[str, ...]) -> None:
        self._level = level
        self._channel, theirs = socket.socketpair()
        self._group = cgroup.create()
        guard = os.pidfd_open(os.getpid())  # also tells of our end where a child of ours holds the socket open
        config = {
            "level": level,
            "guard": guard,
            "modules": [*MODULES, *modules],
            "rare": RARE_MODULES,
            "paths": [tree.PACKAGES] if packages and level != "rlimits" else [],
            "uid": UID if level != "rlimits" else _FIRST_UID + (64 * os.getpid() + next(_serial)) % _NUM_UIDS,
            "prefixes": tree.prefixes(),
            "view": tree.view(packages),
        }
        # its streams remember what they were made on: a pipe can't be wound back, as that of a candidate can't
        unread, written = os.pipe()
        try:
            self._process = subprocess.Popen(
                self._command(config),
                stdin=theirs.fileno(),
                stdout=written,
                stderr=written,
                cwd="/",
                env={**ENVIRONMENT, **_BIND_NOW},
                start_new_session=True,
                pass_fds=(guard,),
            )
        except OSError as error:
            self._channel.close()
            raise WorkerError(f"the sandbox's interpreter could not be started: {error}") from error
        finally:
            theirs.close()
            for descriptor in (guard, unread, written):
                os.close(descriptor)
        try:
            if self._group is not None:
                self._group.add(self._process.pid)
            self._base_bytes = self._handshake(config)
            self._add_children()
        except (OSError, EOFError, MalformedError, WorkerError) as error:
            self.close()
            raise WorkerError(f"the sandbox's server did not come up: {error or type(error).__name__}") from error

    def _command(self, config: dict[str, Any]) -> list[str]:
        package = str(Path(__file__).parent)
        _compile(package + "/inside")
        walled = self._level == "bubblewrap"
        place = bubblewrap.SERVER if walled else package
        code = f"import sys; sys.path.insert(0, {place!r}); from inside.server import main; main()"
        python = [tree.interpreter(), "-s", "-S", "-P", "-B", "-c", code]
        return [*bubblewrap.prefix(config["view"], package), *python] if walled else python

    def _handshake(self, config: dict[str, Any]) -> int:
        self._channel.settimeout(_SECONDS_TO_START)
        self._channel.sendall(wire.request(config))
        answer = wire.receive(self._channel)
        if not answer["ready"]:
            raise WorkerError(answer["error"].strip())
        return int(answer["base_bytes"])

    def _add_children(self) -> None:
        """What bubblewrap forked before it was put into the group itself."""
        if self._group is not None and self._level == "bubblewrap":
            pid = self._process.pid
            for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
                self._group.add(int(child))

    @property
    def alive(self) -> bool:
        """Whether the server process is there."""
        return self._process.poll() is None

    @property
    def pid(self) -> int:
        """The server's process id."""
        return self._process.pid

    @property
    def bounded(self) -> tuple[str, ...]:
        """What a cgroup bounds for the whole tree: ``memory``, ``pids``, both or nothing."""
        return self._group.controllers if self._group is not None else ()

    def serve(
        self, header: dict[str, Any], limits: Limits, trials: Iterator[Any], goes_on: Callable[[Any], bool]
    ) -> Iterator[dict[str, Any]]:
        """One run: the report of each trial, until they end or `goes_on` says no. Raises WorkerError."""
        header = {**header, "limits": self._in_bytes(limits)}
        kills = 0
        if self._group is not None:
            self._group.limit_processes(limits.processes + _OWN_PROCESSES)
            self._group.limit_memory((limits.memory_mb + limits.disk_mb) * _MIB + (64 << 20))
            kills = self._group.num_memory_kills()
        deadline = limits.wall_seconds * wire.MOST_EXTENDED + _SLACK_SECONDS
        self._channel.settimeout(deadline)
        prefix = wire.GO + wire.request(header)
        try:
            for trial in trials:
                self._channel.sendall(prefix + wire.request(trial))
                prefix = b""
                report = self._report()
                kills = self._note_memory(report, kills)
                yield report
                if not goes_on(report):
                    break
            if not prefix:
                self._finish()
        except (OSError, EOFError, MalformedError, WorkerError) as error:
            if self._group is not None and self._group.num_memory_kills() > kills:
                raise OutOfMemoryError("the run ran out of its memory") from error
            raise WorkerError(f"the sandbox's server failed: {type(error).__name__} {error}") from error

    def _report(self) -> dict[str, Any]:
        answer = wire.receive(self._channel)
        if "reason" not in answer:
            raise WorkerError(f"the sandbox failed: {answer.get('error', answer)}")
        return cast("dict[str, Any]", answer)

    def _finish(self) -> None:
        """Say that there are no more trials, and wait until the run's last process is gone."""
        self._channel.sendall(wire.request(None))
        answer = wire.receive(self._channel)
        if answer.get("ended") != 0:
            raise WorkerError(f"the sandbox failed: {answer}")

    def _note_memory(self, report: dict[str, Any], kills: int) -> int:
        if self._group is None or not os.WIFSIGNALED(report["status"]):
            return kills
        now = self._group.num_memory_kills()
        if now > kills:
            report["reason"] = "memory"
        return now

    def _in_bytes(self, limits: Limits) -> dict[str, Any]:
        values = asdict(limits)
        values["address_bytes"] = self._base_bytes + values.pop("memory_mb") * _MIB
        values["disk_bytes"] = values.pop("disk_mb") * _MIB
        values["cpu_seconds"] = max(1, -int(-limits.cpu_seconds // 1))
        return values

    def close(self) -> None:
        """End the server, and with it every process below it."""
        self._channel.close()  # which it takes as its end
        try:
            self._process.wait(timeout=_SECONDS_TO_CLEAN if self._level == "rlimits" else _SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            self._process.kill()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=10)
        if self._group is not None:
            self._group.remove()


@cache
def _compile(folder: str) -> None:
    """Keep the server's byte code beside its source, as every import does: half of its start would go into this."""
    if not sys.dont_write_bytecode:
        compileall.compile_dir(folder, quiet=2)  # where nothing can be written, the server compiles for itself
