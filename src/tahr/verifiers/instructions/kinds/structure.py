"""How the response is laid out: bullets, highlights, titles, sections, JSON, or one of three answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import regex
from pydantic import Field

from tahr.core.json_text import parse_json
from tahr.verifiers.instructions.counts import compare, exactly
from tahr.verifiers.instructions.kind import Finding, Positive, instructions
from tahr.verifiers.instructions.markdown import highlights, num_bullets, titles, unfenced
from tahr.verifiers.instructions.response import Response
from tahr.verifiers.instructions.wording import plural

ANSWERS = ("My answer is yes.", "My answer is no.", "My answer is maybe.")
_NUMBER = r"(?:\d+|[IVXLC]+|[A-Z]|one|two|three|four|five|six|seven|eight|nine|ten)"


@instructions.register("detectable_format:number_bullet_lists")
@dataclass(frozen=True, slots=True, kw_only=True)
class NumberBulletLists:
    """Exactly so many Markdown bullet points."""

    num_bullets: Positive

    def kept(self, response: Response) -> Finding:
        """Whether there are; those of any depth count."""
        return exactly(num_bullets(response.text), self.num_bullets, "bullet points")

    def describe(self) -> str:
        """The sentence that asks for it."""
        points = plural(self.num_bullets, "bullet point")
        return f'Use exactly {points}, each on a line of its own that begins with "* ".'


@instructions.register("detectable_format:number_highlighted_sections")
@dataclass(frozen=True, slots=True, kw_only=True)
class NumberHighlightedSections:
    """At least so many pieces of text between asterisks, such as ``*this one*``."""

    num_highlights: Positive

    def kept(self, response: Response) -> Finding:
        """Whether there are."""
        return compare(len(highlights(response.text)), "at least", self.num_highlights, "highlights")

    def describe(self) -> str:
        """The sentence that asks for it."""
        pieces = plural(self.num_highlights, "piece")
        return f"Highlight at least {pieces} of your text with asterisks, like *this*."


@instructions.register("detectable_format:title")
@dataclass(frozen=True, slots=True, kw_only=True)
class Title:
    """A title in double angular brackets, such as ``<<the long road>>``."""

    def kept(self, response: Response) -> Finding:
        """Whether there is one."""
        found = bool(titles(response.text))
        return Finding(found, "" if found else "no <<title>>")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return "Give your answer a title in double angular brackets, like <<this>>."


@instructions.register("detectable_format:multiple_sections")
@dataclass(frozen=True, slots=True, kw_only=True)
class MultipleSections:
    """At least so many sections, each opened by a line such as "Section 1". A mention in a sentence opens none."""

    section_spliter: Annotated[str, Field(min_length=1, max_length=100, pattern=r"\w")]
    num_sections: Positive

    def kept(self, response: Response) -> Finding:
        """Whether there are. In front of the label only Markdown's marks and a quote may stand; behind its number a
        mark, the line's end, or a title with a capital.
        """
        label = regex.escape(self.section_spliter.strip())
        # the label in any case; the rest as a heading has it: nothing, a mark, or words that open with a capital
        pattern = rf"(?m)^[ \t>#*_\"'(\[-]*(?i:{label})[ \t]*{_NUMBER}(?:[ \t]*$|[ \t]*[:.)\]*_\"'|–—-]|[ \t]+\p{{Lu}})"
        return compare(len(regex.findall(pattern, response.text)), "at least", self.num_sections, "sections")

    def describe(self) -> str:
        """The sentence that asks for it."""
        sections = plural(self.num_sections, "section")
        return f'Write {sections}. Begin each with a line that says "{self.section_spliter}" and its number.'


@instructions.register("detectable_format:json_format")
@dataclass(frozen=True, slots=True, kw_only=True)
class JsonFormat:
    """The whole response is one JSON object or array that isn't empty; a Markdown fence around it may stand."""

    def kept(self, response: Response) -> Finding:
        """Whether it is; a bare number, string or word of JSON is no format."""
        try:
            value: Any = parse_json(unfenced(response.text), parse_constant=_refuse)
        except ValueError:
            return Finding(False, "not JSON")
        kept = isinstance(value, dict | list) and bool(value)
        return Finding(kept, "" if kept else "no JSON object or array with something in it")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return "Give your whole answer as JSON."


@instructions.register("detectable_format:constrained_response")
@dataclass(frozen=True, slots=True, kw_only=True)
class ConstrainedResponse:
    """One of three sentences, as a sentence of its own, and no mention of the other two."""

    admits: ClassVar[frozenset[str]] = frozenset({"short", "echo"})

    def kept(self, response: Response) -> Finding:
        """Whether exactly one of them is given."""
        text = regex.sub(r"[*_\"'`>#]", " ", response.text.casefold())
        if sum(response.count(answer) > 0 for answer in ANSWERS) > 1:
            return Finding(False, "several of the answers")
        given = [answer for answer in ANSWERS if _as_sentence(answer).search(text)]
        return Finding(bool(given), "" if given else "none of the answers")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return f"Answer with one of these sentences: {' '.join(ANSWERS)}"


def _as_sentence(answer: str) -> regex.Pattern[str]:
    words = r"\s+".join(map(regex.escape, answer.casefold().split()))
    return regex.compile(rf"(?:^|[.!?:;\n]\s*)\s*{words}(?=\s|$|[)\]])")


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON")
