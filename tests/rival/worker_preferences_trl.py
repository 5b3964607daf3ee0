"""TRL's own preference and supervised losses on a small model: a case as JSON on stdin, losses and gradients on stdout.

Runs in the environment of the benchmarks. The trainers are made without their setting up: what is called is their
collators, their patched output layer and their loss.
"""

from __future__ import annotations

import json
import os
import sys
from collections import defaultdict
from types import SimpleNamespace
from typing import Any

os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1", TRL_EXPERIMENTAL_SILENCE="1")

import torch
from transformers import AutoModelForCausalLM
from trl.experimental.cpo.cpo_trainer import CPOTrainer
from trl.experimental.orpo.orpo_trainer import ORPOTrainer
from trl.trainer.dpo_trainer import DataCollatorForPreference, DPOTrainer
from trl.trainer.kto_trainer import KTOTrainer
from trl.trainer.sft_trainer import DataCollatorForLanguageModeling, SFTTrainer
from trl.trainer.utils import add_fused_lm_head

from worker_trl import one_process

OUTPUTS = ("log_probs", "entropy", "mean_logits", "is_top1")
COLLATE = DataCollatorForPreference(pad_token_id=0)


def load(folder: str, outputs: tuple[str, ...] = OUTPUTS) -> Any:
    """The folder's model with TRL's output layer."""
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    add_fused_lm_head(model, outputs=outputs)
    return model


def made(kind: type, model: Any, reference: Any, **more: Any) -> Any:
    """A trainer with what its loss reads, and no more."""
    trainer = object.__new__(kind)
    trainer.__dict__.update(
        model=model,
        ref_model=reference,
        args=SimpleNamespace(gradient_checkpointing_kwargs=None, loss_type="nll", average_tokens_across_devices=False),
        accelerator=SimpleNamespace(**vars(one_process()), device=torch.device("cpu"), parallelism_config=None),
        aux_loss_enabled=False,
        _metrics={"train": defaultdict(list), "eval": defaultdict(list)},
        _total_train_tokens=0,
        _tp_size=1,
        **more,
    )
    return trainer


def dpo(model: Any, reference: Any, case: dict[str, Any], settings: dict[str, Any]) -> torch.Tensor:
    """DPOTrainer's loss of the pairs."""
    trainer = made(
        DPOTrainer,
        model,
        reference,
        beta=settings["beta"],
        loss_types=[settings["loss_type"]],
        loss_weights=[1.0],
        ld_alpha=None,
        f_divergence_type="reverse_kl",
        precompute_ref_logps=False,
        use_weighting=False,
        label_smoothing=0.0,
    )
    return trainer._compute_loss(model, COLLATE(case["pairs"]), False)


def kto(model: Any, reference: Any, case: dict[str, Any], settings: dict[str, Any]) -> torch.Tensor:
    """KTOTrainer's loss of the same answers, its divergence measured on the case's `crossed` ones."""
    trainer = made(
        KTOTrainer,
        model,
        reference,
        **settings,
        loss_type="kto",
        calculate_KL=True,
        precompute_ref_logps=False,
    )
    rows, crossed = COLLATE(case["pairs"]), COLLATE(case["crossed"])
    count = len(case["pairs"])
    labels = torch.tensor([True] * count + [False] * count)
    batch = {**rows, **{f"KL_{name}": value for name, value in crossed.items()}, "label": labels}
    return trainer._compute_loss(model, batch, False)


def means_or_sums(model: Any, pairs: list[dict[str, Any]], *, mean: bool) -> tuple[torch.Tensor, torch.Tensor]:
    """Log-probabilities of whole answers, or their means over the tokens, by transformers' logits."""
    batch = COLLATE(pairs)
    logits = model(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"]).logits
    labels = batch["input_ids"].masked_fill(batch["completion_mask"] == 0, -100)
    return ORPOTrainer.get_batch_logps(logits, labels, average_log_prob=mean).chunk(2)


def orpo(model: Any, _reference: Any, case: dict[str, Any], settings: dict[str, Any]) -> torch.Tensor:
    """ORPOTrainer's odds-ratio part."""
    trainer = made(ORPOTrainer, model, None, **settings)
    return -trainer.odds_ratio_loss(*means_or_sums(model, case["pairs"], mean=True))[0].mean()


def simpo(model: Any, _reference: Any, case: dict[str, Any], settings: dict[str, Any]) -> torch.Tensor:
    """CPOTrainer's loss "simpo"."""
    trainer = made(CPOTrainer, model, None, alpha=0.0, loss_type="simpo", label_smoothing=0.0, **settings)
    return trainer.cpo_loss(*means_or_sums(model, case["pairs"], mean=True))[0].mean()


def cdpo(model: Any, reference: Any, case: dict[str, Any], settings: dict[str, Any]) -> torch.Tensor:
    """CPOTrainer's smoothed loss "sigmoid", given the ratios to the reference."""
    trainer = made(CPOTrainer, model, None, alpha=0.0, loss_type="sigmoid", **settings)
    ours = means_or_sums(model, case["pairs"], mean=False)
    with torch.no_grad():
        theirs = means_or_sums(reference, case["pairs"], mean=False)
    return trainer.cpo_loss(*(one - other for one, other in zip(ours, theirs, strict=True)))[0].mean()


def sft(model: Any, _reference: Any, case: dict[str, Any], _settings: dict[str, Any]) -> torch.Tensor:
    """SFTTrainer's loss of the chosen answers."""
    trainer = made(SFTTrainer, model, None, compute_loss_func=None, label_smoother=None)
    rows = [
        {
            "input_ids": pair["prompt_ids"] + pair["chosen_ids"],
            "labels": [-100] * len(pair["prompt_ids"]) + pair["chosen_ids"],
        }
        for pair in case["pairs"]
    ]
    inputs = DataCollatorForLanguageModeling(pad_token_id=0)(rows)
    return trainer.compute_loss(model, dict(inputs), num_items_in_batch=None)


KINDS = {"dpo": dpo, "kto": kto, "orpo": orpo, "simpo": simpo, "cdpo": cdpo, "sft": sft}


def main() -> None:
    """Each of the case's losses, with the gradient of the last norm and the norm of all."""
    case = json.load(sys.stdin)
    found: dict[str, Any] = {}
    for name, (kind, settings) in case["losses"].items():
        model, reference = load(case["model"]).train(), load(case["reference"]).eval()
        loss = KINDS[kind](model, reference, case, settings)
        loss.backward()
        norm = torch.nn.utils.get_total_norm([one.grad for one in model.parameters() if one.grad is not None])
        found[name] = [float(loss.detach()), model.model.norm.weight.grad.tolist(), float(norm)]
    print(json.dumps(found))


if __name__ == "__main__":
    main()
