"""IFBench, count: how many words, numbers, names, conjunctions, pronouns and marks a response uses."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

import regex

from tahr.core.errors import InputError
from tahr.verifiers.instructions.counts import compare, exactly
from tahr.verifiers.instructions.kind import Count, Finding, Positive, Word, instructions
from tahr.verifiers.instructions.lexicon import COORDINATING, PERSON_NAMES, PRONOUNS
from tahr.verifiers.instructions.response import Response
from tahr.verifiers.instructions.wording import counted, listed, plural

_NUMBER = regex.compile(
    r"""(?<![\p{L}\p{M}\p{N}_])(?:
        \p{Nd}{4}-\p{Nd}{2}-\p{Nd}{2}(?!\p{Nd})        # a date
        |\p{Nd}{1,2}(?::\p{Nd}{2}){1,2}(?!\p{Nd})      # a time of day
        |\p{Nd}{1,3}(?:,\p{Nd}{3})+(?!,?\p{Nd})         # thousands
        |\p{Nd}+/\p{Nd}+(?![/\p{Nd}])                  # a fraction
        |\p{Nd}+
        )(?:\.\p{Nd}+)*[\u00bc-\u00be\u2150-\u215e]?
    |(?<![\p{L}\p{M}\p{N}_])[\u00bc-\u00be\u2150-\u215e]""",
    regex.VERBOSE,
)
_JAPANESE = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\u30fc\u3005]+")
_WORD_OR_JAPANESE = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\u30fc\u3005]+"
    r"|(?:(?![\p{Han}\p{Hiragana}\p{Katakana}])[\p{L}\p{M}\p{N}])+"
    r"(?:'(?:(?![\p{Han}\p{Hiragana}\p{Katakana}])[\p{L}\p{M}\p{N}])+)*"
)
_MARKS = regex.compile(r"[^\w\s]+")
_STANDARD = {
    "full stop": r"\.",
    "comma": ",",
    "semicolon": ";",
    "colon": ":",
    "apostrophe": "'",
    "quotation mark": '"',
    "hyphen or dash": "[-\u2010-\u2015]",
    "opening parenthesis": r"\(",
    "closing parenthesis": r"\)",
    "interrobang": r"\?!|!\?|\u203d|\u2048|\u2049",
}
_TIMES = (1, 2, 3, 5, 7)


@instructions.register("count:word_count_range")
@dataclass(frozen=True, slots=True, kw_only=True)
class WordCountRange:
    """Between `min_words` and `max_words` words; "don't" is one word, "well-known" two.

    The reference checker takes "don't" for two words.
    """

    min_words: Count
    max_words: Positive

    def __post_init__(self) -> None:
        if self.min_words > self.max_words:
            raise InputError(
                "min_words is above max_words", received=[self.min_words, self.max_words], instead="a range"
            )

    def kept(self, response: Response) -> Finding:
        """Whether the number of words is in the range, both ends included."""
        count = len(response.words)
        inside = self.min_words <= count <= self.max_words
        return Finding(inside, "" if inside else f"{count} words instead of {self.min_words} to {self.max_words}")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return f"Write between {self.min_words} and {self.max_words} words."


@instructions.register("count:unique_word_count")
@dataclass(frozen=True, slots=True, kw_only=True)
class UniqueWordCount:
    """At least `N` different words, in any case; numbers are no words.

    The reference checker counts numbers and lone marks ("-") as words.
    """

    N: Positive

    def kept(self, response: Response) -> Finding:
        """Whether there are as many."""
        different = {word for word in response.folded if not word.isnumeric()}
        return compare(len(different), "at least", self.N, "different words")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return f"Use {counted('at least', self.N, 'different word')}."


@instructions.register("count:conjunctions")
@dataclass(frozen=True, slots=True, kw_only=True)
class Conjunctions:
    """At least `small_n` of the words for, and, nor, but, or, yet and so, each counted once.

    They join something: three or more in a row are a list of them and count for nothing. The reference checker takes
    "And" and "and" for two, and a bare list for a use.
    """

    small_n: Positive

    def __post_init__(self) -> None:
        if self.small_n > len(COORDINATING):
            raise InputError(
                "English has seven coordinating conjunctions", received=self.small_n, instead="small_n of at most 7"
            )

    def kept(self, response: Response) -> Finding:
        """Whether there are as many."""
        used: set[str] = set()
        for joins, run in groupby(response.folded, COORDINATING.__contains__):
            words = list(run)
            if joins and len(words) < 3:
                used.update(words)
        return compare(len(used), "at least", self.small_n, "coordinating conjunctions")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return f"Use {counted('at least', self.small_n, 'different coordinating conjunction')}."


@instructions.register("count:person_names")
@dataclass(frozen=True, slots=True, kw_only=True)
class PersonNames:
    """At least `N` different names of the fifty that the prompt lists, as whole words with a capital.

    The reference checker finds "Leo" in "Leonard" and "Ella" in "Isabella".
    """

    N: Positive

    def __post_init__(self) -> None:
        if len(PERSON_NAMES) < self.N:
            raise InputError("the list has fifty names", received=self.N, instead="N of at most 50")

    def kept(self, response: Response) -> Finding:
        """Whether there are as many."""
        words = {word.removesuffix("'s") for word in response.words}
        return compare(len(words.intersection(PERSON_NAMES)), "at least", self.N, "names of the list")

    def describe(self) -> str:
        """The sentence that asks for it."""
        names = ", ".join(PERSON_NAMES)
        return f"Mention {counted('at least', self.N, 'different person', 'different people')} by these names: {names}."


@instructions.register("count:numbers")
@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """Exactly `N` numbers in digits: "3.14", "1,000", "3/4", "10:30" and "2024-04-23" are one each, "5-10" is two.

    Digits inside a word ("H2O") are no number. The reference checker takes the marks out first, so that "5-10" is one
    number, and counts the 2 of "H2O".
    """

    N: Count

    def kept(self, response: Response) -> Finding:
        """Whether it is that many."""
        return exactly(len(_NUMBER.findall(response.text)), self.N, "numbers")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return f"Use exactly {plural(self.N, 'number')}, written in digits."


@instructions.register("count:pronouns")
@dataclass(frozen=True, slots=True, kw_only=True)
class Pronouns:
    """At least `N` pronouns: personal, possessive and reflexive ones, "who" and its forms, "someone" and the like.

    "I'm" and "it's" hold one. Words that are often something else ("this", "that", "which", "one") are not counted. The
    reference checker does not see the pronoun of "I'm" and "they've", nor "who" and "someone".
    """

    N: Positive

    def kept(self, response: Response) -> Finding:
        """Whether there are as many."""
        count = sum(word.split("'")[0] in PRONOUNS for word in response.folded)
        return compare(count, "at least", self.N, "pronouns")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return f"Use {counted('at least', self.N, 'pronoun')}."


@instructions.register("count:punctuation")
@dataclass(frozen=True, slots=True, kw_only=True)
class Punctuation:
    """Each standard mark at least once: full stop, comma, semicolon, colon, question and exclamation mark, apostrophe,
    quotation mark, hyphen or dash, parentheses, and the interrobang ("?!" or a mark of its own).

    The two marks of the interrobang don't count as question and exclamation mark, and marks in a heap (more than four
    in a row) count for nothing. The reference checker asks for no apostrophe, quotation mark, hyphen or parentheses.
    """

    def kept(self, response: Response) -> Finding:
        """Whether all are used."""
        runs = [run for run in _MARKS.findall(response.text) if len(run) <= 4]
        text = " ".join(runs)
        missing = [name for name, pattern in _STANDARD.items() if not regex.search(pattern, text)]
        single = regex.sub(_STANDARD["interrobang"], "", text)
        missing += [name for name, mark in (("question mark", "?"), ("exclamation mark", "!")) if mark not in single]
        return Finding(not missing, f"without {listed(missing)}" if missing else "")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return (
            "Use every standard punctuation mark at least once: full stop, comma, semicolon, colon, question mark, "
            "exclamation mark, apostrophe, quotation marks, a hyphen or dash, parentheses, and the interrobang (?!)."
        )


@instructions.register("count:keywords_multiple")
@dataclass(frozen=True, slots=True, kw_only=True)
class KeywordsMultiple:
    """`keyword1` once, `keyword2` twice, `keyword3` three, `keyword4` five and `keyword5` seven times, no more and no
    less, as words in any case; "river's" is "river", "rivers" isn't.

    The reference checker counts letters inside other words ("through" in "throughout").
    """

    keyword1: Word
    keyword2: Word
    keyword3: Word
    keyword4: Word
    keyword5: Word

    def _wanted(self) -> list[tuple[str, int]]:
        words = (self.keyword1, self.keyword2, self.keyword3, self.keyword4, self.keyword5)
        return list(zip(words, _TIMES, strict=True))

    def kept(self, response: Response) -> Finding:
        """Whether each is there as often."""
        wrong = [(word, response.count(word), times) for word, times in self._wanted()]
        said = [f"{word!r} {found} instead of {times} times" for word, found, times in wrong if found != times]
        return Finding(not said, ", ".join(said))

    def describe(self) -> str:
        """The sentence that asks for it."""
        asked = [f'"{word}" {times} {"time" if times == 1 else "times"}' for word, times in self._wanted()]
        return f"Use these words exactly so often: {', '.join(asked)}."


@instructions.register("count:words_japanese")
@dataclass(frozen=True, slots=True, kw_only=True)
class WordsJapanese:
    """Every `N`-th word is written in kana or kanji, in a text of at least `N` words.

    Japanese stands without spaces: a run of kana and kanji is one word. A text of nothing else has a Japanese word
    everywhere, however it is cut. The reference checker cuts at spaces only, lets numbers stand in a Japanese word's
    place, and passes every text of fewer than `N` words.
    """

    N: Positive

    def kept(self, response: Response) -> Finding:
        """Whether each has kana or kanji."""
        words = _WORD_OR_JAPANESE.findall(response.text)
        foreign = [index for index, word in enumerate(words, 1) if not _JAPANESE.fullmatch(word)]
        if words and not foreign:
            return compare(sum(map(len, words)), "at least", self.N, "Japanese letters")
        if len(words) < self.N:
            return Finding(False, f"{len(words)} words, fewer than {self.N}")
        wrong = [words[index - 1] for index in foreign if index % self.N == 0]
        return Finding(not wrong, f"{wrong[0]!r} stands where a Japanese word should" if wrong else "")

    def describe(self) -> str:
        """The sentence that asks for it."""
        return f"Make every word whose number is a multiple of {self.N} a Japanese one, in kana or kanji."
