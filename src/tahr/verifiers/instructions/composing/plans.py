"""How each kind of instruction changes the plan of an answer. Kinds that only rule words out need no entry."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tahr.verifiers.instructions.composing import vocabulary
from tahr.verifiers.instructions.composing.draft import (
    Draft,
    begun,
    divided,
    each,
    ended,
    frequent,
    placed,
    same_phrase,
    set_lines,
    three_parts,
    two_by_two,
)

Plan = Callable[[Draft, Any], None]

PLANS: dict[str, Plan] = {}
"""How a kind changes a draft, by id."""

UNCHANGED = frozenset(
    {
        "count:count_unique",
        "count:lowercase_counting",
        "keywords:exclude_word_harder",
        "keywords:forbidden_words",
        "keywords:letter_frequency",
        "keywords:no_adjacent_consecutive",
        "length_constraints:number_sentences",
        "length_constraints:number_words",
        "letters:letter_counting",
        "letters:letter_counting2",
        "punctuation:no_comma",
        "punctuation:punctuation_exclamation",
    }
)
"""Kinds that are kept by choosing which sentences to write, and how many."""


def plan(*names: str) -> Callable[[Plan], Plan]:
    """Decorator that files a plan under the ids of its kinds."""

    def file(change: Plan) -> Plan:
        PLANS.update(dict.fromkeys(names, change))
        return change

    return file


@plan("keywords:existence")
def _existence(draft: Draft, it: Any) -> None:
    for word in it.keywords:
        draft.use(word)


@plan("keywords:word_once")
def _once(draft: Draft, it: Any) -> None:
    draft.use(it.keyword)


@plan("keywords:frequency", "keywords:word_count_different_numbers")
def _frequency(draft: Draft, it: Any) -> None:
    frequent(draft, it.relation, it.keyword, it.frequency)


@plan("count:count_increment_word")
def _increment(draft: Draft, it: Any) -> None:
    draft.use(it.keyword1)
    draft.use(it.keyword2, 2)


@plan("keywords:palindrome")
def _palindrome(draft: Draft, _: Any) -> None:
    draft.use(draft.random.choice(vocabulary.PALINDROMES))


@plan("keywords:keyword_specific_position")
def _position(draft: Draft, it: Any) -> None:
    draft.edits.append(lambda sentences: placed(sentences, it.keyword, it.n, it.m))


@plan("change_case:capital_word_frequency")
def _capital_words(draft: Draft, it: Any) -> None:
    if it.capital_relation == "at least":
        for word in draft.random.sample(vocabulary.KEYWORDS, it.capital_frequency):
            draft.use(word.upper())


@plan("change_case:english_capital")
def _capital(draft: Draft, _: Any) -> None:
    draft.frames.append(str.upper)


@plan("change_case:english_lowercase")
def _lowercase(draft: Draft, _: Any) -> None:
    draft.frames.append(str.lower)


@plan("detectable_content:number_placeholders")
def _placeholders(draft: Draft, it: Any) -> None:
    draft.needed.extend(f"Ask [{word}] for more." for word in ("name", "address", "date")[: it.num_placeholders])


@plan("detectable_format:number_highlighted_sections")
def _highlights(draft: Draft, it: Any) -> None:
    for word in draft.random.sample(vocabulary.KEYWORDS, it.num_highlights):
        draft.use(f"*{word}*")


@plan("detectable_format:constrained_response")
def _constrained(draft: Draft, _: Any) -> None:
    draft.fixed.append(f"My answer is {draft.random.choice(('yes', 'no', 'maybe'))}.")


@plan("language:response_language")
def _language(draft: Draft, it: Any) -> None:
    draft.fixed.extend(f"{part.rstrip('.')}." for part in vocabulary.IN_LANGUAGES[it.language].split(". "))


@plan("copy:repeat_phrase")
def _phrase(draft: Draft, it: Any) -> None:
    draft.fixed.extend(same_phrase(it.phrase, it.small_n))


@plan("detectable_format:number_bullet_lists")
def _bullets(draft: Draft, it: Any) -> None:
    set_lines(draft, it)


@plan("detectable_format:multiple_sections")
def _sections(draft: Draft, it: Any) -> None:
    divided(draft, it.num_sections, "\n")
    draft.label = it.section_spliter


@plan("detectable_format:title")
def _title(draft: Draft, _: Any) -> None:
    draft.before = "<<Some thoughts>>\n"


@plan("length_constraints:number_paragraphs")
def _paragraphs(draft: Draft, it: Any) -> None:
    divided(draft, it.num_paragraphs, "\n***\n")


@plan("length_constraints:nth_paragraph_first_word")
def _nth_paragraph(draft: Draft, it: Any) -> None:
    divided(draft, it.num_paragraphs, "\n\n")
    draft.openings[it.nth_paragraph] = it.first_word


@plan("paragraphs:paragraphs")
def _two_paragraphs(draft: Draft, _: Any) -> None:
    divided(draft, 2, "\n***\n")


@plan("paragraphs:paragraphs2")
def _two_spaced_paragraphs(draft: Draft, _: Any) -> None:
    divided(draft, 2, "\n\n")


@plan("combination:two_responses")
def _two_responses(draft: Draft, _: Any) -> None:
    divided(draft, 2, "\n******\n")


@plan("count:counting_composition")
def _composition(draft: Draft, it: Any) -> None:
    three_parts(draft, it)


@plan("first_word:first_word_answer")
def _first_word(draft: Draft, it: Any) -> None:
    draft.openings[1] = it.first_word


@plan("first_word:first_word_sent")
def _first_words(draft: Draft, it: Any) -> None:
    draft.edits.append(each(lambda sentence: begun(sentence, it.first_word)))


@plan("last_word:last_word_sent")
def _last_words(draft: Draft, it: Any) -> None:
    draft.edits.append(each(lambda sentence: ended(sentence, it.last_word)))


@plan("last_word:last_word_answer")
def _last_word(draft: Draft, it: Any) -> None:
    draft.after = f" Come back {it.last_word}."


@plan("keywords:start_end")
def _start_end(draft: Draft, _: Any) -> None:
    draft.openings[1] = "Maybe"
    draft.after = " It may be true or only maybe"


@plan("startend:end_checker")
def _end(draft: Draft, it: Any) -> None:
    draft.after = f" {it.end_phrase}"


@plan("detectable_content:postscript")
def _postscript(draft: Draft, it: Any) -> None:
    draft.after = f"\n{it.postscript_marker} Write back soon."


@plan("startend:quotation")
def _quotation(draft: Draft, _: Any) -> None:
    draft.frames.append(lambda text: f'"{text}"')


@plan("detectable_format:json_format")
def _json(draft: Draft, _: Any) -> None:
    draft.frames.append(lambda text: json.dumps({"answer": text}, ensure_ascii=False))


@plan("detectable_format:sentence_hyphens")
def _hyphens(draft: Draft, _: Any) -> None:
    draft.between = "-"


@plan("detectable_format:square_brackets")
def _brackets(draft: Draft, _: Any) -> None:
    draft.frames.append(lambda text: " ".join(f"[{word}]" for word in text.split()))


@plan("detectable_format:bigram_wrapping")
def _pairs(draft: Draft, _: Any) -> None:
    draft.frames.append(two_by_two)


@plan("punctuation:punctuation_dot")
def _no_dots(draft: Draft, _: Any) -> None:
    draft.edits.append(each(lambda sentence: sentence.replace(".", "!" if draft.random.random() < 0.5 else "?")))


@plan("combination:repeat_prompt")
def _repeat(draft: Draft, it: Any) -> None:
    draft.frames.append(lambda text: f"{it.prompt_to_repeat}\n\n{text}")


@plan("copy:copy", "copy:copying_simple")
def _copy(draft: Draft, it: Any) -> None:
    draft.frames.append(lambda _: it.prompt_to_repeat)


@plan("copy:copying_multiple")
def _copies(draft: Draft, it: Any) -> None:
    draft.frames.append(lambda _: "\n******\n".join([it.prompt_to_repeat] * it.N))


@plan("new:copy_span_idx")
def _copy_span(draft: Draft, it: Any) -> None:
    draft.frames.append(lambda _: it.prompt_to_repeat[it.n_start : it.n_end + 1])
