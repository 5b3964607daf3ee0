import pytest

from tahr.core.errors import InputError
from tahr.core.types import Message, Outcome, Task
from tahr.verifiers.short_answer import ShortAnswer


def task_of(answer):
    return Task(prompt=(Message(role="user", content="?"),), answer=answer, verifier="short_answer")


def outcome(answer, text, **args):
    return ShortAnswer(**args).verify(task_of(answer), text).outcome


PASSES = [
    ("Paris", "Paris"),
    ("Paris", "It is Paris."),
    ("Paris", "I think of France.\nAnswer: **Paris**"),
    ("Paris", "The answer is Paris, because it is the capital."),
    ("Paris", r"So \boxed{Paris}"),
    ("Paris", "Answer: Lyon\nNo, wait.\nAnswer: Paris"),
    (["NYC", "New York City"], "Answer: new york city"),
    ("Paris", "I was not sure at first, but the answer is Paris"),
    ("Paris", "Answer: Paris\n\nNo other city fits. It has waited long for this."),
    ("the Beatles", "Answer: Beatles"),
    ("Beyonce", "Answer: Beyoncé"),
    ("1234", "Answer: 1,234"),
    ("1,234.0", "Answer: 1234"),
    ("-5", "Answer: -5"),
    ("$5", "Answer: 5"),
    ("12.5%", "Answer: 12.50"),
    ("well-known", "Answer: well known"),
    ("A", "Answer: (A)"),
    ("(K)", "Answer: K"),
    ("] ) }", "Answer: ])}"),
    ("Washington, D.C.", "Answer: Washington, DC"),
    ({"any": ["red, blue"], "unordered": True}, "Answer: blue and red"),
    ({"any": ["red, blue, green"], "unordered": True}, "Answer: Green, blue, and red"),
    ({"any": ["1,200, 300"], "unordered": True}, "Answer: 300 and 1200"),
]

FAILS = [
    ("Paris", "Answer: not Paris"),
    ("Paris", "Answer: Paris or London"),
    ("Paris", "I don't think that the answer is Paris."),
    ("Paris", "A wrong answer is Paris"),
    ("Paris", "Answer: Paris\nWait, that is Lyon."),
    ("Paris", "Answer: Paris\n\nActually, London."),
    ("Paris", "Answer: Paris\nThat's wrong: it is Lyon."),
    ("Paris", "Answer: London. Paris."),
    ("Paris", "Paris\nLondon"),
    ("Paris", "Answer: Paris\nAnswer: London"),
    ("Paris", "<think>Answer: Paris</think> London"),
    ("Paris", "<!-- Paris -->"),
    ("Paris", "Answer:"),
    ("Paris", ""),
    ("Paris", r"\boxed{Paris} \boxed{London}"),
    (["NYC", "New York City"], "Answer: NYC, New York City"),
    ("5", "Answer: -5"),
    ("5", "Answer: 5.5"),
    ("0.5", "Answer: 5"),
    ("] ) }", "Answer: ])]"),
    ("red, blue", "Answer: blue, red"),
    ({"any": ["red, blue"], "unordered": True}, "Answer: red"),
    ({"any": ["red, blue"], "unordered": True}, "Answer: red, blue, green"),
    ({"any": ["red, blue"], "unordered": True}, "Answer: red, red, blue"),
]


@pytest.mark.parametrize(("answer", "text"), PASSES)
def test_right(answer, text):
    assert outcome(answer, text) is Outcome.PASS


@pytest.mark.parametrize(("answer", "text"), FAILS)
def test_wrong(answer, text):
    assert outcome(answer, text) is Outcome.FAIL


def test_only_behind_a_mark_where_that_is_asked():
    assert outcome("Paris", "Paris", place="marked") is Outcome.FAIL
    assert outcome("Paris", "Answer: Paris", place="marked") is Outcome.PASS


@pytest.mark.parametrize(
    ("answer", "text", "f1"),
    [
        ("John Smith", "Answer: Smith", 2 / 3),
        ("John Smith", "Answer: John Smith", 1.0),
        ("12 yards", "Answer: 13 yards", 0.0),
        ("12 yards", "Answer: 12 metres", 0.5),
        ("John Smith", "Answer: nobody", 0.0),
    ],
)
def test_overlap_in_words(answer, text, f1):
    reward = ShortAnswer().verify(task_of(answer), text).reward
    assert reward.parts["f1"] == pytest.approx(f1)
    assert reward.value == (1.0 if f1 == 1.0 else 0.0)


@pytest.mark.parametrize("answer", ["", [], ["Paris", ""], 5, None, {"any": []}, {"all": ["Paris"]}, " \n"])
def test_answers_that_cannot_be_judged_by(answer):
    with pytest.raises(InputError, match="needs a text"):
        ShortAnswer().check_task(task_of(answer))
