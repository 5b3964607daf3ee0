from __future__ import annotations

import math
from typing import Any

import pytest

from tahr.verifiers.code.compare import same, same_output

NAN, INF = math.nan, math.inf


@pytest.mark.parametrize(
    ("value", "expected", "tolerance", "equal"),
    [
        (1, 1, 0.0, True),
        (True, 1, 0.0, False),
        (1, True, 0.0, False),
        (1.0, 1, 0.5, False),
        (1, 1.0, 0.0, False),
        (1, 1.0, 1e-9, True),
        (True, 1.0, 0.5, False),
        (10**400, 1.0, 0.5, False),
        ("1", 1, 0.0, False),
        (b"a", "a", 0.0, False),
        (None, 0, 0.0, False),
        (None, None, 0.0, True),
        ((1, 2), [1, 2], 0.0, False),
        ([1, 2], [1, 2, 3], 0.0, False),
        ([1, [2, (3,)]], [1, [2, (3,)]], 0.0, True),
        ([1, [2, [3]]], [1, [2, (3,)]], 0.0, False),
        ([True], [1], 0.0, False),
        ({1}, {1}, 0.0, True),
        ({True}, {1}, 0.0, False),
        ({1}, frozenset({1}), 0.0, False),
        ({(1, True)}, {(1, 1)}, 0.0, False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, 0.0, True),
        ({"a": 1}, {"a": 1, "b": 2}, 0.0, False),
        ({1: "x"}, {True: "x"}, 0.0, False),
        ({1: 1.05}, {1: 1.0}, 0.1, True),
        ({1: 1.2}, {1: 1.0}, 0.1, False),
        (0.3, 0.1 + 0.2, 0.0, False),
        (0.3, 0.1 + 0.2, 1e-9, True),
        (101.0, 100.0, 0.01, True),
        (101.1, 100.0, 0.01, False),
        (-100.0, 100.0, 0.5, False),
        (0.005, 0.0, 0.01, True),
        (-0.0, 0.0, 0.0, True),
        (NAN, NAN, 0.0, True),
        ([NAN], [NAN], 0.0, True),
        (NAN, 1.0, 0.9, False),
        (1.0, NAN, 0.9, False),
        (INF, INF, 0.0, True),
        (INF, -INF, 0.9, False),
        (1e308, INF, 0.9, False),
        (1 + 2j, 1 + 2j, 0.0, True),
        (1 + 0j, 1.0, 0.5, False),
        (6e-17 + 1j, 1j, 1e-6, True),
        (0.1 + 1j, 1j, 1e-6, False),
        (complex(NAN, 1.0), complex(NAN, 1.0), 0.0, True),
        ({frozenset({0, 8}), frozenset({1, 9})}, {frozenset([9, 1]), frozenset([8, 0])}, 0.0, True),
        ({frozenset({0, 8})}, {frozenset({False, 8})}, 0.0, False),
        ({"a": {frozenset({0, 8, 16})}}, {"a": {frozenset({16, 8, 0})}}, 0.0, True),
        ({(True, 2): "x"}, {(1, 2): "x"}, 0.0, False),
        ({(1, 2): "x"}, {(1, 2): "x"}, 0.0, True),
        ({-0.0}, {0.0}, 0.0, True),
        ({-0.0: 1}, {0.0: 1}, 0.0, True),
        ({NAN}, {NAN}, 0.0, True),
        ({NAN: 1}, {float("nan"): 1}, 0.0, True),
        ({0.1 + 0.2}, {0.3}, 1e-6, True),
        ({0.1 + 0.2}, {0.3}, 0.0, False),
        ({0.3, 0.4}, {0.3, 0.5}, 1e-6, False),
        ({1, 2.0000001}, {1.0, 2.0}, 1e-6, True),
        ({(0.1 + 0.2, "a"), (0.7, "b")}, {(0.3, "a"), (0.7, "b")}, 1e-6, True),
        ({(0.1 + 0.2, "a")}, {(0.3, "b")}, 1e-6, False),
        ({0.1 + 0.2: 1}, {0.3: 1}, 1e-6, True),
        ({0.1 + 0.2: 1}, {0.3: 2}, 1e-6, False),
        ({0.1 + 0.2: 1, "a": 2}, {0.3: 1, "a": 2}, 1e-6, True),
        ({n + 1e-9 for n in range(500)}, {float(n) for n in range(500)}, 1e-6, True),
        ({10**400, 0.5}, {10**400, 0.5000001}, 1e-6, True),
        ({"a", 0.5}, {"b", 0.5000001}, 1e-6, False),
    ],
)
def test_values(value: Any, expected: Any, tolerance: float, equal: bool) -> None:
    assert same(value, expected, tolerance) is equal


@pytest.mark.parametrize(
    ("printed", "expected", "tolerance", "equal"),
    [
        ("3\n", "3\n", 0.0, True),
        ("3", "3\n", 0.0, True),
        ("3  \r\n\n\n", "3", 0.0, True),
        (" 3\n", "3\n", 0.0, False),
        ("3 4\n", "3\n4\n", 0.0, False),
        ("a  b\n", "a b\n", 0.0, False),
        ("\n3\n", "3\n", 0.0, False),
        ("", "\n", 0.0, True),
        ("3\n3\n", "3\n", 0.0, False),
        ("YES\n", "Yes\n", 0.0, False),
        ("9\r3\n", "3\n", 0.0, False),
        ("0.33333 x\n", "0.33334 x\n", 1e-3, True),
        ("0.33333 x\n", "0.33334 y\n", 1e-3, False),
        ("0.4\n", "0.3\n", 1e-3, False),
        ("nan\n", "0.3\n", 0.9, False),
        ("1 2\n", "1\n", 0.9, False),
    ],
)
def test_outputs(printed: str, expected: str, tolerance: float, equal: bool) -> None:
    assert same_output(printed, expected, tolerance) is equal
