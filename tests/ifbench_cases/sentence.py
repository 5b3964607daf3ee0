from ifbench_cases import Case

SENTENCE: list[Case] = [
    (
        "sentence:keyword",
        {"word": "eat", "N": 2.0},
        ["I sleep. You EAT! He runs.", "1. Dr. Fox sleeps.\n2. We eat's end.", "Hm... what? They “eat”."],
        ["I eat. You sleep.", "I sleep. Good weather we eaten.", "We eat", "", "I sleep. You run. We eat."],
    ),
    (
        "sentence:increment",
        {"small_n": 2},
        ["Go now. He didn’t go now. We all saw him leave then.", "Stop! You must go."],
        ["Go now.", "Go now. He goes now.", "He goes off now. Go now.", "Go. You must go. Now you must go.", ""],
    ),
    (
        "sentence:alliteration_increment",
        {},
        [
            "He ran off. Big bears slept. Six sad Swans sang.",
            "Élan eats. “Cold, crisp cakes” wait.",
            "- Nobody cares.\n- Wild *Wolves* cry.",
        ],
        [
            "Big bears slept.",
            "Big bears slept. Two tall men ran.",
            "Big bad bears slept. Two tall trees and some sad men.",
            "10 11 12 men. No 1 2 3 4 5 more.",
            "",
        ],
    ),
]
