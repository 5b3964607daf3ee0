"""The plan of an answer that keeps given instructions, and how each instruction changes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import cycle, islice
from random import Random
from typing import Any

from tahr.verifiers.instructions.composing import vocabulary


@dataclass(slots=True)
class Draft:
    """What the answer must have besides plain sentences. `needed` are sentences that must be in it.

    `frame` turns the finished text into another (brackets around words, JSON), `edits` change the list of sentences.
    """

    random: Random
    request: str
    needed: list[str] = field(default_factory=list[str])
    fixed: list[str] = field(default_factory=list[str])
    exact_words: int = 0
    num_sentences: int = 0
    num_parts: int = 1
    divider: str = "\n\n"
    between: str = " "
    label: str = ""
    num_bullets: int = 0
    openings: dict[int, str] = field(default_factory=dict[int, str])
    before: str = ""
    after: str = ""
    edits: list[Callable[[list[str]], list[str]]] = field(default_factory=list[Callable[[list[str]], list[str]]])
    frames: list[Callable[[str], str]] = field(default_factory=list[Callable[[str], str]])

    def use(self, word: str, times: int = 1) -> None:
        """Sentences that use `word` so many times."""
        templates = self.random.sample(vocabulary.WITH_WORD, len(vocabulary.WITH_WORD))
        self.needed.extend(template.format(word=word) for template in islice(cycle(templates), times))


def frequent(draft: Draft, relation: str, word: str, count: int) -> None:
    """Sentences for a word that is asked for at least so often."""
    if relation == "at least":
        draft.use(word, count)


def each(change: Callable[[str], str]) -> Callable[[list[str]], list[str]]:
    """An edit that changes every sentence by itself."""
    return lambda sentences: [change(sentence) for sentence in sentences]


def begun(sentence: str, word: str) -> str:
    """The sentence with a word in front."""
    return f"{word[0].upper()}{word[1:]} {sentence[0].lower()}{sentence[1:]}"


def ended(sentence: str, word: str) -> str:
    """The sentence with a word at its end."""
    return f"{sentence[:-1]} {word}{sentence[-1]}"


def placed(sentences: list[str], word: str, sentence: int, place: int) -> list[str]:
    """The sentences with `word` as word number `place` of one of them, both counted from 1."""
    if sentence > len(sentences):
        return sentences
    chosen = sentences[sentence - 1]
    words = chosen.split()
    words.insert(place - 1, word)
    changed = begun(chosen, word) if place == 1 else " ".join(words)
    return [*sentences[: sentence - 1], changed, *sentences[sentence:]]


def two_by_two(text: str) -> str:
    """Words in pairs in double angular brackets."""
    words = text.split()
    return " ".join(f"<<{' '.join(words[start : start + 2])}>>" for start in range(0, len(words), 2))


def same_phrase(phrase: str, count: int) -> list[str]:
    """The phrase so many times, its second word another one each time."""
    first, _, *rest = phrase.split()
    return [f"{' '.join([first, word, *rest])}." for word in vocabulary.KEYWORDS[:count]]


def divided(draft: Draft, count: int, divider: str) -> None:
    """That many paragraphs."""
    draft.num_parts, draft.divider = count, divider


def set_lines(draft: Draft, instruction: Any) -> None:
    """Bullet points behind a first sentence."""
    draft.num_bullets = instruction.num_bullets


def three_parts(draft: Draft, instruction: Any) -> None:
    """Three paragraphs of sentences of one length."""
    divided(draft, 3, "\n* * *\n")
    draft.num_sentences, draft.exact_words = 3 * instruction.n_sent, instruction.n_words
