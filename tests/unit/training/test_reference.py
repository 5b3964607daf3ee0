from __future__ import annotations

import os

import pytest
import torch
from safetensors.torch import load_file, save_file

from small_models import small_model
from tahr.core.errors import InputError
from tahr.core.types import Sample
from tahr.training.batch import make_batches
from tahr.training.config import OptimizerConfig
from tahr.training.reference import REFERENCE_NAME, Reference
from tahr.training.step import Policy

SAMPLE = Sample(
    token_ids=(5, 6, 7, 8),
    loss_mask=(False, True, True, True),
    logprobs=(0.0,) * 4,
    advantages=(0.0, 1.0, 1.0, 1.0),
    prompt_length=1,
)


def logprobs(policy):
    (batch,) = make_batches([SAMPLE], [1.0], max_tokens=100, device=policy.device)
    with torch.no_grad():
        return batch, policy.logprobs(batch.tokens, batch.rows, batch.targets)[0]


def change(model):
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.1)


def test_it_stays_where_the_policy_was_and_leaves_the_policy_alone(tmp_path):
    policy = Policy(small_model("llama"), OptimizerConfig(), max_context=64)
    reference = Reference.open(tmp_path, policy.model)
    batch, before = logprobs(policy)
    change(policy.model)
    _, changed = logprobs(policy)
    assert torch.equal(reference.logprobs(policy, batch, temperature=1.0), before)
    assert torch.equal(logprobs(policy)[1], changed)
    assert not torch.equal(changed, before)


@pytest.mark.parametrize("harm", ["gone", "short", "other", "shape"])
def test_a_reference_that_is_missing_or_damaged_is_named(tmp_path, harm):
    policy = Policy(small_model("llama"), OptimizerConfig(), max_context=64)
    Reference.open(tmp_path, policy.model)
    path = tmp_path / REFERENCE_NAME
    weights = load_file(path)
    name = sorted(weights)[0]
    if harm == "gone":
        path.unlink()
    elif harm == "short":
        path.write_bytes(path.read_bytes()[:500])
    else:
        kept = {key: value for key, value in weights.items() if key != name}
        save_file(kept if harm == "other" else {**kept, name: torch.ones(2)}, path)
    with pytest.raises(InputError, match="is missing or damaged"):
        Reference.open(tmp_path, policy.model, at_start=False)


def test_a_run_that_goes_on_has_the_same_reference(tmp_path):
    policy = Policy(small_model("llama"), OptimizerConfig(), max_context=64)
    Reference.open(tmp_path, policy.model)
    batch, before = logprobs(policy)
    change(policy.model)
    assert [path.name for path in tmp_path.iterdir()] == [REFERENCE_NAME]
    again = Reference.open(tmp_path, policy.model, at_start=False)
    assert torch.equal(again.logprobs(policy, batch, temperature=1.0), before)


def test_it_is_on_the_disk_before_its_name_is(tmp_path, monkeypatch):
    """A file that is renamed before its bytes are forced to the disk may be empty after a power cut."""
    done = []
    fsync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda descriptor: (done.append("fsync"), fsync(descriptor)))
    monkeypatch.setattr(os, "replace", lambda *names: (done.append("replace"), replace(*names)))
    Reference.open(tmp_path, small_model("llama"))
    assert done == ["fsync", "replace", "fsync"]
