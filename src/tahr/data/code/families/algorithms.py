"""Level 3 to 5: known algorithms, each with a twist."""

from __future__ import annotations

from tahr.data.code.family import Family
from tahr.data.code.fragments import condition, fill, grid, ints, text

FAMILIES = (
    Family(
        name="longest_run", level=3, arguments="numbers: list[int]", returns="int",
        asks="the length of the longest stretch of neighbouring elements of `numbers` in which each element but the"
        " first is"
        " $relation; 0 for an empty list",
        body="""
            best = 0
            length = 0
            for place, second in enumerate(numbers):
                first = numbers[place - 1]
                if place > 0 and $relation_code:
                    length += 1
                else:
                    length = 1
                best = max(best, length)
            return best
        """,
        draw=lambda r: fill(relation=r.choice([
            *((f"greater than the one before minus {k}", f"second > first - {k}") for k in range(1, 7)),
            *((f"at most {k} away from the one before", f"abs(second - first) <= {k}") for k in range(1, 7)),
            *((f"smaller than the one before plus {k}", f"second < first + {k}") for k in range(1, 5)),
        ])),
        inputs=lambda r, v: (ints(r, -8, 8, 0, 12),),
    ),
    Family(
        name="first_pair", level=3, arguments="numbers: list[int], target: int", returns="list[int]",
        asks="the positions [i, j] of two elements of `numbers`, with i < j and j - i at least $gap, for which"
        " $a times element i plus $b times element j equals `target`: the pair with the smallest i, and then the"
        " smallest j;"
        " an empty list where there is none",
        body="""
            for i in range(len(numbers)):
                for j in range(i + $gap, len(numbers)):
                    if $a * numbers[i] + $b * numbers[j] == target:
                        return [i, j]
            return []
        """,
        draw=lambda r: {"gap": r.randint(1, 3), "a": r.randint(2, 5), "b": r.choice([-3, -2, -1, 1])},
        inputs=lambda r, v: (ints(r, -5, 5, 0, 9), r.randint(-12, 12)),
    ),
    Family(
        name="merge_ranges", level=3, arguments="ranges: list[list[int]]", returns="list[list[int]]",
        asks="the ranges [first, last] of `ranges`, sorted, where ranges that overlap, or that have at most $gap"
        " between the last"
        " of one and the first of the next (next first minus last), are merged, and merged ranges with last minus"
        " first below"
        " $short are left out",
        body="""
            merged = []
            for first, last in sorted(ranges):
                if merged and first - merged[-1][1] <= $gap:
                    merged[-1][1] = max(merged[-1][1], last)
                else:
                    merged.append([first, last])
            return [pair for pair in merged if pair[1] - pair[0] >= $short]
        """,
        draw=lambda r: {"gap": r.randint(0, 4), "short": r.randint(1, 5)},
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
        asks="the sum of the entries of the matrix `rows`, at row i and column j from 0, for which $cells",
        body="""
            total = 0
            for i, row in enumerate(rows):
                for j, value in enumerate(row):
                    if $cells_code:
                        total += value
            return total
        """,
        draw=lambda r: fill(cells=r.choice([
            *((f"i + j leaves remainder {q} when divided by {k}", f"(i + j) % {k} == {q}") for k in (2, 3) for q in range(k)),  # noqa: E501
            *((f"j is at least i plus {k}", f"j >= i + {k}") for k in (-1, 0, 1)),
            *((f"i times {k} is greater than j", f"i * {k} > j") for k in (1, 2, 3)),
            *((f"the entry is greater than i times j plus {k}", f"value > i * j + {k}") for k in range(-3, 5)),
        ])),
        inputs=lambda r, v: (grid(r, -9, 9),),
    ),
    Family(
        name="count_primes", level=3, arguments="low: int, high: int", returns="int",
        asks="how many prime numbers from `low` to `high`, both included, $test",
        body="""
            count = 0
            for number in range(max(low, 2), high + 1):
                if all(number % divisor for divisor in range(2, number)) and ($test_code):
                    count += 1
            return count
        """,
        draw=lambda r: fill(test=r.choice([
            *((f"leave remainder {q} when divided by {k}", f"number % {k} == {q}") for k, q in ((3, 1), (3, 2), (4, 1), (4, 3), (5, 2))),  # noqa: E501
            *((f"have the last decimal digit {q}", f"number % 10 == {q}") for q in (1, 3, 7)),
            *((f"are not the number {q}", f"number != {q}") for q in (2, 3, 5, 7)),
        ])),
        inputs=lambda r, v: ((low := r.randint(-2, 20)), low + r.randint(-2, 30)),
    ),
    Family(
        name="longest_with_few_letters", level=4, arguments="text: str", returns="int",
        asks="the length of the longest stretch of neighbouring characters of `text` with at most $k different"
        " characters in which"
        " '$letter' stands at most $most times",
        body="""
            best = 0
            for start in range(len(text)):
                for end in range(start + 1, len(text) + 1):
                    part = text[start:end]
                    if len(set(part)) <= $k and part.count('$letter') <= $most:
                        best = max(best, end - start)
            return best
        """,
        draw=lambda r: {"k": r.randint(2, 3), "letter": r.choice("abcde"), "most": r.randint(1, 3)},
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
        draw=lambda r: {"a": r.randint(2, 4), "b": r.randint(5, 7), "c": r.randint(8, 13), "bad": r.choice([-1, -7, 1000])},  # noqa: E501
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
        draw=lambda r: {"a": 1, "b": r.randint(2, 3), "c": r.randint(4, 6), "skip": r.randint(5, 9), "mod": r.randint(50, 999)},  # noqa: E501
        inputs=lambda r, v: (r.randint(0, 30),),
    ),
    Family(
        name="best_stretch", level=4, arguments="numbers: list[int]", returns="int",
        asks="the greatest sum of a stretch of neighbouring elements of `numbers` whose length is at least $low and"
        " at most $high,"
        " or $bad where `numbers` is too short for any",
        body="""
            best = None
            for start in range(len(numbers)):
                for length in range($low, $high + 1):
                    if start + length <= len(numbers):
                        total = sum(numbers[start:start + length])
                        if best is None or total > best:
                            best = total
            return $bad if best is None else best
        """,
        draw=lambda r: {"low": (low := r.randint(1, 3)), "high": low + r.randint(1, 3), "bad": r.choice([-999, 0, 777])},  # noqa: E501
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
