"""Reward models that judge in a recipe: verifiers that hold a model of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tahr.core.errors import InputError
from tahr.data.splits import TaskSet
from tahr.judges.build import judges_by_own_run
from tahr.judges.scorer import OWN_RUN
from tahr.models.config import ModelConfig
from tahr.models.known import facts
from tahr.models.reward_source import reward_model_source
from tahr.models.sizes import ModelFacts
from tahr.recipe.findings import Findings
from tahr.recipe.schema import Recipe, StageName

NAMES = ("reward_model", "tahr.judges.reward_model:RewardModelVerifier")


def find_scorer_conflicts(recipe: Recipe, findings: Findings) -> None:
    """File who waits for this run's own reward model where no stage trains one before it judges."""
    stages = recipe.stages
    judging = [stages.index(stage) for stage in ("rejection_sampling", "distillation", "rlvr") if stage in stages]
    trained = stages.index("reward_model") if "reward_model" in stages else len(stages)
    for where, args in _scorers(recipe):
        if args.get("model") == OWN_RUN and trained > min(judging, default=len(stages) - 1):
            findings.conflict(
                f"{where}.model",
                "names the reward model of this run, and no stage before has trained one",
                received=f"stages {', '.join(stages)}",
                instead='stages = ["reward_model", "rlvr"], or the path of a run that has one',
            )
    build = recipe.dpo.build if recipe.dpo else None
    if build is not None and judges_by_own_run(build.judge) and "dpo" in stages[: trained + 1]:
        findings.conflict(
            "dpo.build.judge.args.source",
            "names the reward model of this run, and no stage before has trained one",
            received=f"stages {', '.join(stages)}",
            instead='stages = ["reward_model", "dpo"], or the path of a run that has one',
        )


def own_scorers(recipe: Recipe) -> set[str]:
    """The configured verifiers that judge by this run's own reward model, alone or as a part of them."""
    own = {where.split(".")[1] for where, args in _scorers(recipe) if args.get("model") == OWN_RUN}
    for _ in recipe.verifiers:  # a combination may name one that is configured, and be named by another
        own |= {name for name, one in recipe.verifiers.items() if own & set(_named(one.model_dump(mode="json")))}
    return own


def judged_by_own_model(recipe: Recipe, sets: Mapping[str, TaskSet]) -> tuple[str, ...]:
    """The sets of ``eval.tasks`` that this run's own reward model judges."""
    if recipe.eval is None or "reward_model" not in recipe.stages:
        return ()
    own, split = own_scorers(recipe), recipe.eval.split
    return tuple(
        name
        for name in recipe.eval.tasks
        if name in sets and any(task.verifier in own for task in getattr(sets[name], split))
    )


def comes_too_early(recipe: Recipe, stage: StageName, step: int) -> bool:
    """Whether this run's own reward model is not there yet after `step` of `stage`."""
    trained, place = recipe.stages.index("reward_model"), recipe.stages.index(stage)
    return place < trained or (place == trained and step == 0)


def warn_of_late_evaluation(recipe: Recipe, sets: Mapping[str, TaskSet], findings: Findings) -> None:
    """Say which stages no evaluation will show the gain of, because the reward model that judges it comes after."""
    waiting = judged_by_own_model(recipe, sets)
    if not waiting:
        return
    trained = recipe.stages.index("reward_model")
    unmeasured = recipe.stages[:trained]
    if trained == len(recipe.stages) - 1 or unmeasured:
        findings.warn(
            "eval.tasks",
            "the reward model of this run judges them, so that the first evaluation waits for it and shows nothing of "
            f"what comes before: {', '.join(unmeasured) or 'the model as it was is evaluated once'}",
            received=f"{', '.join(waiting)}, with stages {', '.join(recipe.stages)}",
            instead="stages that begin with reward_model, or tasks with another verifier",
        )


def scorer_bytes(recipe: Recipe, policy: ModelFacts, findings: Findings) -> float:
    """Bytes of the weights of all reward models that judge; one that several verifiers name is held once.

    Files those whose sizes can't be had.
    """
    held: dict[tuple[str, str], float] = {}
    for where, args in (*_scorers(recipe), *_judge(recipe)):
        key = "model" if "model" in args else "source"
        source, dtype = str(args.get(key, "")), str(args.get("dtype", "float32"))
        try:
            found = scorer_facts(source, policy)
        except InputError as error:
            findings.warn(f"{where}.{key}", f"left out of the estimate: {error.wrong}", received=source)
            continue
        held[source, dtype] = (2.0 if dtype == "bfloat16" else 4.0) * found.num_parameters
    return sum(held.values())


def scorer_facts(source: str, policy: ModelFacts) -> ModelFacts:
    """The sizes of a reward model; the run's own has those of the policy. Raises InputError where they can't be had."""
    return policy if source == OWN_RUN else facts(ModelConfig(source=reward_model_source(source), max_context=8))


def _judge(recipe: Recipe) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The arguments of the judge of ``[dpo.build]`` where it is a reward model."""
    build = recipe.dpo.build if recipe.dpo else None
    if build is not None and build.judge.kind == "reward_model":
        yield "dpo.build.judge.args", build.judge.args


def _scorers(recipe: Recipe) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The arguments of each verifier that is a reward model, parts of combinations among them, and their place."""
    for name, config in recipe.verifiers.items():
        yield from _within({"verifier": config.verifier, "args": config.args}, f"verifiers.{name}")


def _named(value: Any) -> Iterator[str]:
    """Every verifier that a section names, at whatever depth."""
    if isinstance(value, Mapping):
        name: Any = value.get("verifier")
        if isinstance(name, str):
            yield name
        for one in value.values():
            yield from _named(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _named(one)


def _within(value: Any, where: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if isinstance(value, Mapping):
        args: Any = value.get("args")
        if value.get("verifier") in NAMES and isinstance(args, Mapping):
            yield f"{where}.args", args
        else:
            for key, one in value.items():
                yield from _within(one, f"{where}.{key}")
    elif isinstance(value, list | tuple):
        for number, one in enumerate(value):
            yield from _within(one, f"{where}.{number}")
