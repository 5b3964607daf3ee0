import math
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field

from tahr.core.construct import construct, describe_part
from tahr.core.errors import InputError


@dataclass(frozen=True, kw_only=True)
class Checked:
    """A part with checked arguments.

    More about it.
    """

    size: Annotated[int, Field(ge=1, description="how many")] = 3
    kind: Literal["a", "b"] = "a"
    names: tuple[str, ...] = ()
    table: dict[str, int] = field(default_factory=dict[str, int])
    needed: float

    def __post_init__(self) -> None:
        if self.size > 100:
            raise InputError("size is above 100", received=self.size, instead="less")


class Plain:
    """A part without annotations."""

    def __init__(self, first, second=2):  # type: ignore[no-untyped-def]
        if second == 0:
            raise ValueError("second is 0")
        if second == -1:
            raise KeyError("second")
        self.both = (first, second)


class Open:
    """A part that takes any argument."""

    def __init__(self, **options: object) -> None:
        self.options = options


def test_arguments_are_converted_and_defaults_stay() -> None:
    made = construct(Checked, {"needed": 1, "names": ["x"]}, where="here")
    assert made == Checked(needed=1.0, names=("x",))
    assert isinstance(made.needed, float)
    assert made.table == {}


def test_plain_classes_work() -> None:
    assert construct(Plain, {"first": "x"}, where="here").both == ("x", 2)
    assert construct(Open, {"anything": 1}, where="here").options == {"anything": 1}


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ({}, r"here\.needed: a value is required"),
        ({"needed": 1, "sise": 2}, r"'here\.sise': did you mean 'size'"),
        ({"needed": 1, "size": 0}, r"here\.size.*greater than or equal to 1 \(received 0\)"),
        ({"needed": "much"}, r"here\.needed.*received 'much'"),
        ({"needed": 1, "kind": "c"}, r"here\.kind.*'a' or 'b'"),
        ({"needed": 1, "size": 200}, "here: size is above 100"),
    ],
)
def test_wrong_arguments_are_named(args: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        construct(Checked, args, where="here")


def test_what_a_constructor_refuses_is_an_input_error() -> None:
    with pytest.raises(InputError, match="here: second is 0"):
        construct(Plain, {"first": 1, "second": 0}, where="here")


def test_a_constructor_that_fails_is_named() -> None:
    with pytest.raises(InputError, match="here: Plain failed: KeyError: 'second'"):
        construct(Plain, {"first": 1, "second": -1}, where="here")


@pytest.mark.parametrize("part", [math, math.sqrt, 3])
def test_what_is_no_class_is_refused(part: Any) -> None:
    with pytest.raises(InputError, match="here: a part must be a class"):
        construct(part, {}, where="here")


def test_parts_describe_themselves() -> None:
    described = describe_part("checked", Checked)
    assert described.summary == "A part with checked arguments."
    rows = [(one.name, one.type, one.default, one.description) for one in described.arguments]
    assert rows == [
        ("size", "int", "3", "how many"),
        ("kind", "'a' | 'b'", "'a'", ""),
        ("names", "tuple[str, ...]", "[]", ""),
        ("table", "dict[str, int]", "{}", ""),
        ("needed", "float", "required", ""),
    ]
