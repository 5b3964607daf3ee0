"""The walls around one run, by level: what is made before it, emptied between its trials, and ended after them."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from typing import Any, Protocol

from . import candidate, linux, view
from .folder import LOOK_SECONDS, Gauge, file_system_is_over, renew
from .seccomp import Filter, rules

_KILL = int(signal.SIGKILL)
INSIDE_ID = 1000  # what every candidate's user and group are called inside


class Cell(Protocol):
    """One level's way to hold runs. `root` is the private writable folder."""

    root: str
    look_seconds: float  # how often at least `overfull` wants to be asked
    single_use: bool  # the server serves one run and ends: its walls can't be renewed from within

    def prepare_server(self, config: dict[str, Any]) -> None:
        """Once, in the server, after every import."""
        ...

    def fork(self) -> int:
        """A new first process of a run: its pid, or 0 in it."""
        ...

    def clean(self) -> None:
        """In the server, after a run."""
        ...

    def enter(self, header: dict[str, Any]) -> None:
        """In that process, before anything else."""
        ...

    def empty(self, is_empty: bool = False) -> None:
        """Make the writable folder as it was at first; `is_empty` where nothing is known to be in it."""
        ...

    def overfull(self) -> bool:
        """Whether the folder holds more than it may, where the kernel does not see to it."""
        ...

    def kill_all(self) -> bool:
        """End every process of the trial, however it hid: whether there was one, the dead that wait included."""
        ...

    def pause(self) -> None:
        """Make every process of the run but this one stand still."""
        ...

    def resume(self) -> None:
        """Let them go on."""
        ...

    def confine_candidate(self, limits: dict[str, Any]) -> None:
        """In each candidate: what is not inherited from the run's first process."""
        ...


class Namespaces:
    """New user, pid, mount, network, ipc and uts namespaces for every run."""

    root = "/tmp"
    look_seconds = 3600.0
    single_use = False

    def __init__(self) -> None:
        self._filter = Filter(rules(private_network=True))

    def prepare_server(self, config: dict[str, Any]) -> None:
        """Build the file tree; as root, become nobody with the one right to make namespaces."""
        if os.geteuid() == 0:
            linux.unshare(linux.CLONE_NEWNS)
            view.build(config["view"])
            linux.prctl(linux.PR_SET_KEEPCAPS, 1)
            become(config["uid"])
            linux.keep_capabilities(linux.CAP_SYS_ADMIN)
        else:
            uid, gid = os.geteuid(), os.getegid()
            linux.unshare(linux.CLONE_NEWUSER | linux.CLONE_NEWNS)
            _map_ids(uid, gid)
            view.build(config["view"])
        self._ids = os.geteuid(), os.getegid()

    def fork(self) -> int:
        """Clone into the namespaces."""
        return linux.clone(linux.EVERY_NAMESPACE)

    def clean(self) -> None:
        """Nothing: what was mounted went with the namespaces."""

    def enter(self, header: dict[str, Any]) -> None:
        """Become the only user of an empty machine."""
        _map_ids(*self._ids)
        linux.prctl(linux.PR_SET_PDEATHSIG, signal.SIGKILL)
        with suppress(OSError):
            _write("/proc/self/oom_score_adj", "1000")
        linux.prctl(linux.PR_SET_DUMPABLE, 0)
        limits = header["limits"]
        # the streams' names lead through /proc
        self._cover_processes(visible=header["kind"] == "command" or "/dev/" in header.get("source", ""))
        options = f"size={limits['disk_bytes']},nr_inodes={limits['files']},mode=700"
        linux.mount("tahr", self.root, "tmpfs", linux.MS_NOSUID | linux.MS_NODEV, options)
        os.chdir(self.root)
        renew(self.root)
        self._give_up(limits)

    def _give_up(self, limits: dict[str, Any]) -> None:
        """Drop every right of this process, and with it of all candidates; the server set no_new_privs before."""
        linux.keep_capabilities()
        candidate.confine(limits)
        self._filter.install()

    def _cover_processes(self, *, visible: bool) -> None:
        """Hide the host's /proc: behind this run's own for programs, where the kernel grants one, else behind none."""
        flags = linux.MS_NOSUID | linux.MS_NODEV | linux.MS_NOEXEC
        if visible:
            try:
                linux.mount("proc", "/proc", "proc", flags, "subset=pid")
            except OSError:
                pass
            else:
                return
        linux.mount("tahr", "/proc", "tmpfs", flags | linux.MS_RDONLY, "size=4k,mode=555")

    def empty(self, is_empty: bool = False) -> None:
        """Delete what was written; nothing is alive to write more."""
        renew(self.root, is_empty)

    def overfull(self) -> bool:
        """The mount has its bounds."""
        return False

    def kill_all(self) -> bool:
        """This process is the namespace's first: everything else in it is signalled at once, no fork slips through."""
        return linux.signal_all(_KILL)

    def pause(self) -> None:
        """As `kill_all` reaches all, so does this."""
        linux.signal_all(signal.SIGSTOP)

    def resume(self) -> None:
        """Undo `pause`."""
        linux.signal_all(signal.SIGCONT)

    def confine_candidate(self, limits: dict[str, Any]) -> None:
        """Its processes are counted with the run's first one; that gave everything up already."""
        candidate.limit_processes(limits["processes"] + 1)


class Bubblewrap(Namespaces):
    """The server itself is the first process of namespaces that bubblewrap made, and serves one run."""

    look_seconds = LOOK_SECONDS
    single_use = True

    def prepare_server(self, config: dict[str, Any]) -> None:
        """Nothing: bubblewrap did it."""

    def fork(self) -> int:
        """The server is the run."""
        return 0

    def enter(self, header: dict[str, Any]) -> None:
        """What can still be tightened from within."""
        linux.prctl(linux.PR_SET_DUMPABLE, 0)
        os.chdir(self.root)
        renew(self.root)
        self._gauge = Gauge(self.root, header["limits"], file_system_is_over)
        self._give_up(header["limits"])

    def overfull(self) -> bool:
        """Bubblewrap bounds no number of files, and was started before the run's limits were known."""
        return self._gauge.is_over()


def become(uid: int) -> None:
    """Be this user and group and no other."""
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    linux.prctl(linux.PR_SET_DUMPABLE, 1)  # or /proc/self stays root's and the user map can't be written


def _map_ids(uid: int, gid: int) -> None:
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{INSIDE_ID} {uid} 1")
    _write("/proc/self/gid_map", f"{INSIDE_ID} {gid} 1")


def _write(path: str, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)
