"""The Linux calls that Python does not wrap, through libc: namespaces, mounts, capabilities, process control."""

from __future__ import annotations

import ctypes
import errno
import os
import signal
import struct
import time

MACHINE = os.uname().machine
# Numbers of system calls that libc may lack a wrapper for (kernel sources: syscall_64.tbl, asm-generic/unistd.h).
_SAME = {
    "mount_setattr": 442,
    "landlock_create_ruleset": 444,
    "landlock_add_rule": 445,
    "landlock_restrict_self": 446,
}
NUMBERS = {
    "x86_64": {"clone": 56, "pivot_root": 155, "capset": 126, "getdents64": 217, **_SAME},
    "aarch64": {"clone": 220, "pivot_root": 41, "capset": 91, "getdents64": 61, **_SAME},
}

CLONE_NEWNS = 0x00020000
CLONE_NEWCGROUP = 0x02000000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000
CLONE_NEWTIME = 0x00000080
EVERY_NAMESPACE = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT = 1, 2, 4, 8, 32
MS_BIND, MS_REC, MS_PRIVATE = 4096, 16384, 1 << 18
MNT_DETACH = 2

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 1, 4, 36, 38
PR_SET_KEEPCAPS = 8
CAP_SYS_ADMIN = 21

# PyDLL keeps the interpreter's lock through a call: after a raw clone the child must still hold it.
_libc = ctypes.PyDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long
_libc.mount.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_ulong, ctypes.c_char_p]
_libc.umount2.argtypes = [ctypes.c_char_p, ctypes.c_int]
_libc.prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]


def _check(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def syscall(name: str, *arguments: int | ctypes.c_void_p) -> int:
    """A raw system call by the names in NUMBERS. Raises OSError; KeyError on an unknown processor."""
    passed = [one if isinstance(one, ctypes.c_void_p) else ctypes.c_long(one) for one in arguments]
    return _check(_libc.syscall(ctypes.c_long(NUMBERS[MACHINE][name]), *passed), name)


def _thread_id_address() -> int:
    """Where libc keeps this thread's id, 0 where the kernel does not say (prctl PR_GET_TID_ADDRESS)."""
    address = ctypes.c_void_p(0)
    return (address.value or 0) if _libc.prctl(40, ctypes.addressof(address), 0, 0, 0) == 0 else 0


_TID_ADDRESS = _thread_id_address()
_KEEP_TID = 0x01000000 | 0x00200000 if _TID_ADDRESS else 0  # CLONE_CHILD_SETTID, CLONE_CHILD_CLEARTID
_CLONE_ALWAYS = _KEEP_TID | signal.SIGCHLD
_CLONE_LAST = (_TID_ADDRESS, 0) if MACHINE == "x86_64" else (0, _TID_ADDRESS)
_call = ctypes.PyDLL(None, use_errno=True).syscall
_call.argtypes, _call.restype = [ctypes.c_long] * 6, ctypes.c_long
# Of the calls that every trial makes nothing is looked up or allocated in the trial: see `rehearse`.
_CLONE, _LIST = (NUMBERS.get(MACHINE, NUMBERS["x86_64"])[name] for name in ("clone", "getdents64"))
_kill, _wait4 = _libc.kill, _libc.wait4
_status, _usage, _entries = ctypes.c_int(), (ctypes.c_long * 18)(), ctypes.create_string_buffer(4096)
_STATUS_AT, _USAGE_AT, _ENTRIES_AT = ctypes.byref(_status), ctypes.byref(_usage), ctypes.addressof(_entries)
_NO_ENTRIES = 48  # bytes that "." and ".." take


def clone(flags: int = 0) -> int:
    """Fork, into new namespaces where `flags` say so: the child's pid, or 0 in the child.

    Only for a process with one thread. Without Python's and libc's own hooks it costs a third less than `os.fork`.
    """
    pid = _call(_CLONE, flags | _CLONE_ALWAYS, 0, 0, _CLONE_LAST[0], _CLONE_LAST[1])
    return pid if pid >= 0 else _check(pid, "clone")


def wait(pid: int) -> tuple[int, int, float, int]:
    """Wait for a child (-1: any): its pid, wait status, processor time in seconds and largest memory in KiB.

    The pid is -1 where there is no child. `os.wait4` would import a module and make nineteen objects each time.
    """
    while (ended := _wait4(pid, _STATUS_AT, 0, _USAGE_AT)) < 0:
        if ctypes.get_errno() != errno.EINTR:
            return -1, 0, 0.0, 0
    return ended, _status.value, _usage[0] + _usage[2] + (_usage[1] + _usage[3]) / 1e6, _usage[4]


def is_empty(folder: int) -> bool:
    """Whether the open folder is known to hold nothing; False where a file system counts otherwise."""
    os.lseek(folder, 0, 0)
    return _call(_LIST, folder, _ENTRIES_AT, 4096, 0, 0) == _NO_ENTRIES


def signal_all(number: int) -> bool:
    """Send a signal to every process that this one may reach but itself and the first: whether there was one.

    The dead that nobody has waited for count. That there is none is the usual answer, and no exception.
    """
    return _kill(-1, number) == 0


def unshare(flags: int) -> None:
    """Move this process into new namespaces."""
    _check(_libc.unshare(ctypes.c_int(flags)), "unshare")


def mount(source: str, target: str, kind: str = "", flags: int = 0, options: str = "") -> None:
    """mount(2)."""
    result = _libc.mount(source.encode(), target.encode(), kind.encode() or None, flags, options.encode() or None)
    _check(result, f"mount {kind or source} on {target}")


def unmount(target: str) -> None:
    """Detach what is mounted on `target`, busy or not."""
    _check(_libc.umount2(target.encode(), MNT_DETACH), f"umount {target}")


def pivot_root(new_root: str) -> None:
    """Make `new_root` the root and forget the old one: the same folder serves as both of pivot_root's arguments."""
    os.chdir(new_root)
    dot = ctypes.create_string_buffer(b".")
    here = ctypes.cast(dot, ctypes.c_void_p)
    syscall("pivot_root", here, here)
    unmount(".")
    os.chdir("/")


def prctl(option: int, value: int = 0, third: int = 0) -> None:
    """prctl(2) with up to two values."""
    _check(_libc.prctl(option, value, third, 0, 0), f"prctl {option}")


def set_seccomp(program: ctypes.Structure) -> None:
    """Install a seccomp filter (a sock_fprog) on this process for good; needs no_new_privs."""
    _check(_libc.prctl(22, 2, ctypes.addressof(program), 0, 0), "seccomp")


def keep_capabilities(*kept: int) -> None:
    """Reduce the effective and permitted sets of this thread to `kept` (numbers below 32); none are inherited."""
    mask = sum(1 << one for one in kept)
    header = ctypes.create_string_buffer(struct.pack("=Ii", 0x20080522, 0), 8)
    sets = ctypes.create_string_buffer(struct.pack("=6I", mask, mask, 0, 0, 0, 0), 24)
    syscall("capset", ctypes.cast(header, ctypes.c_void_p), ctypes.cast(sets, ctypes.c_void_p))


def restrict_mount(path: str, *, recursive: bool, devices: bool = False) -> None:
    """Make what is mounted at `path` read-only, without set-user-id programs and (unless `devices`) device files."""
    attributes = ctypes.create_string_buffer(struct.pack("=4Q", 1 | 2 | (0 if devices else 4), 0, 0, 0), 32)
    name = ctypes.create_string_buffer(path.encode())
    at_fdcwd, at_recursive = -100, 0x8000
    syscall(
        "mount_setattr",
        at_fdcwd,
        ctypes.cast(name, ctypes.c_void_p),
        at_recursive if recursive else 0,
        ctypes.cast(attributes, ctypes.c_void_p),
        32,
    )


def processor_seconds(pid: int) -> float:
    """Processor time that a process has had by now, all of its threads together; 0 where it is gone."""
    try:
        return time.clock_gettime(((~pid) << 3) | 2)  # CPUCLOCK_SCHED of that process
    except OSError:
        return 0.0
