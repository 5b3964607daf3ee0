"""Made texts for the 25 instructions of IFEval."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from checkers.languages import SENTENCES

Args = Mapping[str, Any]
SENTENCE = "The river runs past the old mill before it meets the sea."


def _existence(args: Args, base: str, _: str) -> list[str]:
    words = args["keywords"]
    return [
        f"{base} {' '.join(words)}.",
        f"{base} {' '.join(word + 's' for word in words)}.",
        f"{SENTENCE} {', '.join(words[:-1])}",
        f"{SENTENCE} {' '.join(f'**{word.upper()}**' for word in words)}",
        f"{SENTENCE} {' '.join(f'un{word}ish' for word in words)}",
    ]


def _forbidden(args: Args, base: str, _: str) -> list[str]:
    word = args["forbidden_words"][0]
    return [base, f"{base} {word}", f"{SENTENCE} {word.upper()}!", f"{SENTENCE} {word}s", f"{SENTENCE} un{word}able"]


def _frequency(args: Args, base: str, _: str) -> list[str]:
    word, count = args["keyword"], args["frequency"]
    return [
        f"{base} " + " ".join([word] * count),
        f"{SENTENCE} " + " ".join([word] * (count - 1)),
        f"{SENTENCE} " + ", ".join([word.capitalize()] * count),
        f"{SENTENCE} " + " ".join([f"{word}s"] * count),
        f"{SENTENCE} " + " ".join([f"{word}-like"] * count),
    ]


def _letters(args: Args, base: str, _: str) -> list[str]:
    letter, count = args["letter"], args["let_frequency"]
    return [f"{base} {letter * count}", f"Muddy. {letter * (count - 1)}", f"Muddy. {letter.upper() * count}"]


def _language(args: Args, base: str, _: str) -> list[str]:
    text = SENTENCES.get(args["language"], "")
    return [text, f"{text} {base}", f"{base}\n\n{text}", "HELLO WORLD OK", "12345 67890", text[:12], text.upper()]


def _sentences(args: Args, base: str, _: str) -> list[str]:
    count = args["num_sentences"]
    return [
        " ".join([SENTENCE] * count),
        " ".join([SENTENCE] * (count - 1)) or "No",
        " ".join(["Dr. Smith met Mrs. Jones at 5 p.m. in St. Louis."] * count),
        "\n".join(["- The river runs"] * count),
        "\n".join(f"{i}. The river runs past the mill." for i in range(1, count + 1)),
        " ".join(["Wait... what?! The river (the old one) runs."] * (count - 1)) or "Oh",
        " ".join(['"Go." "Come." He left.'] * max(1, count // 3)),
        base,
    ]


def _paragraphs(args: Args, base: str, _: str) -> list[str]:
    count = args["num_paragraphs"]
    return [
        "\n\n***\n\n".join([SENTENCE] * count),
        "\n***\n".join([SENTENCE] * (count - 1)),
        " *** ".join([SENTENCE] * count),
        "\n* * *\n".join([SENTENCE] * count),
        "***\n" + "\n***\n".join([SENTENCE] * count) + "\n***",
        "\n\n---\n\n".join([SENTENCE] * count),
        "\n\n".join(["***Bold*** words here."] + [SENTENCE] * (count - 1)),
    ]


def _words(args: Args, base: str, _: str) -> list[str]:
    count = args["num_words"]
    return [
        " ".join(["river"] * count),
        " ".join(["river"] * (count - 1)),
        " ".join(["well-known"] * (count // 2 + 1)),
        " ".join(["don't"] * (count // 2 + 1)),
        " ".join(["river"] * (count - 1) + ["&", "—", "***"]),
        " ".join(["3.5"] * (count // 2 + 1)),
        base,
    ]


def _nth_paragraph(args: Args, _: str, __: str) -> list[str]:
    count, nth, word = args["num_paragraphs"], args["nth_paragraph"], args["first_word"]

    def text(first: str, number: int, separator: str) -> str:
        return separator.join(f"{first if i == nth else 'The'} river runs." for i in range(1, number + 1))

    return [
        text(word.capitalize(), count, "\n\n"),
        text(f'"{word}"', count, "\n\n"),
        text(f"**{word}**", count, "\n\n\n"),
        text(word, count, "\n"),
        text(word, count + 1, "\n\n"),
        text(f"{word}s", count, "\n\n"),
        text(f"{word}, the", count, "\n \n"),
    ]


def _placeholders(args: Args, _: str, __: str) -> list[str]:
    count = args["num_placeholders"]
    return [
        SENTENCE + " [name]" * count,
        SENTENCE + " [name]" * (count - 1),
        SENTENCE + " [link](http://a.org)" * count,
        SENTENCE + " [ ]" * count,
        SENTENCE + " [1]" * count,
        SENTENCE + " {name}" * count,
    ]


def _postscript(args: Args, _: str, __: str) -> list[str]:
    marker = args["postscript_marker"]
    return [
        f"{SENTENCE}\n\n{marker} Bring a coat.",
        f"{SENTENCE}\n\n**{marker}** Bring a coat.",
        f"{SENTENCE} {marker}: Bring a coat.",
        f"{SENTENCE}\n\n{marker}",
        f"{SENTENCE}\n\n{marker.replace('.', '')} Bring a coat.",
        f"{SENTENCE}\n\n{marker.replace('.', '. ')} Bring a coat.",
        "The apps. Steps. Collapsed p.p.see.",
    ]


def _bullets(args: Args, _: str, __: str) -> list[str]:
    count = args["num_bullets"]
    return [
        "Here:\n" + "\n".join(["* The river"] * count),
        "Here:\n" + "\n".join(["- The river"] * count),
        "Here:\n" + "\n".join(["• The river"] * count),
        "Here:\n" + "\n".join(["1. The river"] * count),
        "Here:\n" + "\n".join(["* The river"] * (count - 1)),
        "Here:\n---\n" + "\n".join(["* The river"] * count),
        "Here:\n" + "\n".join(["* The river"] * count) + "\n***\nEnd.",
        "**Here**\n" + "\n".join(["* **The** river"] * count),
        "Here:\n" + "\n".join(["* The river"] * count) + "\n-5 degrees",
        "Here:\n" + "\n".join(["*The river*"] * count),
        "Here:\n" + "\n".join(["* The river"] * (count - 1)) + "\n  - a mill",
    ]


def _constrained(_: Args, __: str, ___: str) -> list[str]:
    return [
        "My answer is yes.",
        "My answer is no. The river is too deep.",
        "**My answer is maybe.**",
        "My answer is yes",
        "my answer is no.",
        "My answer is yes. My answer is no.",
        "I would say that My answer is maybe.",
        "Yes.",
    ]


def _highlights(args: Args, base: str, _: str) -> list[str]:
    count = args["num_highlights"]
    return [
        SENTENCE + " *the mill*" * count,
        SENTENCE + " *the mill*" * (count - 1),
        SENTENCE + " **the mill**" * count,
        SENTENCE + " **the mill**" * ((count + 1) // 2),
        "It is " + " * ".join(["2"] * (2 * count)) + ".",
        "\n".join(["* the river", "* the mill"] * count),
        SENTENCE + " ***the mill***" * count,
        SENTENCE + " ****" * count,
        f"*{base}*",
        SENTENCE + " _the mill_" * count,
    ]


def _sections(args: Args, base: str, _: str) -> list[str]:
    label, count = args["section_spliter"], args["num_sections"]
    numbers = range(1, count + 1)
    return [
        "\n".join(f"{label} {i}\n{SENTENCE}" for i in numbers),
        "\n\n".join(f"**{label} {i}:** {SENTENCE}" for i in numbers),
        "\n\n".join(f"## {label.capitalize()} {i}\n{SENTENCE}" for i in numbers),
        "\n".join(f"{label} {i}\n{SENTENCE}" for i in numbers[:-1]),
        " ".join(f"As {label} {i} says, the river runs." for i in numbers),
        "\n".join(f"{label} {number}\n{SENTENCE}" for number in ("I", "II", "III", "IV", "V", "VI")[:count]),
    ]


def _json(_: Args, __: str, ___: str) -> list[str]:
    return [
        '{"river": "mill"}',
        '```json\n{"river": [1, 2]}\n```',
        '```\n["river"]\n```',
        "3",
        '"river"',
        "{}",
        "null",
        '{"river": NaN}',
        '{"river": "mill",}',
        'Here it is:\n```json\n{"river": 1}\n```',
        "{'river': 'mill'}",
        '{"river": 1, "river": 2}',
    ]


def _title(_: Args, base: str, __: str) -> list[str]:
    return [
        f"<<The River>>\n\n{base}",
        f"{base} <<river>>",
        f"<< >>\n{base}",
        f"<<>> {base}",
        f"# The River\n{base}",
        f"<The River>\n{base}",
        f"<<The\nRiver>>\n{base}",
        "int x = 1 << 3 >> 2;",
        "«The River»",
    ]


def _two(_: Args, base: str, __: str) -> list[str]:
    return [
        f"{SENTENCE}\n******\n{base}",
        f"{SENTENCE}******{base}",
        f"{SENTENCE}\n******\n{SENTENCE}",
        f"{SENTENCE}\n***\n{base}",
        f"{SENTENCE}\n******\n{base}\n******",
        f"{SENTENCE}\n******\n{base}\n******\nThe end.",
        f"{SENTENCE}\n*******\n{base}",
        f"{SENTENCE}\n******\n******\n{base}",
        f"{SENTENCE}\n******\n{SENTENCE.upper()}",
    ]


def _repeat(args: Args, base: str, prompt: str) -> list[str]:
    request = args["prompt_to_repeat"]
    return [
        f"{request}\n\n{base}",
        request,
        f"Sure. {request}\n\n{base}",
        f"{request.lower()}\n\n{base}",
        f'"{request}"\n\n{base}',
        f"{request} {request}",
        f"{request[:-1]}\n\n{base}",
        " ".join(request.split()) + f"\n\n{base}",
    ]


def _end(args: Args, base: str, _: str) -> list[str]:
    phrase = args["end_phrase"]
    return [
        f"{base}\n\n{phrase}",
        f"{base} {phrase.upper()}",
        f"{base} {phrase} Thanks!",
        f'"{base} {phrase}"',
        f"{base} **{phrase}**",
        f"{base} {phrase}.",
        f"{base} {phrase}\n\n",
        f"{base} x{phrase}",
    ]


def _capitals(args: Args, base: str, _: str) -> list[str]:
    count = args["capital_frequency"]
    return [
        "The river. " + " ".join(["NASA"] * count),
        "The river. " + " ".join(["NASA"] * (count - 1)),
        "The river. " + " ".join(["I saw"] * count),
        "The river. " + " ".join(["WELL-KNOWN"] * count),
        "The river. " + " ".join(["B2"] * count),
        "The river. " + " ".join(["A."] * count),
        "The river. " + " ".join(["DON'T"] * count),
    ]


def _upper(_: Args, base: str, __: str) -> list[str]:
    return [
        base.upper(),
        base,
        base.upper() + " ok",
        "ΚΑΛΗΜΕΡΑ ΣΑΣ ΦΙΛΟΙ ΜΟΥ",
        "HELLO WORLD OK",
        "123",
        "I AM",
        "STRASSE ß",
    ]


def _lower(_: Args, base: str, __: str) -> list[str]:
    return [base.lower(), base, base.lower() + " OK", "καλημέρα σας φίλοι μου", "hello world ok", "123", "i am", "ok ǅ"]


def _commas(_: Args, base: str, __: str) -> list[str]:
    return [base.replace(",", ""), base, "One、two", "One，two", "1,000", "A;B"]


def _quotation(_: Args, base: str, __: str) -> list[str]:
    plain = base.replace('"', "'")
    return [
        f'"{plain}"',
        f"“{plain}”",
        f'"{plain}',
        f"'{plain}'",
        f'"Yes," he said, "{plain}"',
        '""',
        '"',
        f'"{plain}".',
    ]


IFEVAL: dict[str, Callable[[Args, str, str], list[str]]] = {
    "keywords:existence": _existence,
    "keywords:forbidden_words": _forbidden,
    "keywords:frequency": _frequency,
    "keywords:letter_frequency": _letters,
    "language:response_language": _language,
    "length_constraints:number_sentences": _sentences,
    "length_constraints:number_paragraphs": _paragraphs,
    "length_constraints:number_words": _words,
    "length_constraints:nth_paragraph_first_word": _nth_paragraph,
    "detectable_content:number_placeholders": _placeholders,
    "detectable_content:postscript": _postscript,
    "detectable_format:number_bullet_lists": _bullets,
    "detectable_format:constrained_response": _constrained,
    "detectable_format:number_highlighted_sections": _highlights,
    "detectable_format:multiple_sections": _sections,
    "detectable_format:json_format": _json,
    "detectable_format:title": _title,
    "combination:two_responses": _two,
    "combination:repeat_prompt": _repeat,
    "startend:end_checker": _end,
    "change_case:capital_word_frequency": _capitals,
    "change_case:english_capital": _upper,
    "change_case:english_lowercase": _lower,
    "punctuation:no_comma": _commas,
    "startend:quotation": _quotation,
}
