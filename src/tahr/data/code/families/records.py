"""Level 1 to 4: floats, tuples, dictionaries and lists within lists."""

from __future__ import annotations

from random import Random

from tahr.data.code.family import Family
from tahr.data.code.fragments import condition, fill, grid, ints, words

TOLERANCE = 1e-6
"""Largest difference between floats, absolute or relative to the expected one."""


def _floats(random: Random, shortest: int = 0, longest: int = 7) -> list[float]:
    """Multiples of a quarter and of a tenth."""
    return [random.choice([random.randint(-40, 40) / 4, random.randint(-99, 99) / 10])
            for _ in range(random.randint(shortest, longest))]  # fmt: skip


def _scores(random: Random) -> dict[str, int]:
    """Numbers by short names."""
    return {word: random.randint(-20, 40) for word in words(random, "abcdeklm", 0, 7, 3)}


def _points(random: Random, shortest: int = 0) -> list[tuple[int, int]]:
    return [(random.randint(-9, 9), random.randint(-9, 9)) for _ in range(random.randint(shortest, 7))]


FAMILIES = (
    Family(
        name="converted", level=1, arguments="x: float", returns="float",
        asks="`x` divided by $d, plus $b",
        wordings=("the sum of $b and a $d-th of `x` (divide exactly)", "$b more than `x` / $d"),
        body="return x / $d + $b",
        draw=lambda r: {"d": r.choice([2, 3, 4, 5, 6, 7, 8, 9, 12]), "b": r.randint(1, 40)},
        inputs=lambda r, v: (r.randint(-400, 400) / 4,),
        tolerance=TOLERANCE,
    ),
    Family(
        name="weighted_mean", level=2, arguments="values: list[float]", returns="float",
        asks="the mean of the elements of `values` that are at least $low, where an element above $high counts as"
        " $high; $default if there is none",
        wordings=("the average of `values` without what is below $low, with everything above $high taken as $high; if"
                  " nothing is left, $default",),
        body="""
            kept = [min(value, $high) for value in values if value >= $low]
            if not kept:
                return $default
            return sum(kept) / len(kept)
        """,
        draw=lambda r: {"low": r.randint(-6, 1), "high": r.randint(3, 9), "default": r.choice([-1.0, 0.0, 0.5])},
        inputs=lambda r, v: (_floats(r),),
        traps=(("min(value, $high)", "value"), ("len(kept)", "len(values)")),
        tolerance=TOLERANCE,
    ),
    Family(
        name="grown_amount", level=2, arguments="amount: float, years: int", returns="float",
        asks="what `amount` becomes in `years` years when each year first $percent percent of it are added and then"
        " $fee is taken off, but never less than 0",
        body="""
            for _ in range(years):
                amount = max(0.0, amount + amount * $percent / 100 - $fee)
            return amount
        """,
        draw=lambda r: {"percent": r.randint(2, 20), "fee": r.randint(1, 9)},
        inputs=lambda r, v: (r.randint(0, 400) / 4, r.randint(0, 6)),
        traps=(("amount + amount * $percent / 100 - $fee", "(amount - $fee) + (amount - $fee) * $percent / 100"),),
        tolerance=TOLERANCE,
    ),
    Family(
        name="smallest_and_largest", level=1, arguments="numbers: list[int]", returns="tuple[int, int]",
        asks="a tuple of the smallest element of `numbers` plus $a and the largest one minus $b; ($none, $none) for an"
        " empty list",
        wordings=("the pair (minimum of `numbers` plus $a, maximum of `numbers` minus $b), or ($none, $none) if"
                  " `numbers` is empty",),
        body="""
            if not numbers:
                return ($none, $none)
            return (min(numbers) + $a, max(numbers) - $b)
        """,
        draw=lambda r: {"a": r.randint(1, 30), "b": r.randint(1, 30), "none": r.choice([0, -1, 99])},
        inputs=lambda r, v: (ints(r, longest=6),),
    ),
    Family(
        name="moved_points", level=2, arguments="points: list[tuple[int, int]]", returns="list[tuple[int, int]]",
        asks="a list of the points (x, y) of `points` with x at least $low, each moved by $dx in x and by $dy in y, as"
        " tuples and in the same order",
        wordings=("`points` without those (x, y) whose x is below $low, and with $dx added to each x and $dy to each y"
                  " of the others",),
        body="return [(x + $dx, y + $dy) for x, y in points if x >= $low]",
        draw=lambda r: {"low": r.randint(-5, 3), "dx": r.randint(1, 20), "dy": r.randint(1, 20)},
        inputs=lambda r, v: (_points(r),),
    ),
    Family(
        name="farthest_point", level=3, arguments="points: list[tuple[int, int]]", returns="tuple[int, int]",
        asks="the point of `points` with the greatest value of $a times the distance in x plus $b times the distance"
        " in y from ($cx, $cy), the first of several; ($cx, $cy) itself for an empty list",
        body="""
            best, farthest = ($cx, $cy), -1
            for x, y in points:
                distance = $a * abs(x - $cx) + $b * abs(y - $cy)
                if distance > farthest:
                    best, farthest = (x, y), distance
            return best
        """,
        draw=lambda r: {"a": r.randint(2, 4), "b": r.randint(5, 9), "cx": r.randint(1, 6), "cy": r.randint(1, 6)},
        inputs=lambda r, v: (_points(r),),
    ),
    Family(
        name="counted_values", level=2, arguments="numbers: list[int]", returns="dict[int, int]",
        asks="a dictionary that says how often each element of `numbers` occurs in it, of the elements only that"
        " $test",
        wordings=("a dictionary from the elements of `numbers` that $test to the number of times that each is there",),
        body="""
            counts = {}
            for number in numbers:
                if $test_code:
                    counts[number] = counts.get(number, 0) + 1
            return counts
        """,
        draw=lambda r: fill(test=condition(r, "number")),
        inputs=lambda r, v: (ints(r, -8, 9, longest=10),),
    ),
    Family(
        name="best_scores", level=2, arguments="scores: dict[str, int]", returns="list[str]",
        asks="the names (keys) in `scores` whose number is at least $low, highest number first, equal numbers by name",
        wordings=("a list of the keys of `scores` with a value of $low or more, by descending value and then"
                  " alphabetically",),
        body="""
            kept = [name for name in scores if scores[name] >= $low]
            return sorted(kept, key=lambda name: (-scores[name], name))
        """,
        draw=lambda r: {"low": r.randint(-12, 20)},
        inputs=lambda r, v: (_scores(r),),
        traps=(("-scores[name], name", "scores[name], name"),),
    ),
    Family(
        name="merged_scores", level=3, arguments="old: dict[str, int], new: dict[str, int]", returns="dict[str, int]",
        asks="a dictionary with all keys of `old` and `new`: $a times the number in `old` plus $b times the one in"
        " `new`, where a missing number counts as $missing; keys whose result is below $low are left out",
        body="""
            merged = {}
            for name in list(old) + list(new):
                value = $a * old.get(name, $missing) + $b * new.get(name, $missing)
                if value >= $low:
                    merged[name] = value
            return merged
        """,
        draw=lambda r: {"a": r.randint(2, 4), "b": r.randint(2, 5),
            "missing": r.randint(1, 5), "low": r.randint(-60, 0)},
        inputs=lambda r, v: (_scores(r), _scores(r)),
    ),
    Family(
        name="row_totals", level=2, arguments="rows: list[list[int]]", returns="list[int]",
        asks="a list with, for each row of `rows`, the sum of its entries that $test",
        wordings=("one number for each list in `rows`: the total of the elements in it that $test",),
        body="""
            totals = []
            for row in rows:
                totals.append(sum(value for value in row if $test_code))
            return totals
        """,
        draw=lambda r: fill(test=condition(r, "value")),
        inputs=lambda r, v: (grid(r, -12, 12, size=5),),
    ),
    Family(
        name="flipped_rows", level=3, arguments="rows: list[list[int]]", returns="list[list[int]]",
        asks="the transpose of the matrix `rows` (its columns as rows) with $k added to the entries of every row of"
        " the result whose number, counted from 0, leaves remainder $r when divided by $m",
        body="""
            flipped = []
            for place, column in enumerate(zip(*rows)):
                more = $k if place % $m == $r else 0
                flipped.append([value + more for value in column])
            return flipped
        """,
        draw=lambda r: {"k": r.randint(2, 40), "m": (m := r.randint(2, 3)), "r": r.randrange(m)},
        inputs=lambda r, v: (grid(r, -9, 9),),
    ),
    Family(
        name="price_list", level=4, arguments="orders: list[tuple[str, int]], prices: dict[str, float]",
        returns="dict[str, float]",
        asks="a dictionary from each name that is ordered in `orders` (pairs of name and number) and has a price in"
        " `prices` to what it costs in all: number times price, all orders of a name together, with $percent percent"
        " off where they come to at least $many pieces",
        body="""
            pieces = {}
            for name, number in orders:
                pieces[name] = pieces.get(name, 0) + number
            costs = {}
            for name in pieces:
                if name in prices:
                    cost = pieces[name] * prices[name]
                    if pieces[name] >= $many:
                        cost = cost * (100 - $percent) / 100
                    costs[name] = cost
            return costs
        """,
        draw=lambda r: {"percent": r.randint(5, 40), "many": r.randint(4, 9)},
        inputs=lambda r, v: ([(r.choice("abcd"), r.randint(1, 5)) for _ in range(r.randint(0, 7))],
                             {name: r.randint(1, 80) / 4 for name in "abcd" if r.random() < 0.8}),
        tolerance=TOLERANCE,
    ),
)  # fmt: skip
