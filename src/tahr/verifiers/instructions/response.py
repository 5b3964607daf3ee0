"""A response as instructions see it: words, sentences, lines and paragraphs, found once and the same way for all."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cached_property

import regex

from tahr.core.visible import outside_hidden, without_blanks
from tahr.verifiers.instructions.sentences import split_sentences
from tahr.verifiers.prose import Prose
from tahr.verifiers.text import outside_thinking

_STRAIGHT = str.maketrans(
    {
        "\u2018": "'",
        "\u2019": "'",
        "\u201b": "'",
        "\u02bc": "'",
        "\u201c": '"',
        "\u201d": '"',
        "\u201e": '"',
        "\u201f": '"',
        **dict.fromkeys("\u00a0\u202f\u205f", " "),
        **{chr(code): " " for code in range(0x2000, 0x200B)},  # spaces by their width
    }
)
_WORD = regex.compile(r"[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:'[\p{L}\p{N}][\p{L}\p{M}\p{N}]*)*")
_REAL_WORD = regex.compile(r"\p{L}{3}")
_UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")


@dataclass(frozen=True)
class Response:
    """A response and the prompt it answers. Make one with `Response.of`.

    `text` is what a reader sees: no thinking part, no comments (code's stay), no invisible characters, no blank lines
    at the beginning and no white space at the end. It is of Unicode form NFC and has straight quotes, plain spaces and
    ``\\n`` as line ends.

    Example: ``Response.of("<think>hm</think>The sea’s calm.").words == ("The", "sea's", "calm")``
    """

    text: str
    prompt: str = ""

    @classmethod
    def of(cls, text: str, prompt: str = "") -> Response:
        """Read a response as the model gave it."""
        return cls(normalised(outside_hidden(outside_thinking(text))), normalised(prompt))

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Words as written: letters, marks and digits; apostrophes inside belong to a word, all else separates."""
        return words_of(self.text)

    @cached_property
    def folded(self) -> tuple[str, ...]:
        """`words`, case-folded."""
        return tuple(word.casefold() for word in self.words)

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """Sentences as written, without white space at their ends; those without any word are left out."""
        return tuple(part for part in split_sentences(self.text) if _WORD.search(part))

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """Lines that aren't blank, indentation kept."""
        return tuple(line.rstrip() for line in self.text.split("\n") if line.strip())

    @cached_property
    def paragraphs(self) -> tuple[str, ...]:
        """What stands between blank lines, stripped."""
        return self.parts(r"\n[ \t]*\n")

    def parts(self, separator: str) -> tuple[str, ...]:
        """What stands between matches of a pattern, stripped; empty parts are left out."""
        return tuple(part.strip() for part in regex.split(separator, self.text) if part.strip())

    def divided(self, divider: str) -> tuple[str, ...]:
        """What stands between matches of a pattern, stripped. A divider at either end separates nothing; two in a row
        have an empty part between them.
        """
        parts = tuple(part.strip() for part in regex.split(divider, self.text))
        first, last = (0 if parts[0] else 1), (len(parts) if parts[-1] else len(parts) - 1)
        return parts[first:last]

    def count(self, phrase: str, *, ignore_case: bool = True) -> int:
        """How often the words of `phrase` stand in a row in the text, on word boundaries ("Leo" isn't in "Leonard").

        "sea" is found in "sea's" too.
        """
        wanted, words = words_of(phrase), self.words
        if ignore_case:
            wanted, words = tuple(word.casefold() for word in wanted), self.folded
        if not wanted:
            return 0
        bare = tuple(word.removesuffix("'s") for word in words)
        starts = range(len(words) - len(wanted) + 1)
        return sum(wanted in (words[i : i + len(wanted)], bare[i : i + len(wanted)]) for i in starts)

    @cached_property
    def variants(self) -> tuple[Response, ...]:
        """The response and its loose readings: without its first line, its last, or both; each also without ``*``."""
        lines = self.text.split("\n")
        cut = [self.text, *("\n".join(part) for part in (lines[1:], lines[:-1], lines[1:-1]))]
        texts = dict.fromkeys(normalised(text) for text in [*cut, *(text.replace("*", "") for text in cut)])
        return tuple(Response(text, self.prompt) for text in texts if text)

    def junk(self, admits: frozenset[str] = frozenset()) -> str:
        """Why this is no answer at all ("" where it is one).

        `admits` names what is no fault: "short", "repetition", "echo". A text without words is always junk, and so are
        letters and numbers alone ("a b c") where nothing is admitted. Scripts
        without spaces between words are judged by characters.
        """
        if not self.words:
            return "no words"
        if len(self.words) >= 3 and self.text.isascii() and not admits and not _REAL_WORD.search(self.text):
            return "no word of three letters"
        spaced = Prose.of(_UNSPACED.sub(r"\g<0> ", self.text))
        return spaced.junk(_UNSPACED.sub(r"\g<0> ", self.prompt), admits=admits)


def words_of(text: str) -> tuple[str, ...]:
    """The words of a text, as `Response.words` finds them."""
    return tuple(_WORD.findall(_straightened(text)))


def normalised(text: str) -> str:
    """`text` as `Response.text` has it, thinking parts kept."""
    plain = _straightened(text).replace("\r\n", "\n").replace("\r", "\n")
    return regex.sub(r"\A(?:[ \t]*\n)+", "", plain).rstrip()


def _straightened(text: str) -> str:
    return text if text.isascii() else without_blanks(unicodedata.normalize("NFC", text)).translate(_STRAIGHT)
