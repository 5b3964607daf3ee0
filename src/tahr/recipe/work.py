"""The tokens, FLOPs and seconds of each stage, from a recipe's numbers alone.

Models of what the trainer does, not measurements; the constants say what they assume. Stages are counted at their
longest: every completion runs to max_new_tokens, every group that may be resampled is, and every group that can teach
does. Prompts and gold answers have their typical length, and a group's prompt is computed once in each pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tahr.evaluation.suites.load import load_suite
from tahr.models.sizes import ModelFacts
from tahr.recipe.machine import Machine
from tahr.recipe.memory import cache_per_token, matrix_parameters
from tahr.recipe.pool_sizes import Asked, PoolModel
from tahr.recipe.prompts import PromptLengths
from tahr.recipe.schema import Recipe
from tahr.training.config import RlvrConfig, SftConfig
from tahr.training.distillation_config import DistillationConfig
from tahr.training.dpo_config import DpoConfig
from tahr.training.rejection_config import RejectionSamplingConfig
from tahr.training.reward_model_config import RewardModelConfig

TRAINING_SHARE = 1.0
"""Forward and backward on a CPU, as a share of numpy's matrix rate.

oneDNN can be faster than numpy's BLAS: on one core of an AMD EPYC 9005 the passes of SmolLM2-135M reach 1.4 times its
rate. More cores share the memory, and the optimizer and the verifiers take their part.
"""

SAMPLING_SHARE = 0.9
"""Sampling on a CPU at batches of 32 and more, as a share of numpy's matrix rate; 1.4 on one core of that machine."""

GPU_TRAINING_SHARE = 0.35
"""Share of the data sheet's bfloat16 rate that training reaches on a GPU; float32 runs at about an eighth."""

GPU_BANDWIDTH_SHARE = 0.4
"""Share of the memory bandwidth that sampling reaches on a GPU: each step reads all weights and the cache."""

FLOAT32_SLOWDOWN = 8.0


@dataclass(frozen=True, slots=True, kw_only=True)
class StageEstimate:
    """One stage at its longest. Tokens count prompts once a group, as sampling and training do; `seconds` in all.

    Example: ``StageEstimate(name="rlvr", steps=12, sampled_tokens=24576, trained_tokens=30336, flops=3.1e13,
    seconds=290.0)``
    """

    name: str
    steps: int
    sampled_tokens: int
    trained_tokens: int
    flops: float
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Passes:
    """How often a model is gone through for each token, besides the policy's own forward and backward pass.

    `of_taught` counts forward passes over the groups that teach, `of_all` those over every group that was sampled,
    `trained` forward and backward passes of the critic.

    Example: ``Passes(of_taught=2, of_all=0, trained=1)``
    """

    of_taught: int
    of_all: int
    trained: int


def forward_flops(facts: ModelFacts, context: float) -> float:
    """FLOPs of one token's forward pass: 2 for each weight of a matrix, 4 for each key/value pair attended to.

    Kaplan et al. 2020, section 2.1. Backward costs twice the forward.
    """
    attention = 4.0 * facts.num_layers * facts.num_heads * facts.head_dim * context
    return 2.0 * matrix_parameters(facts) + attention


def more_passes(rlvr: RlvrConfig) -> Passes:
    """What the algorithm goes through besides the update: reference, critic, proximal policy, choice of tokens."""
    loss, has_critic = rlvr.loss, rlvr.advantage.baseline == "critic"
    kl_of_attempts = bool(loss.kl.coefficient) and loss.kl.place == "reward" and not has_critic
    taught = [
        bool(loss.kl.coefficient) and not kl_of_attempts,  # the reference, token by token
        loss.proximal == "recomputed" and rlvr.schedule.updates_per_step > 1,
        loss.entropy.top_share < 1 or loss.covariance.form != "none",
        has_critic,  # its values
    ]
    return Passes(
        of_taught=sum(taught),
        of_all=int(kl_of_attempts),
        trained=rlvr.advantage.critic.passes if has_critic else 0,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """FLOPs and seconds of each stage."""

    recipe: Recipe
    facts: ModelFacts
    machine: Machine
    lengths: PromptLengths
    on_gpu: bool

    def sft(self, sft: SftConfig) -> StageEstimate:
        """Every example once forward and backward."""
        length = self.lengths.example or self.lengths.typical + self.lengths.answer
        trained = round(sft.steps * sft.batch_size * length)
        flops = trained * self._training_flops(length / 2)
        seconds = self._training_seconds(flops)
        return StageEstimate(
            name="sft", steps=sft.steps, sampled_tokens=0, trained_tokens=trained, flops=flops, seconds=seconds
        )

    def rejection_sampling(self, section: RejectionSamplingConfig, teacher: ModelFacts | None) -> StageEstimate:
        """All attempts by the policy or the teacher; then as many updates as there can be attempts to keep for them."""
        new, attempts = section.sampling.max_new_tokens, section.group_size
        sampler = self if teacher is None else replace(self, facts=teacher)
        sampled, work, seconds = sampler._sampling(section.rounds, section.tasks_per_round, attempts, new)
        kept = section.rounds * section.tasks_per_round * min(attempts, section.keep.max_per_task)
        learnt = min(section.steps * section.batch_size, round(kept * section.max_epochs))
        trained = learnt * (self.lengths.typical + new)
        flops = trained * self._training_flops((self.lengths.typical + new) / 2)
        return StageEstimate(
            name="rejection_sampling",
            steps=section.steps,
            sampled_tokens=sampled,
            trained_tokens=trained,
            flops=work + flops,
            seconds=seconds + self._training_seconds(flops),
        )

    def distillation(self, section: DistillationConfig, teacher: ModelFacts | None) -> StageEstimate:
        """Sampling by student and teacher; every token once forward and backward, and once forward by the teacher."""
        new, attempts = section.sampling.max_new_tokens, section.group_size
        teaching = replace(self, facts=teacher or self.facts)
        by_teacher = round(section.groups_per_step * section.teacher_share)
        by_student = section.groups_per_step - by_teacher
        sampling = [
            who._sampling(section.steps, groups, attempts, new)
            for who, groups in ((self, by_student), (teaching, by_teacher))
            if groups
        ]
        trained = section.steps * section.groups_per_step * (self.lengths.typical + attempts * new)
        context = self.lengths.typical + new / 2
        training = trained * (self._training_flops(context) + forward_flops(teaching.facts, context))
        return StageEstimate(
            name="distillation",
            steps=section.steps,
            sampled_tokens=sum(tokens for tokens, _, _ in sampling),
            trained_tokens=trained,
            flops=sum(flops for _, flops, _ in sampling) + training,
            seconds=sum(seconds for _, _, seconds in sampling) + self._training_seconds(training),
        )

    def dpo(self, dpo: DpoConfig, pool: Sequence[PoolModel] = ()) -> StageEstimate:
        """Every pair once forward and backward, its prompt counted once, and once forward under the reference.

        Pairs that are built are sampled first, as long as they may be, from the policy and from the models of the pool
        that are held here, which then judge; servers do their work elsewhere. KTO goes through as many tokens again for
        its baseline, forward alone, under both.
        """
        build, pair = dpo.build, self.lengths.pair if dpo.pairs else 0.0
        sampled, work, seconds = 0, 0.0, 0.0
        if build is not None:
            new = build.sampling.max_new_tokens
            at_once = build.max_concurrency * build.num_own
            parts = [self._sampling(1, build.num_prompts, build.num_own, new, at_once)] if build.num_own else []
            parts += [part for model in pool for part in self._asked(model)]
            sampled, work, seconds = map(sum, zip(*parts, strict=True)) if parts else (0, 0.0, 0.0)
            pair = max(pair, self.lengths.typical + 2 * new)
        trained = round(dpo.steps * dpo.batch_size * pair)
        context = pair / 3  # half an answer after a prompt, where prompt and answers are about as long
        forwards = int(dpo.loss.needs_reference) + (2 if dpo.loss.name == "kto" else 0)
        flops = trained * (self._training_flops(context) + forwards * forward_flops(self.facts, context))
        return StageEstimate(
            name="dpo",
            steps=dpo.steps,
            sampled_tokens=sampled,
            trained_tokens=trained,
            flops=work + flops,
            seconds=seconds + self._training_seconds(flops),
        )

    def reward_model(self, reward_model: RewardModelConfig) -> StageEstimate:
        """Every pair once forward and backward, its prompt counted once."""
        trained = round(reward_model.steps * reward_model.batch_size * self.lengths.scored_pair)
        flops = trained * self._training_flops(self.lengths.scored_pair / 3)
        return StageEstimate(
            name="reward_model",
            steps=reward_model.steps,
            sampled_tokens=0,
            trained_tokens=trained,
            flops=flops,
            seconds=self._training_seconds(flops),
        )

    def rlvr(self, rlvr: RlvrConfig) -> StageEstimate:
        """Sampling with all that may be resampled; then the passes of the algorithm over what teaches."""
        new, asked = rlvr.sampling.max_new_tokens, rlvr.groups_per_step
        # a group is replaced where it teaches nothing, so no more of them teach than were asked for
        drawn = asked + (rlvr.schedule.max_resampled_groups if rlvr.advantage.needs_group else 0)
        rounds = [(asked, rlvr.group_size), (drawn - asked, rlvr.group_size)]
        if rlvr.advantage.baseline == "greedy":
            rounds.append((drawn, 1))
        sampling = [self._sampling(rlvr.steps, groups, attempts, new) for groups, attempts in rounds if groups]
        a_group = self.lengths.typical + rlvr.group_size * new
        trained, seen = rlvr.steps * asked * a_group, rlvr.steps * drawn * a_group
        context = self.lengths.typical + new / 2
        more, forward = more_passes(rlvr), forward_flops(self.facts, context)
        training = trained * (1 + more.trained) * self._training_flops(context)
        training += (trained * more.of_taught + seen * more.of_all) * forward
        return StageEstimate(
            name="rlvr",
            steps=rlvr.steps,
            sampled_tokens=sum(tokens for tokens, _, _ in sampling),
            trained_tokens=trained,
            flops=sum(flops for _, flops, _ in sampling) + training,
            seconds=sum(seconds for _, _, seconds in sampling) + self._training_seconds(training),
        )

    def evaluations(self) -> StageEstimate:
        """Before the stages and after each, and every `evaluate_every` steps."""
        evaluation, rlvr = self.recipe.eval, self.recipe.rlvr
        assert evaluation is not None
        rounds = 1 + len(self.recipe.stages)
        rounds += rlvr.steps // rlvr.evaluate_every if rlvr is not None and rlvr.evaluate_every else 0
        num_tasks = evaluation.num_tasks * len(evaluation.tasks)
        parts = [self._sampling(rounds, num_tasks, evaluation.samples_per_task, evaluation.max_new_tokens)]
        for suite in map(load_suite, evaluation.suites):
            asked, how = evaluation.num_tasks * len(suite.tasks), suite.sampling
            parts.append(self._sampling(1 + len(self.recipe.stages), asked, how.samples_per_task, how.max_new_tokens))
        sampled, flops, seconds = map(sum, zip(*parts, strict=True))
        return StageEstimate(
            name="eval", steps=rounds, sampled_tokens=sampled, trained_tokens=0, flops=flops, seconds=seconds
        )

    def _asked(self, model: PoolModel) -> list[tuple[int, float, float]]:
        """Tokens, FLOPs and seconds of all that a model of a pool answers and judges here."""
        if model.facts is None:
            return []
        own = self.recipe.model.model_copy(update={"dtype": model.dtype})
        asking = replace(
            self,
            facts=model.facts,
            recipe=self.recipe.model_copy(update={"model": own}),
            on_gpu=self.machine.gpu is not None and model.device != "cpu",
        )
        return [asking._answering(one) for one in model.asked]

    def _answering(self, asked: Asked) -> tuple[int, float, float]:
        if not asked.new_tokens:  # a score, read at the end of one forward pass
            read = asked.num_requests * asked.prompt_tokens
            flops = read * forward_flops(self.facts, asked.prompt_tokens / 2)
            return 0, flops, self._training_seconds(flops)
        lengths = replace(self.lengths, typical=asked.prompt_tokens)
        return replace(self, lengths=lengths)._sampling(
            1, asked.num_prompts, asked.attempts, asked.new_tokens, asked.at_once
        )

    def _sampling(
        self, rounds: int, groups: int, attempts: int, new: int, at_once: int | None = None
    ) -> tuple[int, float, float]:
        """Tokens, FLOPs and seconds of `rounds` times `attempts` completions of `new` tokens at `groups` prompts.

        As many of a round as the engine takes are sampled together, or `at_once` where fewer wait at the same time.
        """
        sampled = rounds * groups * attempts * new
        context = self.lengths.typical + new / 2
        flops = (rounds * groups * self.lengths.typical + sampled) * forward_flops(self.facts, context)
        batch = min(groups * attempts, self.recipe.engine.max_batch_size, at_once or groups * attempts)
        return sampled, flops, self._sampling_seconds(flops, sampled, context, batch)

    def _training_flops(self, context: float) -> float:
        """Forward and backward of one token; adapters need no gradient of the frozen matrices themselves."""
        forward = forward_flops(self.facts, context)
        return (2 if self.recipe.model.lora is not None else 3) * forward

    def _training_seconds(self, flops: float) -> float:
        if not self.on_gpu or self.machine.gpu is None:
            return flops / (TRAINING_SHARE * self.machine.flops)
        slower = FLOAT32_SLOWDOWN if self.recipe.model.dtype == "float32" else 1.0
        return slower * flops / (GPU_TRAINING_SHARE * self.machine.gpu.count * self.machine.gpu.flops)

    def _sampling_seconds(self, flops: float, tokens: int, context: float, batch: int) -> float:
        """On a CPU the matrix rate bounds sampling; on a GPU the memory that every decoding step reads."""
        if not self.on_gpu or self.machine.gpu is None:
            return flops / (SAMPLING_SHARE * self.machine.flops)
        width = 2 if self.recipe.model.dtype == "bfloat16" else 4
        step_bytes = width * (self.facts.num_parameters + batch * context * cache_per_token(self.facts))
        gpu = self.machine.gpu
        return tokens / batch * step_bytes / (GPU_BANDWIDTH_SHARE * gpu.count * gpu.bandwidth)
