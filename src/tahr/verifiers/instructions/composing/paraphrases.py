"""Other ways to ask for IFEval's kinds of instructions, so that a policy learns the request and not its wording."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from tahr.verifiers.instructions.kind import Instruction
from tahr.verifiers.instructions.kinds.structure import ANSWERS
from tahr.verifiers.instructions.language import LANGUAGES
from tahr.verifiers.instructions.wording import counted, listed, ordinal, plural, times

Paraphrases = Callable[[Any], Sequence[str]]


def wordings(name: str, instruction: Instruction) -> tuple[str, ...]:
    """The sentences that may ask for an instruction: its own first, then paraphrases where there are any."""
    return (instruction.describe(), *(PARAPHRASES[name](instruction) if name in PARAPHRASES else ()))


def worded(name: str, instruction: Instruction, random: Random) -> str:
    """One of the wordings, each as likely as the others."""
    return random.choice(wordings(name, instruction))


def _fixed(*sentences: str) -> Paraphrases:
    return lambda _: sentences


def _capital_words(it: Any) -> list[str]:
    number = counted(it.capital_relation, it.capital_frequency, "word")
    return [
        f"Of all your words, {number} must be fully capitalised.",
        f"Put {number} into capitals from first to last.",
    ]


def _sections(it: Any) -> list[str]:
    number, label = plural(it.num_sections, "section"), it.section_spliter
    return [
        f'Divide the text into {number} and head them "{label} 1", "{label} 2" and so on, each on its own line.',
        f"I need {number}, each one under a line with the label {label} and a number.",
    ]


def _bullets(it: Any) -> list[str]:
    points = plural(it.num_bullets, "bullet point")
    return [
        f'There must be {points}, no more and no fewer, written as lines like "* this".',
        f"Include exactly {points} in Markdown.",
    ]


def _highlights(it: Any) -> list[str]:
    pieces = plural(it.num_highlights, "passage")
    return [
        f"Mark {pieces} or more by *single asterisks* on both sides.",
        f"Emphasise no fewer than {pieces} in Markdown, *this way*.",
    ]


def _existence(it: Any) -> list[str]:
    words = listed(it.keywords)
    return [f"Somewhere in your answer there must be {words}.", f"Make sure that {words} can be found in the text."]


def _forbidden(it: Any) -> list[str]:
    words = listed(it.forbidden_words).replace('" and "', '" or "')
    return [f"Leave out {words} altogether.", f"Nowhere may your answer say {words}."]


def _frequency(it: Any) -> list[str]:
    often = times(it.relation, it.frequency)
    return [f'"{it.keyword}" must occur {often}.', f'I want to read the word "{it.keyword}" {often} in your answer.']


def _letter(it: Any) -> list[str]:
    often = times(it.let_relation, it.let_frequency)
    return [
        f'Across the whole text, "{it.letter}" must be written {often}.',
        f"Work in the letter {it.letter} {often}, large or small.",
    ]


def _language(it: Any) -> list[str]:
    language = LANGUAGES[it.language]
    return [f"Your entire answer must be in {language}.", f"Reply in {language}, without words of other languages."]


def _nth_paragraph(it: Any) -> list[str]:
    number, nth = plural(it.num_paragraphs, "paragraph"), ordinal(it.nth_paragraph)
    return [
        f'I want {number}, set apart by blank lines, and "{it.first_word}" as the first word of the {nth} one.',
        f'Split the answer into {number} by empty lines. Open the {nth} with "{it.first_word}".',
    ]


def _paragraphs(it: Any) -> list[str]:
    number = plural(it.num_paragraphs, "paragraph")
    return [
        f"I want {number}, separated by lines of three asterisks: ***",
        f"Split your answer into {number} by the divider *** on a line of its own.",
    ]


def _sentences(it: Any) -> list[str]:
    number = counted(it.relation, it.num_sentences, "sentence")
    return [f"The length must be {number}.", f"I expect {number} from you."]


def _words(it: Any) -> list[str]:
    number = counted(it.relation, it.num_words, "word")
    return [f"The text must have {number}.", f"Keep the length to {number}."]


def _end(it: Any) -> list[str]:
    return [
        f'The very last words must be "{it.end_phrase}"',
        f'Close with the phrase "{it.end_phrase}" and add nothing behind it.',
    ]


def _repeat(_: Any) -> list[str]:
    return [
        "First copy out everything above word for word, and only then answer it.",
        "Before you answer, say the whole request above again without any change.",
    ]


def _placeholders(it: Any) -> list[str]:
    number = plural(it.num_placeholders, "placeholder")
    return [
        f"Leave {number} or more to be filled in, in square brackets such as [date].",
        f"Your text needs no fewer than {number} of the form [address].",
    ]


def _postscript(it: Any) -> list[str]:
    mark = it.postscript_marker
    return [f"Add a postscript at the bottom that opens with {mark}", f"Finish with a note behind the mark {mark}"]


PARAPHRASES: dict[str, Paraphrases] = {
    "change_case:capital_word_frequency": _capital_words,
    "change_case:english_capital": _fixed(
        "Write in English, with every letter a capital.",
        "No small letters, please: the English text must be all capitals.",
    ),
    "change_case:english_lowercase": _fixed(
        "Write in English without a single capital letter.", "Keep every letter of your English text small."
    ),
    "combination:repeat_prompt": _repeat,
    "combination:two_responses": _fixed(
        "I want two answers that are not the same, divided by a line of ******",
        "Write one answer, then ****** and then another that differs from it.",
    ),
    "detectable_content:number_placeholders": _placeholders,
    "detectable_content:postscript": _postscript,
    "detectable_format:constrained_response": _fixed(
        f"Choose between these answers: {' '.join(ANSWERS)}",
        f"Say one of the following and none of the others: {' '.join(ANSWERS)}",
    ),
    "detectable_format:json_format": _fixed(
        "Everything you write must be one valid JSON object.",
        "Wrap the complete output in JSON and write nothing around it.",
    ),
    "detectable_format:multiple_sections": _sections,
    "detectable_format:number_bullet_lists": _bullets,
    "detectable_format:number_highlighted_sections": _highlights,
    "detectable_format:title": _fixed(
        "Put a heading above the text, written as <<heading>>.", "I need a title too, set between << and >>."
    ),
    "keywords:existence": _existence,
    "keywords:forbidden_words": _forbidden,
    "keywords:frequency": _frequency,
    "keywords:letter_frequency": _letter,
    "language:response_language": _language,
    "length_constraints:nth_paragraph_first_word": _nth_paragraph,
    "length_constraints:number_paragraphs": _paragraphs,
    "length_constraints:number_sentences": _sentences,
    "length_constraints:number_words": _words,
    "punctuation:no_comma": _fixed("Write without commas.", "There must not be one comma in your answer."),
    "startend:end_checker": _end,
    "startend:quotation": _fixed(
        "Begin and end with a double quotation mark.", 'Set everything that you write between " and ".'
    ),
}
"""Two further wordings of each of IFEval's kinds, none of them taken from its prompts."""

LEADS = ("Requirements:", "Please keep to these rules:", "Mind the following:", "Your answer must fit this:")
_JOINED = frozenset(
    {"Use", "Write", "Do", "Answer", "Give", "Put", "End", "Highlight", "Leave", "Add", "Include", "Mark"}
)


def joined(request: str, sentences: Sequence[str], random: Random) -> str:
    """The request with the sentences behind it, below it, before it, as a list, or the first one in its sentence."""
    said = " ".join(sentences)
    if not said:
        return request
    layout = random.choice(("behind", "behind", "below", "before", "list", "numbered", "within"))
    if layout == "before":
        return f"{said}\n\n{request}"
    if layout == "below":
        return f"{request}\n\n{said}"
    if layout in {"list", "numbered"}:
        lines = [f"{f'{n}.' if layout == 'numbered' else '-'} {one}" for n, one in enumerate(sentences, start=1)]
        return "\n".join([request, "", random.choice(LEADS), *lines])
    if layout == "within" and request.endswith(".") and said.partition(" ")[0] in _JOINED:
        return f"{request[:-1]}, and {said[0].lower()}{said[1:]}"
    return f"{request} {said}"
