"""The level without namespaces: limits, refused system calls, and Landlock where the kernel has it."""

from __future__ import annotations

import fcntl
import os
import signal
from contextlib import suppress
from typing import Any

from . import candidate, landlock, linux, processes, view
from .cells import become
from .folder import LOOK_SECONDS, Gauge, delete_within, renew, tree_is_over
from .seccomp import Filter, no_changes_of_owned, no_foreign_signals, no_truncation, rules

_FOLDERS = "/tmp/tahr-run-"
_SETTINGS = ("/etc/ssl/openssl.cnf", "/etc/ssl/certs", "/etc/mime.types")


class Rlimits:
    """A folder of its own on the machine's disk; what lies elsewhere is out of reach where Landlock holds."""

    single_use = False
    look_seconds = LOOK_SECONDS
    root = ""
    _num_threads, _folder = 0, -1
    _rules: landlock.Ruleset | None = None

    def __init__(self) -> None:
        self._filter = Filter(rules(private_network=False))
        self._landlock = landlock.version()
        self._more: Filter | None = None
        self._readable: list[tuple[str, int]] = []

    def prepare_server(self, config: dict[str, Any]) -> None:
        """As root, become nobody. Nobody of that name, a candidate among them, may look into this process."""
        if os.geteuid() == 0:
            for prefix in config["prefixes"]:
                view.open_up(prefix)
            become(config["uid"])
            owned = ()
        else:
            owned = no_changes_of_owned()
        truncation = no_truncation() if 0 < self._landlock < 3 else ()
        if owned or truncation:
            self._more = Filter((*owned, *truncation))
        if self._landlock:
            roots = [source for source, _ in config["view"]["binds"]]
            roots += [*_SETTINGS, *(f"/{name}" for name in view.ACCOUNTS)]
            self._readable = landlock.readable(roots, config["view"]["masks"])
        linux.prctl(linux.PR_SET_DUMPABLE, 0)
        _sweep()

    def fork(self) -> int:
        """An ordinary child, with a folder of its own."""
        self.root = f"{_FOLDERS}{os.urandom(8).hex()}"
        os.mkdir(self.root, 0o700)
        self._folder = os.open(self.root, os.O_RDONLY | os.O_CLOEXEC)
        fcntl.flock(self._folder, fcntl.LOCK_EX)
        return linux.clone()

    def clean(self) -> None:
        """Delete the folder, whatever it is called by now."""
        with suppress(OSError):
            _delete(os.readlink(f"/proc/self/fd/{self._folder}"))
        os.close(self._folder)

    def enter(self, header: dict[str, Any]) -> None:
        """Orphans come to this process to be ended."""
        linux.prctl(linux.PR_SET_PDEATHSIG, signal.SIGKILL)
        linux.prctl(linux.PR_SET_DUMPABLE, 0)
        linux.prctl(linux.PR_SET_CHILD_SUBREAPER, 1)
        os.chdir(self.root)
        os.environ["HOME"] = os.environ["TMPDIR"] = self.root
        renew(self.root)
        self._gauge = Gauge(self.root, header["limits"], tree_is_over)
        self._num_threads = processes.num_threads_of_user()
        if self._landlock:
            self._rules = self._ruleset()
        linux.keep_capabilities()
        candidate.confine(header["limits"])
        self._filter.install()

    def _ruleset(self) -> landlock.Ruleset:
        """What a candidate may open. This process itself stays outside: no candidate reaches it, and it reaches all."""
        made = landlock.Ruleset()
        for path, rights in self._readable:
            made.allow(path, rights)
        for name in view.DEVICES:
            made.allow(f"/dev/{name}", landlock.READ_FILE | landlock.WRITE_FILE)
        made.allow_all(self.root)
        return made

    def empty(self, is_empty: bool = False) -> None:
        """Delete what was written."""
        renew(self.root, is_empty)

    def overfull(self) -> bool:
        """The disk is the machine's."""
        return self._gauge.is_over()

    def kill_all(self) -> bool:
        """Stop every descendant first, then end them all."""
        self.pause()
        found = processes.descendants()
        _signal_each(found, signal.SIGKILL)
        return bool(found)

    def pause(self) -> None:
        """Look again until nothing new is found: what stands still forks no more."""
        found: set[int] = set()
        while fresh := processes.descendants() - found:
            found |= fresh
            _signal_each(fresh, signal.SIGSTOP)

    def resume(self) -> None:
        """Undo `pause`."""
        _signal_each(processes.descendants(), signal.SIGCONT)

    def confine_candidate(self, limits: dict[str, Any]) -> None:
        """Refuse what the levels above refuse, sockets, and signals to processes other than the candidate itself."""
        candidate.limit_processes(limits["processes"] + self._num_threads)
        if self._rules is not None:
            self._rules.restrict()
        if self._more is not None:
            self._more.install()
        Filter(no_foreign_signals(os.getpid())).install()


def _delete(folder: str) -> None:
    os.chmod(folder, 0o700)
    delete_within(folder)
    os.rmdir(folder)


def _sweep() -> None:
    """Delete this user's folders that a server left behind as it was killed: nobody holds their locks any more."""
    parent, _, start = _FOLDERS.rpartition("/")
    with os.scandir(parent) as entries:
        found = [one.path for one in entries if one.name.startswith(start) and one.is_dir(follow_symlinks=False)]
    for path in found:
        with suppress(OSError):
            folder = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                if os.fstat(folder).st_uid == os.getuid():
                    fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    _delete(path)
            finally:
                os.close(folder)


def _signal_each(pids: set[int], number: int) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)
