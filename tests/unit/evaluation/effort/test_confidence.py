import math

import pytest

from small_attempts import attempt, evaluation
from tahr.core.errors import InputError
from tahr.evaluation.effort.confidence import judged, stated_confidence


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("The answer is 5. Confidence: 85%", 0.85),
        ("Confidence: 20%. On reflection, confidence: 60%", 0.6),
        ("<confidence>0.8</confidence>", 0.8),
        ("confidence: 8/10", 0.8),
        ("Confidence (0-100): 85", 0.85),
        ("probability is 1", 1.0),
        ("I'm roughly 70% sure", 0.7),
        ("I am about 90 percent confident.", 0.9),
        ("Confidence: 150%", None),
        ("confidence 12345", None),
        ("confidence: high. There are 7 of them", None),
        ("5", None),
    ],
)
def test_confidence_is_read_from_words(text: str, value: float | None) -> None:
    assert stated_confidence(text) == value


def test_agreement_is_with_the_other_attempts() -> None:
    rows = [
        attempt(extracted=answer, correct=float(answer == "5"), index=index)
        for index, answer in enumerate(("5", " 5 ", "6", None))
    ]
    alone = attempt("b", extracted="5")
    silent = [attempt("c", index=0), attempt("c", index=1)]
    found = judged(evaluation(*rows, alone, *silent), "agreement")
    assert [(one.confidence, one.correct) for one in found] == [
        (pytest.approx(1 / 3), 1.0),
        (pytest.approx(1 / 3), 0.0),
        (0.0, 0.0),
        (0.0, 0.0),
    ]


def test_likelihood_is_the_geometric_mean_over_tokens() -> None:
    rows = [
        attempt(logprob=4 * math.log(0.5), tokens=4, cluster="p"),
        attempt("b", logprob=None),
        attempt("c", tokens=0),
    ]
    (one,) = judged(evaluation(*rows), "likelihood")
    assert (one.confidence, one.cluster) == (pytest.approx(0.5), "p")


def test_a_greedy_choice_and_an_absent_reward_have_no_confidence() -> None:
    with pytest.raises(InputError, match="log-probabilities of its tokens"):
        judged(evaluation(attempt(logprob=0.0)), "likelihood")
    with pytest.raises(InputError, match="samples_per_task"):
        judged(evaluation(attempt(extracted="5")), "agreement")
    rows = [attempt(text="Confidence: 90%", correct=None), attempt("b", text="Confidence: 30%")]
    assert [one.confidence for one in judged(evaluation(*rows), "stated")] == [0.3]
