"""How arguments and results stand on standard input and output, by annotation."""

from __future__ import annotations

from typing import Any

READERS = {
    "int": ("an integer", "int(input())"),
    "str": ("a text", "input()"),
    "list[int]": ("integers separated by spaces", "[int(word) for word in input().split()]"),
    "list[str]": ("words separated by spaces", "input().split()"),
    "list[list[int]]": (
        "the number of rows, and then a line of integers for each row",
        "[[int(word) for word in input().split()] for _ in range(int(input()))]",
    ),
}
"""What a line holds, and the expression that reads it."""

WRITERS = {
    "int": ("the number", "print({})"),
    "str": ("the text", "print({})"),
    "bool": ("yes or no", "print('yes' if {} else 'no')"),
    "list[int]": ("the numbers separated by spaces", "print(*{})"),
    "list[str]": ("the words separated by spaces", "print(*{})"),
    "list[list[int]]": ("a line for each, numbers separated by spaces", "for row in {}:\n    print(*row)"),
}


def stdin_of(args: tuple[Any, ...]) -> str:
    """The lines that a program reads."""
    return "".join(f"{line}\n" for value in args for line in _lines(value))


def stdout_of(value: Any) -> str:
    """What a program prints for a result."""
    if isinstance(value, bool):
        return "yes\n" if value else "no\n"
    if isinstance(value, list) and value and isinstance(value[0], list):
        return "".join(" ".join(map(str, row)) + "\n" for row in value)
    return _lines(value)[0] + "\n"


def _lines(value: Any) -> list[str]:
    if isinstance(value, list):
        if value and isinstance(value[0], list):
            return [str(len(value)), *(" ".join(map(str, row)) for row in value)]
        return [" ".join(map(str, value))]
    return [str(value)]
