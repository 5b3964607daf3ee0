r"""Cut LaTeX or plain mathematics into tokens; what only changes the looks is dropped here.

Every spelling of one thing becomes one token: ``\leq``, ``\leqslant``, ``<=`` and the sign itself are ``<=``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from tahr.verifiers.math.tree import MAX_CHARS, MAX_DIGITS, NotMathError
from tahr.verifiers.math.vocabulary import ALIASES, DROPPED, FUNCTIONS, MARKS, SPELLINGS

Kind = Literal["number", "name", "command", "mark", "text", "end"]


@dataclass(frozen=True, slots=True)
class Token:
    """One token; `spaced` says that white space stands before it.

    Example: ``Token("number", "2.50", Fraction(5, 2))``
    """

    kind: Kind
    text: str
    value: Fraction | None = None
    spaced: bool = False


END = Token("end", "")

_TEXT = r"\\(?:text(?:bf|it|rm|sf|tt|normal)?|mathrm|mbox|hbox|operatorname\*?|textup) ?\{(?P<words>[^{}]*)\}"
_TOKEN = re.compile(
    r"(?P<space>[\s~]+|\\ |&nbsp;)"
    r"|(?P<repeating>\d*\.\d*(?:\\(?:overline|bar|dot) ?\{\d+\}))"
    r"|(?P<recurring>\d*\.\d+ ?(?:\\l?dots|\.\.\.))"
    r"|(?P<number>[1-9]\d{0,2}(?:(?:\{,\}|,)\d{3})+(?!\d)(?:\.\d+)?"
    r"|(?<![_^])[1-9]\d{0,2}(?:(?: |\\,|\\ |~|\{ \})\d{3})+(?!\d)(?:\.\d+)?"
    r"|\d+\.\d+|\d+\.(?!\.)|\d+|\.\d+)(?P<exponent>[eE][+-]?\d+(?![\w.]))?"
    rf"|{_TEXT}"
    r"|(?P<blackboard>\\(?:mathbb|Bbb|mathbf) ?(?:\{ ?(?P<set>[A-Z]) ?\}|(?P<set1>[A-Z])(?![A-Za-z])))"
    r"|\\(?P<environment>(?:begin|end) ?\{[A-Za-z*]+\}(?:\{[clr|]*\})?)"
    r"|\\(?:left|right) ?\."
    r"|\\(?:hspace|vspace|phantom|hphantom|color|textcolor|mathcolor|colorbox|label|tag)(?:\[[^\[\]{}]*\])? ?\{[^{}]*\}"
    r"|\\fcolorbox ?\{[^{}]*\} ?\{[^{}]*\}|\\bbox ?\[[^\[\]{}]*\]"
    r"|\\(?P<command>[A-Za-z]+|.)"
    r"|(?P<name>[A-Za-z]+)"
    r"|(?P<mark>\*\*|<=|>=|!=|<>|==|\.\.\.|.)",
    re.DOTALL,
)
_RECURRING = re.compile(r"(\d*)\.(\d*?)(?:(\d)\3{2,}|(\d{2,}?)\4+)")


@lru_cache(maxsize=2048)
def tokens(text: str) -> tuple[Token, ...]:
    """The tokens of a text in plain characters. Raises NotMathError where it is too long."""
    if len(text) > MAX_CHARS:
        raise NotMathError(f"more than {MAX_CHARS} characters")
    found: list[Token] = []
    spaced = False
    for match in _TOKEN.finditer(text):
        if match["space"]:
            spaced = True
            continue
        made = _token(match, spaced)
        if made is not None:
            found.append(made)
            spaced = False
    return tuple(found)


def _token(match: re.Match[str], spaced: bool) -> Token | None:
    if match["words"] is not None:
        return Token("text", match["words"], spaced=spaced)
    if match["command"]:
        return _command(match["command"], spaced)
    if match["name"]:
        return Token("name", match["name"], spaced=spaced)
    if match["number"] or match["repeating"] or match["recurring"]:
        return Token("number", match[0], _value(match), spaced)
    if match["blackboard"]:
        return Token("command", "blackboard " + (match["set"] or match["set1"]), spaced=spaced)
    if match["environment"]:
        return Token("command", re.sub(r"[ ]|(?<=\})\{[clr|]*\}$", "", match["environment"]), spaced=spaced)
    if match["mark"] and match["mark"] != "$":
        mark = {"**": "^", "==": "=", "<>": "!="}.get(match["mark"], match["mark"])
        return Token("mark", mark, spaced=spaced)
    return None


def _command(name: str, spaced: bool) -> Token | None:
    if name in DROPPED:
        return None
    if name in MARKS:
        return Token("mark", MARKS[name], spaced=spaced)
    name = ALIASES.get(name, name)
    return Token("name" if known_function(name) else "command", name, spaced=spaced)


def known_function(name: str) -> str | None:
    """The one name of a function, or None."""
    name = SPELLINGS.get(name, name)
    return name if name in FUNCTIONS else None


def _value(match: re.Match[str]) -> Fraction:
    """The exact value of a number token. Raises NotMathError where it is too long or no number."""
    if len(match[0]) > MAX_DIGITS:
        raise NotMathError(f"a number of more than {MAX_DIGITS} digits")
    if match["repeating"]:
        whole, fixed, period = re.findall(r"(\d*)\.(\d*)\\\w+ ?\{(\d+)\}", match[0])[0]
        return _repeating(whole, fixed, period)
    if match["recurring"]:
        if not (seen := _RECURRING.fullmatch(match[0].rstrip(".\\ldots "))):
            raise NotMathError(f"{match[0]} goes on in a way that is not given")
        return _repeating(seen[1], seen[2], seen[3] or seen[4])
    digits = re.sub(r"[^\d.]", "", match["number"])
    exponent = int((match["exponent"] or "e0")[1:])
    if abs(exponent) > MAX_DIGITS:
        raise NotMathError(f"an exponent beyond {MAX_DIGITS}")
    whole, _, decimals = digits.partition(".")
    return Fraction(int(whole + decimals or "0"), 10 ** len(decimals)) * Fraction(10) ** exponent


def _repeating(whole: str, fixed: str, period: str) -> Fraction:
    start = Fraction(int(whole + fixed or "0"), 10 ** len(fixed))
    return start + Fraction(int(period), (10 ** len(period) - 1) * 10 ** len(fixed))
