"""Run the commands that README.md and docs/**/*.md show: ``python scripts/run_documents.py [FILE ...]``.

Every line of a fenced ``bash`` block, and every ``$ `` line of a ``console`` block, is run with bash in a scratch copy
of the repository's root (so that runs/ stays clean), and must exit with 0. An HTML comment before a block changes that:

    <!-- checks: skip REASON -->          not run, for the reason given
    <!-- checks: append ARGUMENTS -->     ARGUMENTS are added to each command of the block (to make it short)
    <!-- checks: exits 2 -->              the commands must exit with that code
    <!-- checks: output -->               the lines shown below a command must occur in its output, in that order;
                                          "..." stands for anything
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(
    r"(?P<directives>(?:^<!-- checks: [^\n]*-->\n+)*)^```(?P<kind>\w*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL
)
DIRECTIVE = re.compile(r"<!-- checks: (\w+)\s*(.*?)\s*-->")
KNOWN = {"skip", "append", "exits", "output"}
NOT_COPIED = {".git", "runs", "models"}
TIMEOUT_SECONDS = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One command of a document.

    Example: ``Command(where="README.md:12", text="tahr --help", exit_code=0, shown=("Usage: ...",), skip="")``
    """

    where: str
    text: str
    exit_code: int
    shown: tuple[str, ...]
    skip: str


def commands_in(path: Path) -> Iterator[Command]:
    """The commands of a document, in order. Raises ValueError on a directive that doesn't exist."""
    text = path.read_text(encoding="utf-8")
    for block in BLOCK.finditer(text):
        if block["kind"] not in {"bash", "console"}:
            continue
        directives = dict(DIRECTIVE.findall(block["directives"]))
        if not directives.keys() <= KNOWN:
            raise ValueError(
                f"{path.name}: unknown directive {sorted(directives.keys() - KNOWN)}; valid: {sorted(KNOWN)}"
            )
        line = text.count("\n", 0, block.start("body")) + 1
        for offset, command, shown in _split(block["kind"], block["body"]):
            yield Command(
                where=f"{path.relative_to(ROOT)}:{line + offset}",
                text=f"{command} {directives.get('append', '')}".strip(),
                exit_code=int(directives.get("exits", "0")),
                shown=shown if "output" in directives else (),
                skip=directives.get("skip", ""),
            )


def _split(kind: str, body: str) -> Iterator[tuple[int, str, tuple[str, ...]]]:
    """(line offset, command, shown output lines) of one block's body; a trailing backslash continues a command."""
    lines = body.splitlines()
    position = 0
    while position < len(lines):
        start = position
        line = lines[position]
        position += 1
        if kind == "console" and not line.startswith("$ "):
            raise ValueError(f"a console block must begin with '$ ': {line!r}")
        command = line.removeprefix("$ ") if kind == "console" else line
        while command.endswith("\\") and position < len(lines):
            command = command[:-1].rstrip() + " " + lines[position].strip()
            position += 1
        shown: list[str] = []
        while kind == "console" and position < len(lines) and not lines[position].startswith("$ "):
            shown.append(lines[position].rstrip())
            position += 1
        command = re.sub(r"\s+# .*$", "", command).strip()
        if command and not command.startswith("#"):
            yield start, command, tuple(shown)


def missing_line(shown: tuple[str, ...], output: str) -> str | None:
    """The first shown line that doesn't occur in the output after the lines before it; None where all do."""
    remaining = iter(line.strip() for line in output.splitlines())
    for line in shown:
        pattern = re.sub(r"([\[\]*?])", r"[\1]", line.strip()).replace("...", "*")
        if pattern and not any(fnmatchcase(candidate, pattern) for candidate in remaining):
            return line
    return None


def run(command: Command, folder: Path) -> str | None:
    """Run one command in `folder`; what is wrong with it, or None."""
    environment = {**os.environ, "PATH": f"{sysconfig.get_path('scripts')}{os.pathsep}{os.environ['PATH']}"}
    environment |= {"COLUMNS": "120", "TERM": "dumb", "NO_COLOR": "1"}
    try:
        done = subprocess.run(
            ["bash", "-c", command.text],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return f"did not end within {TIMEOUT_SECONDS} s"
    if done.returncode != command.exit_code:
        return f"exit code {done.returncode}, not {command.exit_code}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
    absent = missing_line(command.shown, done.stdout + done.stderr)
    return None if absent is None else f"its output lacks {absent!r}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"


def main(names: list[str]) -> int:
    """Run every command of the named documents (README.md and docs/*.md by default); 0 where all do what they show."""
    documents = [ROOT / name for name in names] or [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    failures = 0
    total = 0
    with tempfile.TemporaryDirectory(prefix="tahr-documents-") as name:
        folder = Path(name)
        for entry in ROOT.iterdir():
            if entry.name not in NOT_COPIED:
                (folder / entry.name).symlink_to(entry)
        for document in documents:
            for command in commands_in(document):
                total += 1
                start = time.monotonic()
                wrong = None if command.skip else run(command, folder)
                failures += wrong is not None
                state = f"skipped ({command.skip})" if command.skip else "FAILED" if wrong else "ok"
                print(f"{command.where}: {command.text}  [{state}, {time.monotonic() - start:.1f} s]", flush=True)
                if wrong:
                    print(wrong, flush=True)
    print(f"{total} commands, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
