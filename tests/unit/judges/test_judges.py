"""Judges over chat models that say what a test wants: every state, both orders, weights, provenance."""

import asyncio

import pytest

from tahr.core.errors import EngineError, InputError, UnknownNameError
from tahr.core.judging import Judge, Question
from tahr.core.preferences import Candidate, Judgment, JudgmentState
from tahr.core.types import FinishReason, Message, Task, broken, failed, passed
from tahr.judges.build import build_judge, check_judge
from tahr.judges.config import JudgeConfig
from tahr.judges.prompt import load_prompt
from talking_models import Talker

PROMPT = (Message(role="user", content="Capital of France?"),)
QUESTION = Question(prompt=PROMPT)
GOOD, BAD = (Candidate(prompt_id=QUESTION.id, text=text, model="m") for text in ("It is Paris.", "It is Rome."))


def judge_with(talker: Talker, kind: str, **args: object) -> Judge:
    return build_judge(JudgeConfig(kind=kind, model="j", args=args), models={"j": talker}, seed=7)


def found(judge: Judge, *candidates: Candidate, question: Question = QUESTION) -> tuple[Judgment, ...]:
    return asyncio.run(judge.judge(question, candidates))


def by_aspect(**ratings: str) -> Talker:
    """Says the rating of the aspect that is asked about."""
    return Talker(lambda asked: next(f"Hm.\nRating: {r}" for a, r in ratings.items() if f"\n{a.capitalize()}" in asked))


def test_aspects_are_averaged_where_they_apply() -> None:
    talker = by_aspect(helpfulness="5", honesty="N/A", instruction="2", truthfulness="4")
    (judgment,) = found(judge_with(talker, "aspects"), GOOD)
    assert judgment.state is JudgmentState.JUDGED
    assert judgment.rating == pytest.approx(11 / 3)
    assert judgment.ratings == {"helpfulness": 5, "instruction_following": 2, "truthfulness": 4}
    assert judgment.judge == "aspects:talker"
    asked = judgment.provenance["asked"]["honesty"]
    assert asked["said"] == "Hm.\nRating: N/A"
    assert asked["prompt_hash"] == load_prompt("aspect").hash
    assert asked["guide_hash"] == load_prompt("aspects/honesty").hash


@pytest.mark.parametrize(
    ("honesty", "state"),
    [("N/A", JudgmentState.NOT_APPLICABLE), ("7", JudgmentState.UNREADABLE)],
)
def test_what_is_missing_is_a_state(honesty: str, state: JudgmentState) -> None:
    talker = by_aspect(helpfulness="N/A", honesty=honesty)
    (judgment,) = found(judge_with(talker, "aspects", aspects=["helpfulness", "honesty"]), GOOD)
    assert (judgment.state, judgment.rating) == (state, None)


def test_a_judge_that_is_cut_off_is_unreadable_and_one_that_fails_failed() -> None:
    cut = Talker(lambda asked: "Rating: 5", finish_reason=FinishReason.LENGTH)
    down = Talker(lambda asked: EngineError("the server is down"))
    assert found(judge_with(cut, "aspects"), GOOD)[0].state is JudgmentState.UNREADABLE
    (judgment,) = found(judge_with(down, "aspects", aspects=["honesty"]), GOOD)
    assert judgment.state is JudgmentState.FAILED
    assert judgment.provenance["asked"]["honesty"]["error"] == "the server is down"


def in_favour(text: str) -> Talker:
    """Prefers the answer that holds `text`, wherever it stands."""
    return Talker(lambda asked: "Verdict: A" if asked.index(text) < asked.index("ANSWER B") else "Verdict: B")


def test_a_preference_counts_where_both_orders_agree() -> None:
    talker = in_favour("Paris")
    (judgment,) = found(judge_with(talker, "pairwise"), BAD, GOOD)
    assert judgment.preferred == GOOD.id
    assert judgment.candidates == (BAD.id, GOOD.id)
    assert [asked["order"] for asked in judgment.provenance["asked"]] == [[BAD.id, GOOD.id], [GOOD.id, BAD.id]]
    assert [asked["read"] for asked in judgment.provenance["asked"]] == ["B", "A"]


@pytest.mark.parametrize(
    ("said", "state"),
    [
        ("Verdict: A", JudgmentState.TIE),  # the first place, whoever stands there
        ("Verdict: tie", JudgmentState.TIE),
        ("Verdict: both A and B", JudgmentState.UNREADABLE),
    ],
)
def test_a_preference_for_a_place_is_a_tie(said: str, state: JudgmentState) -> None:
    (judgment,) = found(judge_with(Talker(lambda asked: said), "pairwise"), GOOD, BAD)
    assert (judgment.state, judgment.preferred) == (state, None)
    assert len(judgment.provenance["asked"]) == 2


def test_pairs_come_in_order_and_equal_answers_are_not_asked_about() -> None:
    talker = in_favour("Paris")
    judgments = found(judge_with(talker, "pairwise"), GOOD, BAD, BAD)
    assert [judgment.candidates for judgment in judgments] == [(GOOD.id, BAD.id), (GOOD.id, BAD.id), (BAD.id, BAD.id)]
    assert judgments[2].state is JudgmentState.TIE
    assert len(talker.asked) == 4


CRITERIA = [{"text": "names Paris", "weight": 3.0}, {"text": "is one line"}, {"text": "insults", "weight": -2.0}]


def by_criterion(**verdicts: str) -> Talker:
    return Talker(lambda asked: next(v for c, v in verdicts.items() if c in asked.split("CRITERION ")[1]))


@pytest.mark.parametrize(
    ("paris", "line", "insults", "rating"),
    [
        ("yes", "yes", "no", 1.0),
        ("yes", "no", "no", 0.75),
        ("yes", "N/A", "no", 1.0),
        ("yes", "yes", "yes", 0.5),
        ("no", "yes", "yes", 0.0),
    ],
)
def test_a_rubric_weighs_what_applies(paris: str, line: str, insults: str, rating: float) -> None:
    talker = by_criterion(Paris=f"Verdict: {paris}", line=f"Verdict: {line}", insults=f"Verdict: {insults}")
    (judgment,) = found(judge_with(talker, "rubric", criteria=CRITERIA), GOOD)
    assert judgment.rating == pytest.approx(rating)
    assert judgment.ratings.get("names Paris") == {"yes": 1.0, "no": 0.0}[paris]


def test_points_are_shares_of_ten_and_the_tasks_own_rubric_comes_first() -> None:
    task = Task(prompt=PROMPT, answer="Paris", verifier="exact", meta={"rubric": ["names Paris", "is one line"]})
    talker = by_criterion(Paris="Score: 8", line="Score: 3")
    judge = judge_with(talker, "rubric", criteria=CRITERIA, scale="points")
    (judgment,) = found(judge, GOOD, question=Question(prompt=PROMPT, task=task))
    assert judgment.ratings == {"names Paris": 0.8, "is one line": 0.3}
    assert judgment.rating == pytest.approx(0.55)


def test_a_task_without_a_usable_rubric_is_not_judged() -> None:
    talker = Talker(lambda asked: "Verdict: yes")
    assert found(judge_with(talker, "rubric"), GOOD)[0].state is JudgmentState.NOT_APPLICABLE
    task = Task(prompt=PROMPT, answer="", verifier="exact", meta={"rubric": [{"text": "a", "wieght": 2}]})
    (judgment,) = found(judge_with(talker, "rubric"), GOOD, question=Question(prompt=PROMPT, task=task))
    assert judgment.state is JudgmentState.FAILED
    assert "wieght" in judgment.provenance["note"]
    assert talker.asked == []


class Verifiers:
    def verify(self, task: Task, text: str):
        return {"good": passed("right"), "bad": failed("wrong", value=0.2), "broken": broken("no room")}[text]

    def is_concurrent(self, task: Task) -> bool:
        return task.verifier == "slow"


@pytest.mark.parametrize("verifier", ["exact", "slow"])
def test_a_verifiers_reward_is_the_rating_and_none_is_a_failure(verifier: str) -> None:
    judge = build_judge(JudgeConfig(), models={}, verifiers=Verifiers(), seed=0)
    question = Question(prompt=PROMPT, task=Task(prompt=PROMPT, answer="", verifier=verifier))
    texts = ("good", "bad", "broken")
    judgments = found(judge, *(Candidate(prompt_id="p", text=t, model="m") for t in texts), question=question)
    assert [judgment.rating for judgment in judgments] == [1.0, 0.2, None]
    assert [str(judgment.state) for judgment in judgments] == ["judged", "judged", "failed"]
    assert judgments[2].provenance["note"] == "no room"
    assert found(judge, GOOD)[0].state is JudgmentState.NOT_APPLICABLE


def test_seeds_follow_from_what_is_asked_and_not_from_the_order() -> None:
    one, other = (by_aspect(helpfulness="3", honesty="3") for _ in range(2))
    found(judge_with(one, "aspects", aspects=["helpfulness", "honesty"]), GOOD, BAD)
    found(judge_with(other, "aspects", aspects=["honesty", "helpfulness"]), BAD, GOOD)
    seeds = [dict(zip(talker.asked, talker.seeds, strict=True)) for talker in (one, other)]
    assert seeds[0] == seeds[1]
    assert len(set(seeds[0].values())) == 4


def test_faults_in_the_settings_are_named() -> None:
    with pytest.raises(UnknownNameError, match="aspects"):
        check_judge(JudgeConfig(kind="aspect"), models={}, where="dpo.build.judge")
    with pytest.raises(UnknownNameError, match=r"valid: small"):
        check_judge(JudgeConfig(kind="pairwise", model="smal"), models={"small": 1}, where="dpo.build.judge")
    with pytest.raises(InputError, match="asks no model"):
        check_judge(JudgeConfig(model="small"), models={"small": 1}, where="dpo.build.judge")
    with pytest.raises(InputError, match="positive weight"):
        args = {"criteria": [{"text": "a", "weight": -1.0}]}
        check_judge(JudgeConfig(kind="rubric", model="m", args=args), models={"m": 1}, where="dpo.build.judge")
    with pytest.raises(InputError, match="needs verifiers"):
        build_judge(JudgeConfig(), models={}, seed=0)
