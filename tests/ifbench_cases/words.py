from ifbench_cases import Case

PALINDROMES = "Level, radar, civic, kayak, refer, rotor, madam, stats, tenet"

WORDS: list[Case] = [
    (
        "words:alphabet",
        {},
        ["A brave cat danced.", "Xenia yawned; zebras, *all* brown.", "Wild X-rays", "“Élan” frees Greta"],
        ["A cat", "Brave", "", "A brave 3 cats", "Ant bee cat dog fox", "Aa вв"],
    ),
    (
        "words:consonants",
        {},
        ["Strong winds blow.", "They don’t stand still", "**Canyon** trip", "Well-read clans"],
        ["My strong winds", "Strong 12 winds", "A big cat", "", "Strange ideas", "Fly by"],
    ),
    (
        "words:vowel",
        {},
        ["A man sat; a hen ran on.", "Sad cats eat grass at dawn.\nThey nap.".replace("dawn", "last"), "Papa can nap"],
        ["A quiet sea moves on.", "Hm, a cat", "A man sat.\n\nA cat ran.", "", "Él cantó bien aquí"],
    ),
    (
        "words:palindrome",
        {},
        [f"{PALINDROMES}, solos.", f"“{PALINDROMES}”, and *Racecar*!"],
        [
            f"{PALINDROMES}.",
            f"{PALINDROMES} level.",
            f"{PALINDROMES} abcba xyzyx",
            "noon mom pop dad eye deed peep",
            "11111",
        ],
    ),
    (
        "words:prime_lengths",
        {},
        ["We see ships sailing.", "It's not *here*".replace("here", "there"), "Go: “no-one” is 13"],
        ["Four men", "a", "", "don’t go", "We see 1 ship", "…"],
    ),
    (
        "words:odd_even_syllables",
        {},
        ["Big tiger runs away.", "Using cats, making noise", "Every cat", "Rhythm is quiet"],
        ["Big cat", "Tiger running", "Big", "", "Ideas are"],
    ),
    (
        "words:start_verb",
        {},
        [
            "Write it down.",
            "**Consider** this.",
            "1. Preheating takes time",
            "Isn’t it late?",
            "Let’s go on",
            "Light the lamp.",
            "Depends on it",
        ],
        ["The sea moved.", "Light is fast.", "Studies show much", "Verbose text", "", "42 walks", "Writer's block"],
    ),
    (
        "words:repeats",
        {"small_n": 2.0},
        ["The sea, THE ship and a stone.", "sea sea stone"],
        ["the The THE sea", "the", "a b", "", "Sea's sea sea-side sea"],
    ),
    (
        "words:no_consecutive",
        {},
        ["A brown cat", "*Big* élan cat", "Well-known authors"],
        ["Big bears run", "Eat “élan”", "one", "", "A an", "12 13"],
    ),
    (
        "words:last_first",
        {},
        ["I saw the sea. Sea birds (cry). “Cry!”", "He ran **home**. Home is far.", "- Go on.\n- On we go"],
        ["I saw the sea. The sea is big.", "I saw the sea.", "", "Go home. Homes are far."],
    ),
    (
        "words:paragraph_last_first",
        {},
        ["Sea birds love the sea.\nWe know us as **we**.", "“Home” is far from home!\n\n- Go, and then go."],
        ["sea", "sea sea", "Sea birds cry.\nWe know us as we.", "", "The sea and seas\nGo or go"],
    ),
    (
        "words:keywords_specific_position",
        {"keyword": "giggle", "n": 2, "m": 3},
        ["Hi. They all, giggle now.", "Dr. No left. “We did” GIGGLE."],
        ["Hi. They giggle all.", "They all giggle.", "Hi. They all giggles.", "", "Hi. They all."],
    ),
    (
        "words:words_position",
        {"keyword": "despite"},
        ["Yes, despite all, despite it.", "A **Despite** (b) despite c", "x despite despite y"],
        ["x despite y", "Despite it all despite", "He despite all it.", "", "A despites b despite c"],
    ),
]
