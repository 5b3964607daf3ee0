"""Small pieces of the sentences that ask for instructions."""

from __future__ import annotations

from collections.abc import Sequence

from tahr.verifiers.instructions.kind import Relation


def listed(words: Sequence[str]) -> str:
    """The words in quotes, with commas and an "and".

    >>> listed(["river", "stone", "moss"])
    '"river", "stone" and "moss"'
    """
    quoted = [f'"{word}"' for word in words]
    return " and ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)


def counted(relation: Relation, count: int, one: str, many: str = "") -> str:
    """A relation to a number of things.

    >>> counted("at least", 3, "sentence")
    'at least 3 sentences'
    >>> counted("less than", 2, "sentence")
    'fewer than 2 sentences'
    """
    comparison = "fewer than" if relation == "less than" else relation
    return f"{comparison} {plural(count, one, many)}"


def times(relation: Relation, count: int) -> str:
    """A relation to a number of times.

    >>> times("at least", 1)
    'at least once'
    """
    number = {1: "once", 2: "twice"}.get(count, f"{count} times")
    return f"{'fewer than' if relation == 'less than' else relation} {number}"


def plural(count: int, one: str, many: str = "") -> str:
    """A number of things.

    >>> plural(1, "word"), plural(2, "word")
    ('1 word', '2 words')
    """
    return f"{count} {one if count == 1 else many or one + 's'}"


def ordinal(number: int) -> str:
    """A place in a row.

    >>> ordinal(2), ordinal(11), ordinal(23)
    ('second', '11th', '23rd')
    """
    names = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
    if number <= len(names):
        return names[number - 1]
    ending = "th" if number % 100 in {11, 12, 13} else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
