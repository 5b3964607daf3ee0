"""The interpreter of a session, which untrusted code takes over: cells share a module, the last expression is shown."""

from __future__ import annotations

import builtins
import linecache
import os
import signal
import sys
import traceback
import types
from typing import Any, NoReturn

from . import values

# Functions below resolve builtins here: what a cell does to its own builtins later changes nothing in them.
__builtins__ = dict(vars(builtins))

NONCE_SIZE = 16
HEAD_SIZE = NONCE_SIZE + 8
_exit, _read, _write, _getpid, _signal = os._exit, os.read, os.write, os.getpid, signal.signal
_INT, _IGNORE, _RAISE = signal.SIGINT, signal.SIG_IGN, signal.default_int_handler
_WRITES = {"stdout": sys.stdout, "stderr": sys.stderr}


def is_frame(data: bytes | bytearray, nonce: bytes) -> bool:
    """Whether `data` can be the beginning of the one frame that ends a cell."""
    digits = bytes(data[NONCE_SIZE:HEAD_SIZE])
    whole = nonce.startswith(bytes(data[:NONCE_SIZE])) and not digits.strip(b"0123456789abcdef")
    return whole and (len(data) < HEAD_SIZE or len(data) <= HEAD_SIZE + int(digits, 16))


def is_whole(data: bytes | bytearray) -> bool:
    """Whether a frame, as far as `is_frame` accepts it, is complete."""
    return len(data) >= HEAD_SIZE and len(data) == HEAD_SIZE + int(bytes(data[NONCE_SIZE:HEAD_SIZE]), 16)


def serve(*, request: int, claims: int) -> NoReturn:
    """Run the cells that come on one descriptor, and claim each one's end on the other."""
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    number, own = 0, _getpid()
    try:
        while True:
            nonce, source, most = values.decode(_exactly(request, int(_exactly(request, 8), 16)))
            number += 1
            shown, error = _cell(source, f"<cell {number}>", module, most)
            if _getpid() != own:
                _exit(0)  # a child that the cell forked came out of it as well
            content = values.encode((shown, error))
            _send(claims, nonce + b"%08x" % len(content) + content)
    finally:
        _exit(1)  # the session is over, or a cell took the descriptors away


def _exactly(descriptor: int, size: int) -> bytes:
    data = b""
    while len(data) < size:
        part = _read(descriptor, size - len(data))
        if not part:
            raise EOFError
        data += part
    return data


def _send(descriptor: int, data: bytes) -> None:
    while data:
        data = data[_write(descriptor, data) :]


def _cell(source: str, name: str, module: types.ModuleType, most: int) -> tuple[str | None, str]:
    """What the last expression's value looks like (None where there is none), and the error as text ("" for none)."""
    shown: str | None = None
    text = ""
    try:
        try:
            _signal(_INT, _RAISE)
            value = _run(source, name, module)
            if value is not None:
                module.__dict__["_"] = value
                shown = _plain(repr(value), most)
        except BaseException as error:  # noqa: BLE001  whatever the code raises is its result
            text = _told(error, name, most)
        _flush()
        _signal(_INT, _IGNORE)
    except BaseException as error:  # noqa: BLE001  the interrupt came late, or the code broke what tells of errors
        _signal(_INT, _IGNORE)
        shown, text = None, values.type_name(type(error))
    return shown, text


def _run(source: str, name: str, module: types.ModuleType) -> Any:
    """Run all statements; the value of the last where it is an expression, else None."""
    import ast  # of use in sessions only, and every process of the server would carry it

    linecache.cache[name] = (len(source), None, [f"{line}\n" for line in source.splitlines()], name)
    tree = ast.parse(source, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec", dont_inherit=True), module.__dict__)
    if not isinstance(last, ast.Expr):
        return None
    return eval(compile(ast.Expression(last.value), name, "eval", dont_inherit=True), module.__dict__)


def _told(error: BaseException, name: str, most: int) -> str:
    """The traceback from the cell's own first line on; its end where it is too long."""
    shown = error.__traceback__
    while shown is not None and shown.tb_frame.f_code.co_filename != name:
        shown = shown.tb_next
    lines = traceback.format_exception(type(error), error, shown, limit=-20)
    return _plain("".join(lines), most, from_end=True).rstrip("\n")


def _plain(text: Any, most: int, *, from_end: bool = False) -> str:
    """`text` as exactly a str of at most `most` characters."""
    plain = str.__str__(text)
    if len(plain) <= most:
        return plain
    return "..." + plain[-most:] if from_end else plain[:most] + "..."


def _flush() -> None:
    """What the cell printed, also through a stream that it replaced."""
    for name, stream in _WRITES.items():
        for one in (stream, getattr(sys, name, None)):
            try:
                if one is not None:
                    one.flush()
            except KeyboardInterrupt:
                raise
            except BaseException:  # noqa: BLE001, S112  a stream of the cell's own making may do anything
                continue
