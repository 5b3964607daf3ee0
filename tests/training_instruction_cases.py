"""Responses that keep each of the 29 training kinds of instructions, and responses that break it."""

from __future__ import annotations

from typing import Any

from tahr.verifiers.instructions import kinds as kinds  # registers them
from tahr.verifiers.instructions.kind import read_instruction
from tahr.verifiers.instructions.response import Response

FOX = "Where does the fox, Mr. Tod, live?\nSay it “briefly”."
PHRASE = {"phrase": "the cold sea breeze", "small_n": 2}
AT_LEAST, LESS = {"relation": "at least"}, {"relation": "less than"}

# id, arguments, responses that keep it, responses that break it
CASES: list[tuple[str, dict[str, Any], list[str], list[str]]] = [
    (
        "copy:copy",
        {"prompt_to_repeat": FOX},
        [FOX, 'Where does the fox, Mr. Tod, live?  \r\nSay it "briefly".\n'],
        [FOX.lower(), f"Sure! {FOX}", f"{FOX}\nIn a den.", FOX.replace("\n", " "), FOX[:-1], "The fox lives in a den."],
    ),
    (
        "copy:copying_simple",
        {"prompt_to_repeat": "  Name a city.  "},
        ["Name a city.", "\nName a city. \n"],
        ["Name a City.", "Name a city", "name a city.", "Name a city. Paris.", '"Name a city."'],
    ),
    (
        "copy:copying_multiple",
        {"prompt_to_repeat": "Name a city.", "N": 2},
        ["Name a city.******Name a city.", "Name a city.\n******\nName a city.\n"],
        [
            "Name a city.",
            "Name a city. Name a city.",
            "Name a city.***Name a city.",
            "Name a city.*******Name a city.",
            "Name a city.******Name a city.******Name a city.",
            "Name a city.******Name a city.******",
            "Name a city.******Name a town.",
            "******",
        ],
    ),
    (
        "copy:copying_multiple",
        {"prompt_to_repeat": "Type ****** twice.", "N": 2},
        ["Type ****** twice. ****** Type ****** twice."],
        ["Type ****** twice.", "Type twice. ****** Type twice."],
    ),
    (
        "new:copy_span_idx",
        {"prompt_to_repeat": "The quick brown fox", "n_start": 4, "n_end": 14},
        ["quick brown", " quick brown\n"],
        ["quick brow", "quick brown f", "Quick brown", "The quick brown fox", "quick", '"quick brown"'],
    ),
    (
        "new:copy_span_idx",
        {"prompt_to_repeat": "The quick brown fox", "n_start": 0, "n_end": 3},
        ["The", "The "],
        ["Th", "the", "The q"],
    ),
    (
        "copy:repeat_phrase",
        PHRASE,
        [
            "The warm sea breeze, the cold night breeze.",
            "1. the mild sea breeze\n2. THE COLD EVENING BREEZE",
            "I felt the hot sea breeze; then the dry sea breeze left.",
        ],
        [
            "the cold sea breeze, the cold sea breeze",
            "the warm sea breeze, the cold sea breeze",
            "the warm sea breeze",
            "the warm sea breeze, the hot sea breeze, the dry sea breeze",
            "the warm night breeze, the hot day breeze",
            "a cold sea breeze, the cold sea wind",
            "the warm blue sea breeze, the very cold sea breeze",
        ],
    ),
    (
        "detectable_format:sentence_hyphens",
        {},
        ["It rains.-We stay.", "It rains!-Is it well-known?-Dr. Who knows.", 'He said "go."-We went.'],
        [
            "It rains.",
            "It rains. We stay.",
            "It rains. - We stay.",
            "It rains.- We stay.",
            "It rains -We stay.",
            "It rains.-We stay. They go.",
            "It rains.\n-We stay.",
            "A well-known-fact.",
        ],
    ),
    (
        "keywords:no_adjacent_consecutive",
        {},
        ["big apples", "All cats eat", "Zebras and ants", "a 3 b", "Above all, dogs"],
        ["apple", "all birds", "Édouard fell", "we saw A. Brown", "the umbrella", "fine Green"],
    ),
    (
        "detectable_format:square_brackets",
        {},
        ["[Hello] [world]", "[Hello], [well-known] [world]!", "[It's,]\n[fine.]", "- [one]"],
        [
            "Hello",
            "[Hello] world",
            "[Hello world]",
            "[]",
            "[.] [,]",
            "[[Hello]]",
            "[Hello",
            "Hello]",
            "[a] ]",
            "([a] b)",
        ],
    ),
    (
        "keywords:word_once",
        {"keyword": "Leo"},
        ["I met Leo.", "LEO came with Leonard.", "Leo’s hat"],
        ["I met Leonard.", "Leo and Leo", "Leo, leo!", "nobody", "Le o", "Galileo"],
    ),
    (
        "keywords:word_once",
        {"keyword": "c++ (or C)"},
        ["I like c++ or c."],
        ["I like c++.", "c++ or c, c or c"],
    ),
    (
        "keywords:word_count_different_numbers",
        {"keyword": "sea", "frequency": 2, **AT_LEAST},
        ["The sea, the Sea.", "sea's end, sea, sea"],
        ["The sea and the season.", "seaside search", "undersea sea"],
    ),
    (
        "keywords:word_count_different_numbers",
        {"keyword": "sea", "frequency": 2, **LESS},
        ["The sea and the season.", "Nothing here."],
        ["sea sea", "The sea. A SEA!", ""],
    ),
    (
        "keywords:exclude_word_harder",
        {"keyword": "cat"},
        ["A category of dogs.", "concatenate cats"],
        ["A cat.", "Cat", "the (cat) sat", "CAT!", "cat's", ""],
    ),
    (
        "keywords:exclude_word_harder",
        {"keyword": "story.", "instruction": "Tell me a short story."},
        ["A tale of stories."],
        ["A story of tales.", "Story"],
    ),
    (
        "paragraphs:paragraphs",
        {},
        ["One.\n***\nTwo.", "One.\n\n * * * \n\nTwo.\nStill two.", "***\nOne.\n***\nTwo.\n***"],
        [
            "One.",
            "One.\n\nTwo.",
            "One.\n***",
            "One.\n***\nTwo.\n***\nThree.",
            "One ***two*** three.",
            "***\n***",
            "One.\n***\n***\nTwo.",
            "One.\n****\nTwo.",
            "One.\n***\n...",
        ],
    ),
    (
        "paragraphs:paragraphs2",
        {},
        ["One.\n\nTwo.", "One.\nMore.\n \t\nTwo.\n\n"],
        ["One.", "One.\nTwo.", "One.\n\nTwo.\n\nThree.", "One.\n\n---", "\n\n"],
    ),
    (
        "first_word:first_word_sent",
        {"first_word": "cats"},
        ["Cats sleep. Cats, mostly, eat!", "1. Cats sleep.\n2. CATS eat.", '"Cats nap."'],
        ["Cats sleep. Dogs eat.", "The cats sleep.", "Catsup is red.", "Cat sleeps.", "..."],
    ),
    (
        "first_word:first_word_answer",
        {"first_word": ["river"]},
        ["River banks flood.", "**River**: a stream", '"river"'],
        ["The river floods.", "Rivers flood.", "riverbank", "", "A river"],
    ),
    (
        "last_word:last_word_sent",
        {"last_word": "night"},
        ["We sail at night. They rest by Night!", 'He said "good night."', "It is night"],
        ["We sail at night. They rest.", "Tonight", "The night falls.", "One night. Two nights."],
    ),
    (
        "last_word:last_word_answer",
        {"last_word": "end"},
        ["This is the end.", "It is the **end**!", "The END"],
        ["The end is near.", "My friend", "The ends", "The end. Really.", ""],
    ),
    (
        "detectable_format:bigram_wrapping",
        {},
        ["<<I am>> <<at home>>", "<<I am>>, <<it's fine>> now.", "<<We go>>\n<<home.>>"],
        [
            "I am at home",
            "<<I am>> at home",
            "<<I am at>> <<home now>>",
            "<<I>> <<am>>",
            "<I am> <at home>",
            "now <<I am>>",
            "<<>>",
            "<<I am>> <<home>> now",
            "<<I am>> <<at home",
        ],
    ),
    (
        "punctuation:punctuation_dot",
        {},
        ["No stops here!", "Is this it? Yes, it is"],
        ["One.", "It is 3.14", "Well… yes", "例。", "", "!"],
    ),
    (
        "punctuation:punctuation_exclamation",
        {},
        ["Calm.", "Is it? Yes."],
        ["Hey!", "Stop！", "¡Hola", "Wow❗", "", "?"],
    ),
    (
        "count:lowercase_counting",
        {"N": 2},
        ["THE SEA is calm", "Don't PANIC, don't", "ONE TWO 3"],
        ["the sea is calm", "It was all right", "", "42nd 1st 3rd"],
    ),
    (
        "letters:letter_counting",
        {"N": 5, **AT_LEAST},
        ["abc de", "Größe"],
        ["abcd 12345", "a.b.c.d", ""],
    ),
    (
        "letters:letter_counting",
        {"N": 3, **LESS},
        ["ok", "4 me"],
        ["yes", "été", "", "!!"],
    ),
    (
        "letters:letter_counting2",
        {"letter": "e", "let_frequency": 2, "let_relation": "at least"},
        ["Ever", "bee"],
        ["be", "éé", ""],
    ),
    (
        "letters:letter_counting2",
        {"letter": "E", "let_frequency": 2, "let_relation": "less than"},
        ["be", "bad"],
        ["bEe", "", "ever"],
    ),
    (
        "count:counting_composition",
        {"n_sent": 2, "n_words": 3},
        [
            "Birds fly high. Fish swim low.\n* * *\nCats sleep well. Dogs don't, though.\n***\nWe go now! Are you in?",
        ],
        [
            "Birds fly high. Fish swim low.\n* * *\nCats sleep well. Dogs bark.\n* * *\nWe go now! Are you in?",
            "Birds fly high. Fish swim low.\n* * *\nCats sleep well. Dogs bark loud.",
            "Birds fly high.\n* * *\nCats sleep well. Dogs bark loud.\n* * *\nWe go now! Are you in?",
            "Birds fly high. Fish swim low.\n\nCats sleep well. Dogs bark loud.\n\nWe go now! Are you in?",
        ],
    ),
    (
        "count:count_unique",
        {},
        ["One, two, three, four.", "Cats can't see; dogs can."],
        ["The cat saw the dog.", "No. no", "word", "Never say never"],
    ),
    (
        "count:count_increment_word",
        {"keyword1": ["help"], "keyword2": "dump"},
        ["Help: dump the dump.", "dump help DUMP helpful"],
        ["help dump", "help help dump dump", "helpful dump dump", "help dump dump dump", "dump dump"],
    ),
    (
        "keywords:palindrome",
        {},
        ["My level best.", "Madam!", 'He said "A man, a plan, a canal: Panama" twice.', "Was it a car or a cat I saw?"],
        ["I am a cat.", "aaa", "hmmm mm", "1221", "a b", "No lemons or melons", "I"],
    ),
    (
        "keywords:keyword_specific_position",
        {"keyword": "sea", "n": 2, "m": 3},
        ["Hello there. I love Sea air.", 'One. "We, the sea", he said.', "First.\n2. Into the sea."],
        ["I love sea air.", "Hello. I love seafood.", "Hello. Love sea air.", "Hello. I love", "The sea. The sea."],
    ),
    (
        "keywords:start_end",
        {},
        ["Time flies; save time", "*Why* do I ask why"],
        ["Time flies, so save time.", "time", "Time and tide", "Why?", "Now or (now)", "in begin"],
    ),
]


def finding(name: str, args: dict[str, Any], text: str) -> bool | None:
    """Whether `text` keeps the instruction."""
    return read_instruction({"id": name, "args": args}, where="answer[0]").kept(Response.of(text)).kept
