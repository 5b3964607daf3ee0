"""The small closed word lists that instructions are about."""

from __future__ import annotations


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


COORDINATING = _set("for and nor but or yet so")
"""The seven coordinating conjunctions of English."""

PRONOUNS = _set(
    """i me my mine myself we us our ours ourselves ourself you your yours yourself yourselves he him his himself she
    her hers herself it its itself they them their theirs themselves themself thou thee thy thine ye oneself who whom
    whose whoever whomever anybody anyone anything everybody everyone everything nobody nothing somebody someone
    something"""
)
"""Words that are pronouns wherever they stand (possessives among them); "this", "that", "which" and "one" are often
something else and are left out."""

STOP_WORDS = (
    PRONOUNS
    | COORDINATING
    | _set(
        """a an the this that these those which what when where why how here there if because as until while although
    though unless since than whether whereas of at by with about against between among into through during before
    after above below to from up down in out on off over under within without upon toward towards across along
    around behind beside besides beyond near onto per via am is are was were be been being have has had having do does
    did doing done can could will would shall should may might must ought cannot not no yes only own same such too very
    just also again further then once now ever never all any both each few more most other another some many much
    several either neither every one less least even still rather quite perhaps however therefore thus hence"""
    )
)
"""Function words of English: articles, pronouns, prepositions, conjunctions, auxiliaries and grammatical adverbs."""

PERSON_NAMES = [
    "Emma",
    "Liam",
    "Sophia",
    "Jackson",
    "Olivia",
    "Noah",
    "Ava",
    "Lucas",
    "Isabella",
    "Mason",
    "Mia",
    "Ethan",
    "Charlotte",
    "Alexander",
    "Amelia",
    "Benjamin",
    "Harper",
    "Leo",
    "Zoe",
    "Daniel",
    "Chloe",
    "Samuel",
    "Lily",
    "Matthew",
    "Grace",
    "Owen",
    "Abigail",
    "Gabriel",
    "Ella",
    "Jacob",
    "Scarlett",
    "Nathan",
    "Victoria",
    "Elijah",
    "Layla",
    "Nicholas",
    "Audrey",
    "David",
    "Hannah",
    "Christopher",
    "Penelope",
    "Thomas",
    "Nora",
    "Andrew",
    "Aria",
    "Joseph",
    "Claire",
    "Ryan",
    "Stella",
    "Jonathan",
]
"""The names that the instruction gives to choose from."""

PALINDROMES = _set(
    """alula anana anona arora civic deedeed deified deked deled denned detartrated devoved dewed dammad finif hadah
    hagigah halah hallah hannah harrah kaiak kanak kayak kazak kelek kinnikinnik lemel level macam madam malayalam
    marram medem minim murdrum naman natan nolon peeweep pipip pullup qazaq racecar radar redder redivider
    refer reifier releveler repaper retter reviver rever rotator rotavator rotor sagas salas samas sedes semes senes
    seres sexes shahs siris sisis solos soros stats stets sulus susus tebbet tenet terret tibbit tippit tirrit torot
    tumut ululu wassamassaw xanax"""
)
"""Words and names of at least five letters that read the same backwards; made-up strings ("abcba") are no words."""

MINOR_WORDS = _set(
    """a an the and but or nor for so yet as if at by in of off on per to up via with from into onto over upon than that
    vs v de la le von van down near like out past till when once"""
)
"""Words that title case may leave without a capital: articles, conjunctions and short prepositions."""
