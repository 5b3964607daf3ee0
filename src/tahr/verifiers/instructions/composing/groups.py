"""The kinds of instructions by where they come from, and which of them training keeps away from."""

from __future__ import annotations

from collections.abc import Sequence

from tahr.core.errors import InputError, UnknownNameError

_IFEVAL = """
    change_case:capital_word_frequency change_case:english_capital change_case:english_lowercase
    combination:repeat_prompt combination:two_responses detectable_content:number_placeholders
    detectable_content:postscript detectable_format:constrained_response detectable_format:json_format
    detectable_format:multiple_sections detectable_format:number_bullet_lists
    detectable_format:number_highlighted_sections detectable_format:title keywords:existence
    keywords:forbidden_words keywords:frequency keywords:letter_frequency language:response_language
    length_constraints:nth_paragraph_first_word length_constraints:number_paragraphs
    length_constraints:number_sentences length_constraints:number_words punctuation:no_comma startend:end_checker
    startend:quotation
"""
_TRAINING = """
    copy:copy copy:copying_multiple copy:copying_simple copy:repeat_phrase count:count_increment_word
    count:count_unique count:counting_composition count:lowercase_counting detectable_format:bigram_wrapping
    detectable_format:sentence_hyphens detectable_format:square_brackets first_word:first_word_answer
    first_word:first_word_sent keywords:exclude_word_harder keywords:keyword_specific_position
    keywords:no_adjacent_consecutive keywords:palindrome keywords:start_end keywords:word_count_different_numbers
    keywords:word_once last_word:last_word_answer last_word:last_word_sent letters:letter_counting
    letters:letter_counting2 new:copy_span_idx paragraphs:paragraphs paragraphs:paragraphs2
    punctuation:punctuation_dot punctuation:punctuation_exclamation
"""
_IFBENCH = """
    count:conjunctions count:keywords_multiple count:numbers count:person_names count:pronouns count:punctuation
    count:unique_word_count count:word_count_range count:words_japanese custom:character_reverse custom:csv_city
    custom:csv_quotes custom:csv_special_character custom:date_format_list custom:european_capitals_sort
    custom:mcq_count_length custom:multiples custom:reverse_newline custom:sentence_alphabet custom:word_reverse
    format:emoji format:line_indent format:list format:newline format:no_bullets_bullets format:no_whitespace
    format:options format:output_template format:parentheses format:quote_unquote format:quotes format:sub-bullets
    format:thesis format:title_case ratio:overlap ratio:sentence_balance ratio:sentence_type ratio:sentence_words
    ratio:stop_words repeat:repeat_change repeat:repeat_simple repeat:repeat_span sentence:alliteration_increment
    sentence:increment sentence:keyword words:alphabet words:consonants words:keywords_specific_position
    words:last_first words:no_consecutive words:odd_even_syllables words:palindrome words:paragraph_last_first
    words:prime_lengths words:repeats words:start_verb words:vowel words:words_position
"""

IFEVAL = tuple(_IFEVAL.split())
"""The types of IFEval (Zhou et al. 2023, arXiv:2311.07911)."""

TRAINING = tuple(_TRAINING.split())
"""Types made for training (Pyatkin et al. 2025, arXiv:2507.02833, section 3)."""

IFBENCH = tuple(_IFBENCH.split())
"""The types of IFBench (same paper): their use is to measure what was never trained on."""

GROUPS = {"ifeval": IFEVAL, "training": TRAINING, "ifbench": IFBENCH}
"""Groups by name; the part of an id before the colon names a group too."""


def ids_of(names: Sequence[str]) -> list[str]:
    """The ids of groups, of prefixes such as "keywords", and of kinds, each once and in order.

    Raises UnknownNameError with the nearest name.
    """
    every = [*IFEVAL, *TRAINING, *IFBENCH]
    prefixes = {name.partition(":")[0] for name in every}
    chosen: dict[str, None] = {}
    for name in names:
        if name in GROUPS:
            found: Sequence[str] = GROUPS[name]
        elif name in prefixes:
            found = [kind for kind in every if kind.partition(":")[0] == name and kind not in IFBENCH]
        elif name in every:
            found = [name]
        else:
            raise UnknownNameError("instruction or group of instructions", name, [*GROUPS, *prefixes, *every])
        chosen.update(dict.fromkeys(found))
    return list(chosen)


def keep_benchmark_out(ids: Sequence[str]) -> None:
    """Raise InputError where one of the ids is of `IFBENCH`."""
    held_out = sorted(set(ids) & set(IFBENCH))
    if held_out:
        raise InputError(
            "these kinds of instructions measure what was never trained on: training on them makes IFBench worthless",
            received=", ".join(held_out[:5]) + (", ..." if len(held_out) > 5 else ""),
            instead="other kinds, or include_ifbench = true and no claim from IFBench",
        )
