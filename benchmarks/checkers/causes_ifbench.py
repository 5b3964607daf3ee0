"""What explains each disagreement about IFBench's instructions; the first cause that applies counts."""

from __future__ import annotations

import re

from checkers.disagreement import Cause, laxer, stricter

BARE = re.compile(r"\W*\w?\W*|I'm sorry, but I can't help with that\.")


def _nothing(*names: str, why: str) -> Cause:
    """A short text that keeps the rule because there is too little of it to break the rule."""
    return Cause(
        names=names,
        title="too little text for the rule to mean anything",
        right="ours",
        why=why,
        applies=lambda found: (
            found.ours is False
            and (
                bool(BARE.fullmatch(found.text))
                or bool(re.search(r"fewer than|only \d+ words?$|no words|^no |paragraph of|0 statements", found.note))
            )
        ),
    )


VACUOUS = (
    _nothing(
        "words:alphabet",
        "words:no_consecutive",
        "words:odd_even_syllables",
        "words:prime_lengths",
        "words:consonants",
        "words:last_first",
        "words:paragraph_last_first",
        "words:repeats",
        "sentence:increment",
        "sentence:alliteration_increment",
        "count:words_japanese",
        "format:line_indent",
        "format:newline",
        "format:no_whitespace",
        "format:title_case",
        "ratio:sentence_type",
        "ratio:sentence_balance",
        why="A rule about neighbours, order, repetition or proportion says something of several words, sentences or "
        'lines. "." and a refusal pass the reference.',
    ),
    Cause(
        names=("ratio:sentence_type", "ratio:sentence_balance"),
        title="0 to 0 as a proportion",
        right="ours",
        why="A text without questions (by the loose reading, with its only one cut off) holds no proportion of them.",
        applies=stricter,
    ),
    Cause(
        names=("format:line_indent",),
        title="loose readings that cut stairs down",
        right="ours",
        why="A first or last line cut off leaves a single line, or lines of one indent, which are no stairs.",
        applies=lambda found: stricter(found) and found.mode == "loose",
    ),
    Cause(
        names=("format:quote_unquote",),
        title="no quoted phrase, or one that never ends",
        right="ours",
        why="The prompt asks for quotes with explanations. The reference passes a text without any (and raises on a "
        "text of one character).",
        applies=lambda found: found.ours is False,
    ),
    Cause(
        names=("words:vowel",),
        title="fewer vowels than four, or than three types",
        right="open",
        why='"a", "cat" and "sky" keep "only three types of vowels" by having hardly a vowel; "an old mill" has three '
        "types in three vowels.",
        applies=stricter,
    ),
    Cause(
        names=("words:words_position",),
        title="three words",
        right="open",
        why="The second word is the second to last one, too: the rule holds by the letter with the keyword used once.",
        applies=stricter,
    ),
)

COUNTS = (
    Cause(
        names=("count:conjunctions",),
        title="a list of conjunctions, or a preposition",
        right="open",
        why='"AND, BUT" joins nothing; "for one hour" is a preposition. The reference counts any of the seven words.',
        applies=stricter,
    ),
    Cause(
        names=("count:keywords_multiple", "count:person_names", "sentence:keyword"),
        title="the word inside another word",
        right="ours",
        why='"clouds", "Leoville" and "uneatable" do not use the words "cloud", "Leo" and "eat".',
        applies=lambda found: True,
    ),
    Cause(
        names=("count:numbers",),
        title="digits of a name",
        right="ours",
        why='"B1" is a name, no number.',
        applies=stricter,
    ),
    Cause(
        names=("count:pronouns",),
        title="contractions, and pronouns that aren't personal",
        right="ours",
        why='"I\'m" holds "I"; "who", "this" and "everyone" are pronouns. The reference knows personal ones only.',
        applies=laxer,
    ),
    Cause(
        names=("count:punctuation",),
        title="which marks are standard",
        right="open",
        why="Every standard mark is asked for; the reference wants stops, commas, colons, semicolons, questions and "
        "exclamations, we want apostrophes, quotes, hyphens and parentheses as well.",
        applies=stricter,
    ),
    Cause(
        names=("count:unique_word_count",),
        title="what is no word",
        right="ours",
        why='"-" and "..." are counted as the empty word by the reference, and "$i$" and "(a" as words of their own.',
        applies=stricter,
    ),
    Cause(
        names=("count:word_count_range",),
        title="a word with an apostrophe is one",
        right="ours",
        why='"don\'t" is one word; the reference counts "don" and "t".',
        applies=lambda found: "'" in found.text,
    ),
    Cause(
        names=("count:words_japanese",),
        title="Japanese without spaces",
        right="open",
        why="Where no space parts the words, what the n-th one is depends on a segmenter.",
        applies=lambda found: True,
    ),
    Cause(
        names=("ratio:stop_words",),
        title="rounding, and which words are stop words",
        right="open",
        why="14 of 100 words are 14%, which the reference computes as 14.000000000000002; the two lists of stop words "
        'and the readings of "don\'t" differ for the rest.',
        applies=lambda found: True,
    ),
    Cause(
        names=("ratio:overlap",),
        title="trigrams of words or of characters",
        right="open",
        why="We take three words in a row, the reference three characters, of which unrelated English texts share a "
        "tenth to a quarter.",
        applies=lambda found: True,
    ),
    Cause(
        names=("ratio:sentence_words",),
        title="the same word in two sentences",
        right="ours",
        why="All words must differ; the reference compares the lengths only.",
        applies=stricter,
    ),
)

WORDS = (
    Cause(
        names=("words:keywords_specific_position", "words:words_position"),
        title="case, and marks counted as words",
        right="ours",
        why="A comma is no word and takes no place; a keyword in capitals is the keyword.",
        applies=laxer,
    ),
    Cause(
        names=("words:odd_even_syllables",),
        title="words whose syllables can't be counted",
        right="ours",
        why='"HTML", "1" and "stdscr" have no number of syllables that a rule could tell; we say so, which is no pass.',
        applies=lambda found: found.ours is None,
    ),
    Cause(
        names=("words:odd_even_syllables",),
        title="how many syllables a word has",
        right="open",
        why="Two ways of counting.",
        applies=lambda found: True,
    ),
    Cause(
        names=("words:palindrome",),
        title="one palindrome ten times",
        right="ours",
        why='"level" ten times is one palindrome.',
        applies=stricter,
    ),
    Cause(
        names=("words:paragraph_last_first",),
        title="case and marks",
        right="ours",
        why='"Sea, the SEA!" begins and ends with the same word.',
        applies=laxer,
    ),
    Cause(
        names=("words:repeats", "words:last_first"),
        title="where a word ends",
        right="open",
        why="We split at underscores and marks, the reference at white space.",
        applies=lambda found: True,
    ),
    Cause(
        names=("words:start_verb",),
        title="the reference could not run",
        right="open",
        why="It needs NLTK's part-of-speech tagger, whose data no package carries: nothing was compared.",
        applies=lambda found: str(found.theirs).startswith("raises: LookupError"),
    ),
    Cause(
        names=("sentence:alliteration_increment",),
        title="runs added up",
        right="ours",
        why="A longer run is asked for; the reference adds up all runs of a sentence.",
        applies=stricter,
    ),
    Cause(
        names=("sentence:increment",),
        title="words with a hyphen",
        right="open",
        why='"well-known" is two words to us; the reference takes the hyphen out and counts one.',
        applies=lambda found: "-" in found.text,
    ),
)

FORMATS = (
    Cause(
        names=("format:emoji",),
        title="emojis without a sentence",
        right="ours",
        why="There is no sentence for them to end.",
        applies=stricter,
    ),
    Cause(
        names=("format:line_indent",),
        title="tabs",
        right="ours",
        why="A tab indents.",
        applies=laxer,
    ),
    Cause(
        names=("format:list",),
        title="the mark inside a line",
        right="open",
        why='"Fish !?!? Birds" parts items with the mark in one line. A mark in the midst of prose ("well-known" for '
        '"-", "Use SEPARATOR and...") makes no list, and items with another mark besides are two kinds of list.',
        applies=stricter,
    ),
    Cause(
        names=("format:newline",),
        title="two words on a line",
        right="ours",
        why="The reference lets the loose reading without the first or last line pass though a line has two words.",
        applies=lambda found: True,
    ),
    Cause(
        names=("format:no_whitespace",),
        title="a line end behind the text",
        right="ours",
        why="A line end at the very end is seen by no reader.",
        applies=laxer,
    ),
    Cause(
        names=("format:options",),
        title="an option without its marks, or in another case",
        right="open",
        why='"a", "A" and "a." name the option "a)" to a reader.',
        applies=laxer,
    ),
    Cause(
        names=("format:output_template",),
        title="the labels somewhere",
        right="ours",
        why="The exact template is asked for: in order, with something behind each label and nothing before the first.",
        applies=stricter,
    ),
    Cause(
        names=("format:parentheses",),
        title="brackets around nothing, or of code",
        right="open",
        why='"([{([])}])" nests five deep around nothing; in programs brackets inside strings do not count for us.',
        applies=stricter,
    ),
    Cause(
        names=("format:quotes",),
        title="curly quotation marks",
        right="ours",
        why="Curly marks are quotes: three deep, alternating.",
        applies=laxer,
    ),
    Cause(
        names=("format:sub-bullets",),
        title="asterisks and hyphens anywhere",
        right="ours",
        why="The reference splits at every asterisk and looks for a hyphen: a text without bullets passes, and so do "
        'emphasis, products and "* Fish - Trout". Bullets begin lines, in the plural, each with a sub-bullet.',
        applies=stricter,
    ),
    Cause(
        names=("format:thesis",),
        title="a thesis of two words, or one section without any",
        right="open",
        why="We ask for three words at least and for a thesis in every section; the reference for italics anywhere.",
        applies=stricter,
    ),
    Cause(
        names=("format:title_case",),
        title="small words of a title",
        right="ours",
        why='"to" and "the" may be small in title case ("each major word"), and "It\'s" has its capital.',
        applies=laxer,
    ),
    Cause(
        names=("repeat:repeat_simple",),
        title="another case",
        right="ours",
        why="The sentence is to be put out as it stands.",
        applies=stricter,
    ),
    Cause(
        names=("repeat:repeat_span",),
        title="the end of the span",
        right="ours",
        why='The prompt says "between (and including)"; the reference leaves the last word out.',
        applies=lambda found: True,
    ),
)

CUSTOM = (
    Cause(
        names=("custom:csv_city", "custom:csv_special_character"),
        title="a code fence around the data",
        right="ours",
        why="The fence is how chat models mark data; the rows are as asked.",
        applies=laxer,
    ),
    Cause(
        names=("custom:csv_quotes",),
        title="broken quoting",
        right="ours",
        why='""v#00"" is no quoted field.',
        applies=stricter,
    ),
    Cause(
        names=("custom:date_format_list",),
        title="a few dates of another battle, or lines instead of commas",
        right="ours",
        why="All battles are asked for, with commas; the reference takes any list of dates.",
        applies=stricter,
    ),
    Cause(
        names=("custom:european_capitals_sort",),
        title="Kyiv",
        right="ours",
        why="It lies at 50.45 degrees north and is missing in the reference's list; its list must be matched whole.",
        applies=laxer,
    ),
    Cause(
        names=("custom:multiples",),
        title="words around the numbers",
        right="ours",
        why="Only the multiples are to be printed.",
        applies=stricter,
    ),
    Cause(
        names=("custom:reverse_newline",),
        title="a country left out",
        right="ours",
        why="The reference takes any 52 lines that run backwards from Zimbabwe; 54 countries are asked for.",
        applies=stricter,
    ),
    Cause(
        names=("custom:sentence_alphabet",),
        title="numbers before the sentences",
        right="ours",
        why='The first word of "1. And so" is "And".',
        applies=laxer,
    ),
    Cause(
        names=("custom:word_reverse",),
        title="two words instead of a sentence",
        right="ours",
        why="A sentence is asked for.",
        applies=lambda found: stricter(found) and found.note == "no sentence",
    ),
)

IFBENCH_CAUSES = (*VACUOUS, *COUNTS, *WORDS, *FORMATS, *CUSTOM)
