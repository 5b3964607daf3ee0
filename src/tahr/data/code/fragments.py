"""Gaps that many families share, as a phrase and the Python that means it; and draws of inputs."""

from __future__ import annotations

from random import Random

Fragment = tuple[str, str]
"""A phrase and an expression."""

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def condition(random: Random, name: str) -> Fragment:
    """A condition on an integer called `name`, as a phrase behind "that": "are even"."""
    k, low = random.randint(2, 9), random.randint(-8, 2)
    high, r, digit = low + random.randint(3, 9), random.randint(0, k - 1), random.randint(0, 9)
    return random.choice(
        [
            ("are even", f"{name} % 2 == 0"),
            ("are odd", f"{name} % 2 == 1"),
            (f"are greater than {low}", f"{name} > {low}"),
            (f"are less than {high}", f"{name} < {high}"),
            (f"are at least {k}", f"{name} >= {k}"),
            (f"leave remainder {r} when divided by {k}", f"{name} % {k} == {r}"),
            (f"lie between {low} and {high}, both included", f"{low} <= {name} <= {high}"),
            (f"are less than {low} or greater than {high}", f"{name} < {low} or {name} > {high}"),
            (f"end in the decimal digit {digit}", f"abs({name}) % 10 == {digit}"),
            (f"are not divisible by {k}", f"{name} % {k} != 0"),
        ]
    )


def mapping(random: Random, name: str) -> Fragment:
    """A change of an integer called `name`, as a noun phrase about "it": "its square"."""
    k, m = random.randint(2, 9), random.randint(3, 9)
    return random.choice(
        [
            ("its square", f"{name} * {name}"),
            (f"{k} times it", f"{name} * {k}"),
            (f"it plus {k}", f"{name} + {k}"),
            (f"{k} minus it", f"{k} - {name}"),
            (f"its distance from {k}", f"abs({name} - {k})"),
            (f"its remainder when divided by {m}", f"{name} % {m}"),
            (f"{k} times it plus {m}", f"{name} * {k} + {m}"),
            (f"the smaller of it and {m}", f"min({name}, {m})"),
        ]
    )


def letter_condition(random: Random, name: str) -> Fragment:
    """A condition on one character called `name`, as a phrase behind "that"."""
    letter = random.choice("cdefghijklm")
    some = "".join(sorted(random.sample(LETTERS[:16], 3)))
    return random.choice(
        [
            ("are lower-case vowels (a, e, i, o, u)", f"{name} in 'aeiou'"),
            ("are lower-case letters", f"{name}.islower()"),
            ("are upper-case letters", f"{name}.isupper()"),
            ("are decimal digits", f"{name}.isdigit()"),
            (f"are one of the letters {', '.join(some)}", f"{name} in '{some}'"),
            (f"are lower-case letters behind {letter} in the alphabet", f"{name}.islower() and {name} > '{letter}'"),
            (f"are lower-case letters before {letter} in the alphabet", f"{name}.islower() and {name} < '{letter}'"),
        ]
    )


def word_condition(random: Random, name: str) -> Fragment:
    """A condition on a lower-case word called `name`, as a phrase behind "that"."""
    letter, k = random.choice("abcde"), random.randint(2, 4)
    return random.choice(
        [
            (f"begin with {letter}", f"{name}[0] == '{letter}'"),
            (f"end with {letter}", f"{name}[-1] == '{letter}'"),
            (f"contain the letter {letter}", f"'{letter}' in {name}"),
            (f"do not contain the letter {letter}", f"'{letter}' not in {name}"),
            (f"have more than {k} letters", f"len({name}) > {k}"),
            (f"have fewer than {k} letters", f"len({name}) < {k}"),
            (f"begin and end with the same letter and have at least {k} letters",
             f"{name}[0] == {name}[-1] and len({name}) >= {k}"),
        ]
    )  # fmt: skip


def fill(**fragments: Fragment) -> dict[str, str]:
    """Values of gaps: ``$name`` is the phrase, ``${name}_code`` the expression."""
    values: dict[str, str] = {}
    for name, (phrase, code) in fragments.items():
        values[name], values[f"{name}_code"] = phrase, code
    return values


def ints(random: Random, low: int = -20, high: int = 20, shortest: int = 0, longest: int = 9) -> list[int]:
    """A list of integers; now and then from a narrow range, so that values repeat."""
    narrow = random.random() < 0.3
    top = min(high, low + 5) if narrow else high
    return [random.randint(low, top) for _ in range(random.randint(shortest, longest))]


def text(random: Random, alphabet: str, shortest: int = 0, longest: int = 14) -> str:
    """Characters of `alphabet`; now and then only two different ones."""
    some = random.sample(alphabet, min(2, len(alphabet))) if random.random() < 0.25 else list(alphabet)
    return "".join(random.choice(some) for _ in range(random.randint(shortest, longest)))


def words(random: Random, alphabet: str = "abcde", shortest: int = 0, longest: int = 7, letters: int = 6) -> list[str]:
    """Words of one to `letters` letters."""
    return [text(random, alphabet, 1, letters) for _ in range(random.randint(shortest, longest))]


def grid(random: Random, low: int, high: int, *, square: bool = False, size: int = 4) -> list[list[int]]:
    """A matrix with at least one row and one column."""
    height, width = random.randint(1, size), random.randint(1, size)
    return [[random.randint(low, high) for _ in range(height if square else width)] for _ in range(height)]
