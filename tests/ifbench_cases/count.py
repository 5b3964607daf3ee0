from ifbench_cases import Case

MARKS = 'Well-known (as "the best"): he didn\'t stop; did he? Yes, he did! Really?! Good.'
NAMES = "Emma met Liam, and Zoe's dog ran."
KEYWORDS = {"keyword1": "door", "keyword2": "bread", "keyword3": "blue", "keyword4": "lamp", "keyword5": "river"}
SONG = "door bread bread blue blue blue lamp lamp lamp lamp lamp " + "river, " * 7

COUNT: list[Case] = [
    (
        "count:word_count_range",
        {"min_words": 3.0, "max_words": 5.0},
        ["Don’t stop now.", "**One** two, three - four five!", "naïve “café” talk"],
        ["Two words.", "One two three four five six.", "- * # ...", "well-known, well-liked, well-off"],
    ),
    (
        "count:unique_word_count",
        {"N": 4},
        ["Red, green, blue, black.", "the sea THE Sea saw a ship"],
        ["The the THE tHe sea sea sees", "1 2 3 4 5 6", "red - green — blue", ""],
    ),
    (
        "count:conjunctions",
        {"small_n": 3},
        ["He ran, but she walked, for it was hot, so they met.", "Tea or milk? And honey, yet no sugar."],
        ["And he ran and SHE ran And fell.", "and but for nor or yet so", "Sand, butter, fork, order, sofa."],
    ),
    (
        "count:person_names",
        {"N": 3},
        [NAMES, "**Emma**, _Liam_ and Zoe!", "Emma/Liam/Zoe"],
        ["Isabella Leonard Christophers", "emma liam zoe", "Emma, Emma, Emma and Liam.", "Jean, Paul, Marie"],
    ),
    (
        "count:numbers",
        {"N": 3},
        [
            "It costs 3.14 or 1,000 or 3/4.",
            "On 2024-04-23 at 10:30 there were 5km left.",
            "1. H2O\n2. From 5 apples.",
            "Pages 5-10 and x2, then ½.",
        ],
        ["three numbers, none here", "1 2", "1, 2, 3, 4", "H2O CO2 B12", "5-10-15-20"],
    ),
    (
        "count:pronouns",
        {"N": 4},
        ["I’m sure they've seen someone who left.", "she/her and they/them", "My dog loves ITS ball; you know it."],
        ["This is that which one has.", "Items, mythical history, itself", "Dogs chase cats and mice."],
    ),
    (
        "count:punctuation",
        {},
        [MARKS, MARKS.replace("?!", "‽").replace('"the best"', "“the best”").replace("didn't", "didn’t")],
        [
            MARKS.replace(";", ","),
            MARKS.replace("(", "").replace(")", ""),
            MARKS.replace("did he?", "did he").replace("Yes,", "Yes,"),
            "Words and .,;:'\"-()?!?! more words",
            ". , ; : ?! ! ?",
        ],
    ),
    (
        "count:keywords_multiple",
        KEYWORDS,
        [SONG, SONG.upper(), SONG.replace("door", "the door's hinge and")],
        [SONG + " door", SONG.replace("blue blue blue", "blue blue bluebell"), SONG.replace("bread", "breads"), ""],
    ),
    (
        "count:words_japanese",
        {"N": 3},
        ["The big 犬 runs to 家.", "one two さん four, five「六」", "私は犬が好きです。", "x y カタカナ z"],
        ["The big dog 犬 runs.", "one two 3 four five 六", "犬 dog", "The big inu 家"],
    ),
]
