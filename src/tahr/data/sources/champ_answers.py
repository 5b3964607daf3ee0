"""CHAMP's answers, written for people to read, in a form that can be checked.

211 are values, with words around them in some ("3 is the only possible value"); the others are words: yes or no,
that there is nothing, a few more. Words are compared with the ways of saying them that are listed here.
"""

from __future__ import annotations

import re
from typing import Any

NOTHING = ("No", "None", "No solutions", "No solution", "No such values", "There are none", "No values", "Nothing")

_WORDED: dict[str, tuple[str, ...]] = {
    "Yes": ("Yes",),
    "No": ("No",),
    "No integer solutions": ("No integer solutions", *NOTHING),
    "No possible solutions": ("No possible solutions", *NOTHING),
    "No positive integer solutions": ("No positive integer solutions", *NOTHING),
    "No such values": NOTHING,
    "Infinitely many solutions": ("Infinitely many", "Infinitely many solutions", "Infinite", "Infinity", "∞"),
    "Always greater than 20": ("Always greater than 20", "Greater than 20", "Always greater", "w_200 > 20"),
    "Monotonically increasing": ("Monotonically increasing", "Increasing", "Strictly increasing"),
    "The limit does not exist": ("The limit does not exist", "No limit", "No finite limit", "Does not exist", "No"),
    "Such a sequence is not possible": ("Such a sequence is not possible", "Not possible", "Impossible", "No"),
    "It is not possible": ("It is not possible", "Not possible", "Impossible", "No"),
    "The sequence does not exist": ("The sequence does not exist", "No such sequence", "Does not exist", "No"),
    "The sequence is not periodic": ("The sequence is not periodic", "Not periodic", "Non-periodic", "No"),
    "There are no prime numbers in the sequence": ("There are no prime numbers in the sequence", "No primes", "No"),
    "The function is periodic, with a period of 8": (
        "The function is periodic, with a period of 8",
        "Periodic with a period of 8",
        "Periodic with period 8",
        "Yes, with a period of 8",
        "Yes, the period is 8",
        "Yes, 8",
        "8",
    ),
    "Yes, and the sequence is 1/2^3, 1/2^6, 1/2^9, ...": (
        "Yes, 1/8, 1/64, 1/512, ...",
        "1/8, 1/64, 1/512, ...",
        "Yes, 1/2^3, 1/2^6, 1/2^9, ...",
        "1/2^3, 1/2^6, 1/2^9, ...",
    ),
    "x(n)<y(n-1) for all n≥3": ("x(n)<y(n-1) for all n≥3", "x(n)<y(n-1)"),
    "x(n)>y(n-1) for all n≥2": ("x(n)>y(n-1) for all n≥2", "x(n)>y(n-1)"),
}

_MATHEMATICS = {
    "Exactly one": "1",
    "Exactly one sequence": "1",
    "a(1±sqrt(2)), a(1±sqrt(5))/2": "a(1+sqrt(2)), a(1-sqrt(2)), a(1+sqrt(5))/2, a(1-sqrt(5))/2",
}

_AFTERTHOUGHT = re.compile(r",? \((?:i\.e\.|none of|no such).*$|, or (?:equivalently|approximately|an equivalent).*$")
_AROUND = (
    re.compile(r"(.+) is the only possible value"),
    re.compile(r"The limit exists and is equal to (.+)"),
    re.compile(r"The only possible value for the limit is (.+)"),
    re.compile(r"(?:At (?:least|most) )?(\d+|n)(?: [a-z-]+)* (?:numbers?|values|zeros|roots|pairs|times|inequalities)"),
    re.compile(r"(\d+) inequalities"),
)


def answer_of(raw: str) -> tuple[str, Any]:
    """The verifier of an answer as the data set words it, and the answer in that verifier's terms.

    >>> answer_of("3 is the only possible value")
    ('math', '3')
    >>> answer_of("@@C(10, 5)@@, or equivalently @@252@@")
    ('math', 'C(10, 5)')
    >>> answer_of("Yes")
    ('short_answer', ['Yes'])
    """
    text = _AFTERTHOUGHT.sub("", raw.replace("@@", "").strip()).strip()
    if text in _WORDED:
        return "short_answer", list(_WORDED[text])
    for pattern in _AROUND:
        if found := pattern.fullmatch(text):
            return "math", found[1]
    return "math", _MATHEMATICS.get(text, text.replace(" and ", ", ").replace(" or ", ", "))
