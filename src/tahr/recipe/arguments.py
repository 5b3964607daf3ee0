"""``--args key=value`` of the command line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from tahr.core.errors import InputError
from tahr.recipe.overrides import parse_value

_BARE = re.compile(r"""(?<![\w"'])[A-Za-z_][\w:./-]*(?![\w"'])""")


def parse_arguments(pairs: Sequence[str], *, example: str) -> dict[str, Any]:
    """The arguments of ``key=value`` texts, each value TOML, or a text where it is none.

    Raises InputError, with `example` as what to write: no equals sign, or a list whose texts have no quotes.

    >>> parse_arguments(["levels=[1, 2]", "place=boxed"], example="place=boxed")
    {'levels': [1, 2], 'place': 'boxed'}
    """
    parsed: dict[str, Any] = {}
    for pair in pairs:
        key, sign, value = (part.strip() for part in pair.partition("="))
        if not sign or not key:
            raise InputError("an argument is not of the form key=value", received=pair, instead=f"--args {example}")
        parsed[key] = parse_value(value)
        if isinstance(parsed[key], str) and (quoted := _quoted(value)):
            raise InputError(
                f"the texts in {key} need quotes, and the whole argument quotes of the shell around them",
                received=pair,
                instead=f"--args '{key}={quoted}' (a list), or --args '{key}=\"{value}\"' (a text)",
            )
    return parsed


def _quoted(value: str) -> str:
    """A list or table of bare words with quotes around them; "" where it is none."""
    if not (value.startswith("[") and value.endswith("]")):
        return ""
    quoted = _BARE.sub(lambda word: word[0] if word[0] in {"true", "false"} else f'"{word[0]}"', value)
    return "" if isinstance(parse_value(quoted), str) else quoted
