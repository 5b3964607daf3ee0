"""IFBench, format: options, templates, sections, title case, emoji, and no white space."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, ClassVar

import regex
from pydantic import Field

from tahr.core.errors import InputError
from tahr.verifiers.instructions.kind import Finding, instructions
from tahr.verifiers.instructions.letters import compounds
from tahr.verifiers.instructions.lexicon import MINOR_WORDS
from tahr.verifiers.instructions.markdown import without_code
from tahr.verifiers.instructions.marks import begins_with_emoji, closing_marks, has_emoji, spaced_emoji
from tahr.verifiers.instructions.response import Response, words_of
from tahr.verifiers.instructions.sentences import split_sentences

_OUTER = " \t\n.,;:!?\"'*_`()[]"
_LABELS = ("My Answer:", "My Conclusion:", "Future Outlook:")
_PLACEHOLDERS = ("[answer]", "[conclusion]", "[outlook]")
_ITALIC = regex.compile(r"<(i|em)>((?:(?!</?\1>).)*)</\1>", regex.DOTALL | regex.IGNORECASE)
_HEADING = regex.compile(
    r"#{1,6}\s|<h[1-6]\b|(?:\*\*|__)[^*_]+(?:\*\*|__):?$|(?:-{3,}|\*{3,}|_{3,}|={3,})$", regex.IGNORECASE
)
_TOKEN = regex.compile(r"\S++")
_IN_ADDRESSES = ("://", "@", "www.")


@instructions.register("format:options")
@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The response is one of the options and nothing else, in any case, with or without marks and markup around it.

    `options` is cut at slashes, else at the word "or", else at commas. The reference checker cuts at the letters "or"
    wherever they stand, wants "a)" without anything around it, and refuses an option whose words stand on lines of
    their own, which a second instruction of the data set asks for.
    """

    admits: ClassVar[frozenset[str]] = frozenset({"short", "echo"})
    options: Annotated[str, Field(min_length=3, max_length=2000, description="yes/no/maybe; this or that; a), b), c)")]

    def __post_init__(self) -> None:
        if len(self._choices()) < 2:
            raise InputError("fewer than two options", received=self.options, instead='such as "yes/no/maybe"')

    def _choices(self) -> set[str]:
        for separator in ("/", r"\s+or\s+", ","):
            if len(parts := regex.split(separator, self.options)) > 1:
                return {choice for part in parts if (choice := _bare(part))}
        return set()

    def kept(self, response: Response) -> Finding:
        """Whether it is one of them."""
        kept = _bare(response.text) in self._choices()
        return Finding(kept, "" if kept else "none of the options, or more than one")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return f"Answer with one of these options and nothing else: {self.options}."


def _bare(text: str) -> str:
    return " ".join(text.casefold().split()).strip(_OUTER)


@instructions.register("format:output_template")
@dataclass(frozen=True, slots=True, kw_only=True)
class OutputTemplate:
    """ "My Answer:", "My Conclusion:" and "Future Outlook:", once each and in this order, each with words of its own
    behind it, and nothing before the first.

    The reference checker looks for the three labels in any order, with nothing behind them.
    """

    def kept(self, response: Response) -> Finding:
        """Whether the response fills the template in."""
        if any(response.text.count(label) != 1 for label in _LABELS):
            return Finding(False, "a label is missing or stands twice")
        rest, contents = response.text, list[str]()
        for label in _LABELS:
            before, found, rest = rest.partition(label)
            if not found:
                return Finding(False, "the labels are in another order")
            contents.append(before)
        if contents[0].strip():
            return Finding(False, f"something before {_LABELS[0]!r}")
        empty = [text for text in (*contents[1:], rest) if not words_of(text) or text.strip().lower() in _PLACEHOLDERS]
        return Finding(not empty, "a label without content" if empty else "")

    def describe(self) -> str:
        """The sentence that asks for it."""
        filled = " ".join(f"{label} {place}" for label, place in zip(_LABELS, _PLACEHOLDERS, strict=True))
        return f"Answer in exactly this template, with your own text for what stands in brackets: {filled}"


@instructions.register("format:thesis")
@dataclass(frozen=True, slots=True, kw_only=True)
class Thesis:
    """Each section begins with a statement of at least three words between ``<i>`` and ``</i>`` (or ``<em>``), and goes
    on behind it.

    Headings (Markdown, HTML or bold lines, and rules) begin a section, and so does a short line without a closing mark
    right before such a statement; a text without any is one section. The reference checker wants one italic text
    anywhere.
    """

    def kept(self, response: Response) -> Finding:
        """Whether every section begins so."""
        sections = _sections(response.lines)
        if not sections:
            return Finding(False, "no section")
        for section in sections:
            match = _ITALIC.match(section.lstrip("*_>\"' \t").removeprefix("<p>").lstrip())
            if match is None or len(words_of(match[2])) < 3:
                return Finding(False, f"begins without a thesis in italics: {section[:40]!r}")
            if not words_of(regex.sub(r"<[^<>]*>", " ", _ITALIC.sub("", section, count=1))):
                return Finding(False, "a section that is only its thesis")
        return Finding(True)

    def describe(self) -> str:
        """The sentence that asks for it."""
        return "Begin each section with a thesis statement in italics, written with HTML tags."


def _sections(lines: tuple[str, ...]) -> list[str]:
    """The texts between headings, headings left out."""
    sections: list[list[str]] = [[]]
    for index, line in enumerate(lines):
        text = line.strip()
        following = lines[index + 1].strip() if index + 1 < len(lines) else ""
        short = len(words_of(text)) <= 10 and not regex.search(r"[.!?,;]\W*$", text[-10:]) and "<" not in text
        if _HEADING.match(text) or (short and regex.match(r"[*_]*<(?:i|em)>", following, regex.IGNORECASE)):
            sections.append([])
        else:
            sections[-1].append(text)
    return [text for section in sections if (text := "\n".join(section))]


@instructions.register("format:emoji")
@dataclass(frozen=True, slots=True, kw_only=True)
class Emoji:
    """An emoji stands at the end of every sentence, before its closing mark or right behind it; headings need none.

    The reference checker lets an emoji of several characters, and one in quotes, pass or fail by its last code point.
    """

    def kept(self, response: Response) -> Finding:
        """Whether every sentence has one."""
        parts = split_sentences(spaced_emoji(response.text))
        sentences = 0
        for part, following in pairwise([*parts, ""]):
            if not words_of(part) or _HEADING.match(part):
                continue
            sentences += 1
            if not (has_emoji(closing_marks(part)) or begins_with_emoji(following)):
                return Finding(False, f"no emoji behind {part[-40:]!r}")
        return Finding(sentences > 0, "" if sentences else "no sentence")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return "End every sentence with an emoji."


@instructions.register("format:title_case")
@dataclass(frozen=True, slots=True, kw_only=True)
class TitleCase:
    """Every word has a capital, but for articles, conjunctions and short prepositions inside a line or sentence.

    A word with a capital inside ("iPhone") has one; code and addresses are left out. The reference checker wants a
    capital on every word, "of" and "the" too, and lets single letters and words in mixed case pass.
    """

    def kept(self, response: Response) -> Finding:
        """Whether every major word has one."""
        capitals = 0
        for sentence in split_sentences(_without_addresses(without_code(response.text))):
            for line in sentence.split("\n"):
                words = [word for word in compounds(line) if word[0].isalpha()]
                for index, word in enumerate(words):
                    capital = not word.islower()
                    capitals += capital and any(map(str.isupper, word))
                    if not capital and (index == 0 or word not in MINOR_WORDS):
                        return Finding(False, f"{word!r} has no capital")
        return Finding(capitals > 0, "" if capitals else "no capital")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return "Write in title case: begin every word but articles, conjunctions and short prepositions with a capital."


def _without_addresses(text: str) -> str:
    return _TOKEN.sub(lambda token: "" if any(part in token[0] for part in _IN_ADDRESSES) else token[0], text)


@instructions.register("format:no_whitespace")
@dataclass(frozen=True, slots=True, kw_only=True)
class NoWhitespace:
    """No space, tab or line break of any script, in a text of at least two characters with a letter or a digit.

    The reference checker passes an empty text.
    """

    admits: ClassVar[frozenset[str]] = frozenset({"short"})

    def kept(self, response: Response) -> Finding:
        """Whether there is none."""
        text = response.text
        if len(text) < 2 or not response.words:
            return Finding(False, "nothing in which white space could stand")
        kept = not any(mark.isspace() or mark in "\u200b\u2800\u3164" for mark in text)
        return Finding(kept, "" if kept else "white space")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return "Use no white space at all."
