"""Write docs/verifiers/ifbench.md from the instructions' docstrings: ``python scripts/write_ifbench_table.py``."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from tahr.verifiers.instructions import kinds
from tahr.verifiers.instructions.kind import instructions

PAGE = Path(__file__).resolve().parent.parent / "docs" / "verifiers" / "ifbench.md"
MODULES = "count custom_ format_ ratio repeat sentence words_"
REFERENCE = "The reference checker"
INTRODUCTION = """# IFBench instructions

What each of the 58 instruction types of IFBench means here, and where that differs from the checker that came with the
data set. An instruction is judged by what its prompt says. Words are whole words, in any case and of Unicode form NFC,
with curly quotes straightened; nothing is downloaded, and the same text is always judged the same way. An instruction
that an empty text, one word or one letter would keep by having nothing to break asks for enough text to break it.

This page is made from the code: `python scripts/write_ifbench_table.py`.

| Instruction | What keeps it | What the reference checker does instead |
| --- | --- | --- |
"""


def _code(text: str) -> str:
    return re.sub(r"``(.+?)``", r"`\1`", text).replace("|", r"\|")


def page() -> str:
    """The page as it should be."""
    rows: list[str] = []
    for name in instructions.names():
        part = instructions.get(name)
        if not part.__module__.startswith(tuple(f"{kinds.__name__}.{module}" for module in MODULES.split())):
            continue
        text = " ".join((inspect.getdoc(part) or "").split())
        meaning, found, difference = text.partition(REFERENCE)
        instead = difference.strip()[:1].upper() + difference.strip()[1:] if found else ""
        rows.append(f"| `{name}` | {_code(meaning.strip())} | {_code(instead)} |")
    return INTRODUCTION + "\n".join(rows) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
