"""How the response begins and ends, and what it must hold besides the answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import regex

from tahr.verifiers.instructions.counts import compare, exactly
from tahr.verifiers.instructions.kind import Finding, Phrase, Positive, instructions
from tahr.verifiers.instructions.markdown import placeholders
from tahr.verifiers.instructions.response import Response, normalised, words_of
from tahr.verifiers.instructions.wording import plural

_SIX_STARS = r"(?<!\*)\*{6}(?!\*)"


@instructions.register("startend:end_checker")
@dataclass(frozen=True, slots=True, kw_only=True)
class EndChecker:
    """The response ends with a phrase, in any case; only closing quotes, brackets and asterisks may follow."""

    end_phrase: Phrase

    def kept(self, response: Response) -> Finding:
        """Whether it does."""
        text, phrase = (_folded(part) for part in (response.text, self.end_phrase))
        start = len(text) - len(phrase)
        joined = start > 0 and text[start - 1].isalnum() and phrase[:1].isalnum()
        kept = bool(phrase) and text.endswith(phrase) and not joined
        return Finding(kept, "" if kept else f"ends {response.text[-40:]!r}")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return f'End with exactly these words: "{self.end_phrase}"'


@instructions.register("startend:quotation")
@dataclass(frozen=True, slots=True, kw_only=True)
class Quotation:
    """The whole response stands in one pair of double quotation marks."""

    def kept(self, response: Response) -> Finding:
        """Whether it does; `"Yes," she said, "now"` only begins and ends with a quoted piece."""
        kept = _in_one_pair(response.text.strip())
        return Finding(kept, "" if kept else "not in one pair of double quotation marks")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return "Put your whole answer in double quotation marks."


@instructions.register("combination:repeat_prompt")
@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatPrompt:
    """The request word for word at the very beginning, then an answer that isn't the prompt again."""

    admits: ClassVar[frozenset[str]] = frozenset({"echo"})

    prompt_to_repeat: Phrase

    def kept(self, response: Response) -> Finding:
        """Whether it is; white space and case of letters may differ."""
        request = normalised(self.prompt_to_repeat).split()
        pattern = r"\s*" + r"\s+".join(map(regex.escape, request))
        match = regex.match(pattern, response.text, regex.IGNORECASE)
        if match is None:
            return Finding(False, "does not begin with the request")
        if match.end() < len(response.text) and (request[-1][-1] + response.text[match.end()]).isalnum():
            return Finding(False, "goes on inside the request's last word")
        junk = Response(response.text[match.end() :], response.prompt).junk(frozenset({"short"}))
        return Finding(not junk, f"behind the request: {junk}" if junk else "")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return (
            "First repeat the request above word for word, without this sentence and without a word before it, then "
            "answer it."
        )


@instructions.register("combination:two_responses")
@dataclass(frozen=True, slots=True, kw_only=True)
class TwoResponses:
    """Exactly two responses of different words, with six asterisks between them."""

    def kept(self, response: Response) -> Finding:
        """Whether there are."""
        parts = [words_of(part.casefold()) for part in response.divided(_SIX_STARS)]
        if len(parts) != 2:
            return exactly(len(parts), 2, "responses between ******")
        if not all(parts):
            return Finding(False, "a response without words")
        return Finding(parts[0] != parts[1], "the same response twice" if parts[0] == parts[1] else "")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return "Give exactly two different answers, with six asterisks between them: ******"


@instructions.register("detectable_content:number_placeholders")
@dataclass(frozen=True, slots=True, kw_only=True)
class NumberPlaceholders:
    """At least so many placeholders in square brackets, such as ``[address]``; links and check boxes are none."""

    num_placeholders: Positive

    def kept(self, response: Response) -> Finding:
        """Whether there are."""
        return compare(len(placeholders(response.text)), "at least", self.num_placeholders, "placeholders")

    def describe(self) -> str:
        """The sentence that asks for it."""
        number = plural(self.num_placeholders, "placeholder")
        return f"Use at least {number} in square brackets, like [name]."


@instructions.register("detectable_content:postscript")
@dataclass(frozen=True, slots=True, kw_only=True)
class Postscript:
    """A postscript behind the text: the marker, in any case, at the beginning of a line or a sentence, and words behind
    it. Spaces inside the marker don't matter, its dots do.
    """

    postscript_marker: Literal["P.S.", "P.P.S", "P.P.S.", "PS"]

    def kept(self, response: Response) -> Finding:
        """Whether there is one, with text before it."""
        marker = "[ ]?".join(map(regex.escape, self.postscript_marker))
        pattern = rf"(?i)(?<![\p{{L}}\p{{N}}.]){marker}(?![\p{{L}}\p{{N}}])"
        text, last = response.text, None
        for match in regex.finditer(pattern, text):
            last = match if _opens(text, match.start()) else last
        first_word = regex.search(r"[\p{L}\p{N}]", text)
        if last is None or first_word is None or first_word.start() >= last.start():
            return Finding(False, f"no {self.postscript_marker} behind the text")
        kept = bool(words_of(text[last.end() :]))
        return Finding(kept, "" if kept else "nothing behind the marker")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return f"At the end, add a postscript that begins with {self.postscript_marker}"


def _opens(text: str, place: int) -> bool:
    """Whether a line or a sentence begins at `place`; marks of quotation, emphasis and lists may stand before it."""
    line = text[text.rfind("\n", 0, place) + 1 : place]
    before = line[-40:].rstrip(" \t\"'*_>#()[]-")
    return before[-1:] in {".", "!", "?", "\u2026"} if before else len(line) <= 40


def _folded(text: str) -> str:
    """Text for comparing ends: case-folded, single spaces, without closing quotes, brackets and asterisks."""
    return " ".join(normalised(text).casefold().split()).rstrip("\"'*_)]} ")


def _in_one_pair(text: str) -> bool:
    """Whether the first quotation mark is closed by the last character: a mark inside opens where white space or a
    bracket stands before it and none behind, and closes else.
    """
    if len(text) < 3 or text[0] != '"' or text[-1] != '"' or text.endswith('\\"'):
        return False
    depth = 1
    for match in regex.finditer(r'(?<!\\)"', text[1:-1]):
        before, behind = text[match.start()], text[match.start() + 2]
        inner = match.start() > 0 and (before.isspace() or before in "([{-\u2014\u2013") and not behind.isspace()
        depth += 1 if inner else -1
        if depth == 0:
            return False
    return True
