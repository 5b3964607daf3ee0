"""Families of answers that checkers are timed on: (gold, text, whether it is right), all different."""

from __future__ import annotations

from collections.abc import Callable

Pair = tuple[object, str, bool]

NUM_PAIRS = 20_000
"""Pairs of a family; so many that none comes twice in a second, or a cache of what was read would be timed."""


def boxed(gold: str, answer: str, right: bool = True) -> Pair:
    """A pair with the answer in a sentence."""
    return gold, f"So the final answer is \\boxed{{{answer}}}.", right


def _matrix(kind: str, n: int) -> str:
    return rf"\begin{{{kind}}}{n}&2\\3&4\end{{{kind}}}"


MATH: dict[str, Callable[[int], Pair]] = {
    "equal integers": lambda n: boxed(str(n), str(n)),
    "unequal integers": lambda n: boxed(str(n), str(n + 1), False),
    "fractions": lambda n: boxed(rf"\frac{{{n}}}{{{n + 7}}}", rf"\frac{{{2 * n}}}{{{2 * n + 14}}}"),
    "decimals": lambda n: boxed(f"{n}.25", f"{n}.250"),
    "percent": lambda n: boxed(rf"{n}\%", rf"\frac{{{n}}}{{100}}"),
    "tuples": lambda n: boxed(f"({n}, {n + 1})", f"({n}, {n + 1})"),
    "sets": lambda n: boxed(rf"\{{{n}, {n + 1}, {n + 2}\}}", rf"\{{{n + 2}, {n}, {n + 1}\}}"),
    "intervals": lambda n: boxed(f"({n}, {n + 1}]", rf"{n} < x \le {n + 1}"),
    "surds": lambda n: boxed(rf"{n}\sqrt{{3}}", rf"\frac{{{3 * n}}}{{\sqrt{{3}}}}"),
    "polynomials": lambda n: boxed(f"x^2 + {2 * n}x + {n * n}", f"(x + {n})^2"),
    "unequal polynomials": lambda n: boxed(f"x^2 + {n}x + 1", f"x^2 + {n}x + 2", False),
    "equations": lambda n: boxed(f"y = {n}x + 1", f"{n}x - y + 1 = 0"),
    "matrices": lambda n: boxed(_matrix("pmatrix", n), _matrix("bmatrix", n)),
    "logarithms": lambda n: boxed(rf"\log_2 {n}", rf"\frac{{\ln {n}}}{{\ln 2}}"),
    "equal trigonometry": lambda n: boxed(rf"\sin {2 * n}x", rf"2\sin {n}x \cos {n}x"),
    "unequal trigonometry": lambda n: boxed(rf"\sin {n}x", rf"\cos {n}x", False),
    "text": lambda n: boxed(rf"\text{{Evelyn {n}}}", f"evelyn {n}"),
}
"""Mathematical answers; `n` counts from 2 up."""


def pairs(family: Callable[[int], Pair], count: int = NUM_PAIRS) -> list[Pair]:
    """The first `count` pairs of a family."""
    return [family(number) for number in range(2, count + 2)]
