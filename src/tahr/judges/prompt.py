"""What judges are asked: text files of this package, named in every judgment by the hash of their content."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from string import Template


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """One text file with ``$NAME`` where texts go. `hash` is of the file's bytes, 16 hex digits.

    Example: ``Prompt(name="pairwise", text="Which is better? $first $second", hash="1f3870be274f6c49")``
    """

    name: str
    text: str
    hash: str

    def fill(self, **texts: str) -> str:
        """The prompt with its texts. None of them is looked at for further names. Raises KeyError for one missing."""
        return Template(self.text).substitute(texts)


@lru_cache(maxsize=32)
def load_prompt(name: str) -> Prompt:
    """The prompt in ``prompts/NAME.txt``."""
    content = files("tahr.judges").joinpath(f"prompts/{name}.txt").read_bytes()
    digest = hashlib.blake2b(content, digest_size=8).hexdigest()
    return Prompt(name=name, text=content.decode("utf-8"), hash=digest)
