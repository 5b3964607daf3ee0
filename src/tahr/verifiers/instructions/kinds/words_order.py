"""IFBench, words: which word stands where, and which may not follow which."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

from tahr.verifiers.instructions.kind import Finding, Positive, Word, instructions
from tahr.verifiers.instructions.letters import compounds, initial, plain, unmarked
from tahr.verifiers.instructions.response import Response, words_of
from tahr.verifiers.instructions.verbs import begins_with_verb
from tahr.verifiers.instructions.wording import plural


def _folded(text: str) -> list[str]:
    return [plain(word) for word in compounds(unmarked(text))]


@instructions.register("words:start_verb")
@dataclass(frozen=True, slots=True, kw_only=True)
class StartVerb:
    """The first word is an English verb form: imperative, auxiliary, finite form or participle.

    A form that is a noun too ("light") is taken for one where a finite verb follows ("Light is fast"). Other scripts
    are undecided. The reference checker asks a statistical tagger, which takes many an imperative for a noun.
    """

    def kept(self, response: Response) -> Finding:
        """Whether it begins with one; None where the first word is of another script."""
        words = words_of(unmarked(response.text))
        if words and words[0][0].isalpha() and not initial(words[0]).isascii():
            return Finding(None, f"{words[0]!r} is no English word")
        kept = begins_with_verb(tuple(word.casefold() for word in words[:2]))
        return Finding(kept, "" if kept else f"begins with {words[0]!r}" if words else "no words")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return "Begin your response with a verb."


@instructions.register("words:repeats")
@dataclass(frozen=True, slots=True, kw_only=True)
class Repeats:
    """No word, in any case, more than `small_n` times, in a text of more than `small_n` words.

    The reference checker passes an empty text.
    """

    small_n: Positive

    def kept(self, response: Response) -> Finding:
        """Whether none is there more often."""
        if len(response.words) <= self.small_n:
            return Finding(False, f"only {plural(len(response.words), 'word')}")
        word, times = Counter(response.folded).most_common(1)[0]
        return Finding(times <= self.small_n, f"{word!r} {plural(times, 'time')}")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return f"Use no word more than {plural(self.small_n, 'time')}."


@instructions.register("words:no_consecutive")
@dataclass(frozen=True, slots=True, kw_only=True)
class NoConsecutive:
    """At least two words, of which no two neighbours begin with the same letter; accents and case make no other.

    The reference checker passes a single word and none at all.
    """

    def kept(self, response: Response) -> Finding:
        """Whether neighbours differ."""
        words = compounds(response.text)
        if len(words) < 2:
            return Finding(False, "fewer than two words")
        same = next((pair for pair in pairwise(words) if initial(pair[0]) == initial(pair[1])), None)
        return Finding(same is None, f"{same[0]!r} and {same[1]!r}" if same else "")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return "Let no two neighbouring words begin with the same letter."


@instructions.register("words:last_first")
@dataclass(frozen=True, slots=True, kw_only=True)
class LastFirst:
    """At least two sentences, each of which begins with the last word of the one before it.

    The reference checker passes a single sentence, and takes a word with a comma behind it for another word.
    """

    def kept(self, response: Response) -> Finding:
        """Whether all are joined so."""
        sentences = [words for part in response.sentences if (words := _folded(part))]
        if len(sentences) < 2:
            return Finding(False, "fewer than two sentences")
        wrong = next((pair for pair in pairwise(sentences) if pair[0][-1] != pair[1][0]), None)
        return Finding(wrong is None, f"{wrong[1][0]!r} follows {wrong[0][-1]!r}" if wrong else "")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return "Begin each sentence with the last word of the sentence before it."


@instructions.register("words:paragraph_last_first")
@dataclass(frozen=True, slots=True, kw_only=True)
class ParagraphLastFirst:
    """Each paragraph, of at least three words, ends with its first word; every line that isn't blank is a paragraph.

    The reference checker passes paragraphs of one word and of none.
    """

    def kept(self, response: Response) -> Finding:
        """Whether all do."""
        paragraphs = [words for line in response.lines if (words := _folded(line))]
        if not paragraphs:
            return Finding(False, "no paragraph")
        short = next((words for words in paragraphs if len(words) < 3), None)
        if short:
            return Finding(False, f"a paragraph of {plural(len(short), 'word')}")
        wrong = next((words for words in paragraphs if words[0] != words[-1]), None)
        return Finding(wrong is None, f"begins with {wrong[0]!r} and ends with {wrong[-1]!r}" if wrong else "")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return "End each paragraph with the word it begins with, and put every paragraph on a line of its own."


@instructions.register("words:keywords_specific_position")
@dataclass(frozen=True, slots=True, kw_only=True)
class KeywordsSpecificPosition:
    """Word `m` of sentence `n` is the keyword, in any case; marks are no words.

    The reference checker counts commas and other marks as words, and wants the keyword in the same case.
    """

    keyword: Word
    n: Positive
    m: Positive

    def kept(self, response: Response) -> Finding:
        """Whether it stands there."""
        if len(response.sentences) < self.n:
            return Finding(False, f"{len(response.sentences)} sentences, fewer than {self.n}")
        words = words_of(unmarked(response.sentences[self.n - 1]))
        there = words[self.m - 1].casefold() if len(words) >= self.m else ""
        return Finding(there == self.keyword.casefold(), f"{there!r} stands there" if there else "no such word")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return f'Let word number {self.m} of sentence number {self.n} be "{self.keyword}".'


@instructions.register("words:words_position")
@dataclass(frozen=True, slots=True, kw_only=True)
class WordsPosition:
    """The second and the last but one of at least four words are the keyword, in any case; marks are no words.

    The reference checker counts the full stop as the last word.
    """

    keyword: Word

    def kept(self, response: Response) -> Finding:
        """Whether both are."""
        words = response.folded
        if len(words) < 4:
            return Finding(False, f"only {plural(len(words), 'word')}")
        kept = words[1] == words[-2] == self.keyword.casefold()
        return Finding(kept, "" if kept else f"{words[1]!r} and {words[-2]!r} stand there")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return f'Let the second and the last but one word of your response be "{self.keyword}".'
