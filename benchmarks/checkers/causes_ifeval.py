"""What explains each disagreement about IFEval's instructions; the first cause that applies counts."""

from __future__ import annotations

import re

from checkers.disagreement import Cause, laxer, stricter

IFEVAL_CAUSES = (
    Cause(
        names=("change_case:capital_word_frequency",),
        title="one capital letter alone",
        right="ours",
        why='"I", "A." and "B2" are spelt so whatever the case of the text: a refusal ("I\'m sorry, but I can\'t") '
        "would have written two words in capitals. We ask for two letters.",
        applies=lambda found: True,
    ),
    Cause(
        names=("change_case:english_capital", "change_case:english_lowercase"),
        title="the detector's guess at the language",
        right="ours",
        why="The case is kept and the text is English or too short to tell. Their detector, unseeded in the packages, "
        'takes "HELLO WORLD OK" for German and whole English answers in capitals for another language.',
        applies=laxer,
    ),
    Cause(
        names=("combination:repeat_prompt",),
        title="no answer behind the request",
        right="ours",
        why="The request is to be repeated and then answered; the request, or the prompt said back, is no answer.",
        applies=lambda found: stricter(found) and ("behind" in found.note or found.mode == "loose"),
    ),
    Cause(
        names=("combination:two_responses",),
        title="the same response twice",
        right="ours",
        why="Two responses that differ only in case are one.",
        applies=lambda found: stricter(found) and "same" in found.note,
    ),
    Cause(
        names=("combination:two_responses",),
        title="a separator that isn't six asterisks, or the prompt's own",
        right="ours",
        why='Seven asterisks are not six. In the prompt said back, "asterisks: ******." separates nothing from a dot.',
        applies=stricter,
    ),
    Cause(
        names=("detectable_content:number_placeholders",),
        title="brackets that name nothing",
        right="ours",
        why="A link, an empty box [ ] and a reference [1] are no placeholders such as [address].",
        applies=stricter,
    ),
    Cause(
        names=("detectable_content:postscript",),
        title="a marker in the midst of a sentence or of other words",
        right="ours",
        why='A postscript stands behind the text. "start with P.S." in the prompt said back, or the letters in '
        '"steps. collapsed", are none.',
        applies=lambda found: stricter(found) and found.note.startswith("no "),
    ),
    Cause(
        names=("detectable_content:postscript",),
        title="a marker with nothing behind it",
        right="ours",
        why="A postscript has a text.",
        applies=stricter,
    ),
    Cause(
        names=("detectable_format:constrained_response",),
        title="several of the answers, or an answer quoted",
        right="ours",
        why="One of the three must be given. Naming several, as the prompt itself does, answers nothing.",
        applies=lambda found: stricter(found) and (found.origin == "nothing" or "several" in found.note),
    ),
    Cause(
        names=("detectable_format:constrained_response",),
        title="the answer inside a longer sentence",
        right="open",
        why='"I would say that My answer is maybe." holds the phrase, but as part of another sentence.',
        applies=stricter,
    ),
    Cause(
        names=("detectable_format:title",),
        title="shift operators",
        right="ours",
        why='A title is wrapped: <<its words>>. In "int x = 1 << 3 >> 2;" two operators stand apart from the number '
        "between them.",
        applies=lambda found: stricter(found) and "<< " in found.text,
    ),
    Cause(
        names=("detectable_format:constrained_response",),
        title="the answer in small letters",
        right="open",
        why='"my answer is no." is the answer to a reader; the prompts show it with a capital.',
        applies=laxer,
    ),
    Cause(
        names=("detectable_format:json_format",),
        title="a bare word or number, an empty container, NaN",
        right="ours",
        why='"3", "null" and "{}" carry no answer in JSON format; NaN is not JSON.',
        applies=stricter,
    ),
    Cause(
        names=("detectable_format:multiple_sections",),
        title="a mention in a sentence",
        right="ours",
        why='"as Section 1 says" opens no section.',
        applies=stricter,
    ),
    Cause(
        names=("detectable_format:multiple_sections",),
        title="the label in another case, or Roman numbers",
        right="open",
        why='The prompts ask for "SECTION X"; "Section 1" and "SECTION I" read as the same heading.',
        applies=laxer,
    ),
    Cause(
        names=("detectable_format:number_bullet_lists",),
        title="emphasis and negative numbers counted as list items",
        right="ours",
        why='"*The river*" is emphasis and "-5 degrees" a number: a Markdown item has a space behind its mark.',
        applies=lambda found: bool(re.search(r"(?m)^\s*(\*[^\s*]|-\d)", found.text)),
    ),
    Cause(
        names=("detectable_format:number_bullet_lists",),
        title="rules counted as list items",
        right="ours",
        why='"---" and "***" are dividers.',
        applies=lambda found: bool(re.search(r"(?m)^\s*(-{3,}|\*{3,}|(\* ){2,}\*)\s*$", found.text)),
    ),
    Cause(
        names=("detectable_format:number_highlighted_sections",),
        title="asterisks that pair up wrongly",
        right="ours",
        why='Their pattern takes "* *" at a list item for a highlight and then pairs the marks wrongly; and '
        "it pairs an opening mark with the next opening one.",
        applies=lambda found: True,
    ),
    Cause(
        names=("keywords:existence", "keywords:frequency"),
        title="the keyword inside another word",
        right="ours",
        why='"moms", "history" and "communication" do not use the words "mom", "story" and "cat".',
        applies=lambda found: True,
    ),
    Cause(
        names=("keywords:forbidden_words",),
        title="where words end",
        right="ours",
        why='"file_name" uses the word "name"; "can\'t" is another word than "can".',
        applies=lambda found: True,
    ),
    Cause(
        names=("keywords:letter_frequency",),
        title="an argument replaced by a random one",
        right="ours",
        why='The data ask for "#" and "!"; the reference draws a random letter where it is given none of a to z.',
        applies=lambda found: found.args["letter"] in {"#", "!"},
    ),
    Cause(
        names=("language:response_language",),
        title="texts without a language",
        right="ours",
        why='".", "12345" and texts of a few letters have no language that could be told. The reference calls what '
        "its detector refuses a pass, and guesses at the rest. We say that it can't be decided, which is no pass.",
        applies=lambda found: found.ours is None,
    ),
    Cause(
        names=("language:response_language",),
        title="capitals confuse the detector",
        right="ours",
        why="The sentences are in the language asked for, in capital letters.",
        applies=lambda found: laxer(found) and found.text.isupper(),
    ),
    Cause(
        names=("language:response_language",),
        title="a foreign line in a text of another language",
        right="ours",
        why="The loose reading is a mixture, mainly in English.",
        applies=lambda found: found.mode == "loose",
    ),
    Cause(
        names=("length_constraints:nth_paragraph_first_word",),
        title="marks around the word, blank lines with a space",
        right="ours",
        why="**weekend** is the word weekend; a line of one space separates paragraphs as a blank one does.",
        applies=laxer,
    ),
    Cause(
        names=("length_constraints:number_paragraphs",),
        title="three asterisks inside a line",
        right="ours",
        why="The divider is a line of its own in Markdown; ***Bold*** is emphasis, and so is the mark in a sentence of "
        "the prompt said back.",
        applies=lambda found: bool(re.search(r"(?m)\*\*\*[ \t]*[^\s*]|[^\s*][ \t]*\*\*\*", found.text)),
    ),
    Cause(
        names=("length_constraints:number_sentences",),
        title="sentences of scripts without ASCII marks",
        right="ours",
        why="Chinese and Japanese sentences end with 。！？, which their English model does not know.",
        applies=lambda found: bool(re.search("[\u3002\uff01\uff1f]", found.text)),
    ),
    Cause(
        names=("length_constraints:number_sentences",),
        title="list numbers counted as sentences",
        right="ours",
        why='The "1." of a list item is no sentence.',
        applies=lambda found: found.mode == "loose" and bool(re.search(r"(?m)^\s*\d+\. ", found.text)),
    ),
    Cause(
        names=("length_constraints:number_sentences",),
        title="a text without words",
        right="ours",
        why='"." has no sentence.',
        applies=lambda found: not any(map(str.isalnum, found.text)),
    ),
    Cause(
        names=("length_constraints:number_sentences",),
        title="list items, headings, code and blank lines",
        right="open",
        why="Their model reads on over line ends until a full stop, so that a whole list, a heading and the paragraph "
        "below it, or a program are one sentence; we begin a new one there.",
        applies=lambda found: "\n" in found.text,
    ),
    Cause(
        names=("length_constraints:number_sentences",),
        title="abbreviations, ellipses and quotes",
        right="open",
        why="Rules against a statistical model on one text in a hundred.",
        applies=lambda found: True,
    ),
    Cause(
        names=("length_constraints:number_words",),
        title="a word with an apostrophe is one",
        right="ours",
        why='"don\'t" is one word; the reference counts "don" and "t".',
        applies=lambda found: "'" in found.text or "\u2019" in found.text,
    ),
    Cause(
        names=("length_constraints:number_words",),
        title="underscores and numbers",
        right="open",
        why='"snake_case" is two words to us, as "well-known" is to both; marks between digits are read differently.',
        applies=lambda found: True,
    ),
    Cause(
        names=("punctuation:no_comma",),
        title="commas of other scripts",
        right="ours",
        why='"、" and "，" are commas.',
        applies=stricter,
    ),
    Cause(
        names=("startend:end_checker",),
        title="asterisks behind the phrase",
        right="ours",
        why="No other words follow the phrase in **phrase**.",
        applies=laxer,
    ),
    Cause(
        names=("startend:end_checker",),
        title="the phrase begins inside a word",
        right="ours",
        why='"xCan I get..." ends with another word than "Can".',
        applies=stricter,
    ),
    Cause(
        names=("startend:quotation",),
        title="two quotations, or an empty one",
        right="ours",
        why='"Yes," he said, "no" begins and ends with a quoted piece and is not wrapped; "" holds nothing.',
        applies=stricter,
    ),
    Cause(
        names=("startend:quotation",),
        title="curly quotation marks",
        right="ours",
        why="“…” are double quotation marks.",
        applies=laxer,
    ),
)
