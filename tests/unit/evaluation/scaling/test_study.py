from dataclasses import replace

import pytest

from tahr.core.errors import InputError
from tahr.evaluation.scaling.study import AGAIN, ATTEMPTS, chained_name, refuse_mixture, study_of
from tahr.store.records import Conditions, Evaluation, EvaluationRow

CONDITIONS = Conditions(
    suite="sums",
    setting="bare",
    model="small",
    training="small",
    weights="9f86d081884c7d65",
    num_parameters=10,
    num_bytes=40,
    seed=0,
    temperature=1.0,
    max_new_tokens=8,
    samples_per_task=8,
    seconds=1.0,
    num_cached=0,
)


def row(task: str, index: int, correct: float | None, answer: str | None = "5") -> EvaluationRow:
    return EvaluationRow(
        task_id=task,
        domain="sums",
        index=index,
        prompt=f"{task}?",
        answer="5",
        text=answer or "",
        score=correct,
        parts={} if correct is None else {"correct": correct},
        outcome="error" if correct is None else "pass" if correct else "fail",
        note="",
        num_tokens=4,
        finish_reason="stop",
        num_prompt_tokens=10,
        extracted=answer,
        logprob=-2.0,
    )


def evaluation(name: str, rights: dict[str, int], num: int = 8, **conditions) -> Evaluation:
    """`num` attempts at each task, the first few of them right."""
    rows = [
        row(task, index, float(index < right), "5" if index < right else "6")
        for task, right in rights.items()
        for index in range(num)
    ]
    return Evaluation(
        name=name, stage="eval", step=0, split="all", rows=tuple(rows), conditions=replace(CONDITIONS, **conditions)
    )


def curves(study):
    return {curve.name: curve for curve in study.curves}


def test_attempts_give_a_curve_for_each_rule():
    study = study_of([evaluation(ATTEMPTS, {"a": 8, "b": 2, "c": 0})])
    assert list(curves(study)) == [
        "majority",
        "majority weighted by likelihood",
        "best by likelihood",
        "oracle",
        "random verifier",
    ]
    oracle = curves(study)["oracle"]
    assert [point.knob for point in oracle.points] == [1, 2]
    assert oracle.points[1].values == pytest.approx((1, 1 - 15 / 28, 0))
    assert curves(study)["majority"].ceilings == (1, 0, 0)
    assert study.repeated == ()


def test_the_repetition_is_paired_by_question():
    first = evaluation(ATTEMPTS, {"a": 8, "b": 0})
    again = evaluation(AGAIN, {"b": 8, "a": 8}, seed=1)
    repeated = {one.name: one for one in study_of([first, again]).repeated}
    assert repeated["majority"].difference.mean == pytest.approx(0.5)
    assert repeated["majority"].knob == 2


def test_chained_answers_have_a_curve_of_their_own():
    rounds = [evaluation(chained_name("revision", number), {"a": 2, "b": number}, num=2) for number in (0, 1, 2)]
    study = study_of([evaluation(ATTEMPTS, {"a": 8, "b": 0}), *rounds])
    revision = curves(study)["revision"]
    assert [point.knob for point in revision.points] == [0, 1, 2]
    assert [point.mean.mean for point in revision.points] == pytest.approx([0.5, 0.75, 1.0])
    assert study.num_chains == 2


def test_a_knob_that_could_not_be_turned_is_named():
    study = study_of([evaluation(ATTEMPTS, {"a": 8, "b": 0}), evaluation("revision-000", {"a": 2, "b": 0}, num=2)])
    assert study.pointless == ("rounds of revision",)
    assert "revision" not in curves(study)


@pytest.mark.parametrize(
    ("what", "other"),
    [
        ("weights", "0000000000000000"),
        ("training", "small, rlvr step 20"),
        ("setting", "harness"),
        ("temperature", 0.7),
        ("max_new_tokens", 16),
    ],
)
def test_points_of_another_model_or_setting_are_refused(what, other):
    later = evaluation("revision-001", {"a": 1}, num=2, **{what: other})
    with pytest.raises(InputError, match=f"different {what} can't be on one curve"):
        study_of([evaluation(ATTEMPTS, {"a": 8, "b": 0}), later])


def test_an_evaluation_that_hides_its_weights_is_refused():
    with pytest.raises(InputError, match="which weights"):
        refuse_mixture([replace(evaluation(ATTEMPTS, {"a": 8}), conditions=None)])


def test_studies_with_other_seeds_are_taken_together():
    study = study_of([evaluation(ATTEMPTS, {"a": 8, "b": 0}), evaluation(ATTEMPTS, {"a": 0, "b": 0}, seed=1)])
    assert study.num_samples == 16
    assert curves(study)["random verifier"].points[0].values == (0.5, 0.0)
    with pytest.raises(InputError, match="come twice"):
        study_of([evaluation(ATTEMPTS, {"a": 8}), evaluation(ATTEMPTS, {"a": 8})])


def test_attempts_without_a_score_are_left_out_and_questions_with_too_few_counted():
    good = evaluation(ATTEMPTS, {"a": 8, "b": 4})
    lost = tuple(row("c", index, 1.0 if index == 0 else None) for index in range(8))
    study = study_of([replace(good, rows=(*good.rows, *lost))])
    assert study.num_dropped == 1
    assert [one.task_id for one in study.questions] == ["a", "b"]


def test_too_few_samples_give_no_curve():
    with pytest.raises(InputError, match="at least 8"):
        study_of([evaluation(ATTEMPTS, {"a": 3}, num=3)])
