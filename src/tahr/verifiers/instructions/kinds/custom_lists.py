"""IFBench, custom: multiples, dates, capitals, countries, and multiple choice questions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import ClassVar

import regex

from tahr.verifiers.instructions.kind import Finding, instructions
from tahr.verifiers.instructions.letters import unmarked
from tahr.verifiers.instructions.places import OPTIONAL_CAPITAL, OPTIONAL_COUNTRIES, capitals, countries, place_key
from tahr.verifiers.instructions.response import Response, words_of
from tahr.verifiers.instructions.wording import listed

_DATE = regex.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_FIRST_BATTLE, _LAST_BATTLE = "1793-09-01", "1815-06-18"
_KNOWN_BATTLES = {
    "1800-06-14": "Marengo",
    "1805-12-02": "Austerlitz",
    "1806-10-14": "Jena",
    "1812-09-07": "Borodino",
    "1813-10-16": "Leipzig",
    "1815-06-18": "Waterloo",
}
_QUESTION = regex.compile(r"^[ \t]*(?:#{1,6}[ \t]+)?[*_]*Question\b[^\p{L}\n]*", regex.MULTILINE)
_OPTION = regex.compile(r"(?:[-*\u2022]\s+)?[*_]*\(?(?:[A-Ea-e]|[1-5])[.):][*_]*\s*(?=\S)")
_ANSWER = regex.compile(r"[*_]*(?:correct )?answer\b", regex.IGNORECASE)


@instructions.register("custom:multiples")
@dataclass(frozen=True, slots=True, kw_only=True)
class Multiples:
    """The numbers 14, 21, 28, 35, 42 and 49 in this order, with commas, spaces, line breaks or list marks between them
    and nothing else.

    The reference checker lets words stand around them.
    """

    def kept(self, response: Response) -> Finding:
        """Whether exactly these numbers stand there."""
        said = regex.sub(r"[\s,;.*\u2022-]+(?:and\s+)?", " ", response.text).split()
        kept = said == [str(number) for number in range(14, 50, 7)]
        return Finding(kept, "" if kept else "not the six multiples alone")

    def describe(self) -> str:
        """The task."""
        return "Count from 10 to 50 and print nothing but the multiples of 7."


@instructions.register("custom:date_format_list")
@dataclass(frozen=True, slots=True, kw_only=True)
class DateFormatList:
    """Dates of the calendar as YYYY-MM-DD with commas between them and nothing else, all in the years of Napoleon's
    battles, those of his best known ones (Marengo, Austerlitz, Jena, Borodino, Leipzig, Waterloo) among them.

    The reference checker passes a single date, and month and day 0.
    """

    admits: ClassVar[frozenset[str]] = frozenset({"repetition"})

    def kept(self, response: Response) -> Finding:
        """Whether it is such a list."""
        said = [part.strip() for part in response.text.removesuffix(".").split(",")]
        wrong = next((part for part in said if not _is_date(part)), None)
        if wrong is not None:
            return Finding(False, f"{wrong[:40]!r} is no date as YYYY-MM-DD")
        outside = next((day for day in said if not _FIRST_BATTLE <= day <= _LAST_BATTLE), None)
        if outside is not None:
            return Finding(False, f"no battle of his began on {outside}")
        missing = [name for day, name in _KNOWN_BATTLES.items() if day not in said]
        return Finding(not missing, f"without {listed(missing)}" if missing else "")

    def describe(self) -> str:
        """The task."""
        return (
            "List the dates on which Napoleon's battles began, as YYYY-MM-DD and separated by commas, and nothing else."
        )


def _is_date(text: str) -> bool:
    if not _DATE.fullmatch(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


@instructions.register("custom:european_capitals_sort")
@dataclass(frozen=True, slots=True, kw_only=True)
class EuropeanCapitalsSort:
    """The 28 capitals of European states north of 45 degrees, from north to south, with commas between them and nothing
    else; accents and usual variants (Kiev, Berne, Luxembourg City) are free.

    The reference checker knows no Kyiv (50.5 degrees), so that a right answer fails.
    """

    def kept(self, response: Response) -> Finding:
        """Whether it is that list."""
        said = [place_key(regex.sub(r"^\s*and\s+", "", part)) for part in response.text.removesuffix(".").split(",")]
        optional = [index for index, name in enumerate(said) if name == OPTIONAL_CAPITAL]
        if len(optional) == 1 and said[optional[0] - 1 : optional[0] + 2] == ["london", OPTIONAL_CAPITAL, "brussels"]:
            said.remove(OPTIONAL_CAPITAL)
        for index, names in enumerate(capitals()):
            if index >= len(said) or said[index] not in names:
                there = said[index] if index < len(said) else "nothing"
                return Finding(False, f"{there[:40]!r} where {names[0].title()} should be")
        kept = len(said) == len(capitals())
        return Finding(kept, "" if kept else "something behind the last capital")

    def describe(self) -> str:
        """The task."""
        return (
            "List the capitals of the European countries that lie north of 45 degrees of latitude, without the "
            "countries' names, separated by commas, from the northernmost to the southernmost."
        )


@instructions.register("custom:reverse_newline")
@dataclass(frozen=True, slots=True, kw_only=True)
class ReverseNewline:
    """The 54 states of Africa, each on a line of its own under a usual name, from Z to A as they are written.

    List marks, a line before the list that ends in a colon, Western Sahara and Somaliland are free. The reference
    checker looks for no country but Zimbabwe: fifty-two lines in falling order pass.
    """

    def kept(self, response: Response) -> Finding:
        """Whether all are there in order."""
        lines = list(response.lines[1:] if response.lines and response.lines[0].endswith(":") else response.lines)
        names = [place_key(unmarked(line)) for line in lines]
        known = countries()
        wrong = next((i for i, name in enumerate(names) if name not in known and name not in OPTIONAL_COUNTRIES), None)
        if wrong is not None:
            return Finding(False, f"{lines[wrong][:40]!r} is no country of Africa")
        said = [known[name] for name in names if name in known]
        missing = sorted(set(known.values()) - set(said))
        if missing or len(said) != len(set(said)):
            return Finding(False, f"without {missing[0].title()}" if missing else "a country stands twice")
        unordered = next((pair for pair in pairwise(names) if pair[0] < pair[1]), None)
        return Finding(unordered is None, f"{unordered[1]!r} behind {unordered[0]!r}" if unordered else "")

    def describe(self) -> str:
        """The task."""
        return "List the countries of Africa from Z to A, each on a line of its own."


@instructions.register("custom:mcq_count_length")
@dataclass(frozen=True, slots=True, kw_only=True)
class McqCountLength:
    """Four questions that begin with "Question", each longer than the one before, each with five different options, and
    nothing else but a line that names the answer.

    The reference checker lets explanations follow the options.
    """

    admits: ClassVar[frozenset[str]] = frozenset({"repetition"})

    def kept(self, response: Response) -> Finding:
        """Whether number, options and lengths are right."""
        starts = list(_QUESTION.finditer(response.text))
        if len(starts) != 4:
            return Finding(False, f"{len(starts)} questions instead of 4")
        if response.text[: starts[0].start()].strip():
            return Finding(False, "something before the first question")
        ends = [*(match.start() for match in starts[1:]), len(response.text)]
        lengths: list[int] = []
        for match, end in zip(starts, ends, strict=True):
            length, fault = _question(response.text[match.end() : end])
            if fault:
                return Finding(False, f"question {len(lengths) + 1} has {fault}")
            lengths.append(length)
        growing = all(one < other for one, other in pairwise(lengths))
        return Finding(growing, "" if growing else f"questions of {lengths} characters")

    def describe(self) -> str:
        """The task."""
        return (
            'Write four multiple choice questions about the art of the 20th century, each labelled "Question", each '
            "longer than the one before it and each with five options. Explain nothing."
        )


def _question(text: str) -> tuple[int, str]:
    """Characters of the question before its options, and what is wrong with it."""
    lines = [line.strip() for line in text.split("\n") if line.strip().strip("*_-")]
    first = next((index for index, line in enumerate(lines) if _OPTION.match(line)), len(lines))
    stem = " ".join(lines[:first])
    options = [_OPTION.sub("", line, count=1).casefold() for line in lines[first:] if _OPTION.match(line)]
    rest = [line for line in lines[first:] if not _OPTION.match(line)]
    if not words_of(stem):
        return 0, "no text"
    if len(options) != 5 or len(set(options)) != 5:
        return 0, f"{len(set(options))} options instead of 5"
    if any(not _ANSWER.match(line) or len(words_of(line)) > 12 for line in rest):
        return 0, "an explanation"
    return len(stem), ""
