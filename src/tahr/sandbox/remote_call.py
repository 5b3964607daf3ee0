"""A function call as a self-contained program, for sandboxes that only run programs and return their output."""

from __future__ import annotations

import base64
from pathlib import Path

from tahr.sandbox.inside import values

_PROGRAM = """\
import base64, os, sys, types
values = types.ModuleType("values")
exec(base64.b64decode({codec!r}).decode(), values.__dict__)
source, target, args, kwargs, nonce = values.decode(base64.b64decode({request!r}))
_write, _exit, _b64 = os.write, os._exit, base64.b64encode
def _claim(kind, content):
    data = ("\\n" + nonce + kind + _b64(content).decode() + "\\n").encode()
    while data:
        data = data[_write(1, data):]
_flush = sys.stdout.flush
stage = "load"
try:
    module = types.ModuleType("candidate")
    sys.modules["candidate"] = module
    exec(compile(source, "<candidate>", "exec", dont_inherit=True), module.__dict__)
    stage = "call"
    value = eval(compile(target, "<target>", "eval"), module.__dict__)(*args, **kwargs)
    content = values.encode(value)
    _flush()
    _claim("R", content)
except values.NotPlainError as error:
    _claim("U", values.encode(error.args[0]))
except BaseException as error:
    first = error.args[0] if type(error.args) is tuple and error.args else ""
    _claim("X", values.encode((stage, values.type_name(type(error)), first[:500] if type(first) is str else "")))
_exit(0)
"""


def call_program(request: bytes) -> str:
    """Source of a program that makes the call in `request` (source, target, args, kwargs, nonce, encoded)."""
    codec = base64.b64encode(Path(values.__file__).read_bytes())
    return _PROGRAM.format(codec=codec, request=base64.b64encode(request))
