r"""Exact rational numbers as people and models write them.

Integers, decimals (repeating ones too: ``0.\overline{6}``), fractions, mixed numbers, percent, thousands separators,
powers of whole numbers, scientific notation, LaTeX or plain, a unit behind or a currency sign in front. Nothing is
evaluated: a sum is not a number. Digits and exponents are bounded before any arithmetic, so no text is expensive.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from tahr.verifiers.math.units import is_unit

MAX_DIGITS = 1000  # of one number, and of every power that is computed
MAX_NUMBER_CHARS = 4 * MAX_DIGITS

_WHOLE = r"(?:[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d{0,2}(?: \d{3})+|\d+)"
_DECIMAL = rf"(?:{_WHOLE}(?:\.\d*)?|\.\d+)"
_SIGN = r"(?:[+-] ?)?"
_RAISED = r"(?:\^|\*\*) ?(?:\{[+-]?\d+\}|\([+-]?\d+\)|[+-]?\d+)"
_EXPONENT = rf"(?:[eE][+-]?\d+| ?(?:\*|x|\\times|\\cdot) ?10 ?{_RAISED})"
_REPEATING = r"\d*\.\d*(?:\\(?:overline|bar|dot) ?\{\d+\}|\(\d+\))"
_POWER = rf"\d+ ?{_RAISED}"
_ATOM = rf"(?:{_REPEATING}|{_POWER}|{_DECIMAL}{_EXPONENT}?)"
_LATEX = rf"\\frac ?(?:\{{ ?{_SIGN}{_ATOM} ?\}} ?\{{ ?{_SIGN}{_ATOM} ?\}}|\d ?\d|\d ?\{{ ?\d+ ?\}}|\{{ ?\d+ ?\}} ?\d)"
_SLASH = rf"[({{]?{_SIGN}{_ATOM}[)}}]? ?/ ?[({{]?{_SIGN}{_ATOM}[)}}]?"
_MIXED = rf"\d+(?: ?{_LATEX}| (?:and )?\d+ ?/ ?\d+)"
NUMBER = rf"[+-]?(?:{_MIXED}|{_LATEX}|{_SLASH}|{_ATOM})"
"""A pattern for one number within plain text (`tahr.verifiers.text.plain`); a sign must touch it there."""

_FULL = re.compile(rf"(?P<sign>{_SIGN})(?P<body>{_MIXED}|{_LATEX}|{_SLASH}|{_ATOM})(?P<rest>.*)", re.DOTALL)
_INTEGER = re.compile(r"[+-]?\d{1,18}")
_FRACTION_PARTS = re.compile(rf"{_SIGN}{_ATOM}")
_MIXED_PARTS = re.compile(r"(\d+)(?: ?(?:and )?)((?:\\frac|\d+ ?/).*)", re.DOTALL)
_SCALES = {"hundred": 2, "thousand": 3, "million": 6, "billion": 9, "trillion": 12}
PERCENT = re.compile(r"%|\b(?:per ?cent|pct)\b", re.IGNORECASE)
"""The percent sign, or the words that stand for it."""

_UNIT = re.compile(
    r"[A-Za-z\u00b0\u00b5\u03a9\u20ac\u00a3\u00a5$]+\.?(?:[ /*^-]{1,2}(?:[A-Za-z]+|\{?-?[1-9]\}?)){0,4}\.?"
)


_DECIMALS = re.compile(r"-?\d{1,30}\.(?P<digits>\d{1,30}) ?(?:\\?%)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """An exact value and the unit written with it ("" for none).

    Example: ``Quantity(value=Fraction(5, 2), unit="cm")``
    """

    value: Fraction
    unit: str = ""


@lru_cache(maxsize=4096)
def parse_quantity(text: str) -> Quantity | None:
    r"""The number that `text` as a whole is; None where it is anything else, or out of bounds.

    `text` is plain (`tahr.verifiers.text.plain`).

    >>> parse_quantity(r"-\frac{3}{4}").value
    Fraction(-3, 4)
    >>> parse_quantity("1,234.50 cm")
    Quantity(value=Fraction(2469, 2), unit='cm')
    >>> parse_quantity("40 or 42") is None
    True
    """
    if _INTEGER.fullmatch(text):
        return Quantity(value=Fraction(int(text)))
    if len(text) > MAX_NUMBER_CHARS:
        return None
    text, currency = _strip_markup(text)
    match = _FULL.fullmatch(text)
    if match is None:
        return None
    value = _value(match["body"])
    if value is None:
        return None
    if match["sign"].strip() == "-":
        value = -value
    if match["rest"] == "K":  # thousands, where kelvins are written behind a space
        return None
    return _with_unit(value, match["rest"].strip(), currency)


def is_rounded(value: str, other: str) -> bool:
    """Whether `other` is a decimal that `value` is rounded to: within half of its last digit.

    >>> is_rounded("1/6", "16.7%"), is_rounded("1/6", "0.17"), is_rounded("1/6", "0.2"), is_rounded("8", "9")
    (True, True, True, False)
    """
    step = step_of(other)
    one, two = parse_quantity(value), parse_quantity(other)
    return step is not None and one is not None and two is not None and abs(one.value - two.value) <= step


def step_of(decimal: str) -> Fraction | None:
    """Half of what the last digit of a decimal counts; None of anything else, whole numbers too.

    >>> step_of("0.17"), step_of("17")
    (Fraction(1, 200), None)
    """
    found = _DECIMALS.fullmatch(decimal.strip())
    if found is None:
        return None
    return Fraction(1, 2 * 10 ** (len(found["digits"]) + (2 if "%" in decimal else 0)))


def _strip_markup(text: str) -> tuple[str, str]:
    """Plain text of a LaTeX number, and the currency sign in front of it."""
    text = text.strip().strip("`").replace("\\$", "$")
    if text.startswith("$") and text.endswith("$") and len(text) > 1:
        text = text[1:-1]
    for command, replacement in _MARKUP:
        if command in text:
            text = text.replace(command, replacement)
    text = _TEXT.sub(r" \1", text)
    text = " ".join(text.split())
    sign = "-" if text.startswith(("-$", "-€", "-£")) else ""
    bare = text.removeprefix("-") if sign else text
    if bare[:1] in {"$", "\u20ac", "\u00a3", "\u00a5"}:
        return sign + bare[1:].lstrip(), bare[0]
    return text, ""


_TEXT = re.compile(r"\\(?:text|mathrm|mbox|operatorname|textbf|mathbf) ?\{([^{}]*)\}")
_MARKUP = (
    ("**", "^"), ("{,}", ","), ("\\,", " "), ("\\!", ""), ("\\;", " "), ("\\:", " "), ("\\ ", " "), ("~", " "),
    ("\\left", ""), ("\\right", ""), ("\\dfrac", "\\frac"), ("\\tfrac", "\\frac"), ("\\cfrac", "\\frac"),
    ("\\%", "%"), ("^{\\circ}", "\u00b0"), ("^\\circ", "\u00b0"), ("\\degree", "\u00b0"), ("\\quad", " "),
    ("\\displaystyle", ""), ("\\(", ""), ("\\)", ""), ("\\[", ""), ("\\]", ""),
)  # fmt: skip


def _with_unit(value: Fraction, rest: str, currency: str) -> Quantity | None:
    """The quantity of a value and what is written behind it."""
    rest = rest.removesuffix(".").rstrip()
    if percent := PERCENT.match(rest):
        value, rest = value / 100, rest[percent.end() :].strip()
    first, _, others = rest.partition(" ")
    if first.lower() in _SCALES:
        value, rest = value * 10 ** _SCALES[first.lower()], others
    if not rest:
        return Quantity(value=value, unit=currency)
    if len(rest) > 60 or not _UNIT.fullmatch(rest) or not is_unit(rest):
        return None
    return Quantity(value=value, unit=rest.lower().rstrip("."))


def _value(body: str) -> Fraction | None:
    """The value of an unsigned number; None where it is out of bounds or divides by zero."""
    if body[:1].isdigit() and (mixed := _MIXED_PARTS.fullmatch(body)) and re.match(r"\d+(?: |\\| ?and)", body):
        whole, fraction = _decimal(mixed[1]), _value(mixed[2])
        return None if whole is None or fraction is None else whole + fraction
    if body.startswith("\\frac"):
        return _ratio(_latex_parts(body))
    if "/" in body:
        return _ratio([part.strip(" (){}") for part in body.split("/")])
    return _atom(body)


def _latex_parts(body: str) -> list[str]:
    inside = body.removeprefix("\\frac").strip()
    if "{" not in inside:
        return list(inside.replace(" ", ""))
    return [found for found in (match[0] for match in _FRACTION_PARTS.finditer(inside)) if found]


def _ratio(parts: list[str]) -> Fraction | None:
    if len(parts) != 2:
        return None
    values = [_signed_atom(part) for part in parts]
    if values[0] is None or not values[1]:
        return None
    return values[0] / values[1]


def _signed_atom(text: str) -> Fraction | None:
    value = _atom(text.lstrip("+- "))
    return -value if value is not None and text.startswith("-") else value


def _atom(text: str) -> Fraction | None:
    """A repeating decimal, a power, or a decimal with or without an exponent."""
    if repeating := re.fullmatch(r"(\d*)\.(\d*)(?:\\\w+ ?\{|\()(\d+)[})]", text):
        return _repeating(*repeating.groups())
    if power := re.fullmatch(r"(\d+) ?\^ ?[{(]?([+-]?\d+)[})]?", text):
        return _power(power[1], power[2])
    pieces = re.split(r" ?(?:\*|x|\\times|\\cdot) ?10 ?\^ ?[{(]?|[eE]", text, maxsplit=1)
    mantissa = _decimal(pieces[0])
    if mantissa is None or len(pieces) == 1:
        return mantissa
    scale = _power("10", pieces[1].rstrip("})"))
    return None if scale is None else mantissa * scale


def _decimal(text: str) -> Fraction | None:
    digits = text.replace(",", "").replace(" ", "")
    if len(digits) > MAX_DIGITS:
        return None
    whole, _, decimals = digits.partition(".")
    return Fraction(int(whole + decimals or "0"), 10 ** len(decimals))


def _repeating(whole: str, fixed: str, period: str) -> Fraction | None:
    if len(whole) + len(fixed) + len(period) > MAX_DIGITS:
        return None
    start = Fraction(int(whole + fixed or "0"), 10 ** len(fixed))
    return start + Fraction(int(period), (10 ** len(period) - 1) * 10 ** len(fixed))


def _power(base: str, exponent: str) -> Fraction | None:
    """base ** exponent where the result has at most `MAX_DIGITS` digits."""
    if len(exponent) > 6 or len(base) > MAX_DIGITS or abs(int(exponent)) * len(base) > MAX_DIGITS:
        return None
    if int(base) == 0 and int(exponent) <= 0:
        return None
    return Fraction(int(base)) ** int(exponent)
