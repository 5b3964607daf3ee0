"""Level 1 to 3: text and words."""

from __future__ import annotations

from random import Random

from tahr.data.code.family import Family
from tahr.data.code.fragments import LETTERS, fill, letter_condition, text, word_condition, words

MIXED = "abcdefghijklmnopqstuxyzABCDEXYZ0123456789.-"


def _brackets(random: Random, pairs: list[str]) -> str:
    """Nested brackets with letters between them, now and then with one character changed."""
    parts = ""
    for _ in range(random.randint(0, 4)):
        pair = random.choice(pairs)
        parts = random.choice([f"{pair[0]}{parts}{pair[1]}", f"{parts}x{pair}", f"{pair[0]}{pair}{pair[1]}{parts}"])
    if parts and random.random() < 0.4:
        place = random.randrange(len(parts))
        parts = parts[:place] + random.choice(["", *"".join(pairs)]) + parts[place + 1 :]
    return parts


def _mirrored(random: Random, *, by_case: bool) -> str:
    """Text that reads the same backwards in half of the draws, with one character changed in others; the case of
    letters changes too where it does not matter, and now and then where it does."""
    half = text(random, MIXED, 0, 5)
    back = half[::-1] if by_case and random.random() < 0.8 else half[::-1].swapcase()
    whole = half + random.choice(["", "k", "7"]) + back
    if random.random() < 0.5 and whole:
        place = random.randrange(len(whole))
        whole = whole[:place] + random.choice("aB3.z") + whole[place + 1 :]
    return whole


FAMILIES = (
    Family(
        name="count_characters", level=1, arguments="text: str", returns="int",
        asks="how many characters of `text` $test",
        body="""
            count = 0
            for char in text:
                if $test_code:
                    count += 1
            return count
        """,
        draw=lambda r: fill(test=letter_condition(r, "char")),
        inputs=lambda r, v: (text(r, MIXED, 0, 25),),
    ),
    Family(
        name="repeat_text", level=1, arguments="text: str, times: int", returns="str",
        asks="`text` repeated `times` plus $extra times with '$mark' between the copies (none before the first or"
        " behind the last); an empty text where that number is not positive",
        body="""
            copies = times + $extra
            if copies <= 0:
                return ''
            return '$mark'.join([text] * copies)
        """,
        draw=lambda r: {"extra": r.randint(-2, 3), "mark": r.choice(["-", "+", "/", "--", "~", "::", "=", "."])},
        inputs=lambda r, v: (text(r, LETTERS, 1, 4), r.randint(-3, 5)),
    ),
    Family(
        name="count_words", level=2, arguments="items: list[str]", returns="int",
        asks="the total length of the words of `items` that $test, minus $k for each word that does not",
        body="""
            total = 0
            for word in items:
                if $test_code:
                    total += len(word)
                else:
                    total -= $k
            return total
        """,
        draw=lambda r: {**fill(test=word_condition(r, "word")), "k": r.randint(1, 5)},
        inputs=lambda r, v: (words(r),),
    ),
    Family(
        name="replace_characters", level=2, arguments="text: str", returns="str",
        asks="`text` with each of the characters that $test replaced by $new, and all others kept",
        body="""
            result = ''
            for char in text:
                if $test_code:
                    result += $new_code
                else:
                    result += char
            return result
        """,
        draw=lambda r: fill(
            test=letter_condition(r, "char"),
            new=r.choice([("'*'", "'*'"), ("'_'", "'_'"), ("two copies of itself", "char * 2"), ("nothing", "''")]),
        ),
        inputs=lambda r, v: (text(r, MIXED, 0, 14),),
    ),
    Family(
        name="shift_letters", level=2, arguments="text: str", returns="str",
        asks="`text` with every lower-case letter moved $k places on in the alphabet and every upper-case letter"
        " moved $m places back, going round at the ends; other characters stay",
        body="""
            result = ''
            for char in text:
                if 'a' <= char <= 'z':
                    result += chr((ord(char) - ord('a') + $k) % 26 + ord('a'))
                elif 'A' <= char <= 'Z':
                    result += chr((ord(char) - ord('A') - $m) % 26 + ord('A'))
                else:
                    result += char
            return result
        """,
        draw=lambda r: {"k": r.randint(1, 25), "m": r.randint(1, 25)},
        inputs=lambda r, v: (text(r, "abcmnoyzABCMNOYZ09-@[`{", 0, 14),),
    ),
    Family(
        name="run_lengths", level=3, arguments="text: str", returns="str",
        asks="`text` with every run of at least $least equal letters in a row written as $form; shorter runs $short",
        body="""
            result = ''
            place = 0
            while place < len(text):
                end = place
                while end < len(text) and text[end] == text[place]:
                    end += 1
                char, length = text[place], end - place
                if length >= $least:
                    result += $form_code
                else:
                    result += $short_code
                place = end
            return result
        """,
        draw=lambda r: {
            "least": r.randint(2, 5),
            **fill(
                short=r.choice(
                    [
                        ("stay as they are", "char * length"),
                        ("are left out", "''"),
                        ("become one dash", "'-'"),
                        ("become as many dots as they have letters", "'.' * length"),
                    ]
                ),
                form=r.choice(
                    [
                        ("the letter and the length of the run", "char + str(length)"),
                        ("the length of the run and the letter", "str(length) + char"),
                        ("the letter, 'x' and the length of the run", "char + 'x' + str(length)"),
                        ("the letter in upper case", "char.upper()"),
                        ("the length of the run in brackets, '(3)', and the letter", "'(' + str(length) + ')' + char"),
                    ]
                )
            ),
        },
        inputs=lambda r, v: ("".join(r.choice("abc") * r.randint(1, 6) for _ in range(r.randint(0, 5))),),
        traps=((">= $least", "> $least"),),
    ),
    Family(
        name="group_words", level=3, arguments="items: list[str]", returns="dict[str, int]",
        asks="a dictionary from $key to $value of the words of `items` that have it; words that $test are passed over",
        body="""
            result = {}
            for word in items:
                if $test_code:
                    continue
                key = $key_code
                old = result.get(key, 0)
                result[key] = $value_code
            return result
        """,
        draw=lambda r: fill(
            test=word_condition(r, "word"),
            key=r.choice([("first letters", "word[0]"), ("last letters", "word[-1]"),
                ("alphabetically first letters", "min(word)")]),
            value=r.choice(
                [
                    ("the number", "old + 1"),
                    ("the total length", "old + len(word)"),
                    ("the greatest length", "max(old, len(word))"),
                ]
            ),
        ),
        inputs=lambda r, v: (words(r, longest=9),),
    ),
    Family(
        name="sort_words", level=3, arguments="items: list[str]", returns="list[str]",
        asks="the words of `items` that do not contain $letter, sorted by $first, ties by $second; equal words stay"
        " as often as they come",
        body="""
            kept = [word for word in items if '$letter' not in word]
            return sorted(kept, key=lambda word: ($first_code, $second_code, word))
        """,
        draw=lambda r: {
            "letter": r.choice("abcde"),
            **fill(
                first=r.choice(
                    [
                        ("length, shortest first", "len(word)"),
                        ("length, longest first", "-len(word)"),
                        ("the number of letters a in them, fewest first", "word.count('a')"),
                        ("the number of different letters, fewest first", "len(set(word))"),
                    ]
                ),
                second=r.choice(
                    [
                        ("the last letter, and then alphabetically", "word[-1]"),
                        ("the word read backwards", "word[::-1]"),
                        ("alphabetical order", "word"),
                    ]
                ),
            ),
        },
        inputs=lambda r, v: (words(r, longest=8, letters=5),),
    ),
    Family(
        name="bracket_depth", level=3, arguments="text: str", returns="int",
        asks="the greatest depth of nested brackets in `text`, where the pairs $pairs are brackets and all other"
        " characters are"
        " ignored, or $bad where brackets do not match (each must be closed by its own kind, the last opened first)",
        body="""
            pairs = $table
            stack = []
            deepest = 0
            for char in text:
                if char in pairs.values():
                    stack.append(char)
                    deepest = max(deepest, len(stack))
                elif char in pairs:
                    if not stack or stack.pop() != pairs[char]:
                        return $bad
            return $bad if stack else deepest
        """,
        draw=lambda r: {
            "pairs": ", ".join(chosen := r.sample(["()", "[]", "{}", "<>"], r.randint(2, 3))),
            "table": repr({pair[1]: pair[0] for pair in chosen}),
            "bad": r.choice([-1, -5, 100]),
        },
        inputs=lambda r, v: (_brackets(r, v["pairs"].split(", ")),),
    ),
    Family(
        name="is_mirrored", level=2, arguments="text: str", returns="bool",
        asks="whether there are at least $least characters in `text` that $test and these, read in order, are the same"
        " forwards and backwards, where $case",
        body="""
            kept = [$case_code for char in text if $test_code]
            return len(kept) >= $least and kept == kept[::-1]
        """,
        draw=lambda r: {
            "least": r.randint(1, 4),
            **fill(
                case=r.choice([
                    ("the case of letters does not matter", "char.lower()"),
                    ("small and capital letters differ", "char"),
                ]),
                test=r.choice(
                    [
                        ("are letters", "char.isalpha()"),
                        ("are not dots", "char != '.'"),
                        ("are not digits", "not char.isdigit()"),
                        *((f"are not the letter {some}, small or capital", f"char.lower() != '{some}'")
                            for some in "abcdexyz"),
                    ]
                ),
            ),
        },
        inputs=lambda r, v: (_mirrored(r, by_case=v["case_code"] == "char"),),
        traps=(("kept[::-1]", "kept"),),
    ),
)  # fmt: skip
