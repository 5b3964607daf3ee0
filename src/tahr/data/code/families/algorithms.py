"""Level 4 and 5: known algorithms, each with a twist."""

from __future__ import annotations

from tahr.data.code.family import Family
from tahr.data.code.fragments import condition, fill, grid, ints, text

FAMILIES = (
    Family(
        name="longest_with_few_letters", level=4, arguments="text: str", returns="int",
        asks="the length of the longest stretch of neighbouring characters of `text` with $kinds different"
        " characters in which $twist; 0 where there is none",
        body="""
            best = 0
            for start in range(len(text)):
                for end in range(start + 1, len(text) + 1):
                    part = text[start:end]
                    if $kinds_code and $twist_code:
                        best = max(best, end - start)
            return best
        """,
        draw=lambda r: fill(
            kinds=r.choice([
                *((f"at most {k}", f"len(set(part)) <= {k}") for k in (2, 3)),
                *((f"exactly {k}", f"len(set(part)) == {k}") for k in (2, 3)),
            ]),
            twist=r.choice([
                *((f"'{letter}' stands at most {k} times", f"part.count('{letter}') <= {k}")
                    for letter in "abcde" for k in (1, 2, 3)),
                *((f"'{letter}' comes neither first nor last", f"'{letter}' not in (part[0], part[-1])")
                    for letter in "abcde"),
                ("the first character is not the last one", "part[0] != part[-1]"),
            ]),
        ),
        inputs=lambda r, v: (text(r, "abcde", 0, 14),),
    ),
    Family(
        name="fewest_coins", level=4, arguments="amount: int", returns="int",
        asks="the smallest number of coins of $a, $b and $c that make up exactly `amount`, each kind used as often"
        " as wanted, or"
        " $bad where no coins do",
        body="""
            fewest = [0]
            for value in range(1, amount + 1):
                options = [fewest[value - coin] for coin in ($a, $b, $c) if coin <= value]
                options = [count + 1 for count in options if count >= 0]
                fewest.append(min(options) if options else -1)
            return fewest[amount] if fewest[amount] >= 0 else $bad
        """,
        draw=lambda r: {"a": r.randint(2, 4), "b": r.randint(5, 7), "c": r.randint(8, 13),
            "bad": r.choice([-1, -7, 1000])},
        inputs=lambda r, v: (r.randint(0, 60),),
    ),
    Family(
        name="count_stairs", level=4, arguments="n: int", returns="int",
        asks="in how many ways (orders count) `n` stairs can be climbed by steps of $a, $b or $c stairs, where no"
        " stair whose number"
        " is divisible by $skip may be stepped on; the answer modulo $mod",
        body="""
            ways = [1]
            for stair in range(1, n + 1):
                if stair % $skip == 0:
                    ways.append(0)
                else:
                    ways.append(sum(ways[stair - step] for step in ($a, $b, $c) if step <= stair))
            return ways[n] % $mod
        """,
        draw=lambda r: {"a": 1, "b": r.randint(2, 3), "c": r.randint(4, 6),
            "skip": r.randint(5, 9), "mod": r.randint(50, 999)},
        inputs=lambda r, v: (r.randint(0, 30),),
    ),
    Family(
        name="best_stretch", level=4, arguments="numbers: list[int]", returns="int",
        asks="the $goal $value of a stretch of neighbouring elements of `numbers` whose length is at least $low and"
        " at most $high, or $bad where `numbers` is too short for any",
        body="""
            best = None
            for start in range(len(numbers)):
                for length in range($low, $high + 1):
                    if start + length <= len(numbers):
                        part = numbers[start:start + length]
                        value = $value_code
                        if best is None or $goal_code:
                            best = value
            return $bad if best is None else best
        """,
        draw=lambda r: {
            "low": (low := r.randint(1, 3)), "high": low + r.randint(1, 3), "bad": r.choice([-999, 0, 777]),
            **fill(
                goal=r.choice([("greatest", "value > best"), ("smallest", "value < best")]),
                value=r.choice([
                    ("sum", "sum(part)"),
                    ("sum of the first and the last element", "part[0] + part[-1]"),
                    ("sum of the largest and the smallest element", "max(part) + min(part)"),
                ]),
            ),
        },
        inputs=lambda r, v: (ints(r, -15, 15, 0, 10),),
    ),
    Family(
        name="recurrence", level=4, arguments="n: int", returns="int",
        asks="term `n` (from 0) of the sequence that begins with $x, $y, where each later term is $a times the one"
        " before plus $b times"
        " the one before that plus $c, modulo $m",
        body="""
            first, second = $x, $y
            for _ in range(n):
                first, second = second, ($a * second + $b * first + $c) % $m
            return first
        """,
        draw=lambda r: {"x": r.randint(0, 9), "y": r.randint(1, 9), "a": r.randint(1, 5), "b": r.randint(1, 5),
                        "c": r.randint(1, 9), "m": r.randint(50, 999)},
        inputs=lambda r, v: (r.randint(0, 40),),
    ),
    Family(
        name="edit_cost", level=5, arguments="old: str, new: str", returns="int",
        asks="the lowest cost of turning `old` into `new` by inserting a letter at a cost of $i, removing one at"
        " $d, and replacing one by"
        " another at $s",
        body="""
            costs = [column * $i for column in range(len(new) + 1)]
            for row, char in enumerate(old):
                before = costs
                costs = [before[0] + $d]
                for column, wanted in enumerate(new):
                    change = before[column] + (0 if char == wanted else $s)
                    costs.append(min(change, before[column + 1] + $d, costs[column] + $i))
            return costs[len(new)]
        """,
        draw=lambda r: {"i": r.randint(2, 6), "d": r.randint(2, 6), "s": r.randint(3, 9)},
        inputs=lambda r, v: (text(r, "abc", 0, 5), text(r, "abcd", 0, 6)),
    ),
    Family(
        name="knapsack", level=5, arguments="weights: list[int], limit: int", returns="int",
        asks="the greatest total value of elements of `weights`, each taken at most once and with a total weight of"
        " at most `limit`,"
        " where an element of weight w is worth w times w plus $a if w is divisible by $k and $b times w otherwise",
        body="""
            best = [0] * (limit + 1)
            for weight in weights:
                if weight % $k == 0:
                    value = weight * weight + $a
                else:
                    value = $b * weight
                for room in range(limit, weight - 1, -1):
                    best[room] = max(best[room], best[room - weight] + value)
            return best[limit]
        """,
        draw=lambda r: {"a": r.randint(1, 9), "b": r.randint(2, 6), "k": r.randint(2, 4)},
        inputs=lambda r, v: (ints(r, 1, 9, 0, 6), r.randint(0, 20)),
    ),
    Family(
        name="grid_steps", level=5, arguments="rows: list[list[int]]", returns="int",
        asks="the fewest moves from the top left to the bottom right entry of the matrix `rows`, where a move goes"
        " one entry up, down,"
        " left or right to an entry that is at most $up greater and at most $down smaller, or $bad where there is"
        " no way",
        body="""
            height, width = len(rows), len(rows[0])
            distance = {(0, 0): 0}
            queue = [(0, 0)]
            for i, j in queue:
                for y, x in ((i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)):
                    if 0 <= y < height and 0 <= x < width and (y, x) not in distance:
                        if -$down <= rows[y][x] - rows[i][j] <= $up:
                            distance[y, x] = distance[i, j] + 1
                            queue.append((y, x))
            return distance.get((height - 1, width - 1), $bad)
        """,
        draw=lambda r: {"up": r.randint(1, 4), "down": r.randint(2, 6), "bad": r.choice([-1, -9, 99])},
        inputs=lambda r, v: (grid(r, 0, 7, size=5),),
    ),
    Family(
        name="longest_chain", level=5, arguments="numbers: list[int]", returns="int",
        asks="the greatest number of elements of `numbers` that can be kept, in their order, so that each kept"
        " element is at least $a"
        " and at most $b greater than the kept one before it; only elements that $test may be kept",
        body="""
            lengths = []
            kept = [number for number in numbers if $test_code]
            for place, number in enumerate(kept):
                before = [lengths[i] for i in range(place) if $a <= number - kept[i] <= $b]
                lengths.append(1 + max(before, default=0))
            return max(lengths, default=0)
        """,
        draw=lambda r: {"a": (low := r.randint(1, 3)), "b": low + r.randint(2, 6), **fill(test=condition(r, "number"))},
        inputs=lambda r, v: (ints(r, -10, 14, 0, 12),),
    ),
)  # fmt: skip
