"""What a candidate writes, read without waiting and kept up to a bound."""

from __future__ import annotations

import os
import select

HUNG_UP = select.POLLHUP | select.POLLERR | 0x2000  # POLLRDHUP


class Pipe:
    """What a candidate writes to one descriptor, kept up to a bound; `total` counts on beyond it."""

    def __init__(self, limit: int) -> None:
        self.reader, self.writer = os.pipe()
        os.set_blocking(self.reader, False)
        self.limit, self.total, self.kept, self.open = limit, 0, bytearray(), True

    def read(self) -> None:
        """Take what is there; at the end of the stream close it."""
        try:
            data = os.read(self.reader, 1 << 16)
        except BlockingIOError:
            return
        if not data:
            self.close()
        self.total += len(data)
        self.kept += data[: max(self.limit - len(self.kept), 0)]

    def drain(self) -> None:
        """Read to the end; every writer is dead."""
        while self.open and self.total <= self.limit:
            self.read()
        self.close()

    def close(self) -> None:
        """Close the reading side, once."""
        if self.open:
            self.open = False
            os.close(self.reader)

    def restart(self) -> None:
        """Count and keep from here on, as if nothing had come before."""
        self.total, self.kept = 0, bytearray()

    @property
    def flooded(self) -> bool:
        """Whether more came than may."""
        return self.total > self.limit
