"""English verb forms from a list of common verbs, for telling whether a text begins with one."""

from __future__ import annotations

from functools import lru_cache

from tahr.verifiers.instructions.letters import VOWELS

_AUXILIARIES = """am is are was were be being been have has had having do does did doing done can could will would
    shall should may might must let lets isn aren wasn weren haven hasn hadn doesn didn don couldn wouldn
    shouldn mustn needn"""

_FINITE_FORMS = "am is are was were has have had will would can could may might must shall should does did"
_FINITE = frozenset(_FINITE_FORMS.split())
"""Forms that make the word before them a subject: in "Light is fast", "light" is a noun."""

_IRREGULAR = """
    arise arose arisen, awake awoke awoken, bear bore borne, beat beat beaten, become became become, begin began begun,
    bend bent bent, bet bet bet, bid bid bid, bind bound bound, bite bit bitten, bleed bled bled, blow blew blown, break
    broke broken, breed bred bred, bring brought brought, build built built, burst burst burst, buy bought bought, cast
    cast cast, catch caught caught, choose chose chosen, cling clung clung, come came come, cost cost cost, creep crept
    crept, cut cut cut, deal dealt dealt, dig dug dug, draw drew drawn, drink drank drunk, drive drove driven, eat ate
    eaten, fall fell fallen, feed fed fed, feel felt felt, fight fought fought, find found found, flee fled fled, fling
    flung flung, fly flew flown, forbid forbade forbidden, forecast forecast forecast, foresee foresaw foreseen, forget
    forgot forgotten, forgive forgave forgiven, freeze froze frozen, get got gotten, give gave given, go went gone,
    grind ground ground, grow grew grown, hang hung hung, hear heard heard, hide hid hidden, hit hit hit, hold held
    held, hurt hurt hurt, keep kept kept, kneel knelt knelt, know knew known, lay laid laid, lead led led, leave left
    left, lend lent lent, lie lay lain, light lit lit, lose lost lost, make made made, mean meant meant, meet met met,
    mistake mistook mistaken, misunderstand misunderstood misunderstood, offset offset offset, outdo outdid outdone,
    overcome overcame overcome, overdo overdid overdone, oversee oversaw overseen, override overrode overridden,
    overthrow overthrew overthrown, overwrite overwrote overwritten, partake partook partaken, pay paid paid, put put
    put, quit quit quit, read read read, rebuild rebuilt rebuilt, redo redid redone, reset reset reset, rethink
    rethought rethought, rewrite rewrote rewritten, rid rid rid, ride rode ridden, ring rang rung, rise rose risen, run
    ran run, say said said, see saw seen, seek sought sought, sell sold sold, send sent sent, set set set, sew sewed
    sewn, shake shook shaken, shed shed shed, shine shone shone, shoot shot shot, show showed shown, shrink shrank
    shrunk, shut shut shut, sing sang sung, sink sank sunk, sit sat sat, sleep slept slept, slide slid slid, sow sowed
    sown, speak spoke spoken, speed sped sped, spend spent spent, spin spun spun, split split split, spread spread
    spread, spring sprang sprung, stand stood stood, steal stole stolen, stick stuck stuck, sting stung stung, strike
    struck struck, strive strove striven, swear swore sworn, sweep swept swept, swell swelled swollen, swim swam swum,
    swing swung swung, take took taken, teach taught taught, tear tore torn, tell told told, think thought thought,
    throw threw thrown, thrust thrust thrust, tread trod trodden, undergo underwent undergone, understand understood
    understood, undertake undertook undertaken, undo undid undone, unwind unwound unwound, uphold upheld upheld, upset
    upset upset, wake woke woken, wear wore worn, weave wove woven, weep wept wept, win won won, wind wound wound,
    withdraw withdrew withdrawn, withhold withheld withheld, withstand withstood withstood, wring wrung wrung, write
    wrote written
"""

_REGULAR = """
    abandon abolish absorb abstract abuse accelerate accept access acclaim accommodate accompany accomplish account
    accrue accumulate accuse achieve acknowledge acquire act activate adapt add address adhere adjust administer admire
    admit adopt adore advance advertise advise advocate affect affirm afford age aggregate agree aid aim alert align
    allocate allow alter alternate amaze amplify amuse analyse analyze anchor animate announce answer anticipate
    apologise apologize appeal appear append applaud apply appoint appreciate approach approve approximate argue arm
    arrange arrest arrive articulate ascend ascertain ask aspire assemble assert assess assign assist associate assume
    assure attach attack attain attempt attend attract attribute audit augment author authorise authorize automate avert
    avoid award back backtrack bake balance ban bargain base bask bathe battle beg behave believe belong benefit bestow
    betray beware blame blast blaze blend bless blink block bloom blossom board boast boil bolster bomb book boost
    border borrow bother bounce bow brace brainstorm branch brave breathe brew bridge brighten broaden browse brush
    bubble budget bump bundle burn bury bypass calculate calibrate call calm campaign cancel capitalise capitalize
    capture care carry carve categorise categorize cater cause cease celebrate centre challenge champion change channel
    characterise characterize charge chart chase chat cheat check cheer cherish chew circulate circumvent cite claim
    clarify clasp classify clean clear click climb cling clip clone close clothe cluster coach code coexist collaborate
    collapse collect colonise colonize combat combine comfort command commence comment commit communicate compare compel
    compensate compete compile complain complement complete complicate comply compose compound comprehend compress
    comprise compromise compute conceal concede conceive concentrate conclude condemn condense conduct confess configure
    confine confirm conflict conform confront confuse congratulate connect conquer consent conserve consider consist
    consolidate constitute constrain construct consult consume contact contain contemplate contend continue contract
    contradict contrast contribute control converge converse convert convey convince cook cool cooperate coordinate cope
    copy correct correlate correspond corrupt count couple cover crack craft crash crave crawl create credit criticise
    criticize cross crouch crown crumble crush cry cultivate cure curl curse customise customize cycle damage dance dare
    darken dash date dazzle debate debug decay decide declare decline decode decompose decorate decrease dedicate deduce
    deepen defeat defend defer define delay delegate delete delight deliver demand demonstrate deny depart depend depict
    deploy deposit derive descend describe deserve design desire destroy detach detail detect deter deteriorate
    determine develop deviate devise devote diagnose dictate die differ differentiate diffuse digest diminish dine dip
    direct disable disagree disappear disappoint discard discern discharge discipline disclose discount discover discuss
    disguise dismantle dismiss dispatch display dispose dispute disrupt dissolve distinguish distort distribute disturb
    dive diverge diversify divide document dodge dominate donate double doubt download downplay draft drag drain dream
    dress drift drill drip drop drown dry dump duplicate dwell ease echo edit educate elaborate elevate eliminate embark
    embed embody embrace emerge emit emphasise emphasize employ empower emulate enable enact encapsulate enclose encode
    encompass encounter encourage end endeavour endorse endure energise enforce engage engineer enhance enjoy enlarge
    enlighten enlist enrich enrol ensure entail enter entertain envelop envision equal equate equip erase erect erode
    erupt escape escort establish estimate evacuate evade evaluate evaporate evoke evolve examine exceed excel exchange
    excite exclaim exclude execute exercise exhale exhaust exhibit exist exit expand expect expel experience experiment
    explain explode exploit explore export expose express extend extract face facilitate fade fail fake falter fan fancy
    farm fascinate fasten favour fear feature fetch file fill film filter finalise finalize finance finish fire fit fix
    flag flash flatten flatter flex flicker flip float flood flourish flow fluctuate flush focus fold follow fool force
    forge fork form formalise formalize format formulate forward foster found frame free frown frustrate fuel fulfil
    fulfill function fund fuse gain gallop gamble gasp gather gauge gaze generalise generalize generate gesture giggle
    glance gleam glide glimpse glow govern grab grant graph grasp greet grieve grip groan ground group guarantee guard
    guess guide halt hammer hand handle happen harbour harness harvest hasten hate haul haunt head heal heat heed help
    hesitate highlight hike hint hire honour hop hope host hover howl hug hum hunt hurry hypothesise hypothesize
    identify ignite ignore illuminate illustrate imagine imitate immerse impact impart implement imply import impose
    impress improve improvise incline include incorporate increase incur indent index indicate induce infer influence
    inform inhabit inherit inhibit initialise initialize initiate inject innovate inquire insert insist inspect inspire
    install instruct integrate intend intensify interact intercept interfere interpret interrupt intersect intertwine
    intervene interview introduce intrude invade invent invert invest investigate invite invoke involve isolate iterate
    join joke judge juggle jump justify kick kill kiss knit knock label lack land last laugh launch lean leap learn
    level leverage liberate lift like limit line linger link list listen live load locate lock log long look loop loosen
    love lower maintain manage mandate manifest manipulate manufacture map march mark market marry marvel mask master
    match mature maximise maximize measure mediate meditate melt memorise memorize mend mention merge migrate mimic mind
    minimise minimize mirror miss mitigate mix mobilise mobilize model moderate modernise modernize modify monitor
    motivate mount mourn move multiply murmur mutate name narrate navigate necessitate need negate neglect negotiate
    nest nod normalise normalize note notice notify nourish nurture obey object obscure observe obtain occupy occur
    offer omit open operate oppose opt optimise optimize orbit orchestrate order organise organize orient originate
    oscillate outline outperform output outweigh overlap overlook overload overwhelm owe own pack paint pair parallel
    paraphrase park parse participate partition partner pass paste patrol pause peel peer penetrate perceive perfect
    perform permit persevere persist personalise personalize persuade phrase pick picture pilot pin pinpoint pioneer
    place plan plant play plead please pledge plot plug plunge ponder pop populate portray pose position possess post
    postpone postulate pour practice practise praise pray precede predict prefer prepare prescribe present preserve
    press presume pretend prevail prevent print prioritise prioritize probe proceed process proclaim procure produce
    profit program progress prohibit project prolong promise promote prompt pronounce propagate propel propose prosper
    protect protest prove provide provoke prune publish pull pulse pump punctuate punish purchase purify pursue push
    qualify quantify quench query quest question queue quiver quote race radiate raid rain raise rally randomise
    randomize range rank rate react reach realise realize reap reason reassure rebel recall receive recite reckon
    recognise recognize recommend reconcile reconsider reconstruct record recover recruit recycle redefine redirect
    reduce refactor refer refine reflect reform refrain refresh refuse regain regard register regret regulate rehearse
    reign reimagine reinforce reiterate reject rejoice relate relax release relieve relinquish relocate rely remain
    remark remember remind remove rename render renew rent reorganise reorganize repair repeat repel rephrase replace
    replicate reply report represent reproduce request require rescue research resemble reserve reshape reside resist
    resolve resonate resort respect respond rest restart restore restrict result resume retain retire retreat retrieve
    return reuse reveal reverse review revise revisit revive revolve reward rhyme roam roar roast rob rock roll root
    rotate round route rule rush sail salute sample satisfy save savour scale scan scatter schedule scold score scour
    scramble scrape scream screen scroll scrub seal search seat secure segment seize select separate serve settle shape
    share sharpen shatter shelter shield shift ship shiver shock shop shorten shout shrug shuffle sigh sign signal
    signify silence simplify simulate sip situate sketch skip slam slap slash slice slip slow smash smell smile smooth
    snap soak soar solve soothe sort sound spare spark specialise specialize specify spell spill split spoil sponsor
    spot spray squeeze stabilise stabilize stack stage stain stall stamp standardise standardize stare start state
    station stay steer stem step stimulate stir stitch stop store strain strategise strategize stream strengthen stress
    stretch strip stroll structure struggle study stumble style submit subscribe substitute subtract succeed suck suffer
    suffice suggest suit sum summarise summarize summon supervise supplement supply support suppose suppress surface
    surge surpass surrender surround survey survive suspect suspend sustain swallow swap switch symbolise symbolize
    sympathise sympathize synchronise synchronize synthesise synthesize tackle tag tailor talk tame tap target taste
    tell tempt tend term terminate test testify thank thrive tick tidy tie tighten tilt time tire tolerate toss touch
    tour trace track trade train transcend transcribe transfer transform transit translate transmit transport trap
    travel traverse treasure treat tremble trigger trim triumph trust try tune turn tweak twist type uncover
    underestimate underline underscore undermine unfold unify unite unleash unlock unravel unveil update upgrade upload
    urge use utilise utilize utter validate value vanish vary venture verify view violate visit visualise visualize
    voice volunteer vote vow voyage wait walk wander want warm warn wash waste watch water wave weaken weigh welcome
    whisper widen wield wipe wish witness wonder work worry worship wrap wrestle yearn yell yield zoom beckon bootstrap
    center clamp coin color concern conjure contest delve denote designate dilute dye earn enumerate exaggerate expire
    favor harbor hone honor invalidate journal key outsource own presuppose prototype refund reinvest relay resign
    safeguard savor seem showcase sift size squash sway swirl threaten weld
"""


def begins_with_verb(words: tuple[str, ...]) -> bool:
    """Whether the first of these case-folded words is a verb form: imperative, participle, finite form or auxiliary.

    A form that may be a noun as well ("light", "studies") is taken for its subject where a finite verb follows at once
    ("Light is fast", "Studies show"); a gerund ("Swimming is fun") stays a verb form.
    """
    if not words:
        return False
    word = words[0].split("'")[0] if words[0] != "let's" else "let"
    following = words[1] if len(words) > 1 else ""
    forms = _forms()
    if word in _auxiliaries():
        return True
    if word not in forms and _stem_of_again(word) not in forms:
        return False
    if word.endswith("ing"):
        return True
    if word.endswith("s") and word not in _bases():
        return following not in _FINITE and following not in _bases() - {"make", "take"}
    return following.split("'")[0] not in _FINITE


def _stem_of_again(word: str) -> str:
    """What is left of "reheat" and "preheating" without the prefix; "" of shorter words ("recent" is no verb)."""
    stem = word.removeprefix("re") if word.startswith("re") else word.removeprefix("pre")
    return stem if len(stem) >= 4 and stem != word else ""


@lru_cache(maxsize=1)
def _auxiliaries() -> frozenset[str]:
    return frozenset(_AUXILIARIES.split())


@lru_cache(maxsize=1)
def _bases() -> frozenset[str]:
    """Base forms of all listed verbs."""
    return frozenset([*_REGULAR.split(), *(row.split()[0] for row in _IRREGULAR.split(","))])


_DOUBLING = frozenset(
    [
        "admit",
        "allot",
        "begin",
        "benefit",
        "cancel",
        "channel",
        "combat",
        "commit",
        "compel",
        "confer",
        "control",
        "debug",
        "defer",
        "deter",
        "embed",
        "emit",
        "enrol",
        "equal",
        "equip",
        "excel",
        "expel",
        "focus",
        "forbid",
        "forget",
        "format",
        "fuel",
        "fulfil",
        "incur",
        "infer",
        "input",
        "label",
        "level",
        "marvel",
        "model",
        "occur",
        "offset",
        "omit",
        "output",
        "overlap",
        "parallel",
        "patrol",
        "permit",
        "prefer",
        "program",
        "propel",
        "rebel",
        "refer",
        "regret",
        "repel",
        "reset",
        "signal",
        "submit",
        "target",
        "transfer",
        "transmit",
        "travel",
        "unplug",
        "unravel",
        "unzip",
        "upset",
        "worship",
    ]
)
"""Longer verbs whose last letter is doubled before -ed and -ing, in one of the two spellings at least."""


@lru_cache(maxsize=1)
def _forms() -> frozenset[str]:
    """All forms of all listed verbs."""
    listed = {form for row in _IRREGULAR.split(",") for form in row.split()}
    regular = {form for base in _REGULAR.split() for form in (base, *_pasts(base))}
    derived = {form for base in _bases() for form in (_third_person(base), *_gerunds(base))}
    return frozenset(listed | regular | derived)


def _third_person(base: str) -> str:
    if base.endswith(("s", "x", "z", "ch", "sh", "go", "do", "cho")):
        return base + "es"
    return base[:-1] + "ies" if base.endswith("y") and base[-2] not in VOWELS else base + "s"


def _gerunds(base: str) -> list[str]:
    if base.endswith("ie"):
        return [base[:-2] + "ying"]
    if base.endswith("e") and not base.endswith(("ee", "oe", "ye")):
        return [base[:-1] + "ing"]
    return [stem + "ing" for stem in _stems(base)]


def _pasts(base: str) -> list[str]:
    if base.endswith("e"):
        return [base + "d"]
    if base.endswith("y") and base[-2] not in VOWELS:
        return [base[:-1] + "ied"]
    return [stem + "ed" for stem in _stems(base)]


def _stems(base: str) -> list[str]:
    """What stands before -ed and -ing: "plann" for "plan", "travel" and "travell" for "travel", "open" for "open"."""
    if base in _DOUBLING:
        return [base, base + base[-1]]
    tail = base.replace("qu", "q", 1) if base.startswith("qu") else base
    closed = len(tail) > 2 and tail[-1] not in "aeiouwxy" and tail[-2] in VOWELS and tail[-3] not in VOWELS
    return [base + base[-1] if closed and not VOWELS & set(tail[:-2]) else base]
