"""The stage dpo: resumed bit for bit, the same however it is cut, its reference found by content."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from small_pairs import encoded_pairs, write_dpo_recipe
from small_recipes import CrashAfter, CrashError
from tahr.core.errors import InputError
from tahr.core.preferences import Pair
from tahr.core.progress import SilentProgress
from tahr.core.types import Message
from tahr.models.config import ArchitectureConfig, ModelConfig
from tahr.models.load import load_model
from tahr.recipe.load import load_recipe
from tahr.recipe.run import run_recipe
from tahr.store.metrics import is_timing
from tahr.store.run import Run
from tahr.training.config import OptimizerConfig
from tahr.training.pair_batch import pair_batches
from tahr.training.pairs import EncodedPair, encode_pairs
from tahr.training.reference_logprobs import KEPT_NAME, ReferenceLogprobs, compute, read
from tahr.training.step import Policy

pytestmark = pytest.mark.slow  # every test trains


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAHR_CACHE", str(tmp_path / "cache"))


def results(run: Run):
    metrics = [(row.step, {k: v for k, v in row.metrics.items() if not is_timing(k)}) for row in run.metrics()]
    return metrics, load_file(run.folder / "model" / "model.safetensors")


def trained(folder: Path, *overrides: str, name: str = "run") -> Run:
    loaded = load_recipe(write_dpo_recipe(folder), overrides)
    return run_recipe(loaded, runs_root=folder, folder=folder / name, progress=SilentProgress())


@pytest.mark.parametrize("loss", ["dpo", "kto", "simpo"])
@pytest.mark.parametrize("count", [1, 3, 5])
def test_B1_an_interrupted_stage_ends_as_the_unbroken_one(loss: str, count: int, tmp_path: Path):
    loaded = load_recipe(write_dpo_recipe(tmp_path), [f"dpo.loss.name={loss}"])
    whole = run_recipe(loaded, runs_root=tmp_path, folder=tmp_path / "whole", progress=SilentProgress())
    with pytest.raises(CrashError):
        run_recipe(loaded, runs_root=tmp_path, folder=tmp_path / "run", progress=CrashAfter(count))
    run = run_recipe(loaded, runs_root=tmp_path, resume=tmp_path / "run", progress=SilentProgress())
    assert results(run)[0] == results(whole)[0]
    assert all(torch.equal(results(run)[1][key], weight) for key, weight in results(whole)[1].items())
    assert all(metrics["grad_norm"] > 0 for _, metrics in results(run)[0])


@pytest.mark.parametrize("loss", ["dpo", "dpo_norm", "kto", "orpo"])
def test_how_a_step_is_cut_changes_nothing(loss: str, tmp_path: Path):
    cut, whole = (
        results(trained(tmp_path, f"dpo.loss.name={loss}", f"dpo.micro_batch_tokens={tokens}", name=str(tokens)))
        for tokens in (1, 100_000)
    )
    assert all(torch.allclose(cut[1][key], weight, atol=2e-5) for key, weight in whole[1].items())
    for (_, one), (_, other) in zip(cut[0], whole[0], strict=True):
        assert one["preference_loss" if "preference_loss" in one else "loss"] == pytest.approx(other["loss"], abs=1e-4)


def test_what_is_preferred_becomes_likelier_and_held_out_pairs_follow(tmp_path: Path):
    metrics = [row.metrics for row in trained(tmp_path, "dpo.steps=60", "dpo.learning_rate=3e-3").metrics()]
    assert metrics[0]["validation_accuracy_before"] == 0.5  # the policy is its own reference: all are ties
    assert metrics[-1]["validation_accuracy"] > 0.9
    assert metrics[-1]["margin"] > metrics[0]["margin"]


def test_without_the_values_that_it_began_with_the_run_stays_as_it_was(tmp_path: Path):
    loaded = load_recipe(write_dpo_recipe(tmp_path))
    folder = tmp_path / "run"
    with pytest.raises(CrashError):
        run_recipe(loaded, runs_root=tmp_path, folder=folder, progress=CrashAfter(3))
    (folder / KEPT_NAME).unlink()
    before = (folder / "manifest.json").read_bytes()
    with pytest.raises(InputError, match="missing or damaged"):
        run_recipe(loaded, runs_root=tmp_path, resume=folder, progress=SilentProgress())
    assert (folder / "manifest.json").read_bytes() == before


@pytest.fixture
def policy() -> Policy:
    shape = ArchitectureConfig(hidden_size=32, num_layers=2, num_heads=4, num_kv_heads=2, intermediate_size=48)
    loaded = load_model(ModelConfig(source="scratch", max_context=64, device="cpu", architecture=shape), seed=7)
    return Policy(loaded.model, OptimizerConfig(), max_context=64)


def pairs_for(policy: Policy, count: int) -> list[EncodedPair]:
    """Pairs of ids that the policy's vocabulary has."""
    size = policy.model.get_input_embeddings().num_embeddings

    def within(ids: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(3 + (one - 3) % (size - 3) for one in ids)

    return [
        EncodedPair(id=one.id, prompt=within(one.prompt), chosen=within(one.chosen), rejected=within(one.rejected))
        for one in encoded_pairs(count)
    ]


def asked(policy: Policy, pairs: list[EncodedPair], folder: Path, kept: str = "kept") -> ReferenceLogprobs:
    return compute(
        policy, "a", pairs, max_tokens=60, shared=folder / "shared", kept=folder / kept, on_pairs=lambda _: None
    )


def alone(policy: Policy, pair: EncodedPair) -> tuple[float, float]:
    """What the policy gives the answers of a pair that nothing stands beside."""
    (part,) = pair_batches([pair], max_tokens=10_000, device=policy.device)
    with torch.no_grad():
        logprobs, _ = policy.logprobs(part.batch.tokens, part.batch.rows, part.batch.targets)
    chosen, rejected = part.sums(logprobs)
    return float(chosen), float(rejected)


def test_P4_values_are_found_by_content_whatever_is_dropped_or_moved(policy: Policy, tmp_path: Path):
    pairs = pairs_for(policy, 9)
    truth = {pair.id: alone(policy, pair) for pair in pairs}
    assert len({round(value, 3) for both in truth.values() for value in both}) == 18  # or a mix-up would not be seen
    asked(policy, pairs[4:], tmp_path)  # another run with some of the pairs has filled the shared file
    asked(policy, list(reversed(pairs)), tmp_path, "all")
    reference = read(tmp_path / "all", "a")
    for order in (pairs, pairs[::-1], pairs[1:], pairs[:3] + pairs[4:], pairs[::2]):
        chosen, rejected = reference.of(order, policy.device)
        expected = torch.tensor([truth[pair.id] for pair in order])
        assert torch.allclose(torch.stack((chosen, rejected), dim=1), expected, atol=1e-4)


def test_P4_another_reference_has_other_values(policy: Policy, tmp_path: Path):
    pairs = pairs_for(policy, 3)
    first = asked(policy, pairs, tmp_path).of(pairs, policy.device)[0]
    with torch.no_grad():
        for weight in policy.model.parameters():
            weight.mul_(1.5)
    changed = compute(
        policy, "b", pairs, max_tokens=60, shared=tmp_path / "shared", kept=tmp_path / "b", on_pairs=lambda _: None
    ).of(pairs, policy.device)[0]
    assert not torch.allclose(first, changed, atol=1e-2)
    with pytest.raises(KeyError):
        read(tmp_path / "b", "a").of(pairs, policy.device)


def test_what_cannot_be_learnt_is_left_out_and_counted():
    class Letters:
        def render(self, messages):
            return tuple(ord(letter) for message in messages for letter in message.content)

        def written_answer(self, messages):
            text = messages[-1].content
            if "!" in text:
                raise InputError("a character outside the vocabulary", received="!")
            return (*(ord(letter) for letter in text), 0)

    prompt = (Message(role="user", content="abc"),)
    answers = [("x", "y"), ("x", "x"), ("x" * 9, "y"), ("x", "y" * 9), ("x!", "y"), ("xx", "yyy"), ("a", "y!")]
    pairs = [Pair(prompt=prompt, chosen=chosen, rejected=rejected) for chosen, rejected in answers]
    found = encode_pairs(pairs, Letters(), max_context=8)
    assert [pair.id for pair in found.pairs] == [pairs[0].id, pairs[5].id]
    assert (found.num_equal, found.num_too_long, found.num_refused) == (1, 2, 2)
    assert found.left_out == (
        "2 too long for the context, 1 with equal answers, "
        "2 that can't be rendered (a character outside the vocabulary: !)"
    )


def test_a_stage_without_a_pair_says_what_became_of_its_rows(tmp_path: Path):
    rows = [{"prompt": "say a", "chosen": "É", "rejected": "b"}, {"prompt": "say b", "chosen": "b", "rejected": "b"}]
    loaded = load_recipe(write_dpo_recipe(tmp_path, rows), ["dpo.pairs.words.validation_percent=0"])
    with pytest.raises(InputError, match=r"dpo\.pairs\.words has no pair to learn from") as caught:
        run_recipe(loaded, runs_root=tmp_path, folder=tmp_path / "run", progress=SilentProgress())
    assert caught.value.received == (
        "2 rows read: 1 identical, 1 pair; pairs: 1 to train on; left out: 1 that can't be rendered "
        "(the text has characters that the model's vocabulary lacks: 'É' in 'É<|end|>')"
    )
