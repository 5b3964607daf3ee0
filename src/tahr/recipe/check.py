"""Everything that can be found out about a recipe before anything heavy is loaded. Works without torch."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

from tahr.core.errors import InputError, nearest_name
from tahr.models.known import WELL_KNOWN, facts
from tahr.models.sizes import ModelFacts
from tahr.models.source import Hub, resolve
from tahr.recipe.chats import ChatFacts, example_tokens, measure_chats
from tahr.recipe.conflicts import find_conflicts
from tahr.recipe.estimate import Estimate, estimate
from tahr.recipe.findings import Findings
from tahr.recipe.machine import Machine, disk_free, look, stated
from tahr.recipe.pairs import PairFacts, measure_pairs, pair_tokens
from tahr.recipe.parts import build_parts
from tahr.recipe.pool_sizes import PoolModel, measure_pool
from tahr.recipe.prompts import PromptLengths, measure_prompts
from tahr.recipe.remaining import remaining
from tahr.recipe.resources import compare_with_machine
from tahr.recipe.reward_pairs import reward_pair_tokens
from tahr.recipe.rewards import RewardFacts, judge_rewards
from tahr.recipe.schema import Recipe, StageName
from tahr.recipe.scorers import scorer_bytes, warn_of_late_evaluation
from tahr.recipe.teacher import compare_tokens, teachers_of
from tahr.store.sinks import check_sinks

LINEAR_LAYERS = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """What a recipe without conflicts will take, and what the user should know before starting it.

    `estimate` is None for a hub model that is neither downloaded nor well known: nothing tells its size.

    Example: ``CheckResult(estimate=estimate, prompts=PromptLengths(typical=58, longest=71, answer=12, counted=True),
    rewards=(), warnings=("eval: without [eval] nothing will show whether the model got better",))``
    """

    estimate: Estimate | None
    prompts: PromptLengths
    rewards: tuple[RewardFacts, ...]
    warnings: tuple[str, ...]
    chats: tuple[ChatFacts, ...] = ()
    pairs: tuple[PairFacts, ...] = ()


def check(
    recipe: Recipe,
    *,
    machine: Machine | None = None,
    runs_root: Path = Path("runs"),
    over: Collection[StageName] = (),
) -> CheckResult:
    """Check `recipe` against itself, its parts, its model and `machine`.

    Where that is None, it is the hardware that the recipe is meant for, else this machine, measured. Of stages that are
    `over`, behind a run that goes on, nothing has to be at hand, and nothing is estimated.

    Raises one InputError that lists every conflict.
    """
    findings = Findings()
    find_conflicts(recipe, findings)
    recipe = remaining(recipe, over)
    for sink in dict.fromkeys(recipe.log_to):
        findings.try_to("log_to", lambda sink=sink: check_sinks([sink]))
    parts = build_parts(recipe, findings)
    _lora_targets(recipe, findings)
    model = _model_facts(recipe, findings)
    compare_tokens(recipe, findings)
    prompts = measure_prompts(recipe, parts, findings)
    chats = measure_chats(recipe, parts, findings)
    pairs = measure_pairs(recipe, findings)
    prompts = replace(prompts, example=example_tokens(recipe, parts, prompts, chats), pair=pair_tokens(pairs))
    prompts = replace(prompts, scored_pair=reward_pair_tokens(recipe, parts, findings))
    rewards = judge_rewards(recipe, parts, findings)
    warn_of_late_evaluation(recipe, parts.sets, findings)
    estimated: Estimate | None = None
    if model is not None:
        meant = (
            findings.try_to("model.hardware", lambda: stated(recipe.model.hardware))
            if recipe.model.hardware and machine is None
            else None
        )
        estimated = estimate(
            recipe,
            model,
            machine or meant or look(),
            prompts,
            _teacher_facts(recipe, findings),
            scorers=scorer_bytes(recipe, model, findings),
            pool=_pool(recipe, model, prompts, findings),
        )
        compare_with_machine(recipe, estimated, float("inf") if meant else disk_free(runs_root), findings)
    findings.raise_conflicts()
    return CheckResult(
        estimate=estimated,
        prompts=prompts,
        rewards=rewards,
        warnings=tuple(findings.warnings),
        chats=chats,
        pairs=pairs,
    )


def _model_facts(recipe: Recipe, findings: Findings) -> ModelFacts | None:
    """The model's sizes; None where they can't be had, which only a hub model yet to be downloaded is forgiven."""
    source = findings.try_to("model", lambda: resolve(recipe.model))
    if source is None:
        return None
    if isinstance(source, Hub) and source.id not in WELL_KNOWN and not _is_cached(source):
        findings.warn(
            "model.source",
            "is not in the local hub cache and its sizes are not known here, so nothing can be estimated",
            received=source.id,
            instead=f"download it first: hf download {source.id}",
        )
        return None
    return findings.try_to("model", lambda: facts(recipe.model))


def _pool(recipe: Recipe, policy: ModelFacts, prompts: PromptLengths, findings: Findings) -> tuple[PoolModel, ...]:
    build = recipe.dpo.build if recipe.dpo else None
    return () if build is None else measure_pool(build, recipe.engine, prompts.typical, policy, findings)


def _teacher_facts(recipe: Recipe, findings: Findings) -> dict[str, ModelFacts]:
    """The sizes of each stage's teacher, where they can be had; what no model can be is reported with the stage."""
    found: dict[str, ModelFacts] = {}
    for where, config in teachers_of(recipe).items():
        try:
            found[where.partition(".")[0]] = facts(config)
        except InputError as error:
            findings.warn(
                where,
                f"left out of the estimate: {error.wrong}",
                received=error.received,
                instead="a model on this disk; where a run is meant, there is no such folder yet",
            )
    return found


def _is_cached(source: Hub) -> bool:
    from huggingface_hub import try_to_load_from_cache

    return isinstance(try_to_load_from_cache(source.id, "config.json", revision=source.revision), str)


def _lora_targets(recipe: Recipe, findings: Findings) -> None:
    for target in recipe.model.lora.targets if recipe.model.lora else ():
        if target not in LINEAR_LAYERS:
            nearest = nearest_name(target, LINEAR_LAYERS)
            findings.conflict(
                "model.lora.targets",
                f"no linear layer of a decoder block is called {target!r}",
                instead=(f"did you mean {nearest!r}? " if nearest else "") + f"valid: {', '.join(LINEAR_LAYERS)}",
            )
