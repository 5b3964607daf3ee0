"""Cells that hold more than text: JSON, and JSON packed as base64 of zlib of a pickled text. Nothing is unpickled."""

from __future__ import annotations

import base64
import pickletools
import struct
import zlib
from typing import Any

from tahr.core.json_text import parse_json
from tahr.data.columns import RowError

MAX_BYTES = 1 << 28
"""Largest unpacked cell."""

_TEXT = {"UNICODE", "SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8"}
_HARMLESS = {"PROTO", "FRAME", "MEMOIZE", "PUT", "BINPUT", "LONG_BINPUT", "STOP"}


def read_json(value: Any, column: str) -> Any:
    """A cell's value: text is parsed as JSON, anything else stays. Raises RowError."""
    if not isinstance(value, str):
        return value
    try:
        return parse_json(value)
    except ValueError as error:
        raise RowError(f"column {column!r} is not JSON: {str(error)[:200]}") from None


def read_packed(value: Any, column: str) -> Any:
    """As `read_json`, also for a text that is base64 of zlib of a pickled JSON text. Raises RowError."""
    if not isinstance(value, str) or value.lstrip()[:1] in {"[", "{", ""}:
        return read_json(value, column)
    try:
        inflater = zlib.decompressobj()
        data = inflater.decompress(base64.b64decode(value, validate=True), MAX_BYTES)
    except (ValueError, zlib.error) as error:
        raise RowError(f"column {column!r} is neither JSON nor packed JSON: {str(error)[:200]}") from None
    if not inflater.eof:
        raise RowError(f"column {column!r} is cut short or unpacks to more than {MAX_BYTES} bytes")
    return read_json(_pickled_text(data, column), column)


def _pickled_text(data: bytes, column: str) -> str:
    """The one text that a pickle holds, found by reading its instructions and carrying out none."""
    texts: list[str] = []
    try:
        for instruction, argument, _ in pickletools.genops(data):
            if instruction.name in _TEXT:
                texts.append(str(argument))
            elif instruction.name not in _HARMLESS:
                raise RowError(f"column {column!r} holds a pickle of more than a text ({instruction.name})")
    except (ValueError, ArithmeticError, LookupError, struct.error) as error:
        raise RowError(f"column {column!r} holds a malformed pickle: {str(error)[:200]}") from None
    if len(texts) != 1:
        raise RowError(f"column {column!r} holds a pickle of {len(texts)} texts, not of one")
    return texts[0]
