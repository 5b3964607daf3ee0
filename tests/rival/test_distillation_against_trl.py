"""The divergences on random logits through TRL 1.16's own GKD loss: value and gradient to 1e-6.

It runs in the benchmarks' environment; without that (``make bench`` builds it) these tests are skipped.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
import torch

from tahr.losses.distillation import token_divergence
from tahr.losses.distillation_config import DistillationLossConfig

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / "benchmarks" / ".venv" / "bin" / "python"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.integration,
    pytest.mark.skipif(not PYTHON.exists(), reason=f"{PYTHON.relative_to(ROOT)} is not there; `make bench` builds it"),
]

# name: (TRL's beta, ours)
VARIANTS = {
    "reverse_kl": (1.0, {"divergence": "reverse_kl"}),
    "forward_kl": (0.0, {"divergence": "forward_kl"}),
    "jsd": (0.5, {"divergence": "jsd"}),
    "jsd_tenth": (0.1, {"divergence": "jsd", "beta": 0.1}),
}
WORKER = """
import json, sys, torch
from trl.experimental.gkd import GKDTrainer
case = json.load(sys.stdin)
found = {}
for name, beta in case["betas"].items():
    student = torch.tensor(case["student"], dtype=torch.float64, requires_grad=True)
    teacher = torch.tensor(case["teacher"], dtype=torch.float64)
    loss = GKDTrainer.generalized_jsd_loss(student[None], teacher[None], beta=beta, reduction="sum")
    loss.backward()
    found[name] = [float(loss.detach()), student.grad.tolist()]
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def case():
    torch.manual_seed(3)
    return {"student": torch.randn(5, 17).tolist(), "teacher": torch.randn(5, 17).tolist()}


@pytest.fixture(scope="module")
def theirs(case):
    given = case | {"betas": {name: beta for name, (beta, _) in VARIANTS.items()}}
    done = subprocess.run(
        [PYTHON, "-c", WORKER], input=json.dumps(given), capture_output=True, text=True, check=True, timeout=300
    )
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("name", VARIANTS)
def test_values_and_gradients_are_trls(name, case, theirs):
    logits = torch.tensor(case["student"], dtype=torch.float64, requires_grad=True)
    teacher = torch.tensor(case["teacher"], dtype=torch.float64).log_softmax(-1)
    config = DistillationLossConfig(**VARIANTS[name][1])
    loss = token_divergence(logits.log_softmax(-1), teacher, config).sum()
    loss.backward()
    value, gradient = theirs[name]
    assert float(loss.detach()) == pytest.approx(value, abs=1e-6)
    assert logits.grad is not None
    assert torch.allclose(logits.grad, torch.tensor(gradient, dtype=torch.float64), atol=1e-6)
