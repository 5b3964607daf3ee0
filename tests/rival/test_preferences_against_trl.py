"""The losses of preference tuning and of SFT on one batch through TRL 1.16's own code: value and gradient to 1e-5.

Both sides read the same small model and reference from disk and are given the same token ids; TRL pads and patches its
output layer, tahr packs and shares prompts. It runs in the benchmarks' environment; without that (``make bench`` builds
it) these tests are skipped. TRL's DPOTrainer has no conservative DPO: there CPOTrainer's smoothed loss is asked.
"""

from __future__ import annotations

import json
import random
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from tahr.core.types import Sample
from tahr.losses.aggregation import token_weights
from tahr.losses.preference_config import PreferenceLossConfig
from tahr.models.config import ArchitectureConfig, ModelConfig
from tahr.models.load import load_model
from tahr.models.logprobs import PolicyLogprobs
from tahr.models.save import save_model
from tahr.training.batch import make_batches
from tahr.training.pair_batch import pair_batches
from tahr.training.pairs import EncodedPair
from tahr.training.preference_objective import PreferenceObjective, crossed, measure_baseline
from tahr.training.reference_logprobs import compute
from tahr.training.sft import supervised_objective

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / "benchmarks" / ".venv" / "bin" / "python"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.integration,
    pytest.mark.skipif(not PYTHON.exists(), reason=f"{PYTHON.relative_to(ROOT)} is not there; `make bench` builds it"),
]
CONTEXT = 64
CPU = torch.device("cpu")

# name: (TRL's trainer and settings, ours)
VARIANTS = {
    "dpo": (("dpo", {"loss_type": "sigmoid", "beta": 0.1}), {"name": "dpo"}),
    "dpo_strong": (("dpo", {"loss_type": "sigmoid", "beta": 2.0}), {"name": "dpo", "beta": 2.0}),
    "dpo_norm": (("dpo", {"loss_type": "sigmoid_norm", "beta": 5.0}), {"name": "dpo_norm"}),
    "ipo": (("dpo", {"loss_type": "ipo", "beta": 0.1}), {"name": "ipo"}),
    "cdpo": (("cdpo", {"beta": 0.1, "label_smoothing": 0.2}), {"name": "cdpo", "label_smoothing": 0.2}),
    "simpo": (("simpo", {"beta": 2.0, "simpo_gamma": 0.7}), {"name": "simpo", "gamma": 0.7}),
    "orpo": (("orpo", {"beta": 0.1}), {"name": "orpo", "sft_weight": 0.0}),
    "kto": (
        ("kto", {"beta": 0.1, "desirable_weight": 1.0, "undesirable_weight": 1.3}),
        {"name": "kto", "undesirable_weight": 1.3},
    ),
}


def _rows(pairs):
    return [
        {"prompt_ids": [*one.prompt], "chosen_ids": [*one.chosen], "rejected_ids": [*one.rejected]} for one in pairs
    ]


@pytest.fixture(scope="module")
def case(tmp_path_factory):
    """Pairs of unequal length, two with one prompt, and where the model and the reference lie."""
    folder = tmp_path_factory.mktemp("models")
    architecture = ArchitectureConfig(hidden_size=32, num_layers=2, num_kv_heads=2, intermediate_size=48)
    for seed, name in enumerate(("model", "reference")):
        config = ModelConfig(source="scratch", max_context=CONTEXT, architecture=architecture)
        loaded = load_model(config, seed=seed)
        save_model(loaded.model, loaded.tokenizer, folder / name)
    draw = random.Random(5)

    def text(low, high):
        return tuple(draw.randrange(5, 50) for _ in range(draw.randint(low, high)))

    prompts = [text(2, 20) for _ in range(5)]
    pairs = [
        EncodedPair(id=str(place), prompt=prompt, chosen=text(1, 20), rejected=text(1, 20))
        for place, prompt in enumerate([*prompts, prompts[0]])
    ]
    return SimpleNamespace(folder=folder, pairs=pairs)


@pytest.fixture(scope="module")
def theirs(case):
    given = {
        "model": str(case.folder / "model"),
        "reference": str(case.folder / "reference"),
        "pairs": _rows(case.pairs),
        "crossed": _rows(crossed(case.pairs, max_context=CONTEXT)),
        "losses": {name: trl for name, (trl, _) in VARIANTS.items()} | {"sft": ("sft", {})},
    }
    done = subprocess.run(
        [PYTHON, str(Path(__file__).parent / "worker_preferences_trl.py")],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def _policy(folder):
    model = load_model(ModelConfig(source=str(folder), max_context=CONTEXT)).model
    return SimpleNamespace(model=model, logprobs=PolicyLogprobs(model, max_context=CONTEXT), device=CPU)


def _compare(policy, loss, expected):
    loss.backward()
    value, gradient, norm = expected
    grads = [one.grad for one in policy.model.parameters() if one.grad is not None]
    assert float(loss.detach()) == pytest.approx(value, abs=1e-5)
    assert policy.model.model.norm.weight.grad.tolist() == pytest.approx(gradient, abs=1e-5)
    assert float(torch.nn.utils.get_total_norm(grads)) == pytest.approx(norm, rel=1e-4)
    assert norm > 1e-3


@pytest.mark.parametrize("name", VARIANTS)
def test_losses_and_gradients_of_pairs_are_trls(name, case, theirs, tmp_path):
    policy = _policy(case.folder / "model")
    config = PreferenceLossConfig(**VARIANTS[name][1])
    others = crossed(case.pairs, max_context=CONTEXT)
    reference = compute(
        _policy(case.folder / "reference"),
        "reference",
        [*case.pairs, *others],
        max_tokens=100,
        shared=tmp_path / "shared.sqlite",
        kept=tmp_path / "kept.sqlite",
        on_pairs=lambda _: None,
    )
    baseline = measure_baseline(policy, others, reference, max_tokens=100) if name == "kto" else None
    batches = list(pair_batches(case.pairs, max_tokens=100, device=CPU))
    objective = PreferenceObjective(config, reference, len(case.pairs), batches, baseline)
    assert len(batches) > 1
    loss = sum(
        objective(one.batch, *policy.logprobs(one.batch.tokens, one.batch.rows, one.batch.targets)) for one in batches
    )
    _compare(policy, loss, theirs[name])


def test_the_loss_and_gradient_of_sft_are_trls(case, theirs):
    policy = _policy(case.folder / "model")
    samples = [
        Sample(
            token_ids=one.prompt + one.chosen,
            loss_mask=(False,) * len(one.prompt) + (True,) * len(one.chosen),
            logprobs=(0.0,) * len(one.prompt + one.chosen),
            advantages=(0.0,) * len(one.prompt + one.chosen),
            prompt_length=len(one.prompt),
        )
        for one in case.pairs
    ]
    weights = token_weights([one.num_loss_tokens for one in samples], "token_mean", max_new_tokens=CONTEXT)
    batches = make_batches(samples, weights, max_tokens=100, device=CPU)
    assert len(batches) > 1
    loss = sum(supervised_objective(one, *policy.logprobs(one.tokens, one.rows, one.targets)) for one in batches)
    _compare(policy, loss, theirs["sft"])
