"""Arguments of composed instructions, drawn from moderate ranges so that short answers can keep them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from tahr.core.construct import argument_schema
from tahr.verifiers.instructions.composing import vocabulary
from tahr.verifiers.instructions.kind import instructions
from tahr.verifiers.instructions.response import Response


@dataclass(slots=True)
class Scene:
    """What the instructions of one task are drawn over. Words that are drawn are used up, so that no two instructions
    speak of the same one.

    `max_words` bounds how long an answer may be asked for.
    """

    random: Random
    request: str
    max_words: int
    used: set[str] = field(default_factory=set[str])

    def word(self, pool: tuple[str, ...] = vocabulary.KEYWORDS) -> str:
        """A word of `pool` that stands neither in the request nor in another instruction."""
        asked = Response(self.request)
        free = [word for word in pool if word not in self.used and not asked.count(word)]
        chosen = self.random.choice(free or list(pool))
        self.used.add(chosen)
        return chosen

    def words(self, low: int, high: int, pool: tuple[str, ...] = vocabulary.KEYWORDS) -> list[str]:
        """From `low` to `high` such words."""
        return [self.word(pool) for _ in range(self.random.randint(low, high))]

    def amount(self, at_least: tuple[int, int], less_than: tuple[int, int]) -> tuple[str, int]:
        """A relation, and a number from the range that goes with it."""
        relation = self.random.choice(("at least", "less than"))
        return relation, self.random.randint(*(at_least if relation == "at least" else less_than))

    def asked_word(self) -> str:
        """A word of the request, of four letters or more where there is one."""
        words = Response(self.request).folded
        return self.random.choice([word for word in words if len(word) > 3 and word.isalpha()] or list(words))


Draw = Callable[[Scene], dict[str, Any]]


def _letter(scene: Scene) -> dict[str, Any]:
    relation = scene.random.choice(("at least", "less than"))
    letters, counts = ("abcdefghilmnoprstuwy", (3, 12)) if relation == "at least" else ("abcdfghjklmpqvwxyz", (1, 6))
    return {
        "letter": scene.random.choice(letters),
        "let_frequency": scene.random.randint(*counts),
        "let_relation": relation,
    }


def _frequency(scene: Scene) -> dict[str, Any]:
    relation, count = scene.amount((2, 4), (2, 4))
    return {"keyword": scene.word(), "frequency": count, "relation": relation}


def _num_words(scene: Scene) -> dict[str, Any]:
    relation, count = scene.amount((10, scene.max_words // 2), (max(12, scene.max_words // 4), scene.max_words))
    return {"num_words": count, "relation": relation}


def _num_sentences(scene: Scene) -> dict[str, Any]:
    most = max(3, scene.max_words // 12)
    relation, count = scene.amount((2, most), (3, most + 2))
    return {"num_sentences": count, "relation": relation}


def _num_letters(scene: Scene) -> dict[str, Any]:
    relation, count = scene.amount((40, scene.max_words * 2), (60, scene.max_words * 5))
    return {"N": count, "relation": relation}


def _capitals(scene: Scene) -> dict[str, Any]:
    relation, count = scene.amount((1, 4), (2, 6))
    return {"capital_frequency": count, "capital_relation": relation}


def _nth_paragraph(scene: Scene) -> dict[str, Any]:
    count = scene.random.randint(2, 3)
    nth = scene.random.randint(1, count)
    return {"num_paragraphs": count, "nth_paragraph": nth, "first_word": scene.word(vocabulary.BEGINNINGS)}


def _span(scene: Scene) -> dict[str, Any]:
    start = scene.random.randint(0, len(scene.request) // 2)
    end = min(len(scene.request) - 1, start + scene.random.randint(8, 30))
    return {"prompt_to_repeat": scene.request, "n_start": start, "n_end": end}


def _number(name: str, low: int, high: int) -> Draw:
    return lambda scene: {name: scene.random.randint(low, high)}


DRAWS: dict[str, Draw] = {
    "change_case:capital_word_frequency": _capitals,
    "combination:repeat_prompt": lambda scene: {"prompt_to_repeat": scene.request},
    "count:conjunctions": _number("small_n", 2, 4),
    "count:numbers": _number("N", 1, 5),
    "count:person_names": _number("N", 1, 4),
    "count:pronouns": _number("N", 2, 8),
    "count:unique_word_count": _number("N", 10, 30),
    "copy:copy": lambda scene: {"prompt_to_repeat": scene.request},
    "copy:copying_multiple": lambda scene: {"prompt_to_repeat": scene.request, "N": scene.random.randint(2, 3)},
    "copy:copying_simple": lambda scene: {"prompt_to_repeat": scene.request},
    "copy:repeat_phrase": lambda scene: {
        "phrase": scene.random.choice(vocabulary.PHRASES),
        "small_n": scene.random.randint(2, 3),
    },
    "count:count_increment_word": lambda scene: {"keyword1": scene.word(), "keyword2": scene.word()},
    "count:counting_composition": lambda scene: {
        "n_sent": scene.random.randint(1, 2),
        "n_words": scene.random.randint(4, 7),
    },
    "count:lowercase_counting": _number("N", 8, 40),
    "detectable_content:number_placeholders": _number("num_placeholders", 1, 3),
    "detectable_content:postscript": lambda scene: {"postscript_marker": scene.random.choice(("P.S.", "P.P.S"))},
    "detectable_format:multiple_sections": lambda scene: {
        "section_spliter": scene.random.choice(vocabulary.SECTION_LABELS),
        "num_sections": scene.random.randint(2, 3),
    },
    "detectable_format:number_bullet_lists": _number("num_bullets", 2, 5),
    "detectable_format:number_highlighted_sections": _number("num_highlights", 1, 3),
    "first_word:first_word_answer": lambda scene: {"first_word": scene.word(vocabulary.BEGINNINGS)},
    "first_word:first_word_sent": lambda scene: {"first_word": scene.word(vocabulary.BEGINNINGS)},
    "keywords:exclude_word_harder": lambda scene: {"keyword": scene.asked_word(), "instruction": scene.request},
    "keywords:existence": lambda scene: {"keywords": scene.words(1, 3)},
    "keywords:forbidden_words": lambda scene: {"forbidden_words": scene.words(1, 3, vocabulary.COMMON)},
    "keywords:frequency": _frequency,
    "keywords:keyword_specific_position": lambda scene: {
        "keyword": scene.word(),
        "n": scene.random.randint(1, 2),
        "m": scene.random.randint(1, 4),
    },
    "keywords:letter_frequency": _letter,
    "keywords:word_count_different_numbers": _frequency,
    "keywords:word_once": lambda scene: {"keyword": scene.word()},
    "language:response_language": lambda scene: {"language": scene.random.choice(sorted(vocabulary.IN_LANGUAGES))},
    "last_word:last_word_answer": lambda scene: {"last_word": scene.word(vocabulary.ENDINGS)},
    "last_word:last_word_sent": lambda scene: {"last_word": scene.word(vocabulary.ENDINGS)},
    "length_constraints:nth_paragraph_first_word": _nth_paragraph,
    "length_constraints:number_paragraphs": _number("num_paragraphs", 2, 3),
    "length_constraints:number_sentences": _num_sentences,
    "length_constraints:number_words": _num_words,
    "letters:letter_counting": _num_letters,
    "letters:letter_counting2": _letter,
    "new:copy_span_idx": _span,
    "sentence:increment": _number("small_n", 1, 3),
    "sentence:keyword": lambda scene: {"N": scene.random.randint(1, 3), "word": scene.word()},
    "startend:end_checker": lambda scene: {"end_phrase": scene.random.choice(vocabulary.END_PHRASES)},
    "words:repeats": _number("small_n", 2, 4),
}
"""How the arguments of a kind are drawn; a kind that isn't listed is drawn without any."""


def can_draw(name: str) -> bool:
    """Whether a kind is registered and its arguments, if it needs any, can be drawn."""
    if name not in instructions.names():
        return False
    fields = argument_schema(instructions.get(name)).model_fields.values()
    return name in DRAWS or not any(field.is_required() for field in fields)
