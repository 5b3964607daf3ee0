"""Responses that keep each of the 25 types of IFEval, and responses that break it."""

from __future__ import annotations

from typing import Any

LEAST, LESS = "at least", "less than"
STORY = "The sea moved a small stone and we watched it roll."

# id, arguments, responses that keep it, responses that break it
CASES: list[tuple[str, dict[str, Any], list[str], list[str]]] = [
    (
        "change_case:capital_word_frequency",
        {"capital_frequency": 2, "capital_relation": LEAST},
        ["NASA and ESA met.", "A WELL-KNOWN fact."],
        ["I saw A cat and I ran.", "Nasa met NASA.", "nothing here"],
    ),
    (
        "change_case:capital_word_frequency",
        {"capital_frequency": 2, "capital_relation": LESS},
        ["I saw A cat and I met NASA.", STORY],
        ["NASA and ESA met."],
    ),
    (
        "change_case:english_capital",
        {},
        ["HELLO WORLD OK", "THE SEA, THE 2 STONES!", "THE CAFÉ IS OPEN TODAY AND WE LIKE IT."],
        ["Hello", "THE SEa IS CALM", "123", "DAS IST EIN KLEINER SATZ UND NICHT MEHR ALS DAS."],
    ),
    (
        "change_case:english_lowercase",
        {},
        ["the sea is calm, isn't it?", "ok 2 go"],
        ["The sea", "the sea I saw", "42", "das ist ein kleiner satz und nicht mehr als das."],
    ),
    (
        "combination:repeat_prompt",
        {"prompt_to_repeat": "Write a poem about moms."},
        [
            "Write a poem about moms.\n\nThey hold the house together and smile.",
            "write a poem\nabout moms. Dear mother of mine.",
        ],
        [
            "Write a poem about moms.",
            "Sure! Write a poem about moms. They smile.",
            "Write a poem about moms...",
            "They hold the house together.",
        ],
    ),
    (
        "combination:two_responses",
        {},
        ["One way is walking.\n******\nAnother way is running.", "a joke ****** another joke"],
        [
            "One way.",
            "One way.\n******\nOne way.",
            "One way.\n******\nONE way!",
            "One.\n***\nTwo.",
            "One.\n*******\nTwo.",
            "a ****** b ****** c",
            "******\nOnly one.",
        ],
    ),
    (
        "detectable_content:number_placeholders",
        {"num_placeholders": 2},
        ["Dear [name], I live at [your address].", "[a] [b] [c]"],
        [
            "Dear [name].",
            "See [the page](http://x.org) and [name].",
            "- [x] done [ ] open",
            "As shown [1] and [2] by [name].",
            "[]  [ ] [name]",
        ],
    ),
    (
        "detectable_content:postscript",
        {"postscript_marker": "P.S."},
        ["Dear Ann, come soon.\n\nP.S. Bring cake.", "Come soon. **P.S.** Bring cake.", "Come.\np.s. bring cake"],
        ["Come soon.", "P.S. Bring cake.", "Come soon.\nP.S.", "The oops.stop sign.", "Come.\nP.P.S. Bring cake."],
    ),
    (
        "detectable_content:postscript",
        {"postscript_marker": "P.P.S"},
        ["Come soon.\nP.P.S Bring cake.", "Come soon.\nP.P.S. Bring cake."],
        ["Come soon.\nP.S. Bring cake."],
    ),
    (
        "detectable_format:constrained_response",
        {},
        ["My answer is yes.", "**My answer is no.**", "I thought about it. My answer is maybe."],
        [
            "yes",
            "My answer is yes",
            "My answer is yes. My answer is no.",
            "If you ask me whether my answer is yes. No.",
            "My answer is yes.no",
            'Choose from: "My answer is yes.", "My answer is no.", "My answer is maybe."',
        ],
    ),
    (
        "detectable_format:json_format",
        {},
        ['{"name": "Ada"}', "[1, 2]", '```json\n{"a": [1]}\n```', ' {"a": null} '],
        ["3", '"text"', "true", "null", "{}", "[]", '{"a": NaN}', "{'a': 1}", 'Sure: {"a": 1}', '{"a": 1} {"b": 2}'],
    ),
    (
        "detectable_format:multiple_sections",
        {"section_spliter": "Section", "num_sections": 2},
        [
            "Section 1\nThe sea.\nSection 2\nThe land.",
            "## Section 1: The Sea\nCalm.\n**Section 2**\nDry.",
            "SECTION I\nCalm.\nSECTION II\nDry.",
        ],
        [
            "See Section 1 and Section 2 of the law.",
            "Section 1 of the law says no.\nSection 2 of it says yes.",
            "Section 1\nThe sea.",
            "Sections\nSection",
        ],
    ),
    (
        "detectable_format:number_bullet_lists",
        {"num_bullets": 2},
        ["* one\n* two", "Points:\n- one\n- two", "* one\n  - two", '"* one\n* two"'],
        [
            "* one",
            "* one\n* two\n* three",
            "**bold** text\n* one",
            "***\n* one",
            "* * *\n* one",
            "```\n* one\n* two\n```",
        ],
    ),
    (
        "detectable_format:number_highlighted_sections",
        {"num_highlights": 2},
        ["*the sea* and *the land*", "**bold one** and ***bold two***", "* a *first* point\n* a *second* point"],
        [
            "2 * 3 * 4 * 5",
            "2*3*4*5",
            "* one\n* two",
            "*the sea* only",
            "* the sea * and * the land *",
            "** and **",
            "`*a*` `*b*`",
        ],
    ),
    (
        "detectable_format:title",
        {},
        ["<<The Sea>>\nCalm.", "Calm. <<a title>>"],
        ["<The Sea>", "<<>>", "<< >>", "<<The\nSea>>", "a << b"],
    ),
    (
        "keywords:existence",
        {"keywords": ["leo", "sea's edge"]},
        ["Leo sat at the sea’s edge.", "LEO_sat. The sea's edge!"],
        ["Leonard sat at the sea's edge.", "Leo sat at the edge.", "Leo at the seas edge."],
    ),
    (
        "keywords:forbidden_words",
        {"forbidden_words": ["cat", "can't"]},
        ["Concatenate it.", "He can do it.", "The cats sleep."],
        ["A cat.", "The CAT's bed.", "He can’t.", "black_cat"],
    ),
    (
        "keywords:frequency",
        {"keyword": "rain", "frequency": 2, "relation": LEAST},
        ["Rain, rain!", "rain rain rain"],
        ["rain", "rainy rain", "brain train"],
    ),
    (
        "keywords:frequency",
        {"keyword": "rain", "frequency": 2, "relation": LESS},
        ["rain", "rainy rain", "sun"],
        ["Rain, rain!"],
    ),
    (
        "keywords:letter_frequency",
        {"letter": "q", "let_frequency": 2, "let_relation": LEAST},
        ["Quick quiz"],
        ["quick", "none"],
    ),
    ("keywords:letter_frequency", {"letter": "!", "let_frequency": 1, "let_relation": LEAST}, ["Oh!"], ["Oh."]),
    (
        "language:response_language",
        {"language": "de"},
        ["Das ist eine kleine Geschichte über das Meer."],
        [STORY, "यह एक छोटी कहानी है", "HELLO TO THE WHOLE WIDE WORLD AND ALL WHO LIVE IN IT"],
    ),
    ("language:response_language", {"language": "kn"}, ["ಇದು ಒಂದು ಸಣ್ಣ ಕಥೆ."], ["यह एक छोटी कहानी है", STORY]),
    (
        "length_constraints:nth_paragraph_first_word",
        {"num_paragraphs": 2, "nth_paragraph": 2, "first_word": "today"},
        ["Once it rained.\n\nToday it shines.", "Once.\n \n**Today** it shines."],
        [
            "Today it rained.\n\nOnce it shone.",
            "Today it shines.",
            "One.\n\nToday.\n\nThree.",
            "Once.\nToday it shines.",
            "One.\n\nTodays.",
        ],
    ),
    (
        "length_constraints:number_paragraphs",
        {"num_paragraphs": 2},
        ["One.\n***\nTwo.", "One.\n\n***\n\nTwo, and more."],
        ["One.\n\nTwo.", "One *** Two", "One.\n******\nTwo.", "One.\n***\nTwo.\n***\nThree.", "One."],
    ),
    (
        "length_constraints:number_sentences",
        {"num_sentences": 2, "relation": LEAST},
        ["It rains. We stay.", "it rains. we stay.", "* It rains\n* We stay"],
        ["Dr. Smith met Mr. J. Brown at 3.5 miles.", "It rains, e.g. here", "1. It rains."],
    ),
    (
        "length_constraints:number_sentences",
        {"num_sentences": 2, "relation": LESS},
        ["It rains in the U.S. today.", "Wait... what"],
        ["It rains. We stay.", "Really?! Yes."],
    ),
    (
        "length_constraints:number_words",
        {"num_words": 4, "relation": LEAST},
        ["It's a well-known fact."],
        ["It's a fact.", "- - - - a"],
    ),
    (
        "length_constraints:number_words",
        {"num_words": 4, "relation": LESS},
        ["It's a fact."],
        ["It's a well-known fact."],
    ),
    ("punctuation:no_comma", {}, ["It rains; we stay."], ["It rains, we stay.", "1,000", "雨，雪", "مطر، ثلج"]),
    (
        "startend:end_checker",
        {"end_phrase": "Is that all?"},
        ["It rains. Is that all?", 'He said: "Is that all?"', "It rains. **is that  all?**"],
        ["Is that all? Yes.", "Is that all", "This that all?", "It rains."],
    ),
    (
        "startend:quotation",
        {},
        ['"It rains."', "“It rains.”", '"He said "hi" to me."', '"One.\n\n"Two."'],
        ["It rains.", '"It rains.', '"Yes," she said, "it rains."', '"', '""', "'It rains.'"],
    ),
]
