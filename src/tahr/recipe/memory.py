"""How much memory a recipe takes, part by part: a model of what the trainer holds at its worst moment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tahr.engines.config import EngineConfig
from tahr.models.sizes import ModelFacts
from tahr.recipe.schema import Recipe

RUNTIME_BYTES = 0.8e9
"""Python, torch and their libraries, before any weight."""

LOGITS_BYTES = 50e6
"""Logits exist one tile at a time (`tahr.models.head`): the tile, its softmax and its gradient."""

DISTILLED_BYTES = 340e6
"""Logits of student and teacher, their log-probabilities, the divergence's terms and its gradient, some rows at a time
(`tahr.models.row_logits`): eight tensors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Bytes by part. `packed` is the sampler's copy of the matrices, laid out for its products; it and the optimizer's
    state stay through training and sampling, while gradients and activations give way to the cache. `copies` are the
    further models of an algorithm: the reference policy, the critic with its optimizer, the policies that a sampler
    which lags is behind, a teacher with its sampler. `scorers` are reward models that judge, `pool` the models that
    answer and judge while pairs are built, with what each samples with: they are gone before training begins.

    Example: ``Memory(runtime=7e8, weights=5.4e8, packed=5.4e8, optimizer=1.1e9, gradients=5.4e8, activations=3e9,
    logits=6e8, cache=2.6e8, copies=0.0)``
    """

    runtime: float
    weights: float
    packed: float
    optimizer: float
    gradients: float
    activations: float
    logits: float
    cache: float
    copies: float
    scorers: float = 0.0
    pool: float = 0.0

    @property
    def peak(self) -> float:
        """Bytes at the worst moment: training, sampling or building pairs, whichever needs more.

        While pairs are built there is neither an optimizer's state nor a copy yet.
        """
        training = self.gradients + self.activations + self.logits
        held = self.runtime + self.weights + self.packed + self.scorers
        return held + max(self.optimizer + self.copies + max(training, self.cache), self.cache + self.pool)

    def per_device(self, count: int) -> float:
        """Bytes on each of `count` devices that share the weights and all that is kept for them in equal parts.

        Each goes through micro-batches of its own and samples with a whole copy of the policy; a pool is spread out.
        """
        training = self.gradients / count + self.activations + self.logits
        held = self.runtime + (self.weights + self.scorers) / count + self.packed
        state = (self.optimizer + self.copies) / count
        return held + max(state + max(training, self.cache), self.cache + self.pool / count)


def estimate_memory(
    recipe: Recipe,
    facts: ModelFacts,
    prompt_tokens: int,
    teachers: Mapping[str, ModelFacts] | None = None,
    *,
    scorers: float = 0.0,
    pool: float = 0.0,
) -> Memory:
    """Bytes by part; `teachers` has the sizes of each stage's teacher, `scorers` the bytes of reward models that judge,
    `pool` those of the models beside the policy that ``[dpo.build]`` asks.

    Gradients and both Adam moments have the trained weights' own type; adapters are float32.
    """
    width = 2 if recipe.model.dtype == "bfloat16" else 4
    lora = recipe.model.lora
    trainable = facts.num_trainable_parameters(lora)
    trained_width = width if lora is None else 4
    pass_tokens = max(_pass_tokens(recipe, prompt_tokens), default=0)
    return Memory(
        runtime=RUNTIME_BYTES,
        weights=float(width * facts.num_parameters + (0 if lora is None else 4 * trainable)),
        packed=float(width * matrix_parameters(facts)),
        optimizer=2.0 * trained_width * trainable,
        gradients=float(trained_width * trainable),
        activations=float(width * pass_tokens * facts.num_layers * activations_per_token(facts)),
        logits=_logits_bytes(recipe, facts, pass_tokens),
        cache=_cache_bytes(recipe, facts, prompt_tokens, width),
        copies=max(
            _copies(recipe, width * facts.num_parameters, trained_width * trainable),
            _teacher_bytes(recipe, teachers or {}, width),
        ),
        scorers=scorers,
        pool=pool,
    )


def _logits_bytes(recipe: Recipe, facts: ModelFacts, pass_tokens: int) -> float:
    """Bytes of logits at their worst; a small vocabulary's distributions need less than their bound."""
    if recipe.distillation is None:
        return LOGITS_BYTES
    return max(LOGITS_BYTES, min(DISTILLED_BYTES, 8.0 * 4 * pass_tokens * facts.vocab_size))


def _teacher_bytes(recipe: Recipe, teachers: Mapping[str, ModelFacts], width: int) -> float:
    """Bytes of the largest teacher, and of its matrices laid out for sampling where it samples."""
    taught = recipe.distillation
    sizes = [0.0]
    for stage, facts in teachers.items():
        samples = stage != "distillation" or (taught is not None and taught.teacher_share > 0)
        sizes.append(float(width * (facts.num_parameters + (matrix_parameters(facts) if samples else 0))))
    return max(sizes)


def _copies(recipe: Recipe, weights: float, trainable: float) -> float:
    """Bytes of the models besides the policy, given those of all weights and of the trained ones."""
    # a reward model has weights, gradients and two Adam moments, while it is trained
    scoring = weights + 3 * trainable if recipe.reward_model is not None else 0.0
    return max(scoring, _copies_of_rlvr(recipe, weights, trainable))


def _copies_of_rlvr(recipe: Recipe, weights: float, trainable: float) -> float:
    if recipe.rlvr is None:
        return 0.0
    reference = trainable if recipe.rlvr.loss.kl.coefficient else 0.0
    # a critic has weights, gradients and two Adam moments
    critic = weights + 3 * trainable if recipe.rlvr.advantage.baseline == "critic" else 0.0
    lag = recipe.rlvr.schedule.max_policy_lag
    return reference + critic + (weights + (lag + 1) * trainable if lag else 0.0)


def checkpoint_bytes(recipe: Recipe, facts: ModelFacts) -> float:
    """Bytes of one checkpoint: what is trained with both Adam moments, the critic's too, and a lagging sampler's."""
    trainable = facts.num_trainable_parameters(recipe.model.lora)
    width = 2 if recipe.model.dtype == "bfloat16" and recipe.model.lora is None else 4
    trained = 3.0 * width * trainable
    if recipe.reward_model is not None:
        trained += width * trainable  # it lies beside the policy
    if recipe.rlvr is None:
        return trained
    critic = trained if recipe.rlvr.advantage.baseline == "critic" else 0.0
    lag = recipe.rlvr.schedule.max_policy_lag
    return trained + critic + (float((lag + 1) * width * trainable) if lag else 0.0)


def activations_per_token(facts: ModelFacts) -> int:
    """Numbers that autograd keeps for one token of one decoder layer, without recomputation.

    Counted as in Korthikanti et al. 2022, section 4.1, for the operations of `tahr.models.decoder`: residuals and
    their norms 4h; rotated queries, attention's output and its regrouping 3q; keys and values, repeated for the
    prompt's part of each completion and for the query heads, about 7k; gate, up and their product 3m. A test holds it
    to what autograd saves.
    """
    queries, keys = facts.num_heads * facts.head_dim, facts.num_kv_heads * facts.head_dim
    return 4 * facts.hidden_size + 3 * queries + 7 * keys + 3 * facts.intermediate_size


def cache_per_token(facts: ModelFacts) -> float:
    """Numbers in the key/value cache for one token."""
    return 2.0 * facts.num_layers * facts.num_kv_heads * facts.head_dim


def _pass_tokens(recipe: Recipe, prompt: int) -> list[int]:
    """Tokens of the largest forward and backward pass of each stage; one group's prompt counts once."""
    tokens: list[int] = []
    if recipe.sft is not None:
        tokens.append(min(recipe.sft.micro_batch_tokens, recipe.sft.batch_size * recipe.model.max_context))
    if recipe.dpo is not None:
        tokens.append(min(recipe.dpo.micro_batch_tokens, recipe.dpo.batch_size * 2 * recipe.model.max_context))
    if recipe.reward_model is not None:
        section = recipe.reward_model
        tokens.append(min(section.micro_batch_tokens, section.batch_size * 2 * recipe.model.max_context))
    if recipe.rejection_sampling is not None:
        kept = recipe.rejection_sampling
        tokens.append(min(kept.micro_batch_tokens, kept.batch_size * (prompt + kept.sampling.max_new_tokens)))
    if recipe.distillation is not None:
        taught = recipe.distillation
        group = prompt + taught.group_size * taught.sampling.max_new_tokens
        tokens.append(min(taught.micro_batch_tokens, group * taught.groups_per_step))
    if recipe.rlvr is not None:
        rlvr = recipe.rlvr
        group = prompt + rlvr.group_size * rlvr.sampling.max_new_tokens
        tokens.append(min(rlvr.micro_batch_tokens, group * rlvr.groups_per_step // rlvr.schedule.updates_per_step))
    return tokens


def matrix_parameters(facts: ModelFacts) -> int:
    """Parameters that every token is multiplied with: all but an embedding that is only looked up.

    A tied embedding is the output matrix too.
    """
    return facts.num_parameters - (0 if facts.tied else facts.vocab_size * facts.hidden_size)


def _sampled_at_once(recipe: Recipe) -> Iterator[tuple[int, int, int]]:
    """What the policy samples together: completions that wait at once, those of them at each prompt, tokens of each."""
    kept, taught, rlvr, evaluation = recipe.rejection_sampling, recipe.distillation, recipe.rlvr, recipe.eval
    build = recipe.dpo.build if recipe.dpo is not None else None
    if kept is not None:
        yield kept.tasks_per_round * kept.group_size, kept.group_size, kept.sampling.max_new_tokens
    if taught is not None:
        yield taught.groups_per_step * taught.group_size, taught.group_size, taught.sampling.max_new_tokens
    if rlvr is not None:
        yield rlvr.groups_per_step * rlvr.group_size, rlvr.group_size, rlvr.sampling.max_new_tokens
    if build is not None and build.num_own:
        at_once = min(build.num_prompts, build.max_concurrency)
        yield at_once * build.num_own, build.num_own, build.sampling.max_new_tokens
    if evaluation is not None:
        attempts = evaluation.samples_per_task
        yield evaluation.num_tasks * len(evaluation.tasks) * attempts, attempts, evaluation.max_new_tokens


def _cache_bytes(recipe: Recipe, facts: ModelFacts, prompt: int, width: int) -> float:
    token = width * cache_per_token(facts)
    found = (
        batch_cache_bytes(recipe.engine, token, waiting=waiting, attempts=attempts, prompt=prompt, new=new)
        for waiting, attempts, new in _sampled_at_once(recipe)
    )
    return max(found, default=0.0)


def batch_cache_bytes(
    engine: EngineConfig, token: float, *, waiting: int, attempts: int, prompt: int, new: int
) -> float:
    """The cache of a full batch of completions at their longest, each prompt once, within the engine's bound.

    `token` is the bytes of one. Prompts are there twice for a moment: room for more of them is made by copying
    (`tahr.engines.embedded.cache`).
    """
    rows = min(waiting, engine.max_batch_size)
    prompts = -(-rows // attempts) * prompt
    tokens = rows * new + prompts
    kept = min(token * tokens, engine.cache_gib * 2**30)
    return kept + kept * prompts / max(1, tokens)
