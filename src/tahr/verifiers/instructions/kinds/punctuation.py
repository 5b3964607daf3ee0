"""Marks that must not be used."""

from __future__ import annotations

from dataclasses import dataclass

from tahr.verifiers.instructions.kind import Finding, instructions
from tahr.verifiers.instructions.response import Response

COMMAS = ",\u060c\u3001\uff0c\ufe50\u201a"
"""Commas of every script."""


@instructions.register("punctuation:no_comma")
@dataclass(frozen=True, slots=True, kw_only=True)
class NoComma:
    """No comma of any script."""

    def kept(self, response: Response) -> Finding:
        """Whether there is none."""
        found = sum(map(response.text.count, COMMAS))
        return Finding(found == 0, f"{found} commas" if found else "")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return "Do not use any commas."
