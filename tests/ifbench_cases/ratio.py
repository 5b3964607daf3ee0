from ifbench_cases import Case

SEA = "The cold sea moved a small stone over the sand."

RATIO: list[Case] = [
    (
        "ratio:stop_words",
        {"percentage": 40.0},
        [
            "Cold winds shake tall trees.",
            "The old fox chased a slow **brown** hare.",
            "Don't run, fox: dogs bite hard!",
        ],
        ["It is what it is.", "a", "...", "I'm not here, but he's there.", "the sea"],
    ),
    (
        "ratio:overlap",
        {"percentage": 50, "reference_text": SEA},
        [
            "the cold sea moved, then nobody",
            "A small stone over many hills.",
            "THE COLD SEA: moved then nothing",
        ],
        [SEA, "Nothing of it at all here.", "cold sea", "the cold sea moved a small stone over nothing", ""],
    ),
    (
        "ratio:sentence_type",
        {},
        [
            "It rains. It pours. Does it stop?",
            "Why? “Because.” So it is. Wow! Go!",
            'Mr. Tod sleeps. He said, "Why?" Then he left.',
        ],
        [
            "It rains. Does it stop?",
            "It rains. It pours.",
            "Why? Why?",
            "",
            "It rains. It pours. It snows. Does it stop?",
        ],
    ),
    (
        "ratio:sentence_balance",
        {},
        ["It rains. Does it? It does!", 'He left. "Who?" Stop! Go! Why? So be it.'],
        ["It rains. It pours.", "It rains. Does it?", "no marks at all", "Does it? It does!", "Is it?! It is. Yes."],
    ),
    (
        "ratio:sentence_words",
        {},
        ["Cats run. Dogs nap. Owls fly.", "We saw it! They left. Who is he?"],
        [
            "Cats run. Dogs run. Owls fly.",
            "Cats run. Dogs nap.",
            "Cats run. Dogs sleep. Owls fly.",
            "A. B. C.",
            "Cats run. Dogs nap. Owls fly. Bees hum.",
        ],
    ),
]
