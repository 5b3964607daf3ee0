"""Which read-only pieces of this machine a sandboxed program sees: programs, libraries, chosen packages."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from tahr.core.errors import InputError

PACKAGES = "/packages"
_PLACES = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/lib32")
_SETTINGS = ("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime")


def view(packages: Iterable[str]) -> dict[str, Any]:
    """What is bound, linked and masked, for `tahr.sandbox.inside.view.build`.

    `packages` are installed distributions that programs may import; every other folder of installed packages is hidden,
    since data sets with their answers come as packages too. Raises InputError on one that is not installed.
    """
    binds: list[list[str]] = []
    links = [["/dev/shm", "/tmp"], ["/dev/fd", "/proc/self/fd"]]
    links += [[f"/dev/{name}", f"/proc/self/fd/{number}"] for number, name in enumerate(("stdin", "stdout", "stderr"))]
    for place in _PLACES:
        path = Path(place)
        if path.is_symlink():
            links.append([place, str(path.readlink())])
        elif path.is_dir():
            binds.append([place, place])
    binds += [[prefix, prefix] for prefix in prefixes() if not prefix.startswith("/usr")]
    binds += [[place, place] for place in _SETTINGS if Path(place).exists()]
    for name in packages:
        binds += [[str(path), f"{PACKAGES}/{path.name}"] for path in _top_level(name)]
    return {"binds": binds, "links": links, "masks": _masks()}


def prefixes() -> list[str]:
    """Where the base interpreter and its library are."""
    return list(dict.fromkeys((sys.base_prefix, sys.base_exec_prefix)))


def interpreter() -> str:
    """The base interpreter: a virtual environment's own would lead to its packages."""
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    found = Path(sys.base_prefix) / "bin" / name
    return str(found) if found.exists() else str(Path(sys.executable).resolve())


def _masks() -> list[str]:
    """Folders of installed packages that lie in what is bound."""
    found = {
        path
        for root in ("/usr", "/usr/local", *prefixes())
        for kind in ("site", "dist")
        for path in Path(root).glob(f"lib*/python3*/{kind}-packages")
        if path.is_dir() and not any(part.is_symlink() for part in (path, *path.parents))
    }
    return sorted(map(str, found))


def _top_level(name: str) -> list[Path]:
    """The folders and files at the top of a distribution."""
    try:
        found = distribution(name)
    except PackageNotFoundError:
        raise InputError(
            "the sandbox is asked to show a package that is not installed", received=name, instead=f"pip install {name}"
        ) from None
    tops = {file.parts[0] for file in found.files or [] if file.parts[0] not in {"..", "__pycache__"}}
    paths = [Path(str(found.locate_file(top))) for top in sorted(tops) if not top.endswith((".dist-info", ".pth"))]
    return [path for path in paths if path.exists()]
