"""Made texts for the 58 instructions of IFBench."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Args = Mapping[str, Any]
SENTENCE = "The river runs past the old mill before it meets the sea."
BULLETS = "* Fish\n* Birds"
_NAMES = """
Emma Liam Sophia Jackson Olivia Noah Ava Lucas Isabella Mason Mia Ethan Charlotte Alexander Amelia Benjamin Harper
Leo Zoe Daniel Chloe Samuel Lily Matthew Grace Owen Abigail Gabriel Ella Jacob Scarlett Nathan Victoria Elijah
Layla Nicholas Audrey David Hannah Christopher Penelope Thomas Nora Andrew Aria Joseph Claire Ryan Stella Jonathan
"""
NAMES = _NAMES.split()
ALPHABET = (
    "All big cats drink eagerly. Five green herons inspected jolly kites. Lions met noisy owls. Proud quails ran. "
    "Some turtles uttered vows while xenial yaks zigzagged."
)
PALINDROMES = "level radar civic refer madam kayak rotor stats tenet solos"
PRONOUNS = ["I", "you", "he", "she", "it", "we", "they", "me", "him", "her", "us", "them"]


def _fixed(*texts: str) -> Callable[[Args, str, str], list[str]]:
    return lambda _, base, __: [text.replace("{base}", base) for text in texts]


def _numbers(args: Args, _: str, __: str) -> list[str]:
    count = int(args["N"])
    return [
        "I saw " + " ".join(str(number) for number in range(1, count + 1)) + " birds.",
        "I saw " + ", ".join(str(number) for number in range(1, count)) + " birds.",
        "I saw " + ", ".join(f"{number}.5" for number in range(1, count + 1)) + " birds.",
        "I saw " + ", ".join(f"{number},000" for number in range(1, count + 1)) + " birds.",
        "I saw " + " ".join(["seven"] * count) + " birds.",
        "I saw " + " ".join(f"B{number}" for number in range(1, count + 1)) + " birds.",
    ]


def _range(args: Args, _: str, __: str) -> list[str]:
    low, high = int(args["min_words"]), int(args["max_words"])
    sizes = [low, high, low - 1, high + 1]
    return [
        *(" ".join(["river"] * size) for size in sizes),
        " ".join(["well-known"] * (low // 2 + 1)),
        " ".join(["don't"] * low),
        " ".join(["river"] * low + ["&"]),
    ]


def _unique(args: Args, base: str, _: str) -> list[str]:
    count = int(args["N"])
    words = [f"w{chr(97 + i % 26)}{chr(97 + i // 26)}" for i in range(count)]
    return [
        " ".join(words),
        " ".join(words[:-1]),
        " ".join(words[:-1]) + " - ...",
        " ".join(["The the THE"] * count),
        base,
    ]


def _names(args: Args, base: str, _: str) -> list[str]:
    count = int(args["N"])
    return [
        ", ".join(NAMES[:count]),
        ", ".join(NAMES[: count - 1]),
        ", ".join(name.lower() for name in NAMES[:count]),
        ", ".join(["Emma"] * count),
        ", ".join(f"{name}'s" for name in NAMES[:count]),
        ", ".join(f"{name}ville" for name in NAMES[:count]),
        base,
    ]


def _pronouns(args: Args, base: str, _: str) -> list[str]:
    count = int(args["N"])
    return [
        " ".join((PRONOUNS * 10)[:count]),
        " ".join((PRONOUNS * 10)[: count - 1]),
        " ".join(["I'm"] * count),
        " ".join(["myself"] * count),
        " ".join(["who", "this", "everyone"] * count),
        base,
    ]


def _conjunctions(args: Args, base: str, _: str) -> list[str]:
    count = int(args["small_n"])
    words = ["and", "but", "for", "nor", "or", "so", "yet"]
    return [
        "Fish " + " fowl ".join(words[:count]) + " sea.",
        "Fish " + " fowl ".join(words[: count - 1]) + " sea.",
        "Fish " + " ".join(["and"] * count),
        "FISH " + ", ".join(word.upper() for word in words[:count]),
        base,
    ]


def _multiple(args: Args, _: str, __: str) -> list[str]:
    counts = dict(zip((args[f"keyword{i}"] for i in range(1, 6)), (1, 2, 3, 5, 7), strict=True))
    right = " ".join(word for word, count in counts.items() for _ in range(count))
    return [
        right,
        right.upper(),
        f"{right} {args['keyword1']}",
        f"{right} {args['keyword1']}s",
        right.rsplit(" ", 1)[0],
    ]


def _options(args: Args, _: str, __: str) -> list[str]:
    first, *others = [part.strip(" .()") for part in args["options"].replace(" or ", "/").replace(",", "/").split("/")]
    return [
        first,
        f"{first}.",
        first.upper(),
        f"{first}, because it is.",
        f"**{first}**",
        *others[:2],
        " ".join([first, *others]),
    ]


def _list(args: Args, base: str, _: str) -> list[str]:
    sep = args["sep"]
    items = ["Fish", "Birds", "Otters"]
    return [
        "\n".join(f"{sep} {item}" for item in items),
        f" {sep} ".join(items),
        "\n".join(f"{sep}{item}" for item in items),
        "\n".join(f"* {item}" for item in items),
        f"{sep} Fish",
        f"{base}\n{sep} Fish\n{sep} Birds\n- Otters",
        f"Use {sep} and {sep} here.",
    ]


def _overlap(args: Args, base: str, _: str) -> list[str]:
    text = args["reference_text"]
    share = int(len(text) * args["percentage"] / 100)
    words = text.split()
    return [
        text,
        text[:share] + base[: len(text) - share],
        " ".join(words[: int(len(words) * args["percentage"] / 100)]),
        base,
    ]


def _stop(args: Args, base: str, _: str) -> list[str]:
    share = int(args["percentage"])
    return [
        " ".join(["river"] * (100 - share) + ["the"] * share),
        " ".join(["river"] * (99 - share) + ["the"] * (share + 1)),
        " ".join(["don't"] * 20 + ["river"] * 80),
        "Big rivers carve deep valleys",
        base,
    ]


def _position(args: Args, _: str, __: str) -> list[str]:
    n, m, word = int(args["n"]), int(args["m"]), args["keyword"]
    before = " ".join([SENTENCE] * (n - 1))
    filler = " ".join(["river"] * (m - 1))
    return [
        f"{before} {filler} {word} runs.",
        f"{before} {filler.capitalize()} {word.upper()} runs.",
        f"{before} {', '.join(['river'] * (m - 1))}, {word} runs.",
        f"{before} {filler} {word}s run.",
        f"{before} {filler} river {word}.",
    ]


def _sentence_keyword(args: Args, _: str, __: str) -> list[str]:
    n, word = int(args["N"]), args["word"]
    before = " ".join([SENTENCE] * (n - 1))
    return [
        f"{before} They say {word} matters.",
        f"{before} They say {word.upper()} matters.",
        f"{before} They say un{word}able matters.",
        f"{before} {SENTENCE} They say {word}.",
        "\n".join([f"- {SENTENCE}"] * (n - 1) + [f"- The {word}."]),
        " ".join(["Dr. Who came."] * (n - 1)) + f" The {word} came.",
    ]


def _words_position(args: Args, _: str, __: str) -> list[str]:
    word = args["keyword"]
    return [
        f"A {word} day ends a {word} night",
        f"A {word}, mild day ends; a {word} night.",
        f"A {word.upper()} day ends a {word} night!",
        f"{word} A day ends a night {word}",
        f"A {word} night",
        f"A {word}s day ends a {word}s night",
    ]


def _repeat_change(args: Args, _: str, __: str) -> list[str]:
    request = args["prompt_to_repeat"]
    first, rest = request.split(" ", 1)
    return [
        f"Paint {rest}",
        request,
        f"Paint {rest}\n\nSure!",
        f"{first} Paint {rest}",
        f"paint {rest.lower()}",
        f"Paint {rest[:-8]}",
    ]


def _span(args: Args, _: str, __: str) -> list[str]:
    text, start, end = args["prompt_to_repeat"], int(args["n_start"]), int(args["n_end"])
    words = text.split()
    return [
        text[start:end],
        text[start : end + 1],
        " ".join(words[start:end]),
        " ".join(words[start : end + 1]),
        text,
        f'"{" ".join(words[start : end + 1])}"',
        " ".join(words[start : end + 1]).upper(),
    ]


def _repeats(args: Args, base: str, _: str) -> list[str]:
    most = int(args["small_n"])
    return [" ".join(["river"] * most), " ".join(["river"] * (most + 1)), " ".join(["River,", "river"] * most), base]


def _increment(args: Args, base: str, _: str) -> list[str]:
    step = int(args["small_n"])

    def text(*sizes: int) -> str:
        return " ".join(" ".join(["River"] + ["runs"] * (size - 1)) + "." for size in sizes)

    return [
        text(2, 2 + step, 2 + 2 * step),
        text(2, 3 + step),
        text(4),
        text(3, 3 + step, 3 + step),
        base,
        f"Well-known rivers. {text(2 + step)}",
    ]


def _japanese(args: Args, _: str, __: str) -> list[str]:
    n = int(args["N"])
    words = [("川" if (i + 1) % n == 0 else "river") for i in range(2 * n)]
    wrong = [("川" if i % n == 0 else "river") for i in range(2 * n)]
    return [
        " ".join(words),
        " ".join(wrong),
        " ".join(f"{word}," for word in words),
        " ".join(["river"] * (n - 1)),
        "川が流れる",
    ]


def _csv(header: str, rows: int, sep: str, quote: str) -> list[str]:
    names = header.split(",")

    def text(count: int, mark: str, by: str) -> str:
        lines = [names, *([f"v{i}{j}" for j in range(len(names))] for i in range(count))]
        return "\n".join(by.join(f"{mark}{value}{mark}" for value in line) for line in lines)

    special = text(rows, quote, sep).replace("v00", '"v#00"')
    return [
        text(rows, quote, sep),
        special,
        text(rows - 1, quote, sep),
        text(rows, "", ";"),
        f"```csv\n{special}\n```",
        text(rows, '"', sep),
    ]


AFRICA = """
Zimbabwe Zambia Uganda Tunisia Togo Tanzania Sudan South_Sudan South_Africa Somalia Sierra_Leone Seychelles
Senegal Sao_Tome_and_Principe Rwanda Republic_of_the_Congo Nigeria Niger Namibia Mozambique Morocco Mauritius
Mauritania Mali Malawi Madagascar Libya Liberia Lesotho Kenya Ivory_Coast Guinea-Bissau Guinea Ghana Gambia
Gabon Ethiopia Eswatini Eritrea Equatorial_Guinea Egypt Djibouti Democratic_Republic_of_the_Congo Comoros Chad
Central_African_Republic Cape_Verde Cameroon Burundi Burkina_Faso Botswana Benin Angola Algeria
"""
AFRICA = "\n".join(AFRICA.split()).replace("_", " ")
CAPITALS = (
    "Reykjavik, Helsinki, Oslo, Tallinn, Stockholm, Riga, Moscow, Copenhagen, Vilnius, Minsk, Dublin, Berlin, "
    "Amsterdam, Warsaw, London, Brussels, Kyiv, Prague, Luxembourg, Paris, Vienna, Bratislava, Budapest, Vaduz, "
    "Chisinau, Bern, Ljubljana, Zagreb"
)
STORY = " ".join(f"{letter}nd so the river ran on." for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
QUIZ = "\n\n".join(
    f"Question {i}: Which painter {'really ' * i}led the movement?\n" + "\n".join(f"{c}) Name {c}" for c in "ABCDE")
    for i in range(1, 5)
)

IFBENCH: dict[str, Callable[[Args, str, str], list[str]]] = {
    "count:numbers": _numbers,
    "count:word_count_range": _range,
    "count:unique_word_count": _unique,
    "count:person_names": _names,
    "count:pronouns": _pronouns,
    "count:conjunctions": _conjunctions,
    "count:keywords_multiple": _multiple,
    "count:words_japanese": _japanese,
    "count:punctuation": _fixed(
        "Hi, you; come: now. Is it? Yes! What?!",
        "Hi, you; come: now. Yes!",
        "Hi, you; come: now. What‽ Yes! No?",
        "(a) \"b\" 'c' - d, e; f: g. h! i? j?!",
    ),
    "format:options": _options,
    "format:list": _list,
    "format:emoji": _fixed(
        "It rains. 🌧 It snows! ❄️",
        "It rains 🌧. It snows ❄️!",
        "It rains. It snows 🌧",
        "It rains 🌧\nIt snows ❄️",
        "🌧 It rains.",
        "It rains :)",
    ),
    "format:line_indent": _fixed(
        "one\n two\n  three",
        "one\n  two\n    three",
        "one\ntwo\n three",
        " one\n two",
        "one",
        "one\n\n two\n\n  three",
        "one\n\ttwo\n\t\tthree",
    ),
    "format:newline": _fixed("one\ntwo\nthree", "one\n\ntwo", "one two\nthree", "one,\ntwo.", "one", "well-\nknown\n"),
    "format:no_bullets_bullets": _fixed(
        f"{SENTENCE} It sings.\n{BULLETS}",
        f"{SENTENCE}\n{BULLETS}",
        f"{SENTENCE} It sings.\n- Fish\n- Birds",
        f"{BULLETS}\n{SENTENCE} It sings.",
        f"{SENTENCE} It sings.\n* Fish",
    ),
    "format:sub-bullets": _fixed(
        "* Fish\n  - Trout\n* Birds\n  - Heron",
        "* Fish\n  - Trout\n* Birds",
        "* Fish\n- Trout",
        "- Fish\n  * Trout",
        "* Fish - Trout",
        "Intro\n* Fish\n  - Trout\n  - Eel",
    ),
    "format:no_whitespace": _fixed("river", "the river", "river\n", "riverrun!", "a\u00a0b", ""),
    "format:parentheses": _fixed(
        "(a [b {c (d [e])}])", "(a [b {c}])", "(((((a)))))", "(a [b {c (d [e)}])", "([{([])}])", ")))))((((("
    ),
    "format:quote_unquote": _fixed(
        '"Go" means leave.',
        '"Go"',
        '"Go" "Stop"',
        "No quotes here.",
        '"Go" means leave. "Stop" means stay.',
        'He said "go".',
    ),
    "format:quotes": _fixed(
        '"He said \'she said "go" to me\' today"',
        "\"He said 'go'\"",
        "'a \"b 'c' d\" e'",
        "“He said ‘she said “go” then’”",
        '"""a"""',
        "It's a 'test' of \"it\"",
    ),
    "format:thesis": _fixed(
        "<i>Rivers matter.</i> They do.",
        "<em>Rivers matter.</em>\nThey do.",
        "*Rivers matter.* They do.",
        "They do. <i>Rivers matter.</i>",
        "<i></i> They do.",
        "## One\n<i>Rivers matter.</i> Yes.\n\n## Two\nNo.",
    ),
    "format:title_case": _fixed(
        "The Old River Runs to the Sea",
        "The Old River Runs To The Sea",
        "The old River",
        "THE OLD RIVER",
        "A Well-Known River",
        "It's the End",
        "The River, 3 Mills",
    ),
    "format:output_template": _fixed(
        "My Answer: yes My Conclusion: no Future Outlook: maybe",
        "My Answer: yes\nMy Conclusion: no\nFuture Outlook: maybe",
        "My Conclusion: no My Answer: yes Future Outlook: x",
        "My Answer: My Conclusion: Future Outlook:",
        "**My Answer:** yes\n**My Conclusion:** no\n**Future Outlook:** ok",
    ),
    "ratio:stop_words": _stop,
    "ratio:overlap": _overlap,
    "ratio:sentence_balance": _fixed(
        "Go. Why? Now!",
        "Go. Why?",
        "Go. Go. Why? Why? Now! Now!",
        "river",
        "Go.\nWhy?\nNow!",
        "Mr. Lee? Yes! No.",
        "{base}",
    ),
    "ratio:sentence_type": _fixed(
        "Go. Stay. Why?",
        "Go. Why?",
        "Go. Stay! Why?",
        "river",
        "Mr. Lee left. He ran. Why?",
        "One. Two. Three. Four. Why? How?",
        "{base}",
    ),
    "ratio:sentence_words": _fixed(
        "Cats nap. Dogs run. Fish dip.",
        "Cats nap. Cats run. Fish dip.",
        "Cats nap. Dogs run.",
        "Cats nap. Dogs run. Birds fly.",
        "{base}",
    ),
    "words:alphabet": _fixed(
        ALPHABET, "All big dogs", "zebras all bark", "apple Banana cat", "a b c", "Big cats drink", "{base}"
    ),
    "words:vowel": _fixed(
        "a red sun set", "a red pup sat in", "an old mill", "cat", "{base}", "The sea is calm", "sky"
    ),
    "words:consonants": _fixed(
        "strong plants crest", "strong plant a", "my river", "The black frost", "bright-eyed", "{base}", "Why try"
    ),
    "words:no_consecutive": _fixed(
        "The river runs", "The river meets an old mill", "Tall trees", "A b c", "An 'apple", "{base}", "One"
    ),
    "words:odd_even_syllables": _fixed(
        "The river", "A river runs over", "cat dog", "river cat paper dog", "{base}", "fire"
    ),
    "words:last_first": _fixed(
        "I see the sea. Sea birds sing.",
        "I see. You go.",
        "One.",
        "It is you. You are it. It rains.",
        "I see the sea! The sea sings.",
    ),
    "words:paragraph_last_first": _fixed(
        "Sea birds love the sea",
        "Sea birds love the sea.\nMills turn like mills.",
        "Sea birds.\nMills.",
        "Sea is sea\n\nMill is mill",
        "sea",
        "Sea, the SEA!",
    ),
    "words:palindrome": _fixed(
        PALINDROMES,
        " ".join(PALINDROMES.split()[:9]),
        " ".join(["level"] * 10),
        PALINDROMES.title(),
        PALINDROMES.replace(" ", ", "),
        "{base}",
    ),
    "words:prime_lengths": _fixed(
        "An old river fed mills", "The mill", "I go", "we run", "It's odd", "{base}", "to-do"
    ),
    "words:repeats": _repeats,
    "words:start_verb": _fixed(
        "Run to the mill.",
        "The mill runs.",
        "Running helps.",
        "Consider rivers.",
        "Please go.",
        "To go is fun.",
        "**Write** it.",
        "Is it?",
        "Water the plants.",
    ),
    "words:keywords_specific_position": _position,
    "words:words_position": _words_position,
    "sentence:keyword": _sentence_keyword,
    "sentence:increment": _increment,
    "sentence:alliteration_increment": _fixed(
        "Big bears sit. Cool cats creep by. Dark dogs dig down.",
        "Big bears sit. Cool cats run.",
        "Big bears.",
        "River runs red. Big mill.",
        "Go. Big bears. Cool calm cats.",
        "{base}",
    ),
    "repeat:repeat_change": _repeat_change,
    "repeat:repeat_simple": _fixed(
        "Only output this sentence here, ignore all other requests.",
        "only output this sentence here, ignore all other requests.",
        '"Only output this sentence here, ignore all other requests."',
        "Only output this sentence here, ignore all other requests. Sure!",
        "Only output this sentence here",
    ),
    "repeat:repeat_span": _span,
    "custom:multiples": _fixed(
        "14 21 28 35 42 49",
        "14, 21, 28, 35, 42, 49",
        "14\n21\n28\n35\n42\n49",
        "10 14 21 28 35 42 49",
        "14 21 28 35 42",
        "1421283542 49",
        "The multiples are 14, 21, 28, 35, 42 and 49.",
    ),
    "custom:mcq_count_length": _fixed(
        QUIZ,
        QUIZ.replace("E) Name E", ""),
        QUIZ.replace("really ", ""),
        QUIZ.rsplit("Question", 1)[0],
        QUIZ.replace(")", "."),
    ),
    "custom:reverse_newline": _fixed(
        AFRICA,
        "\n".join(reversed(AFRICA.split("\n"))),
        AFRICA.replace("\n", ", "),
        "\n".join(AFRICA.split("\n")[:20]),
        AFRICA.replace("Ivory Coast\n", ""),
        "Zimbabwe\nZambia",
        "\n".join(f"- {line}" for line in AFRICA.split("\n")),
    ),
    "custom:word_reverse": _fixed(
        "US the of symbol national the is eagle bald The",
        "eagle bald the is animal The",
        "The bald eagle is the national symbol of the US",
        "bald eagle",
        ".eagle bald",
    ),
    "custom:character_reverse": _fixed(
        "elgae dlab ehT",
        ".elgae dlab eht si SU eht fo lobmys lanoitan ehT",
        "The bald eagle",
        "eagle bald the",
        "elgae",
    ),
    "custom:sentence_alphabet": _fixed(
        STORY,
        STORY.lower(),
        STORY.rsplit(".", 2)[0],
        STORY.replace("And", "Bnd", 1),
        "\n".join(f"{i}. {s}." for i, s in enumerate(STORY.split(". "), 1)),
    ),
    "custom:european_capitals_sort": _fixed(
        CAPITALS,
        CAPITALS.replace(", ", "\n"),
        ", ".join(reversed(CAPITALS.split(", "))),
        CAPITALS.replace("Bern, ", ""),
        CAPITALS.lower(),
        CAPITALS + ", Rome",
        CAPITALS + ".",
    ),
    "custom:csv_city": lambda *_: _csv("ID,Country,City,Year,Count", 7, ",", ""),
    "custom:csv_special_character": lambda *_: _csv("ProductID,Category,Brand,Price,Stock", 14, ",", ""),
    "custom:csv_quotes": lambda *_: _csv("StudentID,Subject,Grade,Semester,Score", 3, "\t", '"'),
    "custom:date_format_list": _fixed(
        "1796-04-12, 1805-12-02, 1815-06-18",
        "1796-04-12",
        "1796-4-12, 1805-12-2",
        "12-04-1796, 02-12-1805",
        "1796-13-45, 1805-12-02",
        "The dates: 1796-04-12, 1805-12-02",
        "1796-04-12\n1805-12-02",
    ),
}
