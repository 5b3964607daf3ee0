"""The verifier of mathematical answers."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Annotated, Any, ClassVar

from pydantic import Field

from tahr.core.errors import InputError
from tahr.core.protocols import verifiers
from tahr.core.ranges import BINARY, RewardRange
from tahr.core.types import Outcome, Task, Verdict, broken, failed, passed
from tahr.verifiers.choice import settled_letters
from tahr.verifiers.example import example_of
from tahr.verifiers.math.candidate import Place, find
from tahr.verifiers.math.characters import in_latex
from tahr.verifiers.math.compare import Terms, same
from tahr.verifiers.math.equality import TooHardError
from tahr.verifiers.math.reading import read
from tahr.verifiers.math.shapes import Group, Named, Scalar, Shape, Words
from tahr.verifiers.math.units import canonical
from tahr.verifiers.math.wording import wording
from tahr.verifiers.numbers import Quantity, parse_quantity
from tahr.verifiers.text import plain
from tahr.verifiers.worker import WorkerError

KEYS = {"answer": (str, int, float), "ordered": bool, "tolerance": (int, float), "units": str}
"""Keys of a task's answer where it is a table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gold:
    """A task's answer, read once.

    Example: ``Gold(text="3/4", shape=shape, quantity=Quantity(value=Fraction(3, 4)), terms=Terms())``
    """

    text: str
    shape: Shape
    quantity: Quantity | None
    terms: Terms

    @property
    def choice(self) -> str:
        """The letter of a multiple-choice question, "" where the answer is something else."""
        letters = wording(self.text).upper() if isinstance(self.shape, Words) else ""
        return letters if len(letters) == 1 and letters in "ABCDEFGHIJ" else ""

    @property
    def is_several(self) -> bool:
        """Whether it has several values."""
        shape = self.shape.shape if isinstance(self.shape, Named) else self.shape
        return isinstance(shape, Group)


@verifiers.register("math")
@dataclass(frozen=True, slots=True, kw_only=True)
class Math:
    r"""A mathematical answer equal to the task's: a value, a list, a set, an interval, an equation, a matrix, or words.

    Comparison is exact. `answer` is text such as ``\frac{3}{4}``, or a table: ``{"answer": "1, 2", "ordered": true}``,
    with ``tolerance`` (largest difference) and ``units`` (the unit that the answer must have).
    """

    is_concurrent: ClassVar[bool] = True
    reward_range: ClassVar[RewardRange] = BINARY
    place: Annotated[
        Place,
        Field(description="where the answer must stand: boxed; marked (or boxed); any of the three; the whole text"),
    ] = "any"

    def check_task(self, task: Task) -> None:
        """Raise InputError unless the answer is mathematics or words, and every setting beside it is valid."""
        gold = _gold(_spelled(task.answer))
        if gold.terms.tolerance is not None and gold.quantity is None and isinstance(gold.shape, Words):
            raise InputError("a tolerance needs a number as the answer", received=gold.text[:200])
        if not wording(gold.text) and isinstance(gold.shape, Words):
            raise InputError("the math verifier needs an answer", received=repr(task.answer)[:200])

    def verify(self, task: Task, text: str) -> Verdict:
        """PASS where the text's one answer equals the task's; TIMEOUT where that took too long."""
        gold = _gold(_spelled(task.answer))
        question = task.prompt[-1].content if task.prompt else ""
        found = find(
            text, place=self.place, question=question, several=gold.is_several, numeric=gold.quantity is not None
        )
        if found.text is None:
            return failed(found.reason)
        answer = found.text
        try:
            reason = _judge(gold, answer)
        except TooHardError as error:
            return failed(f"{_short(answer)}: {error}", extracted=answer[:200])
        except TimeoutError:
            note = f"comparing {_short(answer)} with {_short(gold.text)} took too long"
            return Verdict(outcome=Outcome.TIMEOUT, reward=None, extracted=answer[:200], note=note)
        except WorkerError as error:
            return broken(f"comparing {_short(answer)} failed: {error}")
        if not reason:
            return passed(f"{_short(answer)} equals {_short(gold.text)}", extracted=answer[:200])
        return failed(f"{_short(answer)} is not {_short(gold.text)}: {reason}", extracted=answer[:200])

    def gold(self, task: Task) -> str:
        """The task's example where there is one, else the answer in a box."""
        answer = task.answer["answer"] if isinstance(task.answer, dict) else task.answer
        return example_of(task) or rf"\boxed{{{answer}}}"


def _spelled(answer: Any) -> str:
    """A task's answer as one text, by which what was read is kept."""
    return answer if isinstance(answer, str) else json.dumps(answer, sort_keys=True)


@lru_cache(maxsize=4096)
def _gold(spelled: str) -> Gold:
    """A task's answer. Raises InputError where it is malformed."""
    table: dict[str, Any] = {"answer": spelled}
    if spelled.startswith('{"'):
        try:
            table = json.loads(spelled)
        except ValueError:
            table = {"answer": spelled}
    if unknown := sorted(set(table) - set(KEYS)):
        raise InputError("unknown keys in a math answer", received=unknown, instead=f"any of {', '.join(KEYS)}")
    for name, value in table.items():
        if not isinstance(value, KEYS[name]) or (isinstance(value, bool) and name != "ordered"):
            raise InputError(f"the math answer's {name} has the wrong type", received=repr(value)[:200])
    if "answer" not in table:
        raise InputError("a math answer's table needs the key 'answer'", received=sorted(table))
    text = in_latex(plain(str(table["answer"]))).strip()
    if not text or text in {"null", "[]", "{}"}:
        raise InputError("the math verifier needs an answer", received=repr(table["answer"])[:200])
    tolerance = Fraction(table["tolerance"]) if "tolerance" in table else None
    terms = Terms(ordered=table.get("ordered"), tolerance=tolerance, units_needed="units" in table)
    shape, quantity = read(text), parse_quantity(text)
    if "units" in table and isinstance(shape, Scalar):
        shape = Scalar(shape.value, canonical(table["units"]))
        quantity = quantity and Quantity(value=quantity.value, unit=canonical(table["units"]))
    return Gold(text=text, shape=shape, quantity=quantity, terms=terms)


def _judge(gold: Gold, answer: str) -> str:
    """ "" where the answer is right, else the reason."""
    if gold.quantity is not None:
        quantity = parse_quantity(answer)
        if quantity is not None:
            return _quantities(gold, quantity)
    if gold.choice:
        letters = settled_letters(answer)
        return "" if letters == {gold.choice} else f"chosen: {', '.join(sorted(letters)) or 'nothing'}"
    shape = read(answer)
    if isinstance(gold.shape, Words) or isinstance(shape, Words):
        return "" if wording(answer) == wording(gold.text) else "not the same"
    return same(gold.shape, shape, gold.terms)


def _quantities(gold: Gold, answer: Quantity) -> str:
    assert gold.quantity is not None
    one, two = canonical(gold.quantity.unit), canonical(answer.unit)
    if one and two and one != two:
        return f"the unit is {two!r}, not {one!r}"
    if one and not two and gold.terms.units_needed:
        return f"the unit {one!r} is missing"
    if abs(gold.quantity.value - answer.value) <= (gold.terms.tolerance or 0):
        return ""
    return "not equal"


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."
