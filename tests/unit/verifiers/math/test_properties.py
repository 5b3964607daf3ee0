"""Equal numbers in other notations always pass; unequal ones never do."""

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from tahr.core.types import Outcome, Task
from tahr.verifiers.math.mathematics import Math

VERIFIER = Math()
QUIET = settings(max_examples=150, deadline=None, derandomize=True)


def passes(gold: str, answer: str) -> bool:
    task = Task(prompt=(), answer=gold, verifier="math")
    VERIFIER.check_task(task)
    verdict = VERIFIER.verify(task, f"So the final answer is \\boxed{{{answer}}}.")
    assert verdict.outcome in {Outcome.PASS, Outcome.FAIL}, verdict.note
    return verdict.outcome is Outcome.PASS


def repeating(value: Fraction) -> str:
    """A decimal with its period."""
    whole, rest = divmod(abs(value.numerator), value.denominator)
    digits, seen = "", dict[int, int]()
    while rest and rest not in seen:
        seen[rest] = len(digits)
        digit, rest = divmod(rest * 10, value.denominator)
        digits += str(digit)
    start = seen[rest] if rest else len(digits)
    period = rf"\overline{{{digits[start:]}}}" if rest else ""
    return ("-" if value < 0 else "") + f"{whole}." + digits[:start] + period


def notations(value: Fraction, factor: int) -> list[str]:
    above, below = value.numerator, value.denominator
    sign, size = ("-" if value < 0 else ""), abs(value)
    ways = [
        f"{above}/{below}",
        rf"\frac{{{above}}}{{{below}}}",
        rf"\dfrac{{{above * factor}}}{{{below * factor}}}",
        rf"{sign}\frac{{{abs(above)}}}{{{below}}}",
        rf"{{{above} \over {below}}}",
        rf"{above * 100}/{below}\%",
        rf"\frac{{{-above}}}{{{-below}}}",
    ]
    whole, part = divmod(size.numerator, size.denominator)
    if whole and part:
        ways += [rf"{sign}{whole}\frac{{{part}}}{{{below}}}", f"{sign}{whole} {part}/{below}"]
    if below == 1:
        ways += [f"{above:,}", f"{above}.0", f"{above:,}".replace(",", r"\,"), f"x = {above}", rf"\text{{{above}}}"]
    if repeating(value)[-1] != ".":
        ways.append(repeating(value))
    return ways


RATIONALS = st.builds(Fraction, st.integers(-9999, 9999), st.integers(1, 60))


@QUIET
@given(value=RATIONALS, factor=st.integers(1, 9), data=st.data())
def test_equal_rationals_pass_in_any_notation(value: Fraction, factor: int, data: st.DataObject) -> None:
    ways = notations(value, factor)
    gold, answer = (data.draw(st.sampled_from(ways)) for _ in range(2))
    assert passes(gold, answer), (gold, answer)


@QUIET
@given(value=RATIONALS, other=RATIONALS, factor=st.integers(1, 9), data=st.data())
def test_unequal_rationals_never_pass(value: Fraction, other: Fraction, factor: int, data: st.DataObject) -> None:
    if value != other:
        gold = data.draw(st.sampled_from(notations(value, 1)))
        answer = data.draw(st.sampled_from(notations(other, factor)))
        assert not passes(gold, answer), (gold, answer)


@QUIET
@given(number=st.integers(10**18, 10**40), change=st.integers(1, 10))
def test_long_integers_differ_by_one(number: int, change: int) -> None:
    assert passes(str(number), str(number))
    assert not passes(str(number), str(number + change))


@QUIET
@given(a=st.integers(-20, 20), b=st.integers(-20, 20), c=st.integers(-20, 20), d=st.integers(-20, 20))
def test_products_equal_their_expansions_alone(a: int, b: int, c: int, d: int) -> None:
    gold = f"(x+{a})(x+{b})".replace("+-", "-")
    expanded = f"x^2+{a + b}x+{a * b}".replace("+-", "-")
    other = f"x^2+{c}x+{d}".replace("+-", "-")
    assert passes(gold, expanded)
    assert passes(gold, other) == ((c, d) == (a + b, a * b))


@QUIET
@given(radicand=st.integers(2, 500), factor=st.integers(1, 30), change=st.integers(1, 5))
def test_roots(radicand: int, factor: int, change: int) -> None:
    gold = rf"{factor}\sqrt{{{radicand}}}"
    assert passes(gold, rf"\sqrt{{{factor * factor * radicand}}}")
    assert passes(gold, rf"\frac{{{factor * radicand}}}{{\sqrt{{{radicand}}}}}")
    assert not passes(gold, rf"\sqrt{{{factor * factor * radicand + change}}}")


@QUIET
@given(values=st.lists(st.integers(-999, 999), min_size=2, max_size=5, unique=True))
def test_lists_are_unordered_and_tuples_are_not(values: list[int]) -> None:
    turned = [*values[1:], values[0]]
    assert passes(", ".join(map(str, values)), ", ".join(map(str, turned)))
    assert passes(rf"\{{{','.join(map(str, values))}\}}", ", ".join(map(str, turned)))
    assert passes(f"({', '.join(map(str, values))})", f"({','.join(map(str, values))})")
    assert not passes(f"({', '.join(map(str, values))})", f"({', '.join(map(str, turned))})")
    assert not passes(", ".join(map(str, values)), ", ".join(map(str, [*values, 1000])))
