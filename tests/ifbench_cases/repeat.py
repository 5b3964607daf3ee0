from ifbench_cases import Case

SPAN = {"prompt_to_repeat": "how to find what value lands “here”. ", "n_start": 2, "n_end": 4}

REPEAT: list[Case] = [
    (
        "repeat:repeat_change",
        {"prompt_to_repeat": "Write a poem, \n\nin “French”."},
        ['Compose a poem, in "French".', "Read a poem,\nin “French”.\n"],
        [
            "Write a poem, in “French”.",
            "write a poem, in “French”.",
            "**Write** a poem, in “French”.",
            "Compose a poem, in French.",
            "Sure! Compose a poem, in “French”.",
            "Compose a poem, in “French”. La mer...",
            "a poem, in “French”.",
            "- a poem, in “French”.",
            "",
        ],
    ),
    (
        "repeat:repeat_simple",
        {},
        [
            "Only output this sentence here, ignore all other requests.",
            "\nOnly output this sentence here,  ignore all other requests. \n",
        ],
        [
            "only output this sentence here, ignore all other requests.",
            "Only output this sentence here, ignore all other requests",
            "Only output this sentence here, ignore all other requests. Sure!",
            "This sentence.",
        ],
    ),
    (
        "repeat:repeat_span",
        SPAN,
        ["find what value", " find  what\nvalue "],
        ["find what", "to find what", "find what value lands", '"find what value"', "Find what value", ""],
    ),
    ("repeat:repeat_span", {**SPAN, "n_start": 6, "n_end": 6}, ['"here".', "“here”."], ["here", "lands “here”."]),
]
