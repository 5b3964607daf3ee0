"""Whether two expressions are equal: by normal forms, by floating point, then by values to many digits.

The first two stages are cheap and bounded and run here; what they leave open goes to a worker process.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from tahr.verifiers.math import approximate, normal, tree
from tahr.verifiers.math.normal import BeyondBoundsError, Form
from tahr.verifiers.math.simplify import normal_form
from tahr.verifiers.math.tree import Apply, Expression, Number, Symbol
from tahr.verifiers.worker import Worker

NUM_POINTS = 4
MAX_SECONDS = 1.2
"""For one comparison in a worker process; with all that comes before it, an answer takes less than 2 s."""


class TooHardError(Exception):
    """No stage could tell; the message is a reason for people."""


@lru_cache(maxsize=1)
def worker() -> Worker:
    """The processes that all math verifiers of this process share."""
    return Worker("tahr.verifiers.math.algebra:compare", memory_bytes=2**30)


def equal(gold: Expression, answer: Expression) -> bool:
    """Whether the two are equal for all values of their symbols.

    Raises TooHardError where it can't be told, TimeoutError where it took too long, WorkerError where a process failed.
    """
    if gold == answer:
        return True
    if _is_infinite(gold) or _is_infinite(answer):
        return False
    one, two = _form(gold), _form(answer)
    if one is not None and two is not None:
        try:
            known = normal.is_zero(normal.add(one, normal.scale(two, -1)))
        except BeyondBoundsError:
            known = None
        if known is not None:
            return known
    if (known := _differ(gold, answer)) is not None:
        return not known
    found = worker().call({"gold": tree.to_json(gold), "answer": tree.to_json(answer)}, timeout=MAX_SECONDS)
    if found == "unknown":
        raise TooHardError("the two can't be compared within the bounds")
    return found == "equal"


def surely_equal(one: Expression, two: Expression) -> bool:
    """Whether equality shows in the normal forms."""
    left, right = _form(one), _form(two)
    return left is not None and left == right


def rational_value(expression: Expression) -> Fraction | None:
    """The rational number that an expression is, or None."""
    form = _form(expression)
    return None if form is None else normal.as_rational(form)


@lru_cache(maxsize=1024)
def _form(expression: Expression) -> Form | None:
    try:
        return normal_form(expression)
    except (BeyondBoundsError, OverflowError):
        return None


def _is_infinite(expression: Expression) -> bool:
    return any(isinstance(node, Symbol) and node.name == "oo" for node in tree.walk(expression))


def _differ(gold: Expression, answer: Expression) -> bool | None:
    """True where the two surely differ; None where floating point can't tell."""
    names = tree.symbols(gold) | tree.symbols(answer)
    for point in range(NUM_POINTS if names else 1):
        if approximate.differ(gold, answer, names, point):
            return True
    if names:
        return None
    sizes = [approximate.magnitude(side) for side in (gold, answer)]
    if None in sizes:
        return None
    one, two = (size for size in sizes if size is not None)
    if one == two:
        return None
    return abs(one - two) > 1e-6 * max(1.0, min(abs(one), abs(two))) or None


def leaves_work(expression: Expression) -> bool:
    """Whether an expression restates a sum or product of plain numbers instead of giving its value."""
    for node in tree.walk(expression):
        if not isinstance(node, Apply):
            continue
        if node.head in tree.CALCULUS:
            return True
        if node.head == "+" and sum(rational_value(argument) is not None for argument in node.args) > 1:
            return True
        if node.head == "*" and sum(_is_plain(argument) for argument in node.args) > 1:
            return True
    return False


def _is_plain(expression: Expression) -> bool:
    return isinstance(expression, Number) and expression != tree.MINUS_ONE
