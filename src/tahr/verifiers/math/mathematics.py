"""The verifier of mathematical answers."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Annotated, Any, ClassVar

from pydantic import Field

from tahr.core.errors import InputError, nearest_name
from tahr.core.protocols import verifiers
from tahr.core.ranges import BINARY, RewardRange
from tahr.core.types import Outcome, Task, Verdict, broken, failed, passed
from tahr.verifiers.choice import settled_letters
from tahr.verifiers.example import example_of
from tahr.verifiers.math.candidate import Place, find
from tahr.verifiers.math.characters import in_latex
from tahr.verifiers.math.compare import Terms, same
from tahr.verifiers.math.equality import TooHardError
from tahr.verifiers.math.reading import read, separated
from tahr.verifiers.math.shapes import Group, Named, Scalar, Shape, Words
from tahr.verifiers.math.spellings import counted, says_empty, unlabelled, with_constant_of, with_rounding
from tahr.verifiers.math.tree import Apply
from tahr.verifiers.math.units import canonical
from tahr.verifiers.math.wording import wording
from tahr.verifiers.numbers import PERCENT, Quantity, parse_quantity, step_of
from tahr.verifiers.text import plain
from tahr.verifiers.worker import WorkerError

KEYS = {"answer": (str, int, float), "ordered": bool, "tolerance": (int, float), "units": str}
"""Keys of a task's answer where it is a table."""


MAX_WAYS = 4
"""Most ways to write one value that an answer may offer side by side."""

_BLANKS = re.compile(r"(?<!\w)\s+|\s+(?!\w)")
_OR = re.compile(r"(?:\\(?:quad|,|;|text|mathrm) ?)*\{? *\bor\b *\}?(?:\\quad)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Gold:
    """A task's answer, read once.

    Example: ``Gold(text="3/4", quantity=Quantity(value=Fraction(3, 4)), terms=Terms(), unit="")``
    """

    text: str
    quantity: Quantity | None
    terms: Terms
    unit: str

    @property
    def shape(self) -> Shape:
        """The answer as mathematics, in the unit that the task states."""
        return self.read(self.text)

    def read(self, text: str) -> Shape:
        """Another way to write the answer as mathematics, in the unit that the task states."""
        shape = read(text)
        return Scalar(shape.value, self.unit) if self.unit and isinstance(shape, Scalar) else shape

    @property
    def choice(self) -> str:
        """The letter of a multiple-choice question, "" where the answer is something else."""
        letters = wording(self.text).upper() if isinstance(self.shape, Words) else ""
        return letters if len(letters) == 1 and letters in "ABCDEFGHIJ" else ""

    @property
    def is_several(self) -> bool:
        """Whether it has several values."""
        if self.quantity is not None:
            return False
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
        answer: Any = task.answer
        if not isinstance(answer, str | int | float | dict) or isinstance(answer, bool):
            raise InputError(
                "the math verifier needs an answer: text, a number or a table",
                received=repr(answer)[:200],
                instead=r'"\frac{3}{4}", or {"answer": "1, 2", "ordered": true}',
            )
        gold = _gold(_spelled(answer))
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
            reason = _is_right(gold, answer, question)
            if not reason and found.again and _is_right(gold, found.again, question):
                reason = f"the text then calls {_short(found.again)} its answer"
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
        nearest = nearest_name(unknown[0], KEYS)
        hint = f"did you mean {nearest!r}? " if nearest else ""
        raise InputError("unknown keys in a math answer", received=unknown, instead=f"{hint}any of {', '.join(KEYS)}")
    for name, value in table.items():
        if not isinstance(value, KEYS[name]) or (isinstance(value, bool) and name != "ordered"):
            raise InputError(f"the math answer's {name} has the wrong type", received=repr(value)[:200])
    if "answer" not in table:
        raise InputError("a math answer's table needs the key 'answer'", received=sorted(table))
    text = in_latex(plain(str(table["answer"]))).strip()
    if not text or text in {"null", "[]", "{}"}:
        raise InputError("the math verifier needs an answer", received=repr(table["answer"])[:200])
    if not 0 <= table.get("tolerance", 0) < math.inf:
        raise InputError("the math answer's tolerance must be a number from 0 up", received=table["tolerance"])
    tolerance = Fraction(table["tolerance"]) if "tolerance" in table else None
    terms = Terms(ordered=table.get("ordered"), tolerance=tolerance, units_needed="units" in table)
    unit, quantity = canonical(table.get("units", "")), parse_quantity(text)
    if quantity is not None:
        quantity = Quantity(value=quantity.value, unit=unit or canonical(quantity.unit))
    return Gold(text=text, quantity=quantity, terms=terms, unit=unit)


def _echo(gold: Gold, answer: str, question: str) -> str:
    """A reason where the answer is an expression of the question and not what the gold answer says."""
    said = "".join(in_latex(plain(question)).split())
    if len(answer) < 3 or "".join(answer.split()) not in said:
        return ""
    shape = read(answer)
    is_echo = isinstance(shape, Scalar) and isinstance(shape.value, Apply) and shape != gold.shape
    return "an expression of the question, said back" if is_echo else ""


def _is_right(gold: Gold, answer: str, question: str) -> str:
    """ "" where the answer is right in one of the ways in which it can be read, else the reason."""
    reason = _judge(gold, answer) or _echo(gold, answer, question)
    if reason and gold.quantity is not None and parse_quantity(answer) is not None:
        return reason  # a plain number is read in one way only
    if reason and (_is_one(gold, answer) or _is_rounded(gold, answer) or _is_spelled_otherwise(gold, answer, question)):
        return ""
    return reason


def _is_spelled_otherwise(gold: Gold, answer: str, question: str) -> bool:
    if isinstance(gold.shape, Words) or (isinstance(gold.shape, Group) and not gold.shape.items):
        return _says_empty(gold.text, gold.shape) and _says_empty(answer, read(answer))
    count = counted(answer) if gold.quantity is not None else answer
    if not gold.choice and (bare := unlabelled(count)) != answer:
        return not _judge(gold, bare)
    renamed = with_constant_of(gold.text, answer, question)
    return renamed is not None and not _judge(gold, renamed)


def _bare(text: str) -> str:
    """A text without the blanks that part no two words or numbers, and without a full stop at its end."""
    return _BLANKS.sub("", text.strip()).removesuffix(".")


def _says_empty(text: str, shape: Shape) -> bool:
    return says_empty(text) if isinstance(shape, Words) else isinstance(shape, Group) and not shape.items


def _judge(gold: Gold, answer: str) -> str:
    """ "" where the answer is right, else the reason."""
    if gold.quantity is not None:
        quantity = parse_quantity(answer)
        if quantity is not None:
            return _quantities(gold, quantity, answer)
    if not gold.terms.units_needed and _bare(answer) == _bare(gold.text):
        return ""  # whatever it means, and however long it would take to work out
    if gold.choice:
        letters = settled_letters(answer)
        return "" if letters == {gold.choice} else f"chosen: {', '.join(sorted(letters)) or 'nothing'}"
    shape = read(answer)
    if isinstance(gold.shape, Words) or isinstance(shape, Words):
        return "" if wording(answer) == wording(gold.text) else "not the same"
    reason = same(gold.shape, shape, gold.terms)
    if reason and (", " in separated(gold.text) + separated(answer)):
        other = same(gold.read(separated(gold.text)), read(separated(answer)), gold.terms)
        return other and reason
    return reason


def _is_one(gold: Gold, answer: str) -> bool:
    """Whether the answer offers several ways to write one value ("17/2 or 8.5"), each of them right and all equal."""
    ways = [way.strip(" ,;$()") for way in _OR.split(answer)]
    if len(ways) < 2 or len(ways) > MAX_WAYS or gold.is_several or gold.choice or not all(ways):
        return False
    if isinstance(gold.shape, Words) or any(isinstance(read(way), Words) for way in ways):
        return False
    first = _gold(ways[0])
    return not any(_judge(gold, way) for way in ways) and not any(_judge(first, way) for way in ways[1:])


def _is_rounded(gold: Gold, answer: str) -> bool:
    """Whether the answer is right and its value rounded behind it (``\\sqrt{2} \\approx 1.414``), not another value."""
    said = with_rounding(answer)
    step = step_of(said[1]) if said and not gold.is_several else None
    if said is None or step is None or _judge(gold, said[0]):
        return False
    return not _judge(replace(gold, terms=replace(gold.terms, tolerance=step)), said[1])


def _quantities(gold: Gold, answer: Quantity, text: str) -> str:
    assert gold.quantity is not None
    one, two = gold.quantity.unit, canonical(answer.unit) if answer.unit else ""
    if one and two and one != two:
        return f"the unit is {two!r}, not {one!r}"
    if one and not two and gold.terms.units_needed:
        return f"the unit {one!r} is missing"
    if gold.quantity.value == answer.value:
        return ""
    if gold.terms.tolerance and abs(gold.quantity.value - answer.value) <= gold.terms.tolerance:
        return ""
    signs = tuple(PERCENT.search(one) is not None for one in (gold.text, text))
    if signs == (True, False) and answer.value > 1 and answer.value == 100 * gold.quantity.value:
        return ""  # 50 for 50%: no share is larger than 1, so the number can only be meant in percent
    if signs == (False, True) and gold.quantity.value > 1 and gold.quantity.value == 100 * answer.value:
        return ""
    return "not equal"


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."
