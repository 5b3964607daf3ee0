"""What no program could ever pass, or every program passes: the sandbox's bounds, held against the tests themselves."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from tahr.core.errors import InputError
from tahr.sandbox import Limits
from tahr.sandbox.inside.values import MAX_DEPTH, MAX_NODES, MalformedError, NotPlainError, decode, encode

MAX_OUTPUT = 1 << 20
"""Bytes that a program may be expected to print."""
MAX_INPUT = Limits().disk_mb << 20
"""Bytes of standard input, which lies on the program's disk."""
MAX_VALUE = Limits().result_bytes - 4096
"""Bytes of an expected value; a little of what may come back is taken by what the run was seen to do."""
_CHECKING = ("assert", "check", "test", "verify", "fail", "raises")


def output_bytes(expected: int) -> int:
    """What a program may print where `expected` bytes are the most that a test asks for."""
    return max(Limits().output_bytes, 2 * expected)


def check_exchange(where: str, stdin: str, stdout: str) -> None:
    """Raise InputError where the text can't be given to a program, or not be printed by one."""
    for name, text, most in (("stdin", stdin, MAX_INPUT), ("stdout", stdout, MAX_OUTPUT)):
        try:
            size = len(text.encode())
        except UnicodeEncodeError as error:
            raise InputError(
                f"{where}: {name} holds half of a character, which no program can read or print",
                received=repr(text[error.start : error.end])[:100],
                instead="whole characters (a lone surrogate is half of one)",
            ) from None
        if size > most:
            raise InputError(
                f"{where}: {name} is larger than the sandbox allows",
                received=f"{size} bytes",
                instead=f"at most {most} bytes: a smaller test",
            )


def check_case(where: str, args: tuple[Any, ...], kwargs: Mapping[str, Any], expected: Any) -> None:
    """Raise InputError where the arguments can't be sent to a program, or the expected value not come back."""
    allowed = f"at most {MAX_NODES} parts, {MAX_DEPTH} levels: a smaller test"
    try:
        encode(("", args, dict(kwargs)))
    except NotPlainError as error:
        raise InputError(f"{where}: the arguments can't be sent", received=str(error), instead=allowed) from None
    try:
        data = encode(expected)
        decode(data)
    except (NotPlainError, MalformedError) as error:
        raise InputError(f"{where}: no program can return expected", received=str(error), instead=allowed) from None
    if len(data) > MAX_VALUE:
        raise InputError(
            f"{where}: no program can return expected, which is larger than the sandbox allows",
            received=f"{len(data)} bytes",
            instead=f"at most {MAX_VALUE} bytes: a smaller test",
        )


def check_assertion(where: str, source: str, setup: str) -> None:
    """Raise InputError for a test that asserts nothing: every program would pass it."""
    helpers = {node.name for node in ast.walk(ast.parse(setup)) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Assert | ast.Raise):
            return
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in helpers or any(word in name.lower() for word in _CHECKING):
                return
    raise InputError(
        f"{where} asserts nothing: every program would pass it",
        received=source.strip()[:200],
        instead="assert add(1, 2) == 3",
    )
