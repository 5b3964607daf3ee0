"""The countdown game: reach a target with given numbers and the four operations."""

from __future__ import annotations

import ast
import re
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from tahr.core.errors import InputError
from tahr.core.protocols import verifiers
from tahr.core.ranges import BINARY, RewardRange
from tahr.core.types import Task, Verdict, failed, passed
from tahr.verifiers.example import needed_example
from tahr.verifiers.extract import last_box, last_marked
from tahr.verifiers.text import outside_comments, outside_thinking, plain

MAX_EXPRESSION_CHARS = 400
MAX_NESTING = 50
MAX_NUMBERS = 20

_ALLOWED = re.compile(r"[0-9()+\-*/. ]+")
_EXPRESSION_LINE = re.compile(r"[(+\-. ]*[0-9][0-9()+\-*/.= ]*")
_LONG_NUMBER = re.compile(r"[0-9]{13}")


@verifiers.register("countdown")
@dataclass(frozen=True, slots=True, kw_only=True)
class Countdown:
    r"""An expression of the given numbers, ``+ - * /`` and parentheses, that is exactly the target.

    `answer` is ``{"numbers": [3, 7, 25], "target": 96}``. The expression is the last ``\boxed{}``, what ``<answer>``
    tags hold, what follows the last "answer is" or "####", or the last line that is one; ``= 96`` behind it is allowed
    and must be true. The part ``valid`` says whether it uses only the given numbers, as often as allowed.
    """

    use: Annotated[
        Literal["at_most_once", "exactly_once"], Field(description="how often each given number may be used")
    ] = "at_most_once"

    reward_range: ClassVar[RewardRange] = BINARY

    def check_task(self, task: Task) -> None:
        """Raise InputError unless the answer has whole numbers, a target, and an example stands in `meta`."""
        answer: Any = task.answer
        numbers: Any = answer.get("numbers") if isinstance(answer, dict) else None
        target: Any = answer.get("target") if isinstance(answer, dict) else None
        good = isinstance(numbers, list) and 1 <= len(numbers) <= MAX_NUMBERS and all(map(_is_number, numbers))
        if not good or not _is_whole(target):
            raise InputError(
                "the countdown verifier needs numbers from 1 to 10**12 and a whole target as the answer",
                received=repr(answer)[:200],
                instead='{"numbers": [3, 7, 25], "target": 96}',
            )
        needed_example(task, "countdown")

    def verify(self, task: Task, text: str) -> Verdict:
        """PASS where the expression keeps the rules and reaches the target."""
        expression = _candidate(outside_comments(outside_thinking(text)))
        if expression is None:
            return failed("no expression in the text", parts={"valid": 0.0})
        try:
            value, used = evaluate(expression)
        except _RefusedError as error:
            return failed(str(error), parts={"valid": 0.0}, extracted=expression[:200])
        fault = self._misuse(used, task.answer["numbers"])
        if fault:
            return failed(fault, parts={"valid": 0.0}, extracted=expression)
        if value != task.answer["target"]:
            note = f"{expression} is {str(value)[:40]}, not {task.answer['target']}"
            return failed(note, parts={"valid": 1.0}, extracted=expression)
        return passed(f"{expression} is {value}", parts={"valid": 1.0}, extracted=expression)

    def gold(self, task: Task) -> str:
        """The example that the task carries."""
        return needed_example(task, "countdown")

    def _misuse(self, used: list[int], numbers: list[int]) -> str:
        allowed, spent = Counter(numbers), Counter(used)
        if excess := spent - allowed:
            return f"uses {next(iter(excess))} more often than it is given"
        if self.use == "exactly_once" and (missing := allowed - spent):
            return f"does not use {next(iter(missing))}"
        return ""


class _RefusedError(Exception):
    """The text is no expression of the game."""


def evaluate(expression: str) -> tuple[Fraction, list[int]]:
    """The exact value of an expression and the numbers in it; nothing is ever run as code.

    >>> evaluate("(25 - 1) * 4")
    (Fraction(96, 1), [25, 1, 4])
    """
    if len(expression) > MAX_EXPRESSION_CHARS:
        raise _RefusedError(f"an expression of more than {MAX_EXPRESSION_CHARS} characters")
    if not _ALLOWED.fullmatch(expression) or "**" in expression or "//" in expression:
        raise _RefusedError(f"{expression[:60]!r} is not made of numbers, + - * / and parentheses")
    if _LONG_NUMBER.search(expression) or expression.count("(") > MAX_NESTING:
        raise _RefusedError("a number or a nesting out of bounds")
    try:
        tree = ast.parse(re.sub(r"(?<![0-9.])0+(?=[0-9])", "", expression.strip()), mode="eval")
    except (SyntaxError, ValueError):
        raise _RefusedError(f"{expression[:60]!r} is no expression") from None
    used: list[int] = []
    return _walk(tree.body, used), used


def _walk(node: ast.expr, used: list[int]) -> Fraction:
    """Depth is bounded by `MAX_EXPRESSION_CHARS`, values by the numbers that an expression of that length holds."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        used.append(node.value)
        return Fraction(node.value)
    if isinstance(node, ast.BinOp):
        left, right = _walk(node.left, used), _walk(node.right, used)
        if isinstance(node.op, ast.Add):
            return left + right
        if isinstance(node.op, ast.Sub):
            return left - right
        if isinstance(node.op, ast.Mult):
            return left * right
        if isinstance(node.op, ast.Div) and right:
            return left / right
        raise _RefusedError("division by zero")
    raise _RefusedError("only whole numbers, + - * / and parentheses are allowed")


def _candidate(text: str) -> str | None:
    """The expression that the text gives as its answer, its ``= target`` checked and removed."""
    text = _as_ascii(plain(text))
    place = last_box(text)
    if place is None:
        place = _tagged(text)
    if place is None:
        place = last_marked(text)
    if place is not None:
        return _left_side(place.strip(" \n$.`*"))
    lines = (line.strip(" $.`*") for line in reversed(text[-4000:].splitlines()))
    return next((_left_side(line) for line in lines if _EXPRESSION_LINE.fullmatch(line)), None)


def _tagged(text: str) -> str | None:
    """What the last ``<answer>`` tags hold."""
    start = text.rfind("<answer>")
    end = text.find("</answer>", start)
    return text[start + len("<answer>") : end] if 0 <= start < end else None


def _as_ascii(text: str) -> str:
    for written, sign in (("\\times", "*"), ("\\cdot", "*"), ("\\div", "/"), ("\\left", ""), ("\\right", "")):
        text = text.replace(written, sign)
    return text.replace("[", "(").replace("]", ")")


def _left_side(text: str) -> str:
    """``a + b`` of ``a + b = c`` where c is its value; the whole text where that is not so, which is then refused."""
    left, equals, right = text.partition("=")
    if not equals:
        return text.strip()
    try:
        agrees = evaluate(left.strip())[0] == evaluate(right.strip())[0]
    except _RefusedError:
        agrees = False
    return left.strip() if agrees else text.strip()


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 10**12
