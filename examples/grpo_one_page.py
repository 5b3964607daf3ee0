"""GRPO on one page: the whole algorithm in plain torch and transformers, without tahr's engine, losses and trainer.

    python examples/grpo_one_page.py

A small model made from scratch first sees worked examples (without them it never answers rightly, and where no attempt
is rewarded there is nothing to reinforce), then improves from rewards alone. tahr's trainer computes the same numbers
in less time; `tests/invariant/test_one_page.py` holds the two against each other.

How this differs from the paper (DeepSeekMath, arXiv:2402.03300, section 4.1): no KL penalty and no reference model; a
mean over all tokens of a step instead of one within each answer (DAPO, arXiv:2503.14476, section 3.3); groups in which
all attempts score alike are left out, since their advantages are 0.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean, pstdev

import torch
from torch import Tensor
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from tahr.core.types import Task
from tahr.data.config import TaskSetConfig
from tahr.data.splits import build_task_sets
from tahr.models.config import ArchitectureConfig, ModelConfig
from tahr.models.load import load_model
from tahr.verifiers.build import VerifierSet, build_verifiers

CLIP = 0.2
MAX_GRAD_NORM = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One sampled answer: ``Attempt(prompt_ids=[2, 5], answer_ids=[9, 3], logprobs=[-0.7, -0.1], reward=1.0)``."""

    prompt_ids: Sequence[int]
    answer_ids: Sequence[int]
    logprobs: Sequence[float]
    reward: float


Group = list[Attempt]  # attempts at one task


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What one step did: ``Step(loss=0.01, reward=0.4, groups=[[attempt, ...], ...])``."""

    loss: float
    reward: float
    groups: list[Group]


def prompt_ids(tokenizer: PreTrainedTokenizerBase, task: Task) -> list[int]:
    """The chat template around the task's messages, up to where the assistant begins."""
    chat = [{"role": message.role, "content": message.content} for message in task.prompt]
    return tokenizer.apply_chat_template(chat, add_generation_prompt=True, return_dict=False)


@torch.no_grad()
def sample(model: PreTrainedModel, prompt: Sequence[int], *, count: int, length: int, end: int) -> list[list[int]]:
    """`count` answers to one prompt at temperature 1; `end` closes an answer.

    Every token is computed from the whole text before it: what an engine adds to this is speed.
    """
    texts = torch.tensor([list(prompt)] * count)
    for _ in range(length):
        logits = model(input_ids=texts, use_cache=False).logits[:, -1]
        texts = torch.cat([texts, torch.multinomial(logits.softmax(-1), 1)], dim=1)
    answers = texts[:, len(prompt) :].tolist()
    return [ids[: ids.index(end) + 1] if end in ids else ids for ids in answers]


def answer_logprobs(model: PreTrainedModel, pairs: Sequence[tuple[Sequence[int], Sequence[int]]]) -> list[Tensor]:
    """Log-probabilities of the answer's tokens of each (prompt, answer), one tensor of shape (T,) a pair.

    The rows are padded on the right, where a causal model's earlier positions can't see it.
    """
    longest = max(len(prompt) + len(answer) for prompt, answer in pairs)
    rows = torch.tensor([[*prompt, *answer, *[0] * (longest - len(prompt) - len(answer))] for prompt, answer in pairs])
    logprobs = model(input_ids=rows, use_cache=False).logits[:, :-1].log_softmax(-1)
    chosen = logprobs.gather(-1, rows[:, 1:, None])[..., 0]  # position t predicts token t + 1
    return [row[len(prompt) - 1 :][: len(answer)] for row, (prompt, answer) in zip(chosen, pairs, strict=True)]


def attempts_at(
    task: Task, model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, judge: VerifierSet, count: int, length: int
) -> Group:
    """`count` scored attempts at one task, each with the log-probabilities that the policy gave its tokens."""
    prompt = prompt_ids(tokenizer, task)
    answers = sample(model, prompt, count=count, length=length, end=tokenizer.eos_token_id)
    with torch.no_grad():
        logprobs = answer_logprobs(model, [(prompt, ids) for ids in answers])
    group: Group = []
    for ids, values in zip(answers, logprobs, strict=True):
        reward = judge.verify(task, tokenizer.decode(ids, skip_special_tokens=True)).reward
        if reward is not None:  # a reward that could not be computed is absent, never 0
            group.append(Attempt(prompt_ids=prompt, answer_ids=ids, logprobs=values.tolist(), reward=reward.value))
    return group


def advantages(group: Group) -> list[float]:
    """How much better than the group's mean each attempt is, in standard deviations; the rewards must differ."""
    rewards = [attempt.reward for attempt in group]
    return [(reward - mean(rewards)) / pstdev(rewards) for reward in rewards]


def clipped_loss(new: Tensor, old: Tensor, advantage: float) -> Tensor:
    """The loss of one answer, summed over its tokens (PPO, arXiv:1707.06347, equation 7)."""
    ratio = (new - old).exp()
    return -torch.minimum(ratio * advantage, ratio.clamp(1 - CLIP, 1 + CLIP) * advantage).sum()


def update(model: PreTrainedModel, optimizer: torch.optim.Optimizer, groups: list[Group]) -> float:
    """One optimizer step on groups of attempts; the loss before it."""
    num_tokens = sum(len(attempt.answer_ids) for group in groups for attempt in group)
    total = 0.0
    for group in groups:  # one group a backward pass: divided by all tokens, the sum is right however it is split
        policy = answer_logprobs(model, [(attempt.prompt_ids, attempt.answer_ids) for attempt in group])
        losses = [
            clipped_loss(logprobs, torch.tensor(attempt.logprobs), advantage)
            for logprobs, attempt, advantage in zip(policy, group, advantages(group), strict=True)
        ]
        loss = torch.stack(losses).sum() / num_tokens
        loss.backward()
        total += loss.item()
    torch.nn.utils.clip_grad_norm_(model.parameters(), MAX_GRAD_NORM)
    optimizer.step()
    optimizer.zero_grad()
    return total


def train(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    tasks: Sequence[Task],
    verifiers: VerifierSet,
    *,
    steps: int,
    groups_per_step: int = 32,
    group_size: int = 8,
    max_new_tokens: int = 8,
    learning_rate: float = 5e-4,
    rollouts: Sequence[list[Group]] | None = None,
) -> list[Step]:
    """GRPO. With `rollouts` (the groups of each step) nothing is sampled, so that another trainer's can be replayed."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate, weight_decay=0.0)
    history: list[Step] = []
    for number in range(steps):
        groups = (
            [
                attempts_at(task, model, tokenizer, verifiers, group_size, max_new_tokens)
                for task in random.sample(tasks, groups_per_step)
            ]
            if rollouts is None
            else rollouts[number]
        )
        telling = [group for group in groups if len({attempt.reward for attempt in group}) > 1]
        loss = update(model, optimizer, telling) if telling else 0.0
        reward = mean(attempt.reward for group in groups for attempt in group)
        history.append(Step(loss=loss, reward=reward, groups=groups))
    return history


def warm_up(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, tasks: Sequence[Task], *, steps: int) -> None:
    """Supervised steps on right answers, 64 a step."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.0)
    for _ in range(steps):
        pairs = [
            (prompt_ids(tokenizer, task), [*tokenizer(task.answer).input_ids, tokenizer.eos_token_id])
            for task in random.sample(tasks, 64)
        ]
        (-torch.cat(answer_logprobs(model, pairs)).mean()).backward()
        optimizer.step()
        optimizer.zero_grad()


def main() -> None:
    """Teach a small model to reverse words."""
    torch.set_num_threads(1)  # more only get in each other's way on a model this small
    torch.manual_seed(0)
    random.seed(0)
    architecture = ArchitectureConfig(hidden_size=128, num_layers=2, intermediate_size=352)
    loaded = load_model(ModelConfig(source="scratch", max_context=64, device="cpu", architecture=architecture))
    verifiers = build_verifiers({})
    config = TaskSetConfig(source="reverse_text", args={"min_length": 2, "max_length": 3}, num_tasks=5000)
    tasks = build_task_sets({"words": config}, verifiers)["words"].train
    warm_up(loaded.model, loaded.tokenizer, tasks, steps=120)
    for number, step in enumerate(train(loaded.model, loaded.tokenizer, tasks, verifiers, steps=30), start=1):
        print(f"step {number:2d}  reward {step.reward:.3f}  loss {step.loss:+.4f}")


if __name__ == "__main__":
    main()
