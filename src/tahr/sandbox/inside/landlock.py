"""Landlock: a process that asked for it opens, makes and signals only what its rules name, for good (landlock(7)).

It needs no right and no namespace, only a kernel that has it (5.13 or newer, where it is switched on). Whoever is in a
domain can't trace or read the memory of a process outside of it either, whoever's process that is.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import stat
import struct
from collections.abc import Iterable, Iterator

from . import linux

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
READ = EXECUTE | READ_FILE | READ_DIR
_REFER, _TRUNCATE = 1 << 13, 1 << 14
_OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | _TRUNCATE
_DEVICES = 1 << 6 | 1 << 11  # making device files
_SCOPES = 1 | 2  # abstract sockets, signals
_FIRST_VERSION = (1 << 13) - 1
_PATH_BENEATH = 1
_ABOVE = 16  # the numbers below are given to a candidate's own streams


def version() -> int:
    """What the kernel offers (its ABI's number); 0 where it has none or it is switched off."""
    try:
        return linux.syscall("landlock_create_ruleset", 0, 0, 1)
    except OSError:
        return 0


class Ruleset:
    """Rules that processes may bind themselves to, each with one system call. Raises OSError where there are none."""

    def __init__(self) -> None:
        offered = version()
        self.handled = _FIRST_VERSION | (_REFER if offered >= 2 else 0) | (_TRUNCATE if offered >= 3 else 0)
        attributes = struct.pack("=3Q", self.handled, 0, _SCOPES if offered >= 6 else 0)
        made = linux.syscall("landlock_create_ruleset", _pointer(attributes), len(attributes), 0)
        self._descriptor = fcntl.fcntl(made, fcntl.F_DUPFD_CLOEXEC, _ABOVE)
        os.close(made)

    def allow(self, path: str, rights: int) -> None:
        """Grant `rights` on `path` and what is below it; a path that is not there is passed over."""
        try:
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            return
        try:
            granted = rights & self.handled
            if not stat.S_ISDIR(os.fstat(place).st_mode):
                granted &= _OF_FILES
            rule = struct.pack("=Qi", granted, place)
            linux.syscall("landlock_add_rule", self._descriptor, _PATH_BENEATH, _pointer(rule), 0)
        finally:
            os.close(place)

    def allow_all(self, folder: str) -> None:
        """Grant everything on a folder but to make device files in it."""
        self.allow(folder, self.handled & ~_DEVICES)

    def restrict(self) -> None:
        """Bind this process and all that it starts; needs no_new_privs."""
        linux.syscall("landlock_restrict_self", self._descriptor, 0)


def readable(roots: Iterable[str], hidden: Iterable[str]) -> list[tuple[str, int]]:
    """Rules that let everything below `roots` be read and executed but what is below `hidden`.

    A rule holds for all that is below its path, so a folder above a hidden one can be listed, and each of its other
    entries has a rule of its own.
    """
    masks = tuple(f"{path}/" for path in hidden)
    return [rule for root in roots for rule in _besides(root, masks)]


def _besides(path: str, masks: tuple[str, ...]) -> Iterator[tuple[str, int]]:
    inner = tuple(mask for mask in masks if mask.startswith(f"{path}/"))
    if not inner:
        yield path, READ
        return
    yield path, READ_DIR
    for entry in os.scandir(path):
        if not entry.is_symlink() and f"{entry.path}/" not in inner:
            yield from _besides(entry.path, inner)


def _pointer(data: bytes) -> ctypes.c_void_p:
    return ctypes.cast(ctypes.create_string_buffer(data, len(data)), ctypes.c_void_p)
