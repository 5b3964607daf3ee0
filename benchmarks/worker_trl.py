"""TRL's side: its GRPOTrainer, told by the parent when to take a step. Runs in a virtual environment of its own.

Settings are TRL's defaults but for what a CPU and the comparison demand: float32, no gradient checkpointing (it stops
with an error, or is slower, on a CPU), no KL penalty (TRL's own default), no logging and saving, and the job's batch.
"""

from __future__ import annotations

import os
import sys
import time
from typing import Any

os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1", TRL_EXPERIMENTAL_SILENCE="1")

import torch
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, TrainerCallback
from trl import GRPOConfig, GRPOTrainer

from held_out import held_out_reward, reward_of, to_task
from tahr.verifiers.build import build_verifiers
from worker import Channel, Job


class Conductor(TrainerCallback):
    """Waits for the parent's word before each step and answers after it."""

    def __init__(self, job: Job, channel: Channel) -> None:
        self.job = job
        self.channel = channel
        self.verifiers = build_verifiers({})
        self.tasks = [to_task(row) for row in job.tasks]
        self.held_out = [to_task(row) for row in job.held_out]
        self.rewards: list[float] = []
        self.num_tokens = 0
        self.started = 0.0

    def reward(self, completions: list[Any], index: list[int], completion_ids: list[Any], **_: object) -> list[float]:
        """TRL's reward function: tahr's verifier on the completion's text."""
        values = [
            reward_of(self.verifiers, self.tasks[number], completion[0]["content"])
            for number, completion in zip(index, completions, strict=True)
        ]
        self.rewards += values
        self.num_tokens += sum(len(ids) for ids in completion_ids)
        return values

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Wait for the first command."""
        self._wait(**kwargs)

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Answer for the step that has just ended, then wait."""
        seconds = time.perf_counter() - self.started
        self.channel.answer(
            seconds=seconds, tokens=self.num_tokens, reward=sum(self.rewards) / max(1, len(self.rewards))
        )
        self.rewards, self.num_tokens = [], 0
        self._wait(**kwargs)

    def _wait(self, model: Any, processing_class: Any, **_: object) -> None:
        while (command := self.channel.next_command()) == "evaluate":
            start = time.perf_counter()
            reward = held_out_reward(
                model, processing_class, self.held_out, self.verifiers, max_new_tokens=self.job.max_new_tokens
            )
            self.channel.answer(seconds=time.perf_counter() - start, reward=reward)
        if command == "stop":
            self.channel.leave()
        self.started = time.perf_counter()


def settings(job: Job, folder: str) -> GRPOConfig:
    """TRL's configuration of `job`: one optimizer step per `groups` x `group_size` completions."""
    size = job.groups * job.group_size
    return GRPOConfig(
        output_dir=folder,
        use_cpu=True,
        bf16=False,
        gradient_checkpointing=False,
        per_device_train_batch_size=job.micro_batch,
        gradient_accumulation_steps=size // job.micro_batch,
        num_generations=job.group_size,
        max_completion_length=job.max_new_tokens,
        generation_kwargs={"min_new_tokens": job.max_new_tokens} if job.fixed_length else None,
        temperature=1.0,
        beta=0.0,
        loss_type="dapo",
        learning_rate=job.learning_rate,
        lr_scheduler_type="constant",
        warmup_steps=0,
        weight_decay=0.0,
        max_grad_norm=1.0,
        max_steps=job.steps,
        shuffle_dataset=False,
        seed=job.seed,
        report_to=[],
        save_strategy="no",
        logging_steps=10**6,
        disable_tqdm=True,
        dataloader_pin_memory=False,
    )


def main(path: str) -> None:
    """Train the job at `path` until told to stop."""
    channel = Channel()
    job = Job.read(path)
    torch.set_num_threads(job.threads)
    conductor = Conductor(job, channel)
    rows = [{"prompt": row["prompt"], "index": number} for number, row in enumerate(job.tasks)]
    trainer = GRPOTrainer(
        model=AutoModelForCausalLM.from_pretrained(job.model, dtype=torch.float32),
        processing_class=AutoTokenizer.from_pretrained(job.model),
        reward_funcs=conductor.reward,
        args=settings(job, path + ".trl"),
        train_dataset=Dataset.from_list(rows),
        callbacks=[conductor],
    )
    channel.next_command()  # "hello"
    channel.answer()
    trainer.train()


if __name__ == "__main__":
    main(sys.argv[1])
