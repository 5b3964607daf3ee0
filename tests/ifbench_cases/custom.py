from ifbench_cases import Case

CITIES = "ID,Country,City,Year,Count\n" + "\n".join(f"{i},France,Paris,20{i}0,{i}5" for i in range(1, 8))
PRODUCTS = "ProductID,Category,Brand,Price,Stock\n" + "\n".join(f"{i},Toys,Acme,{i}.50,{i}" for i in range(1, 14))
GRADES = '"StudentID"\t"Subject"\t"Grade"\t"Semester"\t"Score"' + '\n"1"\t"Art"\t"A"\t"Fall"\t"90"' * 3
DATES = "1800-06-14, 1805-12-02, 1806-10-14, 1812-09-07, 1813-10-16, 1815-06-18"
CAPITALS = (
    "Reykjavík, Helsinki, Oslo, Tallinn, Stockholm, Riga, Moscow, Copenhagen, Vilnius, Minsk, Dublin, Berlin, "
    "Amsterdam, Warsaw, London, Brussels, Kyiv, Prague, Luxembourg, Paris, Vienna, Bratislava, Budapest, Vaduz, "
    "Chișinău, Bern, Ljubljana, Zagreb"
)
AFRICA = """Zimbabwe
Zambia
Uganda
Tunisia
Togo
Tanzania
Sudan
South Sudan
South Africa
Somalia
Sierra Leone
Seychelles
Senegal
São Tomé and Príncipe
Rwanda
Republic of the Congo
Nigeria
Niger
Namibia
Mozambique
Morocco
Mauritius
Mauritania
Mali
Malawi
Madagascar
Libya
Liberia
Lesotho
Kenya
Ivory Coast
Guinea-Bissau
Guinea
Ghana
Gambia
Gabon
Ethiopia
Eswatini
Eritrea
Equatorial Guinea
Egypt
Djibouti
Democratic Republic of the Congo
Comoros
Chad
Central African Republic
Cape Verde
Cameroon
Burundi
Burkina Faso
Botswana
Benin
Angola
Algeria"""
STORY = " ".join(f"{letter}b ran to the sea." for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ")


def question(number: int, length: int, options: int = 5) -> str:
    listed = "\n".join(f"{'ABCDEF'[i]}) Painter {'ABCDEF'[i]}" for i in range(options))
    return f"Question {number}: Who painted {'very ' * length}well?\n{listed}\n"


QUIZ = "\n".join(question(number, number) for number in range(1, 5))

CUSTOM: list[Case] = [
    (
        "custom:multiples",
        {},
        [
            "14, 21, 28, 35, 42, 49",
            "14\n21\n28\n35\n42\n49\n",
            "- 14\n- 21\n- 28\n- 35\n- 42\n- 49",
            "14 21 28 35 42 and 49.",
        ],
        [
            "7, 14, 21, 28, 35, 42, 49",
            "Here they are: 14, 21, 28, 35, 42, 49",
            "14, 21, 28, 35, 42",
            "49, 42, 35, 28, 21, 14",
            "142128354249",
            "for i in range(14, 51, 7): print(i)",
        ],
    ),
    (
        "custom:mcq_count_length",
        {},
        [
            QUIZ,
            QUIZ.replace("Question", "**Question**").replace("A)", "(A)"),
            QUIZ + "Answer: C",
            QUIZ.replace("A)", "a."),
        ],
        [
            f"Here you go:\n{QUIZ}",
            QUIZ + "This is because Picasso was a Cubist.",
            QUIZ.replace("E) Painter E\n", "", 1),
            "\n".join(question(number, 5 - number) for number in range(1, 5)),
            "\n".join(question(number, number) for number in range(1, 4)),
            "\n".join(question(number, number, 6) for number in range(1, 5)),
            QUIZ.replace("Painter B", "Painter A"),
            "",
        ],
    ),
    (
        "custom:reverse_newline",
        {},
        [
            AFRICA,
            f"The countries of Africa:\n\n{AFRICA}",
            "\n".join(f"{i}. **{name}**" for i, name in enumerate(AFRICA.split("\n"), 1)),
            AFRICA.replace("Ivory Coast\n", "")
            .replace("Djibouti", "DR Congo\nDjibouti\nCôte d’Ivoire")
            .replace("Democratic Republic of the Congo\n", ""),
            AFRICA.replace("Uganda", "Western Sahara\nUganda"),
        ],
        [
            "\n".join(reversed(AFRICA.split("\n"))),
            AFRICA.replace("Togo\n", ""),
            AFRICA.replace("\n", ", "),
            AFRICA.replace("Togo", "Toga"),
            AFRICA.replace("Sudan\nSouth Sudan", "South Sudan\nSudan"),
            AFRICA + "\nI hope this helps!",
            AFRICA + "\nAlgeria",
            "Zimbabwe\n" + "\n".join(["Zebra"] * 55),
        ],
    ),
    (
        "custom:word_reverse",
        {},
        [
            "eagle bald the is US the of symbol national The",
            ".eagle bald the is animal national The",
            "eagle bald a is It",
        ],
        [
            "eagle bald",
            "The national symbol of the US is the bald eagle.",
            "The eagle bald is the symbol of the US",
            "elgae dlab eht si lamina ehT",
            "",
        ],
    ),
    (
        "custom:character_reverse",
        {},
        [".elgae dlab eht si SU eht fo lobmys lanoitan ehT", "elgae dlab eht s’tI"],
        [
            "elgae dlab",
            "The answer is elgae dlab, as it is.",
            "The bald eagle.",
            "eagle bald the is It",
            "ehT dlab elgae",
            "",
        ],
    ),
    (
        "custom:sentence_alphabet",
        {},
        [STORY, STORY.replace("Bb ran", '"Bb" ran').replace("Eb", "Éb"), "\n\n".join(STORY.split(". "))],
        [STORY.replace("Bb", "Ab"), STORY.replace("Zb ran to the sea.", ""), f"{STORY} Amen.", "A b c d", ""],
    ),
    (
        "custom:european_capitals_sort",
        {},
        [
            CAPITALS,
            CAPITALS.replace("Kyiv", "Kiev").replace("Zagreb", "and Zagreb."),
            CAPITALS.replace("London,", "London, Astana,"),
            CAPITALS.replace(", ", ",\n"),
        ],
        [
            CAPITALS.replace(" Kyiv,", ""),
            CAPITALS.replace("Oslo, Tallinn", "Tallinn, Oslo"),
            CAPITALS + ", Belgrade",
            CAPITALS.replace("Oslo", "Oslo (Norway)"),
            f"Here is the list: {CAPITALS}",
            CAPITALS.replace(", ", "\n"),
            ", ".join(reversed(CAPITALS.split(", "))),
            "",
        ],
    ),
    (
        "custom:csv_city",
        {},
        [
            CITIES,
            f"Here it is:\n\n```csv\n{CITIES}\n```\nEnjoy!",
            CITIES.replace("France", '"Korea, South"'),
            CITIES + "\n",
        ],
        [
            CITIES.rsplit("\n", 1)[0],
            CITIES + "\n8,France,Paris,2080,85",
            CITIES.replace("Paris", "", 1),
            CITIES.replace(",", ";"),
            CITIES.replace("Year", "Date"),
            CITIES.replace("France", "Korea, South", 1),
            CITIES.replace("France", '"France', 1),
            f"Here it is:\n{CITIES}",
            "",
        ],
    ),
    (
        "custom:csv_special_character",
        {},
        [
            PRODUCTS + '\n14,Toys,"A&B",1,2',
            PRODUCTS + '\n14,Toys,"Say ""hi""",1,2',
            PRODUCTS + '\n14,Toys,"Naïve",1,2',
            f'```\n{PRODUCTS}\n14,"Toys, big",Acme,1,2\n```',
        ],
        [
            PRODUCTS + "\n14,Toys,A&B,1,2",
            PRODUCTS + '\n14,Toys,"Acme",1,2',
            PRODUCTS + '\n14,Toys,Acme,"12.99",2',
            PRODUCTS + '\n14,Toys,"A&B",1',
            PRODUCTS,
            "",
        ],
    ),
    (
        "custom:csv_quotes",
        {},
        [GRADES, f"```tsv\n{GRADES}\n```", GRADES.replace("Art", 'Art ""A""')],
        [
            GRADES.replace('"', ""),
            GRADES.replace('"Art"', "Art", 1),
            GRADES.replace('"StudentID"', "StudentID"),
            GRADES.replace("\t", ","),
            GRADES.rsplit("\n", 1)[0],
            "",
        ],
    ),
    (
        "custom:date_format_list",
        {},
        [DATES, f"1796-04-12,{DATES}.", DATES.replace(", ", ",\n")],
        [
            "1805-12-02",
            f"{DATES}, 1813-02-30",
            f"{DATES}, 1821-05-05",
            f"{DATES}, 1813-8-26",
            DATES.replace(",", ""),
            f"Dates: {DATES}",
            DATES.replace("-", "/"),
            f"{DATES}, ١٨١٢-٠٩-٠٧",
            "",
        ],
    ),
]
