"""Level 1 and 2: loops over numbers."""

from __future__ import annotations

from tahr.data.code.family import Family
from tahr.data.code.fragments import condition, fill, ints, mapping

FAMILIES = (
    Family(
        name="linear_value", level=1, arguments="x: int", returns="int",
        asks="$a times `x` plus $b where `x` is at least $limit, and $c minus `x` otherwise",
        body="""
            if x >= $limit:
                return $a * x + $b
            return $c - x
        """,
        draw=lambda r: {
            "a": r.randint(2, 12),
            "b": r.randint(1, 30),
            "c": r.randint(2, 40),
            "limit": r.randint(-9, 9),
        },
        inputs=lambda r, v: (r.choice([r.randint(-60, 60), v["limit"] + r.randint(-1, 1)]),),
        traps=((">=", ">"),),
    ),
    Family(
        name="clamp", level=1, arguments="x: int", returns="int",
        asks="`x` brought into the range from $low to $high: $low for anything smaller, $high for anything larger",
        body="""
            if x < $low:
                return $low
            if x > $high:
                return $high
            return x
        """,
        draw=lambda r: {"low": r.randint(-30, 0), "high": r.randint(3, 40)},
        inputs=lambda r, v: (r.randint(v["low"] - 9, v["high"] + 9),),
    ),
    Family(
        name="sum_matching", level=1, arguments="numbers: list[int]", returns="int",
        asks="the sum of the elements of `numbers` that $test",
        body="""
            total = 0
            for number in numbers:
                if $test_code:
                    total += number
            return total
        """,
        draw=lambda r: fill(test=condition(r, "number")),
        inputs=lambda r, v: (ints(r),),
        traps=(("total += number", "total += 1"),),
    ),
    Family(
        name="count_matching", level=1, arguments="numbers: list[int]", returns="int",
        asks="how many elements of `numbers` $test",
        body="""
            count = 0
            for number in numbers:
                if $test_code:
                    count += 1
            return count
        """,
        draw=lambda r: fill(test=condition(r, "number")),
        inputs=lambda r, v: (ints(r, longest=12),),
    ),
    Family(
        name="largest_matching", level=1, arguments="numbers: list[int]", returns="int",
        asks="the largest of the elements of `numbers` that $test, or $default where there is none",
        body="""
            best = None
            for number in numbers:
                if ($test_code) and (best is None or number > best):
                    best = number
            return $default if best is None else best
        """,
        draw=lambda r: {**fill(test=condition(r, "number")), "default": r.choice([-100, -1, 0, 99])},
        inputs=lambda r, v: (ints(r, longest=6),),
        traps=(("best is None or number > best", "best is None or number < best"),),
    ),
    Family(
        name="every_kth", level=1, arguments="numbers: list[int]", returns="list[int]",
        asks="every ${k}th element of `numbers`, beginning with the one at position $start (positions count from 0)",
        body="return [numbers[place] for place in range($start, len(numbers), $k)]",
        draw=lambda r: {"k": r.randint(4, 9), "start": r.randint(0, 5)},
        inputs=lambda r, v: (ints(r, shortest=0, longest=24),),
    ),
    Family(
        name="map_matching", level=2, arguments="numbers: list[int]", returns="list[int]",
        asks="a list with, for each element of `numbers` in order, if it is among those that $test, $map; other"
        " elements are left out",
        body="""
            result = []
            for number in numbers:
                if $test_code:
                    result.append($map_code)
            return result
        """,
        draw=lambda r: fill(test=condition(r, "number"), map=mapping(r, "number")),
        inputs=lambda r, v: (ints(r),),
    ),
    Family(
        name="running_values", level=2, arguments="numbers: list[int]", returns="list[int]",
        asks="the running $what of `numbers`, beginning from $start: one value for each element, each worked out"
        " from the value before and the element",
        body="""
            result = []
            value = $start
            for number in numbers:
                value = $what_code
                result.append(value)
            return result
        """,
        draw=lambda r: {
            "start": (start := r.randint(-5, 12)),
            **fill(
                what=r.choice(
                    [
                        ("sum", "value + number"),
                        ("maximum", "max(value, number)"),
                        ("minimum", "min(value, number)"),
                        (f"sum modulo {start + 13}", f"(value + number) % {start + 13}"),
                        ("difference (the value before minus the element)", "value - number"),
                    ]
                )
            ),
        },
        inputs=lambda r, v: (ints(r, shortest=0, longest=6),),
    ),
    Family(
        name="kth_largest", level=2, arguments="numbers: list[int]", returns="int",
        asks="number $k (counted from 1, $order first) of the different $values, or $default where there are fewer than"
        " $k",
        body="""
            values = [$values_code for number in numbers]
            values = sorted(set(values), reverse=$reverse)
            if len(values) < $k:
                return $default
            return values[$k - 1]
        """,
        draw=lambda r: {
            "k": r.randint(2, 5),
            "default": r.choice([-1, 0, -100]),
            **dict(zip(("order", "reverse"), r.choice([("largest", "True"), ("smallest", "False")]), strict=True)),
            **fill(
                values=r.choice(
                    [
                        ("elements of `numbers`", "number"),
                        ("last decimal digits of the elements of `numbers`", "abs(number) % 10"),
                        *((f"remainders of the elements of `numbers` when divided by {k}", f"number % {k}")
                            for k in range(7, 10)),
                        *((f"distances of the elements of `numbers` from {k}", f"abs(number - {k})")
                            for k in range(1, 5)),
                    ]
                )
            ),
        },
        inputs=lambda r, v: (ints(r, longest=10),),
        traps=(("set(values)", "values"),),
    ),
    Family(
        name="count_neighbours", level=2, arguments="numbers: list[int]", returns="int",
        asks="how many of the elements of `numbers` that $test are followed directly by one, of any kind, that is"
        " $relation",
        body="""
            count = 0
            for place in range(len(numbers) - 1):
                first, second = numbers[place], numbers[place + 1]
                if ($test_code) and $relation_code:
                    count += 1
            return count
        """,
        draw=lambda r: fill(
            test=condition(r, "first"),
            relation=r.choice(
                [
                    *((f"larger by at least {k}", f"second - first >= {k}") for k in range(1, 7)),
                    *((f"smaller by more than {k}", f"first - second > {k}") for k in range(1, 7)),
                    *((f"at most {k} away from it", f"abs(first - second) <= {k}") for k in range(1, 7)),
                    *((f"of the same remainder modulo {k}", f"first % {k} == second % {k}") for k in range(2, 6)),
                ]
            ),
        ),
        inputs=lambda r, v: (ints(r, -9, 9, 0, 12),),
    ),
    Family(
        name="alternating_sum", level=2, arguments="numbers: list[int]", returns="int",
        asks="the sum of `numbers` where the elements at positions (from 0) that leave remainder $r when divided by"
        " $k are multiplied by $w, and all others by $u",
        body="""
            total = 0
            for place, number in enumerate(numbers):
                if place % $k == $r:
                    total += $w * number
                else:
                    total += $u * number
            return total
        """,
        draw=lambda r: {
            "k": (k := r.randint(2, 4)),
            "r": r.randrange(k),
            "w": r.choice([-3, -2, -1, 2]),
            "u": r.choice([1, 3, 4]),
        },
        inputs=lambda r, v: (ints(r),),
    ),
    Family(
        name="digit_sum", level=2, arguments="n: int", returns="int",
        asks="the sum of $what of the non-negative integer `n` written in base $base, counting only digits"
        " that are $which",
        body="""
            total = 0
            while n > 0:
                digit = n % $base
                if $which_code:
                    total += $what_code
                n = n // $base
            return total
        """,
        draw=lambda r: {
            "base": r.randint(5, 12),
            **fill(
                what=r.choice([("the digits", "digit"), ("the squares of the digits", "digit * digit")]),
                which=r.choice(
                    [
                        ("odd", "digit % 2 == 1"),
                        ("even", "digit % 2 == 0"),
                        *((f"at least {k}", f"digit >= {k}") for k in (2, 3)),
                        *((f"below {k}", f"digit < {k}") for k in (3, 4)),
                        *((f"not {k}", f"digit != {k}") for k in (1, 2, 3, 4)),
                    ]
                ),
            ),
        },
        inputs=lambda r, v: (r.choice([r.randint(0, 40), r.randint(0, 99999)]),),
    ),
    Family(
        name="numbered_words", level=2, arguments="n: int", returns="list[str]",
        asks="a list with one text for each number from 1 to `n`: '$both' for numbers divisible by both $a and $b,"
        " else '$first'"
        " for those divisible by $a, '$second' for those divisible by $b, and the number itself as text for all others",
        body="""
            result = []
            for number in range(1, n + 1):
                if number % $a == 0 and number % $b == 0:
                    result.append('$both')
                elif number % $a == 0:
                    result.append('$first')
                elif number % $b == 0:
                    result.append('$second')
                else:
                    result.append(str(number))
            return result
        """,
        draw=lambda r: {
            "a": r.choice([2, 3, 4]),
            "b": r.choice([5, 7]),
            **dict(zip(("first", "second", "both"),
                r.sample(["red", "blue", "tick", "tock", "hop", "boom"], 3), strict=True)),
        },
        inputs=lambda r, v: (r.randint(0, 45),),
    ),
)  # fmt: skip
