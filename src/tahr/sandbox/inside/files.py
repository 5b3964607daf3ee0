"""The files that a run is given, and what it made of them."""

from __future__ import annotations

import os


def write_files(root: str, files: dict[str, bytes]) -> None:
    """Put files below `root`, folders included."""
    for name, content in files.items():
        path = f"{root}/{name}"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)


def changed(root: str, files: dict[str, bytes], most: int = 32) -> list[str]:
    """Names at the top of the folder that are new, and given files that no longer are what they were."""
    try:
        names = os.listdir(root)
    except PermissionError:
        os.chmod(root, 0o700)  # it is the program's to close, and ours to open
        names = os.listdir(root)
    given = {name.partition("/")[0] for name in files}
    new = [name for name in names if name not in given][:most]
    return [name[:200].encode("utf-8", "replace").decode() for name in new] + [
        name for name, content in files.items() if _content(f"{root}/{name}", len(content)) != content
    ][:most]


def _content(path: str, size: int) -> bytes | None:
    """A regular file's bytes, one more than `size` at most; None where it is something else now."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        return os.read(descriptor, size + 1)
    except OSError:
        return None
    finally:
        os.close(descriptor)
