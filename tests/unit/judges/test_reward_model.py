"""A reward model as a verifier and as a judge, on one of some ten thousand parameters."""

import asyncio
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from tahr.core.errors import InputError
from tahr.core.judging import Question, judges
from tahr.core.preferences import Candidate, JudgmentState
from tahr.core.types import Message, Outcome, Task
from tahr.judges import scored as scored
from tahr.judges import scorer
from tahr.judges.batcher import Batcher
from tahr.models.config import ArchitectureConfig, ModelConfig
from tahr.models.load import load_model
from tahr.models.reward import RewardModel, Scale
from tahr.models.reward_source import REWARD_FOLDER
from tahr.verifiers.build import build_verifiers
from tahr.verifiers.config import VerifierConfig

TASK = Task(prompt=(Message(role="user", content="what is 2 + 3?"),), answer="5", verifier="scores")
ANSWERS = ("it is 5.", "5", "it is 6, or 7, or 8.", "")
CONTEXT = 96


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[float]]:
    """A run folder with a reward model, whose scores have mean 0.5 and deviation 2, and its scores of ANSWERS."""
    architecture = ArchitectureConfig(hidden_size=32, num_layers=2, num_kv_heads=2, intermediate_size=48)
    loaded = load_model(ModelConfig(source="scratch", max_context=CONTEXT, architecture=architecture))
    model = RewardModel.on(loaded, max_context=CONTEXT, seed=1)
    run = tmp_path_factory.mktemp("run")
    model.save(run / REWARD_FOLDER, Scale(mean=0.5, deviation=2.0))
    (run / "manifest.json").write_text("{}")
    return run, [model.score_groups([[model.conversation(TASK.prompt, one)]])[0][0] for one in ANSWERS]


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAHR_CACHE", str(tmp_path / "cache"))


def _verifiers(run, **args):
    return build_verifiers({"scores": VerifierConfig(verifier="reward_model", args={"model": str(run), **args})})


def test_the_reward_is_the_score_on_the_scale_of_held_out_answers_or_as_it_is(made):
    run, scores = made
    for verifiers, expected in (
        (_verifiers(run), [(score - 0.5) / 2 for score in scores]),
        (_verifiers(run, normalise=False), scores),
        (_verifiers(run, low=-0.01, high=0.01), [min(max((score - 0.5) / 2, -0.01), 0.01) for score in scores]),
    ):
        verdicts = [verifiers.verify(TASK, answer) for answer in ANSWERS]
        assert [one.reward.value for one in verdicts] == pytest.approx(expected, abs=1e-5)
        assert [one.outcome is Outcome.PASS for one in verdicts] == [value > 0 for value in expected]
        assert [one.reward.parts["score"] for one in verdicts] == pytest.approx(scores, abs=1e-5)


def test_a_conversation_beyond_the_context_has_no_reward_and_is_never_cut(made):
    verdict = _verifiers(made[0]).verify(TASK, "5 " * CONTEXT)
    assert verdict.reward is None
    assert verdict.outcome is Outcome.ERROR
    assert "too long" in verdict.note


def test_special_tokens_in_an_answer_can_not_end_its_turn(made):
    verifiers = _verifiers(made[0])
    end = verifiers.get("scores")._scorer.loaded.renderer.special_texts[0]
    nested = end[:1] + end + end[1:]
    for text in (f"it is 5.{end}", f"it {end}is 5.", f"it is{nested} 5."):
        assert verifiers.verify(TASK, text).reward == verifiers.verify(TASK, "it is 5.").reward


def test_threads_are_answered_together_and_each_gets_its_own_without_a_gradient(made):
    run, scores = made
    verifiers = _verifiers(run, batch_size=8, normalise=False)
    assert verifiers.is_concurrent(TASK)
    with torch.enable_grad(), ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda answer: verifiers.verify(TASK, answer).reward.value, ANSWERS * 4))
    assert found == pytest.approx(scores * 4, abs=1e-5)
    model = verifiers.get("scores")._scorer.loaded.model
    assert not any(one.requires_grad for one in model.parameters())


def test_what_waits_while_a_batch_is_at_work_makes_up_the_next_and_a_failure_reaches_all_in_it():
    sizes = []

    def work(items):
        sizes.append(len(items))
        if "bad" in items:
            raise ValueError("bad")
        return [item.upper() for item in items]

    batcher = Batcher(work, size=3)
    with batcher._at_work:
        with ThreadPoolExecutor(4) as pool:
            calls = [pool.submit(batcher, item) for item in ("a", "b", "c", "d")]
            while len(batcher._waiting) < 4:
                pass
            batcher._at_work.release()
            assert [call.result(timeout=5) for call in calls] == ["A", "B", "C", "D"]
        batcher._at_work.acquire()
    assert sizes == [3, 1]
    with pytest.raises(ValueError, match="bad"):
        batcher("bad")
    assert batcher("good") == "GOOD"


def test_a_run_loads_its_verifiers_once_and_its_own_model_when_it_is_there(made):
    run, scores = made
    part = {"verifier": "reward_model", "weight": 1.0, "args": {"model": str(run)}}
    both = build_verifiers(
        {
            "scores": VerifierConfig(verifier="reward_model", args={"model": "run", "normalise": False}),
            "mixed": VerifierConfig(verifier="weighted", args={"parts": [part]}),
        }
    )
    before = both.verify(TASK, "5")
    assert before.outcome is Outcome.ERROR
    assert "under way" in before.note
    both.enter_run(run)
    assert "loaded" in vars(both.get("mixed").verifiers[0]._scorer)
    assert both.verify(TASK, ANSWERS[0]).reward.value == pytest.approx(scores[0], abs=1e-5)
    assert both.get("scores")._scorer.loaded is both.get("mixed").verifiers[0]._scorer.loaded


def test_what_is_no_reward_model_is_refused_before_it_is_loaded(tmp_path):
    (tmp_path / "config.json").write_text('{"architectures": ["LlamaForCausalLM"]}')
    with pytest.raises(InputError, match="no reward model"):
        _verifiers(tmp_path)
    with pytest.raises(InputError, match="in this order"):
        _verifiers("owner/name", low=1.0)


def test_the_judge_rates_by_the_score_and_what_it_can_not_read_has_failed(made):
    run, scores = made
    judge = judges.get("reward_model")(str(run))
    question = Question(prompt=TASK.prompt)
    texts = [*ANSWERS, "5 " * CONTEXT]
    candidates = [Candidate(prompt_id=question.id, text=text, model="m") for text in texts]
    found = asyncio.run(judge.judge(question, candidates))
    assert [one.candidates for one in found] == [(candidate.id,) for candidate in candidates]
    assert [one.rating for one in found[:-1]] == pytest.approx(scores, abs=1e-5)
    assert (found[-1].state, found[-1].rating) == (JudgmentState.FAILED, None)


def test_another_model_at_the_same_place_judges_anew(made, tmp_path):
    place, question = tmp_path / "run", Question(prompt=TASK.prompt)
    shutil.copytree(made[0], place)

    def depends_on() -> str:
        scorer._load.cache_clear()  # as in another process
        return judges.get("reward_model")(str(place)).depends_on(question)

    first = depends_on()
    assert depends_on() == first
    weights = load_file(place / REWARD_FOLDER / "model.safetensors")
    weights["score.weight"] += 1
    save_file(weights, place / REWARD_FOLDER / "model.safetensors", metadata={"format": "pt"})
    assert depends_on() != first


def test_a_judge_whose_judgments_all_stand_loads_nothing(made, tmp_path, monkeypatch):
    question, run = Question(prompt=TASK.prompt), tmp_path / "again"
    shutil.copytree(made[0], run)
    first = judges.get("reward_model")(source=str(run))
    first.enter_run(tmp_path)
    name = first.depends_on(question)
    loads, load = [], scorer._load
    monkeypatch.setattr(scorer, "_load", lambda *what: loads.append(what) or load(*what))
    second = judges.get("reward_model")(source=str(run))
    second.enter_run(tmp_path)
    assert (second.depends_on(question), loads) == (name, [])
    (weights,) = (run / REWARD_FOLDER).glob("*.safetensors")
    save_file({key: value + 1 for key, value in load_file(weights).items()}, weights, metadata={"format": "pt"})
    third = judges.get("reward_model")(source=str(run))
    third.enter_run(tmp_path)
    assert third.depends_on(question) != name
    assert len(loads) == 1
