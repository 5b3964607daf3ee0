"""Who answers and judges while ``[dpo.build]`` builds pairs: what each model is asked, and what it takes to hold it."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from tahr.core.errors import InputError
from tahr.engines.chat import held_as
from tahr.engines.config import ChatModelConfig, EngineConfig
from tahr.judges.build import CountsCalls, check_judge
from tahr.models.known import facts
from tahr.models.sizes import ModelFacts
from tahr.preference.config import BuildConfig
from tahr.recipe.findings import Findings
from tahr.recipe.memory import batch_cache_bytes, cache_per_token, matrix_parameters
from tahr.recipe.preferences.pool import wanted_models
from tahr.recipe.prompts import CHARACTERS_PER_TOKEN
from tahr.recipe.scorers import scorer_facts

INSTRUCTION_TOKENS = 350
"""What a judge is told beside the conversation and the answers: its instruction, a guide, the markers of each text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One kind of request to a model: `num_prompts` different prompts of `prompt_tokens`, each `attempts` times, for
    `new_tokens` at most; `at_once` of them wait at the same time.

    Example: ``Asked(num_prompts=256, attempts=2, prompt_tokens=58, new_tokens=256, at_once=128)``
    """

    num_prompts: int
    attempts: int
    prompt_tokens: int
    new_tokens: int
    at_once: int

    @property
    def num_requests(self) -> int:
        """Answers in all."""
        return self.num_prompts * self.attempts


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolModel:
    """One model of a pool. `facts` is None where it stands behind a server, or where nothing tells its size.

    Bytes are of its weights, of its matrices laid out for sampling, and of its key/value cache at its fullest. A reward
    model that judges writes no token; it `stays` after the pairs are built, and is counted with the reward models.

    Example: ``PoolModel(name="large", facts=None, dtype="float32", device="auto", asked=(asked,), is_here=False)``
    """

    name: str
    facts: ModelFacts | None
    dtype: str
    device: str
    asked: tuple[Asked, ...]
    is_here: bool = True
    stays: bool = False
    weights: float = 0.0
    packed: float = 0.0
    cache: float = 0.0

    @property
    def num_bytes(self) -> float:
        """What it takes to hold it and to sample from it."""
        return self.weights + self.packed + self.cache

    @property
    def num_requests(self) -> int:
        """Answers in all, judgments among them."""
        return sum(one.num_requests for one in self.asked)

    @property
    def num_new_tokens(self) -> int:
        """Tokens that it writes, every answer at its longest."""
        return sum(one.num_requests * one.new_tokens for one in self.asked)


def measure_pool(
    build: BuildConfig, engine: EngineConfig, prompt_tokens: int, policy: ModelFacts, findings: Findings
) -> tuple[PoolModel, ...]:
    """The models that are asked, all of which are held at once, for prompts of that typical length.

    Files those whose sizes can't be had. The policy is none of them; a reward model of the run's own is of its size.
    """
    found = _reward_model(build, prompt_tokens, policy)
    for name in wanted_models(build):
        if name not in build.models:
            continue  # a conflict that is filed with the judge
        asked = tuple(_answers(build, name, prompt_tokens) + _judgments(build, name, prompt_tokens))
        found.append(_model(name, build.models[name], asked, engine, findings))
    return tuple(found)


def _reward_model(build: BuildConfig, prompt_tokens: int, policy: ModelFacts) -> list[PoolModel]:
    """The reward model that judges; one whose size can't be had is filed with its weights."""
    if build.judge.kind != "reward_model":
        return []
    source, dtype = str(build.judge.args.get("source", "")), str(build.judge.args.get("dtype", "float32"))
    try:
        sizes = scorer_facts(source, policy)
    except InputError:
        return []
    asked = Asked(
        num_prompts=build.num_prompts * build.samples_per_prompt,
        attempts=1,
        prompt_tokens=prompt_tokens + build.sampling.max_new_tokens,
        new_tokens=0,
        at_once=1,
    )
    weights = (2.0 if dtype == "bfloat16" else 4.0) * sizes.num_parameters
    device = str(build.judge.args.get("device", "auto"))
    return [
        PoolModel(name="judge", facts=sizes, dtype=dtype, device=device, asked=(asked,), stays=True, weights=weights)
    ]


def _answers(build: BuildConfig, name: str, prompt_tokens: int) -> list[Asked]:
    """What a model of those that answer in turn is asked."""
    if name not in build.others or not build.num_others:
        return []
    attempts = ceil(build.num_others / len(build.others))
    return [
        Asked(
            num_prompts=ceil(build.num_prompts * build.num_others / len(build.others) / attempts),
            attempts=attempts,
            prompt_tokens=prompt_tokens,
            new_tokens=build.sampling.max_new_tokens,
            at_once=min(build.num_prompts, build.max_concurrency) * attempts,
        )
    ]


def _judgments(build: BuildConfig, name: str, prompt_tokens: int) -> list[Asked]:
    """What the judge's model is asked, every answer judged being at its longest."""
    if name != build.judge.model:
        return []
    try:
        judge = check_judge(build.judge, models=build.models, where="dpo.build.judge")
    except InputError:
        return []  # a conflict that is filed where settings are compared
    answers = build.samples_per_prompt
    calls, shown = judge.calls_for(answers) if isinstance(judge, CountsCalls) else (answers, 1)
    most = ceil(build.judge.max_chars / CHARACTERS_PER_TOKEN)
    read = INSTRUCTION_TOKENS + min(prompt_tokens, most) + shown * min(build.sampling.max_new_tokens, most)
    return [
        Asked(
            num_prompts=build.num_prompts * calls,
            attempts=1,
            prompt_tokens=read,
            new_tokens=build.judge.max_new_tokens,
            at_once=min(build.num_prompts, build.max_concurrency) * calls,
        )
    ]


def _model(
    name: str, config: ChatModelConfig, asked: tuple[Asked, ...], engine: EngineConfig, findings: Findings
) -> PoolModel:
    if config.url:
        return PoolModel(name=name, facts=None, dtype="", device="", asked=asked, is_here=False)
    try:
        sizes = facts(held_as(config))
    except InputError as error:
        findings.warn(
            f"dpo.build.models.{name}",
            f"left out of the estimate: {error.wrong}",
            received=error.received,
            instead="a model on this disk; where a run is meant, there is no such folder yet",
        )
        return PoolModel(name=name, facts=None, dtype=config.dtype, device=config.device, asked=asked)
    width = 2.0 if config.dtype == "bfloat16" else 4.0
    return PoolModel(
        name=name,
        facts=sizes,
        dtype=config.dtype,
        device=config.device,
        asked=asked,
        weights=width * sizes.num_parameters,
        packed=width * matrix_parameters(sizes),
        cache=max(_cache_bytes(one, config.max_context, engine, width * cache_per_token(sizes)) for one in asked),
    )


def _cache_bytes(asked: Asked, max_context: int, engine: EngineConfig, token: float) -> float:
    """The cache of a full batch, whose prompts leave room for an answer."""
    new = min(asked.new_tokens, max_context)
    prompt = min(asked.prompt_tokens, max_context - new)
    return batch_cache_bytes(engine, token, waiting=asked.at_once, attempts=asked.attempts, prompt=prompt, new=new)
