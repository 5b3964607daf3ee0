r"""Read an answer's text as a shape.

From the outside in: alternatives, unions, lists, relations, brackets, units, and at the core an expression. What can't
be read as mathematics is words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from tahr.verifiers.math import inequality, tree
from tahr.verifiers.math.cut import depths, enclosed, split
from tahr.verifiers.math.grammar import parse
from tahr.verifiers.math.plus_minus import both_signs
from tahr.verifiers.math.shapes import Group, Named, Piece, Ratio, Reals, Scalar, Shape, Statement, Words
from tahr.verifiers.math.spellings import half_lines
from tahr.verifiers.math.tokens import Token, known_function, tokens
from tahr.verifiers.math.tree import INFINITY, Expression, NotMathError, Number, Symbol, negative
from tahr.verifiers.math.units import KNOWN, canonical, is_unit
from tahr.verifiers.math.vocabulary import NUMBER_WORDS
from tahr.verifiers.math.wording import only_words, wording

RELATIONS = frozenset({"=", "<", ">", "<=", ">=", "!=", "in", "approx", "equiv"})
_CHOICE = re.compile(r"\s*(?:\\(?:text|mathrm|textbf) ?\{)?\s*\(?[A-Z]\)?\s*\}?\s*")
_POINTS = re.compile(
    r"\s*(?:\\(?:overline|text|mathrm|overrightarrow|overleftrightarrow|vec) ?\{ ?[A-Z]{2,4} ?\}|[A-Z]{2,4})\s*"
)
_UNIT_TEXT = re.compile(r"[A-Za-z\u00b0\u00b5\u03a9$\u20ac\u00a3\u00a5%./^ \d*-]*")
_GROUPS_OF_THREE = re.compile(r"(?<![\d.])[1-9]\d{0,2}(?:,[1-9]\d{2})+(?!\d)")


@lru_cache(maxsize=4096)
def read(text: str) -> Shape:
    """The shape of an answer in plain characters; Words where it is no mathematics within the bounds. Never raises."""
    if _CHOICE.fullmatch(text) or _POINTS.fullmatch(text):
        return Words(wording(text))
    try:
        found = tokens(half_lines(text) if "R" in text else text)
        if only_words(text, found):
            words = wording(text)
            return Scalar(Number(Fraction(NUMBER_WORDS.index(words)))) if words in NUMBER_WORDS else Words(words)
        if max(depths(found), default=0) > tree.MAX_DEPTH:
            raise NotMathError(f"nested deeper than {tree.MAX_DEPTH}")
        return shape(_trimmed(found))
    except (NotMathError, RecursionError):
        return Words(wording(text))


def separated(text: str) -> str:
    """`text` with commas that could stand between thousands taken to stand between values: ``(100,200)``."""
    return _GROUPS_OF_THREE.sub(lambda match: match[0].replace(",", ", "), text)


def _trimmed(found: Sequence[Token]) -> Sequence[Token]:
    """Tokens without punctuation at the ends and without braces around all of them."""
    while found and found[-1].kind == "mark" and found[-1].text in {".", ",", ";", "\\\\"}:
        found = found[:-1]
    while found and found[0].kind == "mark" and found[0].text in {",", ";", ":"}:
        found = found[1:]
    while enclosed(found) == ("{", "}"):
        found = found[1:-1]
    return found


def shape(found: Sequence[Token]) -> Shape:
    """The shape of tokens. Raises NotMathError."""
    if not found:
        raise NotMathError("nothing is there")
    for marks, build in _STEPS:
        parts, between = split(found, marks)
        if between:
            return build([_trimmed(part) for part in parts], between)
    brackets = enclosed(found)
    if brackets and brackets != ("{", "}"):
        made = _bracketed(found[1:-1], brackets)
        if made is not None:
            return made
    return both_signs(_scalar(found))


def _alternatives(parts: list[Sequence[Token]], marks: list[str]) -> Shape:
    shapes = [shape(part) for part in parts if part]
    if all(isinstance(one, Reals) for one in shapes):
        united = tuple(piece for one in shapes if isinstance(one, Reals) for piece in one.pieces)
        return Reals(united, _name_of(shapes))
    return _grouped("or", shapes)


def _both(parts: list[Sequence[Token]], marks: list[str]) -> Shape:
    shapes = [shape(part) for part in parts if part]
    reals = [one for one in shapes if isinstance(one, Reals)]
    if len(reals) == len(shapes) and len({one.name for one in reals}) == 1:
        return Reals(inequality.intersection([one.pieces for one in reals]), reals[0].name)
    return _grouped("list", shapes)


def _union(parts: list[Sequence[Token]], marks: list[str]) -> Shape:
    pieces: list[Piece] = []
    for part in parts:
        made = inequality.as_reals(shape(part))
        if made is None:
            raise NotMathError("a union of what is no set of reals")
        pieces += made.pieces
    return Reals(tuple(pieces))


def _difference(parts: list[Sequence[Token]], marks: list[str]) -> Shape:
    whole, *taken = [inequality.as_reals(shape(part)) for part in parts]
    if whole is None or None in taken:
        raise NotMathError("a difference of what are no sets of reals")
    return Reals(inequality.without(whole.pieces, [piece for one in taken if one for piece in one.pieces]))


def _list(parts: list[Sequence[Token]], marks: list[str]) -> Shape:
    if marks[-1] in {"and", ","} and not parts[-1]:
        parts = parts[:-1]
    return _grouped("list", [shape(part) for part in parts if part])


def _grouped(kind: str, shapes: list[Shape]) -> Shape:
    """A group, where ``x = 1, 2`` and ``x = 1, x = 2`` both name what all the values are."""
    if len(shapes) == 1:
        return shapes[0]
    flat: list[Shape] = []
    for one in shapes:
        flat += one.items if isinstance(one, Group) and one.kind in {"list", "or"} else [one]
    first = flat[0]
    group_kind = "or" if kind == "or" else "list"
    if isinstance(first, Named) and not any(isinstance(one, Named) for one in flat[1:]):
        return Named(first.name, Group(group_kind, (first.shape, *flat[1:])), first.left)
    if all(isinstance(one, Named) and one.name == getattr(first, "name", None) for one in flat):
        assert isinstance(first, Named)
        return Named(
            first.name, Group(group_kind, tuple(one.shape for one in flat if isinstance(one, Named))), first.left
        )
    return Group(group_kind, tuple(flat))


def _name_of(shapes: Sequence[Shape]) -> str:
    return next((one.name for one in shapes if isinstance(one, Reals) and one.name), "")


def _related(parts: list[Sequence[Token]], signs: list[str]) -> Shape:
    signs = ["=" if sign in {"approx", "equiv"} else sign for sign in signs]
    if "in" in signs:
        return _member(parts, signs)
    if any(sign != "=" for sign in signs):
        return inequality.solved([parse(part) for part in parts], signs)
    last = shape(parts[-1])
    try:
        sides = [parse(part) for part in parts[:-1]]
    except NotMathError:
        if len(parts) == 2:  # words before the sign: "Area = 5"
            return Named(wording(" ".join(token.text for token in parts[0])), last, Symbol("?"))
        raise
    name = _name(sides[0])
    if name is None and len(sides) == 1 and isinstance(last, Scalar) and (behind := _name_behind(sides[0], last)):
        return Named(behind, shape(parts[0]), last.value)
    if (
        isinstance(last, Scalar)
        and not any(tree.symbols(side) for side in sides)
        and inequality.all_equal([*sides, last.value])
    ):
        return last  # a computation with its result
    if name is not None or not isinstance(last, Scalar):  # noqa: SIM102
        if len(sides) == 1 or (isinstance(last, Scalar) and inequality.all_equal([*sides[1:], last.value])):
            return Named(name or "?", last, sides[0])
    if not isinstance(last, Scalar):
        raise NotMathError("an equation of what is no value")
    return Statement((*sides, last.value), tuple(signs))


def _member(parts: list[Sequence[Token]], signs: list[str]) -> Shape:
    if len(parts) != 2:
        raise NotMathError("a chain of memberships")
    made = shape(parts[1])
    name = _name(parse(parts[0])) or ""
    if isinstance(made, Group) and made.kind == "set" and name:  # the values that it may have
        return Named(name, made, Symbol(name))
    reals = inequality.as_reals(made)
    return Reals(reals.pieces, name) if reals is not None else Named(name, made, Symbol(name))


def _name_behind(left: Expression, right: Scalar) -> str | None:
    """The name on the right of an equation: ``5 = x``, ``5 = f(2)``; None where the left side is no value of it."""
    is_value = isinstance(right.value, Symbol) or not tree.symbols(left)
    return _name(right.value) if is_value else None


def _name(left: Expression) -> str | None:
    """The name on the left of an equation: a letter, ``f(x)``, ``AB``, ``|z|``, ``P(A)``, ``x + y``; else None."""
    if isinstance(left, Symbol):
        return left.name
    return inequality.quantity_name(left)


def _bracketed(inside: Sequence[Token], brackets: tuple[str, str]) -> Shape | None:
    opening, closing = brackets
    if opening == "\\{":
        return _set(inside)
    parts, marks = split(inside, {",", ";"})
    if not marks:
        return None if opening == "(" and closing == ")" else _grouped_or_interval([shape(inside)], brackets)
    return _grouped_or_interval([shape(_trimmed(part)) for part in parts], brackets)


def _grouped_or_interval(items: list[Shape], brackets: tuple[str, str]) -> Shape:
    if any(isinstance(item, Group) and item.kind == "list" for item in items):  # an item with plus-minus
        pair = [[item.items[sign] if isinstance(item, Group) else item for item in items] for sign in (0, 1)]
        return Group("list", tuple(_grouped_or_interval(one, brackets) for one in pair))
    left = {"]": "("}.get(brackets[0], brackets[0])
    right = {"[": ")"}.get(brackets[1], brackets[1])
    group = Group("tuple", tuple(items), left + right)
    unbounded = any(isinstance(item, Scalar) and item.value in {INFINITY, negative(INFINITY)} for item in items)
    mixed = left + right in {"[)", "(]"} or brackets[0] == "]" or brackets[1] == "["
    made = inequality.interval_of(group) if unbounded or mixed else None
    return made or group


def _set(inside: Sequence[Token]) -> Shape:
    if not inside:
        return Group("set", ())
    parts, marks = split(inside, {"|", ":"})
    if len(marks) == 1:
        return shape(_trimmed(parts[1]))
    made = shape(_trimmed(inside))
    items = made.items if isinstance(made, Group) and made.kind in {"list", "or"} else (made,)
    return Group("set", items)


def _ratio(parts: list[Sequence[Token]], marks: list[str]) -> Shape:
    written = ":".join("".join(token.text for token in part) for part in parts)
    return Ratio(tuple(parse(part) for part in parts), written)


def _scalar(found: Sequence[Token]) -> Shape:
    """A value with or without a unit, or one of the named sets."""
    if len(found) == 1 and found[0].text in {"blackboard R", "emptyset"}:
        whole = Piece(negative(INFINITY), INFINITY, (False, False))
        return Reals((whole,)) if found[0].text == "blackboard R" else Group("set", ())
    if len(found) == 1 and found[0].text == "...":
        return Words("...")
    if found[0].text == "$" and found[0].kind == "mark":
        return Scalar(parse(found[1:]), "usd")
    if found[-1].text == "$" and found[-1].kind == "mark" and len(found) > 1:
        return Scalar(parse(found[:-1]), "usd")
    return _with_unit(found)


def _with_unit(found: Sequence[Token]) -> Shape:
    start = _unit_start(found)
    if 0 < start < len(found):
        if not is_unit(" ".join(token.text for token in found[start:])):
            raise NotMathError("words behind a value that change it")
        unit = canonical(" ".join(token.text for token in found[start:]).replace("^ ", "^"))
        return Scalar(parse(found[:start]), unit)
    value = parse(found)
    return Scalar(value)


def _unit_start(found: Sequence[Token]) -> int:
    """Where the unit behind a value begins; the number of tokens where there is none."""
    for place, (token, depth) in enumerate(zip(found, depths(found), strict=True)):
        if depth:
            continue
        if place and token.kind == "text" and token.text.strip():
            return place if all(_in_unit(later) for later in found[place:]) else len(found)
        if place and token.kind == "name" and token.spaced and token.text.lower() in KNOWN and len(token.text) > 1:
            return place if all(_in_unit(later) for later in found[place:]) else len(found)
    if any(token.kind == "name" and known_function(token.text) for token in found):
        return len(found)
    if len(found) > 1 and found[-1].text in {"degree", "circ"} and found[-1].kind in {"mark", "command"}:
        return len(found) - 1 - (found[-2].text == "^")
    if len(found) > 4 and [token.text for token in found[-4:]] == ["^", "{", "circ", "}"]:
        return len(found) - 4
    return len(found)


def _in_unit(token: Token) -> bool:
    if token.kind in {"text", "name"} and token.text.strip() not in {"i", "e"}:
        return bool(_UNIT_TEXT.fullmatch(token.text))
    return token.kind == "number" or token.text in {"^", "/", "*", "{", "}", "-"}


_STEPS = (
    ({"or"}, _alternatives),
    ({"and"}, _both),
    ({",", ";"}, _list),
    (RELATIONS, _related),
    ({"cup"}, _union),
    ({"setminus"}, _difference),
    ({":"}, _ratio),
)
