"""The program in an answer."""

from __future__ import annotations

import ast
import re
import warnings

from tahr.verifiers.text import outside_thinking

# escapes and comparisons of the model's code are none of the user's business
warnings.filterwarnings("ignore", category=SyntaxWarning, module="<answer>")

MAX_CHARS = 100_000
"""Longest program that is run."""

_OPENING = re.compile(r"^[ \t]{0,3}(`{3,}|~{3,})[ \t]*([A-Za-z0-9_+-]*)[^\n`]*$")
_PYTHON = {"", "python", "python3", "py"}


def program_in(text: str, entry_point: str = "") -> str | None:
    """The last fenced block of Python outside the thinking part, else the text itself where it is a program.

    Of several blocks the last one that defines `entry_point` counts, since an example of its use often follows. A
    fence opens and closes at the beginning of a line, so that backticks in a comment or a string cut nothing off. A
    block that never closes goes to the end. None where there is no program.
    """
    answer = outside_thinking(text)
    blocks = _blocks(answer)
    if blocks:
        name = re.escape(re.split(r"\W", entry_point, maxsplit=1)[0])
        defines = re.compile(rf"^(?:(?:async[ \t]+)?def|class)[ \t]+{name}\b|^{name}[ \t]*[:=]", re.MULTILINE)
        return next((block for block in reversed(blocks) if name and defines.search(block)), blocks[-1])
    whole = answer.strip()
    return whole if _is_program(whole) else None


def with_setup(source: str, setup: str) -> str:
    """The program behind the task's setup, but for its `from __future__` imports, which must be the first of all."""
    try:
        body = ast.parse(source, "<answer>").body if "__future__" in source else []
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        body = []
    first = [node for node in body if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
    if not first or not setup:
        return f"{setup}\n{source}" if setup else source
    whole = source.encode()
    end = line_starts(whole)[(first[-1].end_lineno or 1) - 1] + (first[-1].end_col_offset or 0)
    head, rest = whole[:end].decode(), whole[end:].decode().lstrip(" \t;")
    return f"{head}\n{setup}\n{rest}"


def line_starts(source: bytes) -> list[int]:
    """Where each line begins, as Python counts lines."""
    return [0, *(found.end() for found in re.finditer(rb"\r\n|\r|\n", source))]


def _blocks(text: str) -> list[str]:
    blocks: list[str] = []
    inside: list[str] | None = None
    mark, wanted = "", False
    for line in text.splitlines():
        if inside is None:
            if opening := _OPENING.match(line):
                mark, wanted, inside = opening[1], opening[2].lower() in _PYTHON, []
        elif line.strip() and set(line.strip()) == {mark[0]} and len(line.strip()) >= len(mark) and line[:4].strip():
            if wanted:
                blocks.append("\n".join(inside) + "\n")
            inside = None
        else:
            inside.append(line)
    if inside and wanted:
        blocks.append("\n".join(inside) + "\n")
    return [block for block in blocks if block.strip()]


def _is_program(text: str) -> bool:
    """Whether the text parses as Python and does something: prose hardly ever does."""
    if not text or len(text) > MAX_CHARS:
        return False
    try:
        body = ast.parse(text, "<answer>").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return any(not isinstance(statement, ast.Expr) or isinstance(statement.value, ast.Call) for statement in body)
