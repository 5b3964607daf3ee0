"""The page that defines the algorithm and the trainer that is fast agree on the same rollouts."""

import asyncio
import copy
import importlib.util
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from types import ModuleType

import pytest

from tahr.core.progress import SilentProgress
from tahr.core.types import Group, Task, Verdict, failed, passed
from tahr.curriculum.uniform import UniformCurriculum
from tahr.data.mixture import Mixture
from tahr.data.sources.letters import ReverseText
from tahr.engines.embedded.engine import EmbeddedEngine
from tahr.models.config import ArchitectureConfig, ModelConfig
from tahr.models.load import LoadedModel, load_model
from tahr.rollout.collect import Collector
from tahr.training.config import RlvrConfig, SamplingConfig
from tahr.training.interrupt import StopRequest
from tahr.training.rlvr import Rlvr
from tahr.training.step import Policy

STEPS = 3
LEARNING_RATE = 1e-3
PAGE = Path(__file__).parents[2] / "examples" / "grpo_one_page.py"


class FirstHalf:
    """A judge whose rewards an untrained model earns about every other time: a first letter before "n"."""

    def verify(self, task: Task, text: str) -> Verdict:
        return passed("early letter") if text[:1].isalpha() and text[0] < "n" else failed("late letter or none")


class Recorder:
    """In place of a run folder: keeps groups, advantages and losses."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.groups: list[Sequence[Group]] = []
        self.advantages: list[Sequence[Sequence[float | None]]] = []
        self.metrics: list[dict[str, float]] = []

    def write_rollouts(
        self, stage: str, step: int, groups: Sequence[Group], advantages: Sequence[Sequence[float | None]]
    ) -> None:
        self.groups.append(groups)
        self.advantages.append(advantages)

    def log(self, stage: str, step: int, metrics: dict[str, float]) -> None:
        self.metrics.append(metrics)

    def checkpoint(self, stage: str, step: int) -> AbstractContextManager[Path]:
        return nullcontext(self.folder)


@pytest.fixture(scope="module")
def page() -> ModuleType:
    spec = importlib.util.spec_from_file_location("grpo_one_page", PAGE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def make_model() -> LoadedModel:
    architecture = ArchitectureConfig(hidden_size=32, num_layers=2, num_heads=4, num_kv_heads=2, intermediate_size=48)
    return load_model(ModelConfig(source="scratch", device="cpu", max_context=48, architecture=architecture), seed=3)


def train_with_tahr(loaded: LoadedModel, folder: Path) -> Recorder:
    """Three steps of the trainer; its micro-batches are so small that groups are cut."""
    config = RlvrConfig(
        tasks={"words": 1.0},
        steps=STEPS,
        groups_per_step=4,
        group_size=6,
        sampling=SamplingConfig(max_new_tokens=8),
        learning_rate=LEARNING_RATE,
        micro_batch_tokens=70,
        schedule={"max_resampled_groups": 2},
    )
    recorder = Recorder(folder)
    engine = EmbeddedEngine(loaded.model, max_context=48)
    stage = Rlvr(
        config=config,
        policy=Policy(loaded.model, config.optimizer, max_context=48),
        engine=engine,
        collector=Collector(engine=engine, renderer=loaded.renderer, verifiers=FirstHalf(), run_seed=5),
        curriculum=UniformCurriculum(Mixture({"words": ReverseText().generate(40, 0)}, {"words": 1.0}, seed=0)),
        run=recorder,
        progress=SilentProgress(),
        stop=StopRequest(),
        evaluate=lambda _: asyncio.sleep(0),
    )
    asyncio.run(stage.train())
    return recorder


def as_page_groups(page: ModuleType, groups: Sequence[Group]) -> list[list[object]]:
    """The trainer's groups in the page's words."""
    return [
        [
            page.Attempt(
                prompt_ids=scored.trajectory.turns[0].prompt_token_ids,
                answer_ids=scored.trajectory.turns[0].completion.token_ids,
                logprobs=scored.trajectory.turns[0].completion.logprobs,
                reward=scored.reward.value,
            )
            for scored in group.scored
        ]
        for group in groups
    ]


@pytest.fixture(scope="module")
def both(page: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> tuple[Recorder, list, LoadedModel, LoadedModel]:
    """What the trainer recorded, what the page made of the same rollouts, and the two trained models."""
    fast = make_model()
    plain = copy.deepcopy(fast)
    recorder = train_with_tahr(fast, tmp_path_factory.mktemp("checkpoint"))
    rollouts = [as_page_groups(page, groups) for groups in recorder.groups]
    history = page.train(
        plain.model, plain.tokenizer, [], FirstHalf(), steps=STEPS, learning_rate=LEARNING_RATE, rollouts=rollouts
    )
    return recorder, history, fast, plain


def test_the_rollouts_have_something_to_teach(both: tuple) -> None:
    recorder, _, _, _ = both
    rewards = {reward for groups in recorder.groups for group in groups for reward in group.rewards}
    lengths = {
        scored.trajectory.num_sampled_tokens
        for groups in recorder.groups
        for group in groups
        for scored in group.scored
    }
    assert rewards == {0.0, 1.0}
    assert len(lengths) > 2


def test_rewards_and_losses_agree(both: tuple) -> None:
    recorder, history, _, _ = both
    assert [step.reward for step in history] == pytest.approx(
        [metrics["reward"] for metrics in recorder.metrics], abs=1e-9
    )
    losses = [metrics["loss"] for metrics in recorder.metrics]
    assert [step.loss for step in history] == pytest.approx(losses, abs=2e-6)
    assert max(map(abs, losses)) > 1e-3  # zeros would agree too


def test_advantages_agree(page: ModuleType, both: tuple) -> None:
    recorder, history, _, _ = both
    for step, advantages in zip(history, recorder.advantages, strict=True):
        for group, expected in zip(step.groups, advantages, strict=True):
            if len({attempt.reward for attempt in group}) > 1:
                assert page.advantages(group) == pytest.approx(expected, abs=1e-9)
            else:
                assert set(expected) == {0.0}


def test_trained_weights_agree(both: tuple) -> None:
    _, _, fast, plain = both
    start = make_model().model.state_dict()
    moved, apart = 0.0, 0.0
    for name, weight in fast.model.state_dict().items():
        moved += (weight - start[name]).abs().sum().item()
        apart += (weight - plain.model.state_dict()[name]).abs().sum().item()
    # AdamW divides by the gradient's own size, so where a gradient is all rounding error its direction is too
    assert apart < 1e-3 * moved
