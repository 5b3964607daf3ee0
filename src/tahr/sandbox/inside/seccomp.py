"""The system calls that no untrusted program gets, as a BPF program assembled here (seccomp(2), linux/filter.h).

Everything else is allowed: what a program may reach is decided by its namespaces; this closes the doors that namespaces
leave open (other processes' memory, the kernel's keyring, new namespaces, large and little-used parts of the kernel).
"""

from __future__ import annotations

import ctypes
import errno
import struct
from collections.abc import Iterable
from typing import NamedTuple

from . import linux

# name: (number on x86_64, number on aarch64); None where the processor has no such call
_DENIED: dict[str, tuple[int | None, int | None]] = {
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272),
    "process_madvise": (440, 440), "process_mrelease": (448, 448), "pidfd_getfd": (438, 438),
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219),
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51),
    "move_mount": (429, 429),
    "open_tree": (428, 428), "fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442), "unshare": (272, 97), "setns": (308, 268),
    "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282), "memfd_secret": (447, 447),
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "open_by_handle_at": (304, 265), "name_to_handle_at": (303, 264), "fanotify_init": (300, 262),
    "shmget": (29, 194), "semget": (64, 190), "msgget": (68, 186), "mq_open": (240, 180),  # they outlive their makers
    "kexec_load": (246, 104), "kexec_file_load": (320, 294), "init_module": (175, 105), "finit_module": (313, 273),
    "delete_module": (176, 106),
    "reboot": (169, 142), "swapon": (167, 224), "swapoff": (168, 225), "syslog": (103, 116),
    "acct": (163, 89), "quotactl": (179, 60), "quotactl_fd": (443, 443), "lookup_dcookie": (212, 18),
    "nfsservctl": (180, 42), "vhangup": (153, 58), "personality": (135, 92), "uselib": (134, None),
    "sysfs": (139, None),
    "ustat": (136, None), "iopl": (172, None), "ioperm": (173, None), "modify_ldt": (154, None),
    "settimeofday": (164, 170), "clock_settime": (227, 112), "clock_adjtime": (305, 266), "adjtimex": (159, 171),
    "sethostname": (170, 161), "setdomainname": (171, 162), "migrate_pages": (256, 238), "move_pages": (279, 239),
}  # fmt: skip


class Rule(NamedTuple):
    """One call that is refused with `error` unless argument number `argument` is one of `only` or free of `bits`.

    Where `first` is given, argument 0 has to be it besides. An `error` of 0 lets the call do nothing and succeed.
    """

    numbers: tuple[int | None, int | None]
    error: int = errno.EPERM
    argument: int = 0
    first: int | None = None
    only: tuple[int, ...] = ()
    never: tuple[int, ...] = ()
    bits: int = 0


_NAMESPACE_BITS = linux.EVERY_NAMESPACE | linux.CLONE_NEWCGROUP
_AF_UNIX, _AF_INET, _AF_INET6 = 1, 2, 10

_GUARDED = (
    Rule((56, 220), bits=_NAMESPACE_BITS),  # clone
    Rule((435, 435), error=errno.ENOSYS),  # clone3 hides its flags behind a pointer: libc falls back to clone
    Rule((302, 261), only=(0,)),  # prlimit64 of oneself only
    Rule((203, 122), only=(0,)),  # sched_setaffinity
    Rule((144, 119), only=(0,)),  # sched_setscheduler
    Rule((142, 118), only=(0,)),  # sched_setparam
    Rule((314, 274), only=(0,)),  # sched_setattr
    Rule((141, 140), argument=1, first=0, only=(0,)),  # setpriority, not of a group or of all of a user
    Rule((251, 30), argument=1, first=1, only=(0,)),  # ioprio_set, the same
    # The kernel sends signals for who owns a descriptor, to anybody: fcntl F_SETOWN, F_SETSIG, F_SETOWN_EX, and by
    # ioctl FIOASYNC, FIOSETOWN, SIOCSPGRP; TIOCSTI, TIOCLINUX, FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR
    Rule((72, 25), argument=1, never=(8, 10, 15)),
    Rule((16, 29), argument=1, never=(0x5452, 0x8901, 0x8902, 0x5412, 0x541C, 0x40086602, 0x401C5820)),
)
# Machine-wide families (vsock, netlink, kernel crypto, packets) are refused even where a network namespace is empty.
_PRIVATE_SOCKETS = (Rule((41, 198), error=errno.EAFNOSUPPORT, only=(_AF_UNIX, _AF_INET, _AF_INET6)),)
_NO_SOCKETS = (
    Rule((41, 198), error=errno.EACCES),  # socket (socketpair stays)
    Rule((49, 200), error=errno.EACCES),  # bind
    Rule((42, 203), error=errno.EACCES),  # connect
    # socketpair of streams only: a pair of datagram sockets can send to any other
    Rule((53, 199), argument=1, only=tuple(kind | flags for kind in (1, 5) for flags in (0, 0x80000, 0x800, 0x80800))),
)
# What a file's owner may do to it wherever it lies; Landlock does not know of these calls.
_OF_OWNERS: tuple[tuple[int | None, int | None], ...] = (
    *((90, None), (91, 52), (268, 53), (452, 452)),  # chmod, fchmod, fchmodat, fchmodat2
    *((92, None), (93, 55), (94, None), (260, 54)),  # chown, fchown, lchown, fchownat
    *((132, None), (235, None), (261, None), (280, 88)),  # utime, utimes, futimesat, utimensat
    *((188, 5), (189, 6), (190, 7), (463, 463)),  # setxattr and its kin
    *((197, 14), (198, 15), (199, 16), (466, 466)),  # removexattr and its kin
)


def rules(*, private_network: bool) -> tuple[Rule, ...]:
    """What is refused at every level, with the sockets that a network of one's own leaves open or none at all."""
    sockets = _PRIVATE_SOCKETS if private_network else _NO_SOCKETS
    return (*_GUARDED, *sockets, *(Rule(numbers) for numbers in _DENIED.values()))


def no_foreign_signals(own_pid: int) -> tuple[Rule, ...]:
    """Where processes share a pid namespace with others: signals to oneself and one's group, to nobody else."""
    own = (own_pid, 0)
    return (
        Rule((62, 129), only=own),  # kill
        Rule((234, 131), only=own),  # tgkill
        Rule((129, 138), only=own),  # rt_sigqueueinfo
        Rule((297, 240), only=own),  # rt_tgsigqueueinfo
        Rule((200, 130)),  # tkill
        Rule((424, 424)),  # pidfd_send_signal
    )


def no_changes_of_owned() -> tuple[Rule, ...]:
    """Where the user has files of its own: what would change their rights, owner, times or attributes does nothing."""
    return tuple(Rule(numbers, error=0) for numbers in _OF_OWNERS)


def no_truncation() -> tuple[Rule, ...]:
    """Where Landlock does not know of truncate by path."""
    return (Rule((76, 45)),)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_NUMBER_AT, _ARCHITECTURE_AT, _ARGUMENTS_AT = 0, 4, 16


def _instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value & 0xFFFFFFFF)


def _assemble(rules: Iterable[Rule], column: int) -> bytes:
    """The filter: kill on a foreign calling convention, then one block per rule, then allow."""
    code = [
        _instruction(_LOAD, _ARCHITECTURE_AT),
        _instruction(_JUMP_EQUAL, _ARCHITECTURES[linux.MACHINE], 1, 0),
        _instruction(_RETURN, _KILL),
        _instruction(_LOAD, _NUMBER_AT),
        _instruction(_JUMP_AT_LEAST, 0x40000000, 0, 1),  # the x32 convention
        _instruction(_RETURN, _KILL),
    ]
    for rule in rules:
        number = rule.numbers[column]
        if number is not None:
            body = _body(rule)
            code += [_instruction(_JUMP_EQUAL, number, 0, len(body)), *body]
    return b"".join([*code, _instruction(_RETURN, _ALLOW)])


def _body(rule: Rule) -> list[bytes]:
    """What decides once the number matched; every path returns."""
    refuse, allow = _instruction(_RETURN, _ERRNO | rule.error), _instruction(_RETURN, _ALLOW)
    load = _instruction(_LOAD, _ARGUMENTS_AT + 8 * rule.argument)
    if rule.only:
        tests = [_instruction(_JUMP_EQUAL, value, len(rule.only) - at, 0) for at, value in enumerate(rule.only)]
        before: list[bytes] = []
        if rule.first is not None:
            before = [_instruction(_LOAD, _ARGUMENTS_AT), _instruction(_JUMP_EQUAL, rule.first, 1, 0), refuse]
        return [*before, load, *tests, refuse, allow]
    if rule.never:
        tests = [_instruction(_JUMP_EQUAL, value, len(rule.never) - at, 0) for at, value in enumerate(rule.never)]
        return [load, *tests, allow, refuse]
    if rule.bits:
        return [load, _instruction(_JUMP_ANY_BIT, rule.bits, 1, 0), allow, refuse]
    return [refuse]


class Filter:
    """A filter ready to install; building it once serves every process that is forked afterwards."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        code = _assemble(rules, ("x86_64", "aarch64").index(linux.MACHINE))
        self._instructions = ctypes.create_string_buffer(code, len(code))
        self._program = _Program(len(code) // 8, ctypes.addressof(self._instructions))

    def install(self) -> None:
        """Bind this process and all that it starts to the filter, for good."""
        linux.set_seccomp(self._program)
