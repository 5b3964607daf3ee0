"""Level 3: scans of numbers, ranges and matrices, each with a twist."""

from __future__ import annotations

from math import gcd

from tahr.data.code.family import Family
from tahr.data.code.fragments import fill, grid, ints

FAMILIES = (
    Family(
        name="longest_run", level=3, arguments="numbers: list[int]", returns="int",
        asks="the length of the longest stretch of neighbouring elements of `numbers` that all $test and of which"
        " each but the first is $relation; 0 where there is none",
        body="""
            best = 0
            length = 0
            for place, second in enumerate(numbers):
                first = numbers[place - 1]
                if not ($test_code):
                    length = 0
                elif length > 0 and $relation_code:
                    length += 1
                else:
                    length = 1
                best = max(best, length)
            return best
        """,
        draw=lambda r: fill(
            relation=r.choice([
                *((f"greater than the one before minus {k}", f"second > first - {k}") for k in range(1, 7)),
                *((f"at most {k} away from the one before", f"abs(second - first) <= {k}") for k in range(1, 7)),
                *((f"smaller than the one before plus {k}", f"second < first + {k}") for k in range(1, 5)),
            ]),
            test=r.choice([
                *((f"are not divisible by {k}", f"second % {k} != 0") for k in range(3, 8)),
                *((f"are greater than {k}", f"second > {k}") for k in range(-7, -2)),
                *((f"are less than {k}", f"second < {k}") for k in range(3, 8)),
            ]),
        ),
        inputs=lambda r, v: (ints(r, -8, 8, 0, 12),),
    ),
    Family(
        name="first_pair", level=3, arguments="numbers: list[int], target: int", returns="list[int]",
        asks="the positions [i, j] of two elements of `numbers`, with i < j and j - i at least $gap, for which"
        " $a times element i plus $b times element j equals `target`: the pair with the $order i, and then the"
        " smallest j; an empty list where there is none",
        body="""
            for i in $order_code:
                for j in range(i + $gap, len(numbers)):
                    if $a * numbers[i] + $b * numbers[j] == target:
                        return [i, j]
            return []
        """,
        draw=lambda r: {
            "gap": r.randint(1, 3), "a": r.randint(2, 5), "b": r.choice([-3, -2, -1, 1]),
            **fill(order=r.choice([("smallest", "range(len(numbers))"), ("largest", "reversed(range(len(numbers)))")])),
        },
        inputs=lambda r, v: (ints(r, -5, 5, 0, 9), r.randint(-12, 12)),
    ),
    Family(
        name="merge_ranges", level=3, arguments="ranges: list[list[int]]", returns="list[list[int]]",
        asks="the ranges [first, last] of `ranges`, sorted, where ranges that overlap, or that have at most $gap"
        " between the last of one and the first of the next (next first minus last), are merged, and then only those"
        " are kept whose $kept",
        body="""
            merged = []
            for first, last in sorted(ranges):
                if merged and first - merged[-1][1] <= $gap:
                    merged[-1][1] = max(merged[-1][1], last)
                else:
                    merged.append([first, last])
            return [pair for pair in merged if $kept_code]
        """,
        draw=lambda r: {
            "gap": r.randint(0, 4),
            **fill(kept=r.choice([
                *((f"last minus first is at least {k}", f"pair[1] - pair[0] >= {k}") for k in range(1, 6)),
                *((f"last minus first is at most {k}", f"pair[1] - pair[0] <= {k}") for k in range(6, 12)),
                *((f"first is at least {k}", f"pair[0] >= {k}") for k in (5, 10, 15)),
                *((f"last is at most {k}", f"pair[1] <= {k}") for k in (25, 30, 35)),
            ])),
        },
        inputs=lambda r, v: ([[a := r.randint(0, 40), a + r.randint(0, 9)] for _ in range(r.randint(0, 7))],),
    ),
    Family(
        name="halving_steps", level=3, arguments="n: int", returns="int",
        asks="how many steps it takes from the positive integer `n` to a number below $stop, where a step makes n"
        " // $d of a number"
        " divisible by $d, and the number minus $m of any other",
        body="""
            steps = 0
            while n >= $stop:
                if n % $d == 0:
                    n = n // $d
                else:
                    n = n - $m
                steps += 1
            return steps
        """,
        draw=lambda r: {"stop": r.randint(2, 9), "d": r.randint(2, 5), "m": r.randint(1, 3)},
        inputs=lambda r, v: (r.randint(1, 400),),
    ),
    Family(
        name="matrix_sum", level=3, arguments="rows: list[list[int]]", returns="int",
        asks="the sum of $what of the matrix `rows`, at row i and column j from 0, for which $cells",
        body="""
            total = 0
            for i, row in enumerate(rows):
                for j, value in enumerate(row):
                    if $cells_code:
                        total += $what_code
            return total
        """,
        draw=lambda r: fill(what=r.choice([
            ("the entries", "value"),
            ("the squares of the entries", "value * value"),
            ("the entries, each times its column j,", "j * value"),
            *((f"the distances from {k} of the entries", f"abs(value - {k})") for k in (1, 2, 3)),
        ]), cells=r.choice([
            *((f"i + j leaves remainder {q} when divided by {k}", f"(i + j) % {k} == {q}")
                for k in (2, 3) for q in range(k)),
            *((f"j is at least i plus {k}", f"j >= i + {k}") for k in (-1, 0, 1)),
            *((f"i times {k} is greater than j", f"i * {k} > j") for k in (1, 2, 3)),
            *((f"the entry is greater than i times j plus {k}", f"value > i * j + {k}") for k in range(-3, 5)),
        ])),
        inputs=lambda r, v: (grid(r, -9, 9),),
    ),
    Family(
        name="count_primes", level=3, arguments="low: int, high: int", returns="int",
        asks="how many prime numbers $span, $test",
        body="""
            count = 0
            for number in $span_code:
                if all(number % divisor for divisor in range(2, number)) and ($test_code):
                    count += 1
            return count
        """,
        draw=lambda r: fill(span=r.choice([
            ("from `low` to `high`, both included", "range(max(low, 2), high + 1)"),
            ("that are at least `low` and less than `high`", "range(max(low, 2), high)"),
            ("that are greater than `low` and at most `high`", "range(max(low + 1, 2), high + 1)"),
        ]), test=r.choice([
            *((f"leave remainder {q} when divided by {k}", f"number % {k} == {q}")
                for k in (3, 4, 5, 6) for q in range(1, k) if gcd(q, k) == 1),
            *((f"have the last decimal digit {q}", f"number % 10 == {q}") for q in (1, 3, 7, 9)),
            *((f"have the decimal digit {q} among theirs", f"'{q}' in str(number)") for q in (1, 2, 3, 7)),
            *((f"are not the number {q}", f"number != {q}") for q in (2, 3, 5, 7, 11, 13)),
            ("have an even sum of decimal digits", "sum(map(int, str(number))) % 2 == 0"),
        ])),
        inputs=lambda r, v: ((low := r.randint(-2, 20)), low + r.randint(-2, 30)),
    ),
)  # fmt: skip
