"""Words and sentences of a text, and whether it is prose at all or junk that happens to keep the rules."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_SENTENCE_END = re.compile(r"[.!?\u2026\u3002\uff01\uff1f]+[\"'\u201d\u2019)\]]*(?=\s|$)")
_QUOTES = str.maketrans({"\u2018": "'", "\u2019": "'", "\u02bc": "'", "\u201c": '"', "\u201d": '"'})
SHINGLE = 4  # words in a row that count as repeating the question


@dataclass(frozen=True)
class Prose:
    """A text as constraints see it: Unicode form NFC, curly quotes straightened, white space at the ends removed.

    Example: ``Prose.of("The sea’s calm.").words == ["the", "sea's", "calm"]``
    """

    text: str

    @classmethod
    def of(cls, text: str) -> Prose:
        """Read a text."""
        return cls(unicodedata.normalize("NFC", text).translate(_QUOTES).strip())

    @cached_property
    def words(self) -> list[str]:
        """Words, case-folded; apostrophes belong to a word, hyphens and underscores separate."""
        return _WORD.findall(self.text.casefold())

    @cached_property
    def num_sentences(self) -> int:
        """Sentences; a last one without a full stop counts."""
        ends = list(_SENTENCE_END.finditer(self.text))
        unfinished = bool(_WORD.search(self.text, ends[-1].end() if ends else 0))
        return len(ends) + unfinished

    @property
    def ends_as_sentence(self) -> bool:
        """Whether the text ends with a full stop, an exclamation or a question mark."""
        return any(match.end() == len(self.text[-8:]) for match in _SENTENCE_END.finditer(self.text[-8:]))

    def contains(self, phrase: str) -> bool:
        """Whether the words of `phrase` stand in the text in a row; ``sea's`` contains ``sea``, ``season`` doesn't."""
        wanted = Prose.of(phrase).words
        bare = [word.removesuffix("'s") for word in self.words]
        starts = range(len(self.words) - len(wanted) + 1)
        return any(words[i : i + len(wanted)] == wanted for words in (self.words, bare) for i in starts)

    def most_repeated(self) -> tuple[str, int]:
        """The commonest word and its count; ("", 0) without words."""
        return Counter(self.words).most_common(1)[0] if self.words else ("", 0)

    def junk(self, question: str, *, admits: Collection[str] = ()) -> str:
        """Why this is no answer at all ("" where it is one): too few different words, the same ones over and over, or
        the question said back.

        `admits` leaves out what is no fault for the task: "short", "repetition", "echo".
        """
        if "short" not in admits and len(set(self.words)) < 3:
            return "fewer than 3 different words"
        if "repetition" not in admits and (repeated := self._repetition()):
            return repeated
        if "echo" not in admits and len(self.words) >= SHINGLE and 2 * self._share_said_back(question) > 1:
            return "repeats the question"
        return ""

    def _repetition(self) -> str:
        """How the text repeats itself, "" where it doesn't."""
        word, times = self.most_repeated()
        if times > 2 and 2 * times > len(self.words):
            return f"{word!r} is {times} of {len(self.words)} words"
        window = self.words[:100]
        if len(window) >= 8 and len(set(window)) < 0.4 * len(window):
            return "the same few words over and over"
        return ""

    def _share_said_back(self, question: str) -> float:
        """Share of the text's runs of `SHINGLE` words that stand in the question too."""
        asked = set(_shingles(Prose.of(question).words))
        own = _shingles(self.words)
        return sum(run in asked for run in own) / len(own)


def _shingles(words: list[str]) -> list[tuple[str, ...]]:
    return [tuple(words[i : i + SHINGLE]) for i in range(len(words) - SHINGLE + 1)]
