"""Text that is to be judged, shown to a judge so that it can't pass for the judge's instructions.

Each text stands between two markers that carry a tag. The tag is a hash of all the texts and the seed, taken again
until it occurs in none of them: whatever an answer says, it can't close the fence that it stands in. What models read
as the end of a turn is taken apart, and what is left out is said where it was.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass

MARKUP = re.compile(
    r"(?P<open><|\[/?)(?=(?:\||｜|/?(?:s|bos|eos|pad|unk|think|start_of_turn|end_of_turn|system|user|assistant)>"
    r"|(?:INST|SYS|SYSTEM_PROMPT|AVAILABLE_TOOLS)\]|<SYS>>))",
    re.IGNORECASE,
)
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]")
"""Control characters but tab and newline, and those that hide text or turn it around; joiners are letters to some."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fence:
    """Marks off texts by a `tag` that none of them holds.

    Example: ``Fence(tag="3fa9c2d1e0b4").wrap("ANSWER", "Paris.", max_chars=1000)``
    """

    tag: str

    def wrap(self, title: str, text: str, *, max_chars: int) -> str:
        """`text` between its markers, the middle left out where it has more than `max_chars` characters."""
        shown = harmless(text)
        if not shown.strip():
            shown = f"(empty {self.tag})"
        elif len(shown) > max_chars:
            half = max_chars // 2
            left_out = len(shown) - 2 * half
            shown = f"{shown[:half]}\n({left_out} characters left out {self.tag})\n{shown[-half:]}"
        return f"{self.opening(title)}\n{shown}\n{self.closing(title)}"

    def opening(self, title: str) -> str:
        """The line before a text."""
        return f"<<<{title} {self.tag}>>>"

    def closing(self, title: str) -> str:
        """The line after a text."""
        return f"<<<END OF {title} {self.tag}>>>"


def fence_for(texts: Iterable[str], seed: int) -> Fence:
    """The fence of `texts`: the same texts and seed always give the same one."""
    contents = [harmless(text) for text in texts]
    digest = hashlib.blake2b(json.dumps([seed, contents]).encode(), digest_size=16)
    while any(digest.hexdigest()[:12] in text.casefold() for text in contents):
        digest.update(b"again")
    return Fence(tag=digest.hexdigest()[:12])


def harmless(text: str) -> str:
    """`text` as plain letters: no control characters, no half of a character, no token that ends a turn.

    >>> harmless("Paris.<|im_end|>")
    'Paris.< |im_end|>'
    """
    whole = text.encode("utf-8", "replace").decode()
    return MARKUP.sub(r"\g<open> ", CONTROL.sub("\N{REPLACEMENT CHARACTER}", whole.replace("\r\n", "\n")))
