"""Runs TRL's own GRPO loss on given log-probabilities: cases as JSON on stdin, losses and gradients on stdout.

Runs in the environment of the benchmarks. The trainer is made without a model: its `_compute_loss` asks one method for
log-probabilities and entropies, and that one is answered with the case's own.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from types import SimpleNamespace

import torch
from trl.trainer.grpo_trainer import GRPOTrainer

KEYS = ("old_per_token_logps", "ref_per_token_logps", "importance_sampling_ratio")


def one_process() -> SimpleNamespace:
    """An accelerator that has nobody to talk to."""

    def same(value, **_):
        return value

    return SimpleNamespace(
        num_processes=1,
        sync_gradients=True,
        gather=same,
        gather_for_metrics=same,
        pad_across_processes=same,
        reduce=same,
    )


def make_trainer(case: dict) -> GRPOTrainer:
    """What `_compute_loss` reads, and no more."""
    given = case["settings"]
    arguments = {
        "delta": given.get("delta"),
        "use_bias_correction_kl": False,
        "sapo_temperature_pos": given.get("sapo_temperature_pos", 1.0),
        "sapo_temperature_neg": given.get("sapo_temperature_neg", 1.05),
        "steps_per_generation": 1,
    }
    trainer = object.__new__(GRPOTrainer)
    trainer.__dict__.update(
        args=SimpleNamespace(**arguments),
        accelerator=one_process(),
        model=SimpleNamespace(training=True),
        loss_type=given["loss_type"],
        importance_sampling_level=given.get("importance_sampling_level", "token"),
        epsilon_low=given.get("epsilon_low", 0.2),
        epsilon_high=given.get("epsilon_high", 0.2),
        beta=given.get("beta", 0.0),
        top_entropy_quantile=given.get("top_entropy_quantile", 1.0),
        max_completion_length=given.get("max_completion_length", 16),
        off_policy_mask_threshold=None,
        use_vllm="importance_sampling_ratio" in case,
        vllm_importance_sampling_correction="importance_sampling_ratio" in case,
        current_gradient_accumulation_steps=1,
        aux_loss_enabled=False,
        use_adaptive_entropy=False,
        entropy_coef=given.get("entropy_coef", 0.0),
        _entropy_bonus_enabled=given.get("entropy_coef", 0.0) != 0.0,
        _metrics={"train": defaultdict(list), "eval": defaultdict(list)},
    )
    return trainer


def answer(case: dict) -> dict:
    """TRL's loss of one case, and its gradient by the log-probabilities."""
    policy = torch.tensor(case["policy"], dtype=torch.float64, requires_grad=True)
    entropies = torch.tensor(case["entropies"], dtype=torch.float64)
    mask = torch.tensor(case["mask"])
    trainer = make_trainer(case)
    trainer._get_per_token_logps_and_entropies = lambda *_, **__: (policy, entropies, None)
    inputs = {
        "prompt_ids": torch.ones(len(mask), 1, dtype=torch.int64),
        "prompt_mask": torch.ones(len(mask), 1, dtype=torch.int64),
        "completion_ids": torch.ones_like(mask),
        "completion_mask": torch.tensor(case["padding_mask"]),
        "tool_mask": mask,
        "advantages": torch.tensor(case["advantages"], dtype=torch.float64),
        "num_items_in_batch": mask.sum(),
        **{key: torch.tensor(case[key], dtype=torch.float64) for key in KEYS if key in case},
    }
    loss = trainer._compute_loss(trainer.model, inputs)
    loss.backward()
    return {"loss": float(loss.detach()), "gradient": policy.grad.tolist()}


if __name__ == "__main__":
    json.dump([answer(case) for case in json.load(sys.stdin)], sys.stdout)
