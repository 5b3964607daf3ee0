"""The command line of bubblewrap (bwrap), for machines where it may make namespaces and we may not."""

from __future__ import annotations

import shutil
from typing import Any

from tahr.sandbox.inside.view import DEVICES

_DISK_BYTES = 256 << 20  # the most that a run's `disk_mb` can be; the server ends what holds more than its own limits


SERVER = "/server"
"""Where the server's own code lies inside; where it lies outside may be covered there, such as a folder of /tmp."""


def available() -> bool:
    """Whether bwrap is on PATH."""
    return shutil.which("bwrap") is not None


def prefix(view: dict[str, Any], package: str) -> list[str]:
    """What stands before the server's own command: the same file tree as `inside.view.build` makes."""
    command = [shutil.which("bwrap") or "bwrap", "--unshare-all", "--as-pid-1", "--cap-drop", "ALL", "--new-session"]
    command += ["--hostname", "sandbox", "--uid", "1000", "--gid", "1000", "--tmpfs", "/"]
    for source, target in view["binds"]:
        command += ["--ro-bind", source, target]
    command += ["--ro-bind", package + "/inside", SERVER + "/inside"]
    for folder in ("/dev", "/etc", "/proc", "/packages"):
        command += ["--dir", folder]
    for name in DEVICES:
        command += ["--dev-bind-try", f"/dev/{name}", f"/dev/{name}"]
    for path, text in view["links"]:
        command += ["--symlink", text, path]
    for path in view["masks"]:
        command += ["--tmpfs", path, "--remount-ro", path]
    return [*command, "--size", str(_DISK_BYTES), "--tmpfs", "/tmp", "--remount-ro", "/", "--"]
