"""The language of the response."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from tahr.core.errors import UnknownNameError
from tahr.verifiers.instructions.kind import Finding, instructions
from tahr.verifiers.instructions.language import LANGUAGES, MANY_LETTERS, could_be, language_of, num_letters
from tahr.verifiers.instructions.response import Response


@instructions.register("language:response_language")
@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseLanguage:
    """The response is in one language, named by its ISO 639-1 code, and no long paragraph is in another."""

    language: Annotated[str, Field(min_length=2, max_length=8)]

    def __post_init__(self) -> None:
        if self.language not in LANGUAGES:
            raise UnknownNameError("language", self.language, LANGUAGES)

    def kept(self, response: Response) -> Finding:
        """Whether it is; None where the text is too short, or too much like several languages, to tell."""
        found = language_of(response.text)
        if found is None and not could_be(response.text, self.language):
            return Finding(False, f"not in the script of {LANGUAGES[self.language]}")
        if found is None:
            return Finding(None, "the language can't be told")
        if found != self.language:
            return Finding(False, f"in the language {found!r}")
        long = [paragraph for paragraph in response.paragraphs if num_letters(paragraph) >= MANY_LETTERS]
        other = next((code for code in map(language_of, long) if code not in {None, found}), None)
        return Finding(other is None, f"one paragraph is in the language {other!r}" if other else "")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return f"Answer in {LANGUAGES[self.language]} only."
