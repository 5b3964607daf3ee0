"""No known fault of post-training code is without a test here that shows its absence."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROWS = (
    *("N1", "N2", "N3", "N4", "N5", "N6", "N7", "N8", "N9", "N10", "N11", "N12"),
    *("N13", "N14", "N15", "N16", "N17", "N18", "N19", "N20", "N21", "N22", "N23", "N24"),
    *("T1", "T2", "T3", "T4", "T5", "T6", "T7"),
    *("B1", "B2", "B3", "B4", "B5", "B6", "B7"),
)


def test_every_row_has_a_test():
    names = [
        node.name
        for path in Path(__file__).parent.glob("test_*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef)
    ]
    covered = {match[1].upper() for name in names if (match := re.match(r"test_([ntb]\d+)_", name))}
    assert covered == set(ROWS)
