"""How much memory a recipe takes, part by part: a model of what the trainer holds at its worst moment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

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
    which lags is behind, a teacher with its sampler, reward models that judge.

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

    @property
    def peak(self) -> float:
        """Bytes at the worst moment: training or sampling, whichever needs more."""
        training = self.gradients + self.activations + self.logits
        return self.runtime + self.weights + self.packed + self.optimizer + self.copies + max(training, self.cache)

    def per_device(self, count: int) -> float:
        """Bytes on each of `count` devices that share the weights and all that is kept for them in equal parts.

        Each goes through micro-batches of its own and samples with a whole copy of the policy.
        """
        training = self.gradients / count + self.activations + self.logits
        shared = (self.weights + self.optimizer + self.copies) / count
        return self.runtime + shared + self.packed + max(training, self.cache)


def estimate_memory(
    recipe: Recipe,
    facts: ModelFacts,
    prompt_tokens: int,
    teachers: Mapping[str, ModelFacts] | None = None,
    *,
    scorers: float = 0.0,
) -> Memory:
    """Bytes by part; `teachers` has the sizes of each stage's teacher, `scorers` the bytes of reward models that judge.

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
        copies=scorers
        + max(
            _copies(recipe, width * facts.num_parameters, trained_width * trainable),
            _teacher_bytes(recipe, teachers or {}, width),
        ),
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


def num_sampled_at_once(recipe: Recipe) -> int:
    """Completions in the engine's batch at its fullest."""
    asked = [1]
    if recipe.rejection_sampling is not None:
        asked.append(recipe.rejection_sampling.tasks_per_round * recipe.rejection_sampling.group_size)
    if recipe.distillation is not None:
        asked.append(recipe.distillation.groups_per_step * recipe.distillation.group_size)
    if recipe.rlvr is not None:
        asked.append(recipe.rlvr.groups_per_step * recipe.rlvr.group_size)
    if recipe.eval is not None:
        asked.append(recipe.eval.num_tasks * recipe.eval.samples_per_task)
    return min(max(asked), recipe.engine.max_batch_size)


def _cache_bytes(recipe: Recipe, facts: ModelFacts, prompt: int, width: int) -> float:
    """The cache of a full batch of completions at their longest, each prompt once, within the engine's bound."""
    rows = num_sampled_at_once(recipe)
    sections = (recipe.rejection_sampling, recipe.distillation, recipe.rlvr)
    tokens = [0]
    if recipe.dpo is not None and recipe.dpo.build is not None and recipe.dpo.build.num_own:
        build = recipe.dpo.build
        tokens.append(rows * build.sampling.max_new_tokens + -(-rows // build.num_own) * prompt)
    tokens += [
        rows * section.sampling.max_new_tokens + -(-rows // section.group_size) * prompt
        for section in sections
        if section is not None
    ]
    if recipe.eval is not None:
        evaluation = recipe.eval
        tokens.append(rows * evaluation.max_new_tokens + -(-rows // evaluation.samples_per_task) * prompt)
    return min(width * max(tokens) * cache_per_token(facts), recipe.engine.cache_gib * 2**30)
