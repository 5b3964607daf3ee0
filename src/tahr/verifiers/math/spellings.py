r"""Other ways to write what an answer says, which no grammar shows: counts such as C(5, 2), constants of integration,
words for the empty set, half-lines of the reals.
"""

from __future__ import annotations

import re

from tahr.verifiers.math.vocabulary import FUNCTIONS
from tahr.verifiers.math.wording import wording

_NO_SOLUTION = re.compile(
    r"(?:there (?:is|are) )?(?:none|nothing|empty(?: set)?|no (?:such )?(?:real |integer |rational |valid )*"
    r"(?:solutions?|roots?|values?|numbers?|x)(?: exists?)?)"
)
_CHOSEN = re.compile(r"\\(?:mathrm|operatorname|text) ?\{ ?([CP]) ?\}")
_COUNTS = (
    (re.compile(r"\bn?(?:[Cc]hoose|Cr|[Cc]omb) ?\( ?(\d{1,4}) ?, ?(\d{1,4}) ?\)"), r"\\binom{\1}{\2}"),
    (re.compile(r"(?<![\w.\\])(\d{1,4}) (?:\\text ?\{ ?)?choose ?\}? ?(\d{1,4})(?![\w.])"), r"\\binom{\1}{\2}"),
    (re.compile(r"(?<![\w\\])C\^(?:\{(\d{1,4})\}|(\d))_(?:\{(\d{1,4})\}|(\d))"), r"\\binom{\3\4}{\1\2}"),
    (re.compile(r"(?<![A-Za-z\\_^])C ?\( ?(\d{1,4}) ?, ?(\d{1,4}) ?\)"), r"\\binom{\1}{\2}"),
    (re.compile(r"(?:\{ ?\})?[_^](?:\{(\d{1,4})\}|(\d)) ?C_(?:\{(\d{1,4})\}|(\d))"), r"\\binom{\1\2}{\3\4}"),
    (re.compile(r"(?<![\w\\])C_(?:\{(\d{1,4})\}|(\d))\^(?:\{(\d{1,4})\}|(\d))"), r"\\binom{\1\2}{\3\4}"),
    (re.compile(r"(?<![\w.\\])(\d{1,4}) ?C ?(\d{1,4})(?![\w.])"), r"\\binom{\1}{\2}"),
    (
        re.compile(r"(?:\{ ?\})?[_^](?:\{(\d{1,4})\}|(\d)) ?P_(?:\{(\d{1,4})\}|(\d))"),
        r"(\\binom{\1\2}{\3\4} \\cdot (\3\4)!)",
    ),
)
_LABEL = re.compile(
    r"\s*(?:\\(?:text(?:bf|rm|it)?|mathrm|mathbf) ?\{ ?\([A-J]\) ?\}(?:\\[ ,;:]|[ ~,:]){0,9}|\([A-J]\) +)(?=[^\s=+*/^])"
)
_RATE = re.compile(
    r"(?<=[\d} ,;~])\\[dt]?frac ?\{ ?\\(?:text|mathrm) ?\{ ?([A-Za-z]{1,12}) ?\} ?\}"
    r" ?\{ ?\\(?:text|mathrm) ?\{ ?([A-Za-z]{1,12}) ?\} ?(\^\{?[23]\}?)? ?\}"
)
_ROUNDED = re.compile(
    r"(?P<exact>[^\n]*?)\\(?:approx|simeq)(?![A-Za-z]) *(?P<decimal>-?\d{1,30}\.\d{1,30} ?(?:\\?%)?)[ .]*"
)
_CONSTANT = r"(?:[CcKk](?:_(?:\{?[01]\}?))?|\\text ?\{ ?(?:C|[Cc]onst(?:ant)?\.?) ?\}|[Cc]onst(?:ant)?\b\.?)"
_LAST = re.compile(rf"(?<=[\w)}}|\]])( ?\+ ?)({_CONSTANT})(?P<end>\s*\.?\s*)$")
_FIRST = re.compile(rf"^(?P<start>\s*)({_CONSTANT})( ?\+ ?)(?=[\w\\(|-])")
_NAMES = re.compile(r"\\[A-Za-z]+|" + "|".join(sorted(FUNCTIONS, key=len, reverse=True)))
_LEFT = re.compile(r"^\s*[A-Za-z](?: ?\( ?[a-z] ?\))? ?=")
_HALF_LINES = re.compile(
    r"\\(?:mathbb|mathbf|Bbb) ?(?:\{ ?R ?\}|R)(?:"
    r" ?[_^]\{? ?(?P<sign>\\geqslant|\\leqslant|\\geq|\\leq|\\ge|\\le|\\gt|\\lt|>=|<=|>|<) ?(?P<end>-?\d{1,9}) ?\}?"
    r"| ?(?:_(?:\{ ?0 ?\}|0) ?\^(?:\{ ?\+ ?\}|\+)|\^(?:\{ ?\+ ?\}|\+) ?_(?:\{ ?0 ?\}|0))"
    r"| ?[\^_](?:\{ ?(?P<wrapped>[+-]) ?\}|(?P<bare>[+-]))(?!\d))"
)
_INTERVALS = {">=": r"[%s,\infty)", "<=": r"(-\infty,%s]", ">": r"(%s,\infty)", "<": r"(-\infty,%s)"}
_SIGNS = {r"\geqslant": ">=", r"\geq": ">=", r"\ge": ">=", r"\leqslant": "<=", r"\leq": "<=", r"\le": "<="} | {
    r"\gt": ">", r"\lt": "<", "+": ">", "-": "<",
}  # fmt: skip


def says_empty(text: str) -> bool:
    """Whether words say that there is nothing: ``no real solutions``, ``the empty set``.

    >>> says_empty("No real solutions."), says_empty("no")
    (True, False)
    """
    return _NO_SOLUTION.fullmatch(wording(text)) is not None


def counted(text: str) -> str:
    r"""Numbers of combinations and arrangements as binomials; C(n, k) where n and k are numbers.

    >>> counted("C(5, 2)"), counted("{}_5C_2"), counted("C_5^2"), counted("5C2")
    ('\\binom{5}{2}', '\\binom{5}{2}', '\\binom{5}{2}', '\\binom{5}{2}')
    """
    text = _CHOSEN.sub(r"\1", text)
    for pattern, binomial in _COUNTS:
        text = pattern.sub(binomial, text)
    return text


def unlabelled(text: str) -> str:
    r"""An answer without the letter of the option that it is, and with a quotient of units on one line.

    >>> unlabelled(r"\textbf{(C) } 7"), unlabelled(r"60 \frac{\text{km}}{\text{h}}"), unlabelled("(C)")
    ('7', '60 \\text{ km/h}', '(C)')
    """
    return _RATE.sub(r"\\text{ \1/\2\3}", _LABEL.sub("", text, count=1) if _LABEL.match(text) else text)


def with_rounding(text: str) -> tuple[str, str] | None:
    r"""The value and the decimal that it is rounded to, where a text says both; else None.

    >>> with_rounding(r"\sqrt{2} \approx 1.414"), with_rounding(r"\approx 1.4"), with_rounding("1.4")
    (('\\sqrt{2}', '1.414'), None, None)
    """
    found = _ROUNDED.fullmatch(text) if "\\approx" in text or "\\simeq" in text else None
    exact = found["exact"].strip() if found else ""
    return (exact, found["decimal"]) if found and exact and "approx" not in exact else None


def half_lines(text: str) -> str:
    r"""Half of the real line as an interval.

    >>> half_lines(r"\mathbb{R}_{\ge 0}"), half_lines(r"\mathbb{R}^+")
    ('[0,\\infty)', '(0,\\infty)')
    """

    def interval(match: re.Match[str]) -> str:
        sign = match["sign"] or match["wrapped"] or match["bare"] or ">="
        return _INTERVALS[_SIGNS.get(sign, sign)] % (match["end"] or "0")

    return _HALF_LINES.sub(interval, text)


def with_constant_of(gold: str, answer: str, question: str) -> str | None:
    r"""`answer` with the gold answer's constant of integration in the place of its own; None where there is none.

    A letter that the question uses means something, and is no such constant.

    >>> with_constant_of(r"\ln|x| + C", r"\ln|x|+k", "Integrate 1/x.")
    '\\ln|x|+C'
    >>> with_constant_of("x + c", "x + k", "Add c to x.") is None
    True
    """
    wanted, given = _constant(gold), _constant(answer)
    if wanted is None or given is None or wanted[0] == given[0]:
        return None
    if any(re.search(rf"(?<![A-Za-z\\]){re.escape(letter)}(?![A-Za-z])", question) for letter in (wanted[0], given[0])):
        return None
    start, end = given[1]
    return answer[:start] + wanted[0] + answer[end:]


def _constant(text: str) -> tuple[str, tuple[int, int]] | None:
    """The constant that is added to all of a text, and its place; None where there is none or it stands twice."""
    found = _LAST.search(text) or _FIRST.search(text)
    if found is None:
        return None
    name = found[2]
    elsewhere = _NAMES.sub("", text[: found.start(2)] + " " + text[found.end(2) :])
    if name[:1] in elsewhere or "=" in _LEFT.sub("", text) or "," in text:
        return None
    return name, found.span(2)
