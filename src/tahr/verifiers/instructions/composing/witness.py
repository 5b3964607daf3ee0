"""An answer that keeps all instructions of a set: the proof that they don't contradict each other.

It is written from a plan (`plans`), sentence by sentence, and judged by the instructions themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from random import Random

from tahr.verifiers.instructions.composing import vocabulary
from tahr.verifiers.instructions.composing.draft import Draft, begun
from tahr.verifiers.instructions.composing.plans import PLANS, UNCHANGED
from tahr.verifiers.instructions.kind import Instruction, admits
from tahr.verifiers.instructions.response import Response, words_of

MAX_SENTENCES = 30
NUM_TRIES = 3
PLEASANT = 2  # plain sentences that an example has where it may

Named = Sequence[tuple[str, Instruction]]


def can_witness(name: str) -> bool:
    """Whether answers that keep instructions of this kind can be written."""
    return name in PLANS or name in UNCHANGED


def witness(named: Named, *, request: str, prompt: str, topic: str, random: Random) -> str | None:
    """A text that keeps every instruction and is no junk as an answer to `prompt`; None where none was found.

    `request` is the prompt without the instructions, `topic` what it is about ("" where that isn't known).
    """
    if not all(can_witness(name) for name, _ in named):
        return None
    allowed = frozenset[str]().union(*(admits(instruction) for _, instruction in named))
    for _ in range(NUM_TRIES):
        draft = Draft(random, request)
        for name, instruction in named:
            if name in PLANS:
                PLANS[name](draft, instruction)
        free = _in_order(_guards(named), draft, topic)
        for count in _counts(draft, len(free)):
            text = _written(draft, free[:count])
            response = Response.of(text, prompt)
            if all(instruction.kept(response).kept for _, instruction in named) and not response.junk(allowed):
                return text
    return None


def _counts(draft: Draft, most: int) -> list[int]:
    """How many plain sentences to try: few, but two or more before one or none."""
    fewest = max(draft.num_parts, draft.num_bullets + 1 if draft.num_bullets else 1)
    least = max(0, fewest - len(draft.needed) - len(draft.fixed))
    return sorted(range(least, most + 1), key=lambda count: (count < PLEASANT, count))


def _guards(named: Named) -> list[Instruction]:
    """Instructions that a text can't come to keep again by growing once it breaks them."""
    growing = {
        "count:count_unique",
        "keywords:exclude_word_harder",
        "keywords:forbidden_words",
        "keywords:no_adjacent_consecutive",
    }
    least = {"relation", "let_relation", "capital_relation"}
    return [
        instruction
        for name, instruction in named
        if name in growing or any(getattr(instruction, key, "") == "less than" for key in least)
    ]


def _in_order(guards: list[Instruction], draft: Draft, topic: str) -> list[str]:
    """Sentences in an order in which each may follow the ones before it."""
    if draft.fixed:
        return []
    about = [sentence.format(topic=topic) for sentence in vocabulary.ABOUT_TOPIC] if topic else []
    pool = [*draft.random.sample(about, min(2, len(about))), *vocabulary.ABOUT_ANYTHING]
    if draft.exact_words:
        pool = [sentence for sentence in pool if len(words_of(sentence)) == draft.exact_words]
    draft.random.shuffle(pool)
    chosen: list[str] = []
    for sentence in pool:
        text = " ".join([*draft.needed, *chosen, sentence])
        if len(chosen) < MAX_SENTENCES and all(guard.kept(Response(text)).kept for guard in guards):
            chosen.append(sentence)
    return chosen[: draft.num_sentences] if draft.num_sentences else chosen


def _written(draft: Draft, free: Sequence[str]) -> str:
    sentences = [*draft.fixed, *draft.needed, *free]
    for edit in draft.edits:
        sentences = edit(sentences)
    parts = _parts(sentences, draft.num_parts)
    texts = [_part(draft, number, part, last=number == len(parts)) for number, part in enumerate(parts, start=1)]
    text = draft.before + draft.divider.join(texts) + draft.after
    for frame in draft.frames:
        text = frame(text)
    return text


def _parts(sentences: Sequence[str], count: int) -> list[list[str]]:
    """The sentences in `count` parts of nearly equal size."""
    bounds = [len(sentences) * number // count for number in range(count + 1)]
    return [list(sentences[start:end]) for start, end in pairwise(bounds)]


def _part(draft: Draft, number: int, sentences: list[str], *, last: bool) -> str:
    if number in draft.openings and sentences:
        sentences = [begun(sentences[0], draft.openings[number]), *sentences[1:]]
    listed = sentences[-draft.num_bullets :] if last and draft.num_bullets else []
    told = sentences[: len(sentences) - len(listed)]
    heading = [f"{draft.label} {number}"] if draft.label else []
    return "\n".join([*heading, *([draft.between.join(told)] if told else []), *(f"* {line}" for line in listed)])
