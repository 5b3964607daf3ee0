"""Fenced code blocks, as Markdown has them: between two lines of three or more backticks or tildes."""

from __future__ import annotations

import re
from dataclasses import dataclass

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*([^\n]{0,80})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One block; `language` is the first word behind the opening fence, in small letters.

    Example: ``Block(language="python", content="print(1)", closed=True)``
    """

    language: str
    content: str
    closed: bool


def read_fences(text: str) -> tuple[list[Block], str]:
    """The blocks of `text`, and the text outside of them. A block that is never closed reaches to the end.

    Blocks within an HTML comment are none; the comment is text outside. In a block, it is content.

    >>> read_fences("Run\\n```python\\nprint(1)\\n```\\nnow.")
    ([Block(language='python', content='print(1)', closed=True)], 'Run\\nnow.')
    """
    blocks: list[Block] = []
    outside: list[str] = []
    inside: list[str] = []
    fence, language, hidden = "", "", False
    for line in text.split("\n"):
        match = _FENCE.fullmatch(line.rstrip())
        if hidden or (not fence and "<!--" in line):
            hidden = "-->" not in (line if hidden else line.rpartition("<!--")[2])
            outside.append(line)
        elif fence and match and _closes(match[1], match[2], fence):
            blocks.append(Block(language=language, content="\n".join(inside), closed=True))
            fence = ""
        elif fence:
            inside.append(line)
        elif match and "`" not in match[2]:
            fence, inside = match[1], []
            language = match[2].split()[0].lower() if match[2].split() else ""
        else:
            outside.append(line)
    if fence:
        blocks.append(Block(language=language, content="\n".join(inside), closed=False))
    return blocks, "\n".join(outside)


def _closes(marks: str, rest: str, fence: str) -> bool:
    return not rest and marks[0] == fence[0] and len(marks) >= len(fence)


def last_block(text: str, *languages: str) -> str | None:
    """What the last closed block holds that is labelled so, or not at all; None where there is no such block.

    >>> last_block("```\\n1\\n```\\n```json\\n2\\n```\\n```python\\n3\\n```", "json")
    '2'
    """
    if "```" not in text and "~~~" not in text:
        return None
    fitting = [block for block in read_fences(text)[0] if block.closed and block.language in {"", *languages}]
    return fitting[-1].content if fitting else None
