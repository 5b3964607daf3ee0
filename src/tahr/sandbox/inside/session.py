"""The first process of a session: keeps one interpreter, hands it cells, watches each, and stops it in between.

As with graded runs it decides by its own clock and takes what the interpreter writes for a claim. A cell has
ended when a frame with its own nonce is there. One past its limits is interrupted, and killed where it goes on.
"""

from __future__ import annotations

import _socket
import gc
import os
import select
import signal
import sys
import time
from typing import Any

from . import interpreter, linux, wire
from .cells import Cell
from .files import write_files
from .pipe import HUNG_UP, Pipe
from .values import encode

GRACE_SECONDS = 1.0  # from the interrupt to the end


def serve(channel: _socket.socket, guard: int, cell: Cell, header: dict[str, Any]) -> None:
    """Run cells until None comes or the trainer is gone; nothing outlives the session."""
    keeper = _Keeper(channel, guard, cell, header)
    try:
        while (trial := keeper.wait()) is not None:
            wire.send(channel, keeper.run(trial))
    finally:
        keeper.end()


class _Keeper:
    """The interpreter that lives, if any, with its pipes."""

    def __init__(self, channel: _socket.socket, guard: int, cell: Cell, header: dict[str, Any]) -> None:
        self._channel, self._guard, self._cell, self._header = channel, guard, cell, header
        self._limits = header["limits"]
        self._pid = 0
        self._request, self._unsent = -1, b""
        self._interrupted = False
        self._pipes: tuple[Pipe, ...] = ()

    def wait(self) -> Any:
        """The next cell. Raises EOFError where the trainer is gone."""
        poll = select.poll()
        poll.register(self._channel, select.POLLIN)
        poll.register(self._guard, select.POLLIN)
        if self._guard in {descriptor for descriptor, _ in poll.poll()}:
            raise EOFError
        return wire.receive_request(self._channel)

    def run(self, trial: dict[str, Any]) -> dict[str, Any]:
        """One cell: how it ended, what it printed, what the interpreter claims."""
        if not self._pid:
            self._start()
        for pipe in self._pipes:
            pipe.restart()
        self._interrupted = False
        nonce = os.urandom(8).hex().encode()
        sent = encode((nonce, trial["source"], self._limits["output_bytes"]))
        self._cell.resume()
        began = time.monotonic()
        reason, status = self._watch(nonce, b"%08x" % len(sent) + sent, began + trial["wall_seconds"])
        wall = time.monotonic() - began
        out, err, claim = self._pipes
        if status is None:
            self._cell.pause()
            status = self._collect()
        lost = status is not None
        if lost:
            self.end()
        else:
            for pipe in (out, err):
                self._take_rest(pipe)
        return {
            "reason": reason,
            "status": status or 0,
            "lost": lost,
            "stdout": bytes(out.kept),
            "stderr": bytes(err.kept),
            "truncated": out.flooded or err.flooded,
            "claim": b"" if lost else bytes(claim.kept[interpreter.HEAD_SIZE :]),
            "wall": wall,
        }

    def _take_rest(self, pipe: Pipe) -> None:
        """What was printed before the cell's end; its writers stand still, so that this ends."""
        before = -1
        while pipe.open and pipe.total != before:
            before = pipe.total
            pipe.read()

    def _start(self) -> None:
        """A new interpreter in an empty folder."""
        self._cell.empty()
        write_files(self._cell.root, self._header["files"])
        sizes = (self._limits["output_bytes"], self._limits["output_bytes"], self._limits["result_bytes"])
        self._pipes = tuple(Pipe(size) for size in sizes)
        reader, self._request = os.pipe()
        os.set_blocking(self._request, False)
        self._pid = linux.clone()
        if self._pid == 0:
            self._become_interpreter(reader)
        os.close(reader)
        for pipe in self._pipes:
            os.close(pipe.writer)

    def _become_interpreter(self, reader: int) -> None:
        """In the child: nothing but the standard streams, the claims' pipe and the cells' stays open."""
        try:
            os.setsid()
            null = os.open("/dev/null", os.O_RDONLY)
            wanted = (null, *(pipe.writer for pipe in self._pipes), reader)
            for target, one in enumerate([_above(one) for one in wanted]):
                os.dup2(one, target)
            self._cell.confine_candidate(self._limits)
            os.closerange(len(wanted), 1 << 16)
            gc.enable()
            sys.path[:0] = self._header["importable"]
            interpreter.serve(request=4, claims=3)
        finally:
            os._exit(125)

    def _watch(self, nonce: bytes, request: bytes, deadline: float) -> tuple[str, int | None]:
        """Hand over the request and read until the cell's end.

        The reason, and the wait status of an interpreter that is gone or has to go (None for one that may stay).
        """
        self._unsent = request
        process = os.pidfd_open(self._pid)
        poll = self._poll(process)
        reason, claim = "finished", self._pipes[2]
        try:
            while True:
                broken = self._broken_limit(deadline)
                if broken and reason != "finished":
                    return reason, int(signal.SIGKILL)
                if broken:
                    reason, deadline = broken, time.monotonic() + GRACE_SECONDS
                    self._interrupted = True
                    os.kill(self._pid, signal.SIGINT)
                if self._cell.overfull():
                    return "disk", int(signal.SIGKILL)
                left = min(deadline - time.monotonic(), self._cell.look_seconds)
                ready = {descriptor for descriptor, _ in poll.poll(max(left, 0) * 1000 + 1)}
                if process in ready:
                    return reason, self._collect() or 0
                self._serve_ready(ready, poll)
                if claim.kept and not interpreter.is_frame(claim.kept, nonce):
                    return "forged", int(signal.SIGKILL)
                if interpreter.is_whole(claim.kept):
                    return reason, None
        finally:
            os.close(process)

    def _poll(self, process: int) -> select.poll:
        poll = select.poll()
        for descriptor, events in ((process, select.POLLIN), (self._channel, HUNG_UP), (self._guard, select.POLLIN)):
            poll.register(descriptor, events)
        for pipe in self._pipes:
            if pipe.open:
                poll.register(pipe.reader, select.POLLIN)
        poll.register(self._request, select.POLLOUT)
        return poll

    def _broken_limit(self, deadline: float) -> str:
        """Which limit is broken, "" for none; after the interrupt only time counts."""
        if time.monotonic() >= deadline:
            return "timeout"
        return "output" if not self._interrupted and any(pipe.flooded for pipe in self._pipes) else ""

    def _serve_ready(self, ready: set[int], poll: select.poll) -> None:
        """Move bytes. Raises EOFError where the trainer is gone."""
        if self._channel.fileno() in ready or self._guard in ready:
            raise EOFError
        if self._request in ready:
            self._hand_over(poll)
        for pipe in self._pipes:
            if pipe.reader in ready:
                pipe.read()
                if not pipe.open:
                    poll.unregister(pipe.reader)

    def _hand_over(self, poll: select.poll) -> None:
        """Write what the interpreter takes now."""
        try:
            self._unsent = self._unsent[os.write(self._request, self._unsent) :]
        except BlockingIOError:
            return
        except BrokenPipeError:
            self._unsent = b""  # it closed its end, and will run into its limit unless it exits
        if not self._unsent:
            poll.unregister(self._request)

    def _collect(self) -> int | None:
        """Take note of every dead process: the interpreter's wait status where it is among them."""
        status = None
        while True:
            try:
                pid, ended = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return status
            if pid == 0:
                return status
            if pid == self._pid:
                status = ended

    def end(self) -> None:
        """End the interpreter and everything below it."""
        self._cell.kill_all()
        while True:
            try:
                os.wait()
            except ChildProcessError:
                break
        if self._pid:
            os.close(self._request)
            for pipe in self._pipes:
                pipe.drain()
        self._pid = 0


def _above(descriptor: int) -> int:
    """A copy that is out of the way of the numbers given out."""
    import fcntl

    return fcntl.fcntl(descriptor, fcntl.F_DUPFD, 16)
