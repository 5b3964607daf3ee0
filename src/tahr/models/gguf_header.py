"""The header of a GGUF file: settings and tensor shapes, without its weights and without torch.

The `gguf` package's reader makes an array for each of the tokenizer's tokens and merges, which takes seconds; this
one steps over them. Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md (versions 2 and 3).
"""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tahr.core.errors import InputError

# Value types by their number in the file; 8 is a string, 9 an array.
_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9


@dataclass(frozen=True, slots=True, kw_only=True)
class GgufHeader:
    """Settings by name (of an array only its length), and tensor shapes (in the file's order: fastest axis first).

    Example: ``GgufHeader(settings={"general.architecture": "llama"}, shapes={"output_norm.weight": (576,)})``
    """

    settings: dict[str, Any]
    shapes: dict[str, tuple[int, ...]]


def read_gguf_header(path: Path) -> GgufHeader:
    """Raises InputError for a damaged file, or a version of the format other than 2 and 3 (little-endian)."""
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return _Cursor(data=data).header(path)
    except (struct.error, ValueError, KeyError, UnicodeDecodeError) as error:
        raise InputError(
            f"the .gguf file's header can't be read: {error}", received=str(path), instead="download it again"
        ) from error


@dataclass(slots=True, kw_only=True)
class _Cursor:
    """A place in the file that moves as values are read."""

    data: mmap.mmap
    offset: int = field(default=0)

    def header(self, path: Path) -> GgufHeader:
        self.offset = 4  # the letters GGUF
        version = self.scalar("I")
        if version not in (2, 3):
            raise InputError(
                "the .gguf file has an unknown version of the format", received=f"{path}: {version}", instead="2 or 3"
            )
        num_tensors, num_settings = self.scalar("Q"), self.scalar("Q")
        settings = {self.string(): self.value(self.scalar("I")) for _ in range(num_settings)}
        shapes = dict(self.tensor() for _ in range(num_tensors))
        return GgufHeader(settings=settings, shapes=shapes)

    def scalar(self, code: str) -> Any:
        (value,) = struct.unpack_from(f"<{code}", self.data, self.offset)
        self.offset += struct.calcsize(f"<{code}")
        return value

    def string(self) -> str:
        length = self.scalar("Q")
        self.offset += length
        return self.data[self.offset - length : self.offset].decode()

    def value(self, kind: int) -> Any:
        if kind == _STRING:
            return self.string()
        return self.skip_array() if kind == _ARRAY else self.scalar(_SCALARS[kind])

    def skip_array(self) -> int:
        """Step over an array; its length is returned."""
        kind, length = self.scalar("I"), self.scalar("Q")
        if kind == _STRING:
            for _ in range(length):
                self.offset += 8 + struct.unpack_from("<Q", self.data, self.offset)[0]
        elif kind == _ARRAY:
            for _ in range(length):
                self.skip_array()
        else:
            self.offset += length * struct.calcsize(f"<{_SCALARS[kind]}")
        return length

    def tensor(self) -> tuple[str, tuple[int, ...]]:
        name = self.string()
        shape = tuple(self.scalar("Q") for _ in range(self.scalar("I")))
        self.offset += 4 + 8  # its type and the place of its data
        return name, shape
