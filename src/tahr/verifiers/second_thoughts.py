"""What a text says beside a value: that it is denied, taken back, or one of several."""

from __future__ import annotations

import re

from tahr.verifiers.numbers import is_rounded, parse_quantity

NEAR_CHARS = 1000
"""How far behind a value it can be taken back."""

NEAR_BEFORE = 80
"""How far before a value it can be called wrong."""

MAY_BE_CHARS = 120
"""How far behind a value another one can be held possible."""

_LETTER = r"(?:[B-HJ]\b(?!')|[AI]\b(?!'| [a-z]))"
_VALUE = re.compile(rf"\d|\$|\\(?![nt]\b)|\b{_LETTER}")
_NO = r"no(?=[ ]*(?:[,.:;!]|-|\u2014|$)|[ ]+(?:it|that|this|wait|sorry)\b)"
_ACTUALLY = r"actually(?=[ ]*[,:]|[ ]+(?:no|it|[A-J]|\S*\d\S*)\b)"
_WRONG = r"(?:that|this|it|which)(?:'s| is| was) (?:wrong|incorrect|false|not (?:right|correct|it))"
_RETRACTION = re.compile(
    r"(?:^|[.!?;:,)\]}\n$*\"\u2014\u2026-])[ \n*]*(?:but |or |oh |hm+,? )?"
    rf"(?P<said>{_NO}|wait|{_ACTUALLY}|sorry|oops|correction|scratch that|i meant?|just kidding|on second thoughts?"
    r"|rather|my mistake|i made an? (?:error|mistake)"
    rf"|(?P<wrong>{_WRONG}))\b[ \n,.:;!*\u2014\u2026-]*",
    re.IGNORECASE,
)
_ALTERNATIVE = re.compile(
    r"[ .!?;:,(\n$*]*(?:\\[)\]])?[ .!?;:,(\n$*]*\b(?:or|maybe|perhaps|possibly|alternatively|otherwise)\b"
    rf"[^.!?\n$\\\d]{{0,12}}?(?=\$|\\|\d|-\d|(?<=[ (]){_LETTER}|(?<=[ (])\w{{1,20}}[.!?)]*\s*$)",
    re.IGNORECASE,
)
_DENIED_START = re.compile(r"[ *$:]*(?:n't|(?:\w+ly )?(?:not|never|neither|(?:any|every)thing but))\b", re.IGNORECASE)
_SHOULD_SAY = r"i (?:should|must|forgot to) (?:also )?(?:mention|note|point out|say)"
_NOTE_THAT = rf"(?:(?:and|but|also|of course|{_SHOULD_SAY}|note)[ ,]+)*"
_THE_ANSWER = (
    r"(?:that |this |it |which "
    r"|the (?:\w+ )?(?:answer|formula|result|identity|value|equation|expression|solution) )"
)
_REMARK = re.compile(
    rf"{_NOTE_THAT}(?:that )?(?:"
    rf"{_THE_ANSWER}(?:only |just |also |always )?(?:holds?|works?|applies|assumes|requires|needs|makes sense"
    r"|(?:is|was) (?:only |just |also |always )?(?:valid|true|defined|well[- ]defined))\b"
    r"|(?:only |but )?(?:if|for|when|where|whenever|assuming|provided|given|as long as|unless|except)\b"
    r"|(?:for|about) (?:the|any|my) (?:\w{1,20} )?(?:long|messy|lengthy|confusing|verbose|confusion|mistakes?|mix-up)\b"
    r"|i should (?:also )?(?:mention|note|point out|say) that\b"
    r"|(?:we|you|i) (?:also )?(?:need|have|must|should|can|could) (?:to )?(?:also )?"
    r"(?:assume|require|exclude|check|verify|state|mention|note|remember)\b)(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_OFFER = re.compile(
    r"\b(?:answer|result|(?:it|that|this|which|value|solution)(?:'s| is| was| equals| becomes| should| must)"
    r"|[a-z] (?:is|equals|becomes)(?! (?:at |positive|negative|even|odd|real|prime|nonzero|an? ))"
    r"|gives?|gets?|so|then|therefore|thus|hence|but|instead|otherwise|or|else|rather|actually|no|not|wrong|mistake"
    r"|meant|correct(?:ed|ion)?|should|must)\b|,(?= ?(?:\$|\\|-?\d|[A-HJ]\b))|[:;\u2014]|(?<![<>!])=[^,]*=| - ",
    re.IGNORECASE,
)
_DENIED_HERE = re.compile(
    r"(?:\b(?:instead of|rather than|in place of|wrongly|mistakenly|no longer)|\bnot) *[$*(]*$", re.IGNORECASE
)
_SAID_BEFORE = re.compile(r"\b(?:i|we) (?:said|wrote|had|put|gave|got|typed|claimed)\b", re.IGNORECASE)
_INSTEAD = re.compile(r"[.!?;](?=\s|$)|\n|(?<!thing),? but\b|, it\b")
_PLACE = re.compile(r"\b(?:steps?|parts?|equations?|lines?|attempts?) \(?\d{1,3}\b\)?", re.IGNORECASE)
"""A number that names a place in the text, and is no value."""
_SENTENCE_END = re.compile(r"[.!?;](?=\s|$)|\n")
_CLAUSE_END = re.compile(r"[.!?;,(](?=\s|$|[a-z])|\n| (?=\()|$")
_LEAD_IN = re.compile(
    r"(?:so |then |yes,? )*(?:(?:it|that|this|the (?:right |correct |real )?(?:answer|result|value))"
    r"(?:'s| is| was| equals| should be| must be)(?: actually| really)?|i get|we get)[ :,]+",
    re.IGNORECASE,
)
_SURELY_VALUE = (
    r"(?:\\\(|\$)? ?(?=-?\.?\d|\\(?![nt]\b)|[A-J]\b(?!'| [a-z])|[b-hj-z]\b(?! [a-z]))"
    r"(-?\\?[\w./]{1,20}(?:\{[^{}]{0,20}\}){0,2})"
)
_STARTS = r"(?:\A|[.,;:(!?=\n]|\b(?:and|but|so|though|although|while|that|answer|value|perhaps|maybe))[ $*]{0,2}"
"""What a value stands behind where it is said of itself: ``8 is possible``, but not ``method 2 is possible``."""
_MIGHT_BE = re.compile(
    r"\b(?:might|may|could)(?: just)?(?: as)?(?: also| well| instead| even| equally)* be"
    rf"(?: equal to)? {_SURELY_VALUE}"
    rf"|\bcan (?:also|equally|just as well) be (?:equal to )?{_SURELY_VALUE}"
    rf"|{_STARTS}{_SURELY_VALUE}(?:\\\)|\$)? (?:(?:is|would be|might be|may be|could be) (?:also )?"
    r"(?:another|an alternative|a possible|also an?|an equally (?:good|valid))"
    r" (?:possibility|answer|solution|option|value)"
    r"|(?:would|could|might|may) (?:also |equally )(?:be (?:right|correct|valid|acceptable|fine)|work|do|fit)"
    r"|(?:would |could |might )?works? (?:too|as well|just as well)|also works)\b(?! if| when| for| only)"
    rf"|\bunless (?:it|that|this|the answer)(?:'s| is| was| equals) {_SURELY_VALUE}"
    rf"|{_STARTS}{_SURELY_VALUE}(?:\\\)|\$)? (?:is|was|would be|might be|may be|could be|seems?)"
    r"(?: also| equally| just as| as)*"
    r" (?:possible|plausible|acceptable|likely|probable|conceivable)\b(?! if| when| for| only)",
    re.IGNORECASE,
)
_AT_ITS_END = re.compile(
    r"(?:\A[\s.$*]*(?:\\[)\]])?[\s.$*]*"
    r"(?:(?:,|;|&|\band\b|\bor\b|\bbut\b|\balso\b|\bas well as\b) *){0,3}"
    r"|\b(?:alternatively|perhaps|maybe|possibly|otherwise|if not|either that or|or else|or is it|it's|it is"
    r"|if (?:it|that|this)(?:'s| is) (?:wrong|incorrect|not right),?(?: then)?"
    r"|it should be|more likely)[ ,:$]{1,3})"
    rf"{_SURELY_VALUE}(?=[ .$?!)*]*(?:\\[)\]])?[ .$?!)*]*(?:\n|\Z))",
    re.IGNORECASE,
)
_SAYS = r"(?:say|answer|claim|write|think|conclude|box|put|give|state|believe|assume|guess|respond)(?:s|ed|ing)?"
_WRONG_WORD = r"(?:wrong|incorrect|false|mistaken|invalid|erroneous|bad|untrue)"
_WRONG_STEMS = ("wrong", "incorrect", "false", "mista", "invalid", "err", "bad", "untrue", "tempting")
"""One of them is in all that `_CALLED_WRONG` finds: looked for first, which is quicker."""
_CALLED_WRONG = re.compile(
    rf"(?:\b{_WRONG_WORD} (?:final )?(?:answer|result|value|solution|choice|option|guess)(?: is| was| would be|:)?"
    rf"|\b(?:{_WRONG_WORD}|an? (?:mistake|error)|tempting) (?:to {_SAYS}|that)"
    r"(?: that)?(?: the (?:final |correct |right )?(?:answer|result|value) (?:is|was|equals))?"
    rf"|\b(?:wrongly|incorrectly|mistakenly|falsely|erroneously) {_SAYS}(?: that)?(?: the answer is)?)[ $:*(\[\"_]*$",
    re.IGNORECASE,
)
_DENIED_BEFORE = re.compile(
    r"(?:\b(?:not|never|cannot be|can't be|(?:any|every)thing but|all but|except(?: for)?|eliminate|rule out)"
    r"|n't(?: be)?)"
    r"(?: equal to)?[ $:*(\[\"_]*$",
    re.IGNORECASE,
)


def is_denied(before: str) -> bool:
    """Whether what stands before a value denies it ("it is not ", "anything but ", "the wrong answer is ")."""
    if _DENIED_BEFORE.search(before[-40:]) is not None:
        return True
    near = before[-NEAR_BEFORE:].lower()
    return any(stem in near for stem in _WRONG_STEMS) and _CALLED_WRONG.search(near) is not None


def other_value(behind: str) -> str:
    """Another value that the sentence behind a value, or the next one, holds possible; "" where there is none.

    >>> other_value(", though it could be 8."), other_value(". It could be checked with 8 more cases.")
    ('8', '')
    """
    near = behind[:MAY_BE_CHARS]
    found = _MIGHT_BE.search(near) or _AT_ITS_END.search(near if len(near) == len(behind) else near + "\\")
    return next((group for group in found.groups() if group), "").rstrip(".") if found else ""


def corrected(rest: str, value: str = "") -> str:
    """What a text settles on that begins with a value: the value, or what it says once it takes that back.

    "" where it is taken back and nothing put in its place. A second value beside the first is joined to it by "or".
    `value` stands before `rest` where it is not in it.

    >>> corrected("42. No, it is 43."), corrected("42. Maybe 43.")
    ('43.', '42 or 43.')
    >>> corrected("42. No doubt about it.")
    '42. No doubt about it.'
    """
    if _DENIED_START.match(rest):
        _, *behind = _INSTEAD.split(rest[:NEAR_CHARS], maxsplit=1)
        return (_offered(behind[0]) if behind else None) or ""
    for match in reversed(list(_RETRACTION.finditer(rest[:NEAR_CHARS]))):
        offered = _offered(rest[match.end() :][:NEAR_CHARS])
        if offered is not None or match["wrong"]:
            return offered or ""
    end = _CLAUSE_END.search(rest)
    start = end.start() if end else len(rest)
    other = _ALTERNATIVE.match(rest, start) if rest[:start].strip() else None
    if other is None or _are_equal(value or rest[:start], rest[other.end() :][:NEAR_CHARS]):
        return rest
    return f"{rest[:start]} or {rest[other.end() :]}"


def _are_equal(value: str, other: str) -> bool:
    """Whether the second value is the first one, written in another way ("17/2 (or 8.5)") or rounded."""
    one, two = (text.strip(" $*") for text in (value, re.split(r"\)|[.,;!?](?=\s|$)|\n", other)[0]))
    quantity = parse_quantity(one)
    return quantity is not None and (quantity == parse_quantity(two) or is_rounded(one, two))


def is_taken_back(value: str, behind: str) -> bool:
    """Whether the text behind a value takes it back and doesn't come to it again."""
    if not behind.strip(" .$*\n)"):
        return False
    settled = corrected(" " + behind[:NEAR_CHARS], value)
    return settled != " " + behind[:NEAR_CHARS] and not _comes_back(value.strip(" $"), settled)


def _comes_back(value: str, settled: str) -> bool:
    """Whether the value stands in what a text settles on, as a whole and not to be denied ("6, not 5")."""
    whole = re.compile(rf"(?<![\w.]){re.escape(value)}(?!\w|\.\d| (?:is|was) (?:not|wrong|incorrect|false)\b)")
    places = [found.start() for found in whole.finditer(settled)] if value else []
    return any(not is_denied(settled[:place]) and not _DENIED_HERE.search(settled[:place][-30:]) for place in places)


def _is_remark(sentence: str) -> bool:
    """Whether a sentence behind "wait" and the like says under which condition the value holds, or something aside.

    Whatever offers a value besides ("if x > 0, it is 6") is no remark.
    """
    remark = _REMARK.match(sentence.strip(" *,"))
    return remark is not None and not _OFFER.search(remark["rest"])


def _offered(after: str) -> str | None:
    """The last sentence with a value behind a retraction, or a word or two in its place; None without either."""
    sentences = [part.strip() for part in _SENTENCE_END.split(after)]
    valued = [
        part
        for part in sentences
        if _VALUE.search(_PLACE.sub("", part)) and not _is_remark(part) and not _SAID_BEFORE.search(part)
    ]
    if valued:
        return _LEAD_IN.sub("", valued[-1], count=1) + "."
    words = after.split()
    return after if 0 < len(words) <= 2 else None
