"""How long a text is, and what it is made of: characters, words, or tokens of a tokenizer on this disk."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from tahr.core.errors import InputError
from tahr.core.visible import outside_hidden, without_blanks
from tahr.verifiers.prose import Prose
from tahr.verifiers.text import inside_thinking, outside_thinking

Unit = Literal["characters", "words", "tokens"]
Of = Literal["answer", "thinking", "text"]

MAX_TOKENIZED_CHARS = 200_000
"""A longer text is cut before it is tokenized: it is longer than any bound that a recipe would state."""


def pieces(text: str, unit: Unit, tokenizer: str | None) -> Sequence[Any]:
    """The characters, case-folded words or token ids of a text; white space at its ends and
    invisible characters don't count.

    Token ids are those of the text on its own. What was sampled may have been cut into other tokens, so a limit on
    sampled tokens is a matter of ``rlvr.advantage.overlong_share``.
    """
    shown = without_blanks(text)
    if unit == "words":
        return Prose.of(shown).words
    if unit == "characters" or tokenizer is None:
        return Prose.of(shown).text
    readable = shown.strip()[:MAX_TOKENIZED_CHARS].encode("utf-8", "replace").decode()  # lone surrogates are no text
    return load_tokenizer(tokenizer).encode(readable, add_special_tokens=False).ids


def _shown(text: str) -> str:
    return outside_hidden(outside_thinking(text))


def chosen_part(text: str, of: Of) -> str:
    """The answer as a reader sees it, the thoughts, or both with their tags."""
    return {"answer": _shown, "thinking": inside_thinking}[of](text) if of != "text" else text


@lru_cache(maxsize=8)
def load_tokenizer(path: str) -> Any:
    """The tokenizer of a ``tokenizer.json``, or of the folder that holds one. Raises InputError."""
    import tokenizers

    file = Path(path) / "tokenizer.json" if Path(path).is_dir() else Path(path)
    try:
        return tokenizers.Tokenizer.from_file(str(file))  # pyright: ignore[reportUnknownMemberType]
    except Exception as error:  # the library raises nothing narrower
        raise InputError(
            f"no tokenizer could be read: {error}", received=str(file), instead="a tokenizer.json on this disk"
        ) from error


def check_unit(unit: Unit, tokenizer: str | None) -> None:
    """Raise InputError where tokens are counted without a tokenizer, or a tokenizer is given for nothing."""
    if (unit == "tokens") != (tokenizer is not None):
        raise InputError(
            'tokens need a tokenizer, and nothing else does: unit = "tokens" and tokenizer go together',
            received=f"unit = {unit!r}, tokenizer = {tokenizer!r}",
            instead='unit = "tokens", tokenizer = "models/mine/tokenizer.json"',
        )
    if tokenizer is not None:
        load_tokenizer(tokenizer)
