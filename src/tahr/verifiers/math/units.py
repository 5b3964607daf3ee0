"""Units of measurement as they are written, brought to one spelling each. Different units never count as equal."""

from __future__ import annotations

import re

from tahr.verifiers.math.vocabulary import NUMBER_WORDS

_SPELLINGS = {
    "m": "meter meters metre metres", "cm": "centimeter centimeters centimetre centimetres",
    "mm": "millimeter millimeters millimetre millimetres", "km": "kilometer kilometers kilometre kilometres",
    "in": "inch inches", "ft": "foot feet", "yd": "yard yards", "mi": "mile miles",
    "g": "gram grams gramme grammes", "kg": "kilogram kilograms", "mg": "milligram milligrams",
    "lb": "pound pounds lbs", "oz": "ounce ounces", "t": "ton tons tonne tonnes",
    "s": "second seconds sec secs", "min": "minute minutes mins", "h": "hour hours hr hrs",
    "day": "days", "week": "weeks", "month": "months", "year": "years yr yrs",
    "l": "liter liters litre litres", "ml": "milliliter milliliters millilitre millilitres",
    "deg": "degree degrees \u00b0 degs ^circ circ", "rad": "radian radians",
    "usd": "dollar dollars $ us$", "cent": "cents \u00a2", "eur": "euro euros \u20ac", "gbp": "\u00a3",
    "percent": "% percentage", "n": "newton newtons", "j": "joule joules", "w": "watt watts",
    "v": "volt volts", "a": "ampere amperes amp amps", "hz": "hertz", "pa": "pascal pascals", "k": "kelvin kelvins",
    "mph": "mi/h", "km/h": "kph kmh", "degc": "\u00b0c celsius", "degf": "\u00b0f fahrenheit",
}  # fmt: skip
_CANONICAL = {spelling: unit for unit, spellings in _SPELLINGS.items() for spelling in (unit, *spellings.split())}
_NOTHING = frozenset(
    {"unit", "units", "square unit", "square units", "sq units", "sq unit", "cubic units", "cubic unit"}
)
_POWERS = {"square": "^2", "sq": "^2", "cubic": "^3", "cu": "^3"}
KNOWN = frozenset(_CANONICAL)
"""Every spelling of a unit that is known, in lower case."""

NOT_UNITS = frozenset([
    "or", "and", "not", "no", "maybe", "perhaps", "possibly", "either", "else", "to", "through", "between", "than",
    "if", "but", "is", "isn", "was", "unless", "except", "about", "approximately", "roughly", "ish", "or", "wrong",
    "incorrect", "false", "never", "nor", "neither", "x", "y", "e", "i", "pi",
    "plus", "minus", "over", "divided", "multiplied", "added", "subtracted", "mod", "modulo", "base", "raised", "power",
    "factorial", "doubled", "tripled", "twice", "thrice", "fold", "negative", "below", "above", "remainder", "half",
    "halves",
    "third", "thirds", "fourths", "fifth", "fifths", "sixths", "sevenths", "eighths", "ninths", "tenth",
    "tenths", "hundredth", "hundredths", "thousandth", "thousandths", "tens", "dozen", "dozens", "score", "gross", "bn",
    "mn", "mln", "hundred", "hundreds", "thousand", "thousands", "million", "millions", "billion", "billions",
    "trillion", "trillions", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
    "seventeen", "eighteen", "nineteen", "infinity", "quarter", "doz", "lakh", "lakhs", "crore", "crores", "thou",
    "mil", "mill", "mills", "grand", "pct", "ppm", "ppb", "bps", "nano", "micro", "milli", "kilo", "mega", "giga",
    "increased", "decreased", "reduced", "halved", "quadrupled", "double", "triple", "quadruple", "reciprocal",
    "inverse", "root", "choose", "modulus", "log", "ln", "sin", "cos", "tan", "sqrt", "take", "vs", "versus",
    "binary", "ternary", "octal", "hex", "hexadecimal", "incorrectly", "wrongly", "falsely",
    *NUMBER_WORDS,
])  # fmt: skip
"""Words that no unit has: behind a value they change it, deny it, or make it one of several."""

FIRST_IN_NO_UNIT = frozenset({"squared", "cubed"})
"""They belong to a unit behind its name only: ``7 metres squared``, but not ``7 squared``."""

LETTERS = frozenset("mgshlLtNJWVAK\u00b0%$")
"""Units of one letter, in the case in which they mean one: ``7k`` and ``7M`` are thousands and millions."""


_CHANGES = re.compile(r"[a-z] +\d|\bper cent\b|illi?onths?\b")
"""A number set off by a blank is no power: ``7 root 2``, ``7 choose 2``, but ``7 cm2``."""


def is_unit(text: str) -> bool:
    """Whether what stands behind a number can be a unit or the name of what is counted, and leaves the value alone."""
    words = re.findall(r"[a-z]+", text.lower())
    if not words or len(text.strip()) == 1:
        return text.strip() in LETTERS
    if words[0] in FIRST_IN_NO_UNIT or _CHANGES.search(text.lower()):
        return False
    return not any(word in NOT_UNITS for word in words)


def canonical(unit: str) -> str:
    """One spelling of a unit: ``square centimetres`` and ``cm^{2}`` are ``cm^2``; "units" is none ("").

    >>> canonical("square centimetres"), canonical("metres per second"), canonical("apples")
    ('cm^2', 'm/s', 'apple')
    """
    if not unit:
        return ""
    text = re.sub(r"[{}.$\\]+(?=.)|[{}.\\]+$", "", unit.strip().lower()).strip()
    text = " ".join(re.sub(r"\bper\b", "/", text.replace("**", "^")).split())
    if text in _NOTHING:
        return ""
    words = re.sub(r" ?([/*]) ?", r" \1 ", text).split()
    found: list[str] = []
    power = ""
    for word in words:
        if word in _POWERS:
            power = _POWERS[word]
        elif word in {"squared", "cubed"} and found:
            found[-1] += "^2" if word == "squared" else "^3"
        else:
            found.append(_word(word) + power)
            power = ""
    joined = re.sub(r" (\w+)\^-1$", r"/\1", " ".join(found)).replace(" / ", "/").replace(" * ", " ")
    joined = {"deg c": "degc", "deg f": "degf"}.get(joined, joined)
    return _CANONICAL.get(joined, joined)


def _word(word: str) -> str:
    name, caret, power = word.partition("^")
    plural = len(name) > 3 and name.endswith("s") and not name.endswith("ss")
    return _CANONICAL.get(name, name.removesuffix("s") if plural else name) + caret + power
