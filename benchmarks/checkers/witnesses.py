"""Texts made to keep an instruction, to break it by a hair, or to look as if they kept it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from checkers.witnesses_ifbench import IFBENCH
from checkers.witnesses_ifeval import IFEVAL

Maker = Callable[[Mapping[str, Any], str, str], list[str]]
"""From the arguments, a real answer to build on and the prompt to texts."""

MAKERS: dict[str, Maker] = {**IFEVAL, **IFBENCH}


def witnesses(name: str, args: Mapping[str, Any], base: str, prompt: str) -> list[str]:
    """The made texts for one instruction; always the same ones."""
    return list(dict.fromkeys(MAKERS[name](args, base, prompt)))
