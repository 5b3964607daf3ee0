"""The file tree that untrusted programs see: an empty memory file system with a few read-only pieces of the host."""

from __future__ import annotations

import os
import stat
from typing import Any

from . import linux

ACCOUNTS = {
    "etc/passwd": "candidate:x:1000:1000::/tmp:/bin/sh\n",
    "etc/group": "candidate:x:1000:\n",
    "etc/hosts": "127.0.0.1 localhost\n",
    "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
}
DEVICES = ("null", "zero", "full", "random", "urandom")
BASE = "/tmp"


def build(view: dict[str, Any]) -> None:
    """Replace this process's root. `view` names what is bound (source, target), linked (path, text) and masked.

    Needs a mount namespace of its own and the right to mount in it. Host's /proc stays visible at /proc: whoever runs
    untrusted code covers it. Raises OSError where the kernel refuses.
    """
    linux.mount("none", "/", flags=linux.MS_REC | linux.MS_PRIVATE)
    sources = [(os.open(source, os.O_PATH), target) for source, target in view["binds"]]
    devices = [(os.open(f"/dev/{name}", os.O_PATH), name) for name in DEVICES if os.path.exists(f"/dev/{name}")]
    processes = os.open("/proc", os.O_PATH)
    linux.mount("tahr", BASE, "tmpfs", linux.MS_NOSUID | linux.MS_NODEV, "size=1m,mode=755")
    for name in ("etc", "dev", "proc", "tmp", "packages"):
        os.makedirs(f"{BASE}/{name}", exist_ok=True)
    linux.mount(f"/proc/self/fd/{processes}", f"{BASE}/proc", flags=linux.MS_BIND | linux.MS_REC)
    for descriptor, target in sources:  # by descriptor: a source under BASE is out of sight by now
        _bind(descriptor, BASE + target, directory=stat.S_ISDIR(os.fstat(descriptor).st_mode))
        linux.restrict_mount(BASE + target, recursive=True)
    for descriptor, name in devices:
        _bind(descriptor, f"{BASE}/dev/{name}", directory=False)
        linux.restrict_mount(f"{BASE}/dev/{name}", recursive=False, devices=True)
    for path, text in view["links"]:
        os.makedirs(os.path.dirname(BASE + path), exist_ok=True)
        os.symlink(text, BASE + path)
    for path in view["masks"]:
        linux.mount(
            "tahr", BASE + path, "tmpfs", linux.MS_RDONLY | linux.MS_NOSUID | linux.MS_NODEV, "size=4k,mode=755"
        )
    for path, text in ACCOUNTS.items():
        with open(f"{BASE}/{path}", "w") as file:
            file.write(text)
    for descriptor in (processes, *(one[0] for one in sources), *(one[0] for one in devices)):
        os.close(descriptor)
    linux.pivot_root(BASE)
    linux.restrict_mount("/", recursive=False)


def open_up(folder: str) -> None:
    """Let every user reach `folder`: what closes it off is covered, in a mount namespace of this process's own.

    Raises OSError where root may not mount.
    """
    parts = folder.split("/")
    above = ["/".join(parts[: depth + 1]) for depth in range(1, len(parts))]
    closed = next((path for path in above if not os.stat(path).st_mode & 0o001), None)
    if closed is None:
        return
    linux.unshare(linux.CLONE_NEWNS)
    linux.mount("none", "/", flags=linux.MS_REC | linux.MS_PRIVATE)
    descriptor = os.open(folder, os.O_PATH)
    linux.mount("tahr", closed, "tmpfs", linux.MS_NOSUID | linux.MS_NODEV, "size=1m,mode=755")
    _bind(descriptor, folder, directory=True)
    os.close(descriptor)


def _bind(descriptor: int, target: str, *, directory: bool) -> None:
    if directory:
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        os.close(os.open(target, os.O_CREAT | os.O_WRONLY, 0o644))
    linux.mount(f"/proc/self/fd/{descriptor}", target, flags=linux.MS_BIND | linux.MS_REC)
