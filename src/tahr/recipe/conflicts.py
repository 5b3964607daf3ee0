"""Settings that contradict one another. Pure functions of the recipe: nothing is opened, built or imported."""

from __future__ import annotations

from collections.abc import Iterable

from tahr.core.errors import nearest_name
from tahr.recipe.chat_conflicts import find_chat_conflicts
from tahr.recipe.findings import Findings
from tahr.recipe.loss_conflicts import find_loss_conflicts
from tahr.recipe.pair_conflicts import find_dpo_conflicts
from tahr.recipe.reward_pairs import find_reward_model_conflicts
from tahr.recipe.sampling_conflicts import find_distillation_conflicts, find_rejection_conflicts
from tahr.recipe.schema import STAGE_NAMES, Recipe, sampled_by
from tahr.recipe.scorers import find_scorer_conflicts
from tahr.training.config import OptimizerConfig, RlvrConfig

LEAST_TEMPERATURE = 1e-3


def find_conflicts(recipe: Recipe, findings: Findings) -> None:
    """File every contradiction between settings."""
    _stages(recipe, findings)
    _task_names(recipe, findings)
    _model(recipe, findings)
    if recipe.rlvr is not None:
        _rlvr(recipe.rlvr, findings)
        _evaluation_interval(recipe, recipe.rlvr, findings)
    if recipe.sft is not None:
        find_chat_conflicts(recipe.sft, findings)
        _schedule(recipe.sft.optimizer, recipe.sft.steps, "sft", findings)
    if recipe.rejection_sampling is not None:
        find_rejection_conflicts(recipe, recipe.rejection_sampling, findings)
        _schedule(recipe.rejection_sampling.optimizer, recipe.rejection_sampling.steps, "rejection_sampling", findings)
    if recipe.distillation is not None:
        find_distillation_conflicts(recipe, recipe.distillation, findings)
        _schedule(recipe.distillation.optimizer, recipe.distillation.steps, "distillation", findings)
    if recipe.dpo is not None:
        find_dpo_conflicts(recipe.dpo, findings)
        _schedule(recipe.dpo.optimizer, recipe.dpo.steps, "dpo", findings)
    if recipe.reward_model is not None:
        find_reward_model_conflicts(recipe.reward_model, findings)
        _schedule(recipe.reward_model.optimizer, recipe.reward_model.steps, "reward_model", findings)
    find_scorer_conflicts(recipe, findings)
    _evaluation(recipe, findings)
    _temperatures(recipe, findings)
    _context(recipe, findings)


def _stages(recipe: Recipe, findings: Findings) -> None:
    for stage in dict.fromkeys(recipe.stages):
        if getattr(recipe, stage) is None:
            findings.conflict(
                "stages", f"lists {stage!r}, but there is no [{stage}] section", instead=f"add [{stage}], or unlist it"
            )
        if recipe.stages.count(stage) > 1:
            findings.conflict(
                "stages", f"lists {stage!r} {recipe.stages.count(stage)} times", instead="list each stage once"
            )
    for stage in STAGE_NAMES:
        if getattr(recipe, stage) is not None and stage not in recipe.stages:
            findings.conflict(
                stage,
                "the section is there, but `stages` does not list it, so it would not run",
                received=f"stages = {list(recipe.stages)}",
                instead=f"list {stage!r} in stages, or remove [{stage}]",
            )


def task_users(recipe: Recipe) -> dict[str, tuple[str, ...]]:
    """Which task sets each section names, by the dotted path of the setting that names them."""
    users: dict[str, tuple[str, ...]] = {}
    if recipe.sft is not None:
        users["sft.tasks"] = recipe.sft.tasks
    if recipe.rejection_sampling is not None:
        users["rejection_sampling.tasks"] = tuple(recipe.rejection_sampling.tasks)
    if recipe.distillation is not None:
        users["distillation.tasks"] = tuple(recipe.distillation.tasks)
    if recipe.dpo is not None and recipe.dpo.build is not None:
        users["dpo.build.tasks"] = tuple(recipe.dpo.build.tasks)
    if recipe.rlvr is not None:
        users["rlvr.tasks"] = tuple(recipe.rlvr.tasks)
    if recipe.reward_model is not None and recipe.reward_model.tasks:
        users["reward_model.tasks"] = recipe.reward_model.tasks
    if recipe.eval is not None:
        users["eval.tasks"] = recipe.eval.tasks
    return users


def _task_names(recipe: Recipe, findings: Findings) -> None:
    users = task_users(recipe)
    for where, names in users.items():
        for name in names:
            if name not in recipe.tasks:
                findings.conflict(where, f"there is no [tasks.{name}]", instead=_nearest(name, recipe.tasks))
        if len(set(names)) < len(names):
            findings.conflict(where, "names a task set twice", received=list(names), instead="name each once")
    used = {name for names in users.values() for name in names}
    for name in recipe.tasks.keys() - used:
        findings.warn(f"tasks.{name}", "no stage and no evaluation uses these tasks")
    verifiers = {tasks.verifier for tasks in recipe.tasks.values()}
    for name in recipe.verifiers.keys() - verifiers:
        findings.warn(f"verifiers.{name}", "no task set names this verifier")


def _nearest(name: str, valid: Iterable[str]) -> str:
    names = sorted(valid)
    nearest = nearest_name(name, names)
    return (f"did you mean {nearest!r}? " if nearest else "") + f"valid: {', '.join(names)}"


def _model(recipe: Recipe, findings: Findings) -> None:
    """What `tahr.models.source.resolve` does not look at."""
    lora = recipe.model.lora
    if lora is None:
        return
    if recipe.model.source == "scratch":
        findings.conflict(
            "model.lora", "adapters on random weights can't learn a language", instead="remove [model.lora]"
        )
    if len(set(lora.targets)) < len(lora.targets):
        findings.conflict("model.lora.targets", "names a layer twice", received=list(lora.targets))


def _rlvr(rlvr: RlvrConfig, findings: Findings) -> None:
    for name, weight in rlvr.tasks.items():
        if weight <= 0:
            findings.conflict(f"rlvr.tasks.{name}", "a weight must be above 0", received=weight)
    if rlvr.group_size == 1 and rlvr.advantage.needs_group:
        findings.conflict(
            "rlvr.group_size",
            "with one attempt at a task, its advantage is always 0 and nothing is learnt",
            received=f"1, with advantage.baseline = {rlvr.advantage.baseline!r}, scale = {rlvr.advantage.scale!r}",
            instead="group_size of at least 2, or advantage.baseline = 'none' with scale = 'batch' or 'none'",
        )
    if rlvr.groups_per_step % rlvr.schedule.updates_per_step:
        findings.conflict(
            "rlvr.schedule.updates_per_step",
            "a step's groups are split evenly between its updates",
            received=f"{rlvr.schedule.updates_per_step} updates, {rlvr.groups_per_step} groups",
            instead="a divisor of groups_per_step",
        )
    if rlvr.schedule.max_policy_lag and rlvr.schedule.max_policy_lag >= rlvr.steps - 1:
        findings.warn(
            "rlvr.schedule.max_policy_lag",
            "every step is sampled from the first policy: what is learned is never sampled from",
            received=f"a lag of {rlvr.schedule.max_policy_lag} steps in a stage of {rlvr.steps}",
            instead=f"below {max(rlvr.steps - 1, 1)}",
        )
    _sampling(rlvr, findings)
    find_loss_conflicts(rlvr, findings)
    _schedule(rlvr.optimizer, rlvr.steps * rlvr.schedule.updates_per_step, "rlvr", findings)


def _sampling(rlvr: RlvrConfig, findings: Findings) -> None:
    sampling = rlvr.sampling
    if sampling.temperature == 0:
        findings.conflict(
            "rlvr.sampling.temperature",
            "greedy attempts at a task are all alike, so there is nothing to compare",
            received=0,
            instead="1.0, the policy itself",
        )
    off = {"top_p": 1.0, "top_k": 0, "min_p": 0.0}
    for name, neutral in off.items():
        value = getattr(sampling, name)
        if value != neutral:
            findings.conflict(
                f"rlvr.sampling.{name}",
                "a filter cuts tokens off that the policy gives probability to: what is sampled would not be the "
                "policy that is trained, and the gradient would be biased",
                received=value,
                instead=f"{neutral}, which switches it off",
            )


def _temperatures(recipe: Recipe, findings: Findings) -> None:
    temperatures = {f"{place}.sampling.temperature": one.temperature for place, one in sampled_by(recipe).items()}
    if recipe.eval is not None:
        temperatures["eval.temperature"] = recipe.eval.temperature
    for where, value in temperatures.items():
        if 0 < value < LEAST_TEMPERATURE:
            findings.conflict(
                where,
                "logits divided by so small a number overflow",
                received=value,
                instead=f"{LEAST_TEMPERATURE} or more; in an evaluation, 0 for greedy answers",
            )


def _schedule(optimizer: OptimizerConfig, num_updates: int, stage: str, findings: Findings) -> None:
    if optimizer.warmup_steps >= num_updates:
        findings.conflict(
            f"{stage}.optimizer.warmup_steps",
            "the learning rate would never reach its peak",
            received=f"{optimizer.warmup_steps} warm-up updates of {num_updates}",
            instead=f"below {num_updates}",
        )


def _evaluation_interval(recipe: Recipe, rlvr: RlvrConfig, findings: Findings) -> None:
    if rlvr.evaluate_every and recipe.eval is None:
        findings.conflict(
            "rlvr.evaluate_every", "there is no [eval] section that says on which tasks", instead="add [eval]"
        )
    if rlvr.evaluate_every > rlvr.steps:
        findings.warn("rlvr.evaluate_every", "longer than the stage: no evaluation happens within it")


def _evaluation(recipe: Recipe, findings: Findings) -> None:
    if recipe.eval is None:
        if recipe.stages == ("reward_model",):
            return  # it is measured on pairs that are held out
        findings.warn("eval", "without [eval] nothing will show whether the model got better")
        return
    if recipe.eval.temperature == 0 and recipe.eval.samples_per_task > 1:
        findings.conflict(
            "eval.samples_per_task",
            "greedy attempts at a task are all alike",
            received=f"{recipe.eval.samples_per_task} samples at temperature 0",
            instead="samples_per_task = 1, or a temperature above 0",
        )


def _context(recipe: Recipe, findings: Findings) -> None:
    limits = {f"{place}.sampling.max_new_tokens": one.max_new_tokens for place, one in sampled_by(recipe).items()}
    if recipe.eval is not None:
        limits["eval.max_new_tokens"] = recipe.eval.max_new_tokens
    for where, num_tokens in limits.items():
        if num_tokens >= recipe.model.max_context:
            findings.conflict(
                where,
                "leaves no room for a prompt",
                received=f"{num_tokens} new tokens in a context of {recipe.model.max_context}",
                instead="lower it, or raise model.max_context",
            )
