"""Plain values as bytes and back, exactly: types, big integers, NaN, tuples and sets survive, nothing else passes.

One byte names the type: N T F (None, True, False), i (hex integer), f (8 bytes), c (16 bytes), s and b (text and bytes
with their length), and l t e z d (list, tuple, set, frozenset, dict with their count). Both directions look at exact
types only and call no method of the value, so that a hostile class is never asked anything.
"""

from __future__ import annotations

import builtins
import struct
import sys
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Iterator
from typing import Any

# Functions below resolve builtins here: what a candidate does to its own builtins later changes nothing in them.
__builtins__ = dict(vars(builtins))

MAX_DEPTH = 64
MAX_NODES = 500_000
MAX_ODD_KEYS = 2_000  # keys whose hashes anyone can make collide: a set of them costs the square of its size

Encoder = Callable[[Any, list[bytes], int], None]


class NotPlainError(Exception):
    """The value holds something else than plain types, nests too deep or is too large."""


class MalformedError(Exception):
    """Bytes that `encode` can't have written."""


class _Nodes:
    """A budget against values that share their parts so often that writing them out would never end."""

    left = MAX_NODES


def encode(value: Any) -> bytes:
    """`value` as bytes. Raises NotPlainError with the name of the type that has no place here."""
    _Nodes.left = MAX_NODES
    parts: list[bytes] = []
    _encode(value, parts, 0)
    return b"".join(parts)


def _encode(value: Any, out: list[bytes], depth: int) -> None:
    kind = type(value)
    encoder = _ENCODERS.get(kind)
    if encoder is None:
        raise NotPlainError(f"a value of type {type_name(kind)!r}")
    if depth > MAX_DEPTH:
        raise NotPlainError(f"nesting deeper than {MAX_DEPTH}")
    _Nodes.left -= 1
    if _Nodes.left < 0:
        raise NotPlainError(f"more than {MAX_NODES} parts")
    encoder(value, out, depth)


_pack = struct.pack
type_name: Callable[[type], str] = type.__dict__["__name__"].__get__


def _text(value: str, out: list[bytes], _depth: int) -> None:
    content = value.encode("utf-8", "surrogatepass")
    out.append(b"s%d:" % len(content))
    out.append(content)


def _bytes(value: bytes, out: list[bytes], _depth: int) -> None:
    out.append(b"b%d:" % len(value))
    out.append(value)


def _sequence(tag: bytes) -> Encoder:
    def write(value: Any, out: list[bytes], depth: int) -> None:
        out.append(tag + b"%d:" % len(value))
        for one in value:
            _encode(one, out, depth + 1)

    return write


def _dict(value: dict[Any, Any], out: list[bytes], depth: int) -> None:
    out.append(b"d%d:" % len(value))
    for key, one in value.items():
        _encode(key, out, depth + 1)
        _encode(one, out, depth + 1)


_ENCODERS: dict[type, Encoder] = {
    type(None): lambda _value, out, _depth: out.append(b"N"),
    bool: lambda value, out, _depth: out.append(b"T" if value else b"F"),
    int: lambda value, out, _depth: out.append(b"i%x:" % value),
    float: lambda value, out, _depth: out.append(b"f" + _pack("<d", value)),
    complex: lambda value, out, _depth: out.append(b"c" + _pack("<dd", value.real, value.imag)),
    str: _text,
    bytes: _bytes,
    list: _sequence(b"l"),
    tuple: _sequence(b"t"),
    set: _sequence(b"e"),
    frozenset: _sequence(b"z"),
    dict: _dict,
}


def accept_relatives() -> None:
    """From now on, in this process and its forks, write Counter, defaultdict and OrderedDict as dict.

    Honest programs return them in place of plain dicts. What a candidate makes of it only changes its own claim, which
    stays plain for the reader.
    """
    _ENCODERS.update(dict.fromkeys(_RELATIVES, _dict))


def accept_numpy() -> None:
    """Where numpy is loaded, write its numbers as Python's."""
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return
    for kind in (numpy.bool_, *_subclasses(numpy.number)):
        _ENCODERS[kind] = lambda value, out, depth: _encode(value.item(), out, depth + 1)


def accept_only_plain() -> None:
    """Undo `accept_relatives` and `accept_numpy`."""
    for kind in [kind for kind in _ENCODERS if kind not in _PLAIN]:
        del _ENCODERS[kind]


_PLAIN = frozenset(_ENCODERS)
_RELATIVES = (Counter, defaultdict, OrderedDict)


def _subclasses(kind: type) -> Iterator[type]:
    for one in kind.__subclasses__():
        yield one
        yield from _subclasses(one)


def decode(data: bytes) -> Any:
    """The value that `encode` wrote. `data` may be hostile: raises MalformedError, never anything else."""
    reader = _Reader(data)
    try:
        value = reader.value(0)
    except (ValueError, TypeError, IndexError, OverflowError, struct.error, UnicodeDecodeError) as error:
        raise MalformedError(f"malformed value: {error}") from None
    if reader.at != len(data):
        raise MalformedError("bytes after the value")
    return value


class _Reader:
    """A position in bytes that are read once from front to back."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at, self.nodes, self.odd_keys = data, 0, 0, 0

    def value(self, depth: int) -> Any:
        self.nodes += 1
        if depth > MAX_DEPTH + 1 or self.nodes > MAX_NODES + 1:
            raise MalformedError("too deep or too large")
        tag = self.take(1)
        constant = {b"N": None, b"T": True, b"F": False}.get(tag, self)
        if constant is not self:
            return constant
        if tag == b"f":
            return struct.unpack("<d", self.take(8))[0]
        if tag == b"c":
            return complex(*struct.unpack("<dd", self.take(16)))
        if tag == b"i":
            return int(self.until_colon(), 16)
        size = int(self.until_colon())
        if size < 0 or size > len(self.data) - self.at:
            raise MalformedError("a length beyond the end")
        return self.sized(tag, size, depth)

    def sized(self, tag: bytes, size: int, depth: int) -> Any:
        if tag == b"b":
            return self.take(size)
        if tag == b"s":
            return self.take(size).decode("utf-8", "surrogatepass")
        if tag == b"l":
            return [self.value(depth + 1) for _ in range(size)]
        if tag == b"t":
            return tuple([self.value(depth + 1) for _ in range(size)])
        if tag in b"ez":
            keys = [self.key(depth) for _ in range(size)]
            return set(keys) if tag == b"e" else frozenset(keys)
        if tag == b"d":
            return {self.key(depth): self.value(depth + 1) for _ in range(size)}
        raise MalformedError(f"unknown tag {tag!r}")

    def key(self, depth: int) -> Any:
        key = self.value(depth + 1)
        if type(key) not in {str, bytes, bool} and not (type(key) is int and -(1 << 61) < key < 1 << 61):
            self.odd_keys += 1
            if self.odd_keys > MAX_ODD_KEYS:
                raise MalformedError(f"more than {MAX_ODD_KEYS} keys that are no text or small integers")
        return key

    def take(self, size: int) -> bytes:
        if self.at + size > len(self.data):
            raise MalformedError("cut short")
        self.at += size
        return self.data[self.at - size : self.at]

    def until_colon(self) -> bytes:
        end = self.data.index(b":", self.at)
        digits = self.data[self.at : end]
        self.at = end + 1
        if not digits or digits.strip(b"-0123456789abcdef"):
            raise MalformedError("a number with other characters than digits")
        return digits
