"""Units of measurement as they are written, brought to one spelling each. Different units never count as equal."""

from __future__ import annotations

import re

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
    "if", "but", "is", "isn", "about", "approximately", "wrong", "never", "nor", "neither",
])  # fmt: skip
"""Words that no unit has: what stands behind a value with one of them is something else."""


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
