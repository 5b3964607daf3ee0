"""TRL's side of `preference.py`: its DPOTrainer or SFTTrainer, told by the parent when to take a step.

Settings are TRL's defaults but for what a CPU and the comparison demand: float32, no gradient checkpointing, no
logging and saving, pairs in order, no padding of the batch beyond its longest answer. The pairs arrive as token ids.
"""

from __future__ import annotations

import os
import sys
import time
from typing import Any

os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1", TRL_EXPERIMENTAL_SILENCE="1")

import torch
from datasets import Dataset
from torch.utils.data import SequentialSampler
from transformers import AutoModelForCausalLM, AutoTokenizer, TrainerCallback
from trl import DPOConfig, DPOTrainer, SFTConfig, SFTTrainer

from pair_job import PairJob
from worker import Channel


class Conductor(TrainerCallback):
    """Waits for the parent's word before each step and answers after it."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self.started = 0.0
        self.loss = 0.0

    def on_train_begin(self, *_: Any, **__: Any) -> None:
        """Wait for the first command."""
        self._wait()

    def on_step_end(self, *_: Any, **__: Any) -> None:
        """Answer for the step that has just ended, then wait."""
        self.channel.answer(seconds=time.perf_counter() - self.started, loss=self.loss)
        self._wait()

    def _wait(self) -> None:
        if self.channel.next_command() == "stop":
            self.channel.leave()
        self.started = time.perf_counter()


class Told:
    """What both trainers are given here: token ids as they are, in order; the loss is heard by the conductor."""

    conductor: Conductor

    def _prepare_dataset(self, dataset: Dataset, *_: Any, **__: Any) -> Dataset:
        return dataset

    def _get_train_sampler(self, *_: Any) -> SequentialSampler:
        return SequentialSampler(self.train_dataset)

    def compute_loss(self, *args: Any, **kwargs: Any) -> Any:
        """As the trainer does."""
        loss = super().compute_loss(*args, **kwargs)
        self.conductor.loss = float(loss.detach())
        return loss


class ToldDpo(Told, DPOTrainer):
    """DPO on the job's pairs."""


class ToldSft(Told, SFTTrainer):
    """SFT on the job's chosen answers."""


def settings(job: PairJob, folder: str) -> dict[str, Any]:
    """What both configurations share."""
    return {
        "output_dir": folder,
        "use_cpu": True,
        "bf16": False,
        "gradient_checkpointing": False,
        "per_device_train_batch_size": job.batch_size,
        "max_length": job.max_context,
        "learning_rate": job.learning_rate,
        "lr_scheduler_type": "constant",
        "warmup_steps": 0,
        "weight_decay": 0.0,
        "max_grad_norm": 1.0,
        "max_steps": job.steps,
        "report_to": [],
        "save_strategy": "no",
        "logging_steps": 10**6,
        "disable_tqdm": True,
        "dataloader_pin_memory": False,
    }


def make_trainer(job: PairJob, conductor: Conductor, folder: str) -> DPOTrainer | SFTTrainer:
    """The trainer of the job's kind; with `precompute` this asks the reference."""
    given: dict[str, Any] = {
        "model": AutoModelForCausalLM.from_pretrained(job.model, dtype=torch.float32),
        "processing_class": AutoTokenizer.from_pretrained(job.model),
        "callbacks": [conductor],
    }
    rows = zip(job.prompts, job.chosen, job.rejected, strict=True)
    if job.kind == "dpo":
        data = [{"prompt_ids": p, "chosen_ids": c, "rejected_ids": r} for p, c, r in rows]
        config = DPOConfig(**settings(job, folder), precompute_ref_log_probs=job.precompute)
        return ToldDpo(args=config, train_dataset=Dataset.from_list(data), **given)
    data = [{"input_ids": p + c, "labels": [-100] * len(p) + c} for p, c, _ in rows]
    return ToldSft(args=SFTConfig(**settings(job, folder)), train_dataset=Dataset.from_list(data), **given)


def main(path: str) -> None:
    """Train the job at `path` until told to stop."""
    channel = Channel()
    job = PairJob.read(path)
    torch.set_num_threads(job.threads)
    conductor = Conductor(channel)
    Told.conductor = conductor
    trainer = make_trainer(job, conductor, path + ".trl")
    channel.next_command()  # "hello"
    channel.answer()
    trainer.train()


if __name__ == "__main__":
    main(sys.argv[1])
