"""The same inputs through TRL 1.16's own loss code, where it has the variant: value and gradient to 1e-5.

It runs in the benchmarks' environment; without that (``make bench`` builds it) these tests are skipped.
"""

from __future__ import annotations

import json
import math
import os
import random
import subprocess
from pathlib import Path

import pytest
import torch

from tahr.losses.aggregation import token_weights
from tahr.losses.config import PolicyLossConfig
from tahr.losses.policy import PolicyTokens, policy_loss
from tahr.losses.selection import most_uncertain

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / "benchmarks" / ".venv" / "bin" / "python"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.integration,
    pytest.mark.skipif(not PYTHON.exists(), reason=f"{PYTHON.relative_to(ROOT)} is not there; `make bench` builds it"),
]

LONGEST, LENGTHS, TOOL_PLACES = 16, [3, 7, 1, 12, 5], {1: (2, 3), 3: (4, 5, 6)}
CLIP = {"clip_low": 0.2, "clip_high": 0.2}
K3 = {"coefficient": 0.04, "estimator": "k3", "gradient": "estimator"}

# name: (TRL's settings, ours)
VARIANTS = {
    "grpo": ({"loss_type": "grpo"}, {**CLIP, "aggregation": "sequence_mean"}),
    "bnpo": ({"loss_type": "bnpo"}, {**CLIP, "aggregation": "token_mean"}),
    "dapo": ({"loss_type": "dapo", "epsilon_high": 0.28}, {"clip_high": 0.28, "aggregation": "token_mean"}),
    "dr_grpo": ({"loss_type": "dr_grpo", "max_completion_length": LONGEST}, {**CLIP, "aggregation": "constant"}),
    "gspo": (
        {
            "loss_type": "grpo",
            "importance_sampling_level": "sequence",
            "epsilon_low": 3e-4,
            "epsilon_high": 4e-4,
        },
        {"ratio": "sequence", "clip_low": 3e-4, "clip_high": 4e-4, "aggregation": "sequence_mean"},
    ),
    "gspo_wide": (
        {"loss_type": "grpo", "importance_sampling_level": "sequence"},
        {**CLIP, "ratio": "sequence", "aggregation": "sequence_mean"},
    ),
    "sapo": ({"loss_type": "sapo"}, {"surrogate": "sapo", "aggregation": "sequence_mean"}),
    "two_sided": ({"loss_type": "dapo", "delta": 1.5}, {**CLIP, "dual_clip": 1.5}),
    "kl": ({"loss_type": "grpo", "beta": 0.04}, {**CLIP, "aggregation": "sequence_mean", "kl": K3}),
    "high_entropy": ({"loss_type": "dapo", "top_entropy_quantile": 0.2}, {**CLIP, "entropy": {"top_share": 0.2}}),
    "high_entropy_and_kl": (
        {"loss_type": "dapo", "top_entropy_quantile": 0.2, "beta": 0.04},
        {**CLIP, "entropy": {"top_share": 0.2}, "kl": K3},
    ),
    # TRL's epsilon_high is here the bound itself, ours the distance from 1
    "cispo": (
        {"loss_type": "cispo", "epsilon_high": 1.2},
        {"surrogate": "cispo", "clip_low": 1.0, "clip_high": 0.2},
    ),
    # TRL is given the truncated ratio that ours makes of the two log-probabilities
    "truncated_sampling": (
        {"loss_type": "dapo", "truncate": 2.0},
        {**CLIP, "proximal": "recomputed", "correction": {"form": "truncate", "high": 2.0}},
    ),
}


def draw_case(trl: dict, seed: int = 0) -> dict:
    """Padded rows as TRL has them; masked places hold numbers that would be seen if they were read."""
    draw = random.Random(seed)

    def table(low: float, high: float) -> list[list[float]]:
        return [[draw.uniform(low, high) for _ in range(LONGEST)] for _ in LENGTHS]

    policy, old, reference, sampler = (table(-2.5, -0.1) for _ in range(4))
    padding = [[int(t < length) for t in range(LONGEST)] for length in LENGTHS]
    mask = [
        [int(t < length and t not in TOOL_PLACES.get(row, ())) for t in range(LONGEST)]
        for row, length in enumerate(LENGTHS)
    ]
    case = {
        "settings": trl,
        "policy": policy,
        "entropies": table(0.0, 3.0),
        "mask": mask,
        "padding_mask": padding,
        "advantages": [1.3, -0.7, 0.4, -1.1, 2.0],
        "old_per_token_logps": old,
        "ref_per_token_logps": reference,
    }
    if "truncate" in trl:
        case["sampler"] = sampler
        case["importance_sampling_ratio"] = [
            [min(math.exp(o - s), trl["truncate"]) for o, s in zip(*rows, strict=True)]
            for rows in zip(old, sampler, strict=True)
        ]
    return case


def ours(case: dict, settings: dict) -> tuple[float, list[float]]:
    """Our loss of the same case, and its gradient by the sampled tokens' log-probabilities, row by row."""
    config = PolicyLossConfig.model_validate(settings)
    places = [(row, t) for row, of_row in enumerate(case["mask"]) for t, sampled in enumerate(of_row) if sampled]
    counts = [sum(of_row) for of_row in case["mask"]]
    weights = token_weights(counts, config.aggregation, max_new_tokens=LONGEST)

    def column(name: str) -> torch.Tensor:
        return torch.tensor([case[name][row][t] for row, t in places], dtype=torch.float64)

    policy = column("policy").requires_grad_()
    old = column("old_per_token_logps")
    gate = most_uncertain(column("entropies"), config.entropy.top_share) if config.entropy.top_share < 1 else None
    tokens = PolicyTokens(
        policy_logprobs=policy,
        sampler_logprobs=column("sampler") if config.proximal == "recomputed" else old,
        advantages=torch.tensor([case["advantages"][row] for row, _ in places], dtype=torch.float64),
        weights=torch.tensor([weights[row] for row, _ in places], dtype=torch.float64),
        sequences=torch.tensor([row for row, _ in places]),
        proximal_logprobs=old if config.proximal == "recomputed" else None,
        reference_logprobs=column("ref_per_token_logps"),
        gate=gate,
    )
    loss = policy_loss(tokens, config)
    loss.backward()
    assert policy.grad is not None
    return float(loss.detach()), policy.grad.tolist()


def without_a_row(case: dict) -> dict:
    """The case with one sequence all of whose tokens are masked."""
    return {**case, "mask": [*case["mask"][:4], [0] * LONGEST]}


@pytest.fixture(scope="module")
def theirs() -> dict[str, dict]:
    """TRL's answers to every case, from one process."""
    cases = {name: draw_case(trl) for name, (trl, _) in VARIANTS.items()}
    cases["masked row"] = without_a_row(cases["grpo"])
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
    environment.pop("PYTHONPATH", None)
    done = subprocess.run(
        [str(PYTHON), str(Path(__file__).with_name("worker_trl.py"))],
        input=json.dumps(list(cases.values())),
        capture_output=True,
        text=True,
        env=environment,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    answers = json.loads(done.stdout.strip().splitlines()[-1])
    return {name: {"case": case, **answer} for (name, case), answer in zip(cases.items(), answers, strict=True)}


def flat(answer: dict) -> list[float]:
    """TRL's gradient at the sampled tokens; it must be 0 everywhere else."""
    pairs = [
        (slope, sampled)
        for slopes, mask in zip(answer["gradient"], answer["case"]["mask"], strict=True)
        for slope, sampled in zip(slopes, mask, strict=True)
    ]
    assert all(slope == 0.0 for slope, sampled in pairs if not sampled)
    return [slope for slope, sampled in pairs if sampled]


@pytest.mark.parametrize("name", VARIANTS)
def test_loss_and_gradient_equal_trls(name, theirs):
    loss, gradient = ours(theirs[name]["case"], VARIANTS[name][1])
    assert loss == pytest.approx(theirs[name]["loss"], rel=1e-5, abs=1e-7)
    assert gradient == pytest.approx(flat(theirs[name]), rel=1e-5, abs=1e-7)
    assert any(gradient)


def test_a_sequence_without_loss_tokens_counts_in_trls_denominator_and_not_in_ours(theirs):
    """TRL's mean over sequences has all 5 below the line, ours the 4 that are in the loss: ours is 5 / 4 of it."""
    answer = theirs["masked row"]
    loss, gradient = ours(answer["case"], VARIANTS["grpo"][1])
    assert loss == pytest.approx(answer["loss"] * 5 / 4, rel=1e-5)
    assert gradient == pytest.approx([slope * 5 / 4 for slope in flat(answer)], rel=1e-5)
