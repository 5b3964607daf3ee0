"""Held-out reward, measured by the same code on both sides: plain `transformers` sampling and tahr's verifiers."""

from __future__ import annotations

from typing import Any

import torch
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from tahr.core.types import Message, Task
from tahr.verifiers.build import VerifierSet

BATCH_SIZE = 32


def to_task(row: dict[str, Any]) -> Task:
    """A task of a job, rebuilt."""
    prompt = tuple(Message(**message) for message in row["prompt"])
    return Task(prompt=prompt, answer=row["answer"], verifier=row["verifier"], meta=row["meta"])


def reward_of(verifiers: VerifierSet, task: Task, text: str) -> float:
    """The verifier's reward for `text`. Raises RuntimeError where it is absent: a benchmark must not guess."""
    verdict = verifiers.verify(task, text)
    if verdict.reward is None:
        raise RuntimeError(f"no reward for task {task.id}: {verdict.note}")
    return verdict.reward.value


@torch.no_grad()
def held_out_reward(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    tasks: list[Task],
    verifiers: VerifierSet,
    *,
    max_new_tokens: int,
) -> float:
    """Mean reward of one greedy completion a task."""
    was_training = model.training
    model.eval()
    total = 0.0
    for start in range(0, len(tasks), BATCH_SIZE):
        batch = tasks[start : start + BATCH_SIZE]
        for task, text in zip(batch, _complete(model, tokenizer, batch, max_new_tokens), strict=True):
            total += reward_of(verifiers, task, text)
    model.train(was_training)
    return total / len(tasks)


def _complete(
    model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, tasks: list[Task], max_new_tokens: int
) -> list[str]:
    """Greedy completions of `tasks`, prompts padded on the left."""
    messages = [[{"role": m.role, "content": m.content} for m in task.prompt] for task in tasks]
    side, tokenizer.padding_side = tokenizer.padding_side, "left"
    inputs = tokenizer.apply_chat_template(
        messages, add_generation_prompt=True, padding=True, return_tensors="pt", return_dict=True
    )
    tokenizer.padding_side = side
    tokens = model.generate(
        **inputs, do_sample=False, max_new_tokens=max_new_tokens, pad_token_id=tokenizer.pad_token_id, use_cache=True
    )
    return tokenizer.batch_decode(tokens[:, inputs["input_ids"].shape[1] :], skip_special_tokens=True)
