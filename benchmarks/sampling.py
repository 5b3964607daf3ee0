"""Sampling: tahr's embedded engine against `transformers` generate, on the same weights in one process.

    .venv/bin/python benchmarks/sampling.py             # about 10 minutes on 2 cores
    .venv/bin/python benchmarks/sampling.py --smoke     # that it runs; a tiny model

64 completions (8 prompts x 8 samples, prompts of about 60 tokens), temperature 1, float32, in two cases:

fixed     every completion has exactly 64 new tokens
ragged    completions end at given lengths between 8 and 256, as they do in training; both sides are made to stop there,
          `transformers` by a stopping criterion for each row, tahr by each request's own `max_new_tokens`

Runs alternate; medians count. tahr's time includes taking up new weights, as after an update, and the log-probabilities
of what it sampled; `transformers` computes none. "Share of the matrix rate" is the arithmetic of the model's linear
layers (prompts once a group) over tahr's time, relative to the machine's measured rate for products of exactly these
shapes with 64 rows.
"""

from __future__ import annotations

import argparse
import asyncio
import random
from dataclasses import dataclass
from statistics import mean, median
from typing import Any

import torch
from transformers import GenerationConfig, StoppingCriteria, StoppingCriteriaList

from measure import interleave, linear_shapes, matrix_rate, save, timed
from tahr.core.protocols import GenerationRequest, Sampling
from tahr.core.types import Completion
from tahr.data.config import TaskSetConfig
from tahr.data.splits import build_task_sets
from tahr.engines.embedded.engine import EmbeddedEngine
from tahr.models.config import ArchitectureConfig, ModelConfig
from tahr.models.load import LoadedModel, load_model
from tahr.verifiers.build import build_verifiers

MIN_LENGTH, MAX_LENGTH, MEAN_EXCESS = 8, 256, 56


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """`prompts` (token ids), each attempted `group_size` times; `lengths` has one number of new tokens an attempt.

    Example: ``Workload(prompts=((1, 2),), group_size=2, lengths=(64, 64))``
    """

    prompts: tuple[tuple[int, ...], ...]
    group_size: int
    lengths: tuple[int, ...]

    @property
    def rows(self) -> list[tuple[tuple[int, ...], int]]:
        """(prompt, new tokens) of every attempt."""
        prompts = [prompt for prompt in self.prompts for _ in range(self.group_size)]
        return list(zip(prompts, self.lengths, strict=True))


class LengthReached(StoppingCriteria):
    """Ends row i after ``lengths[i]`` new tokens."""

    def __init__(self, prompt_length: int, lengths: tuple[int, ...]) -> None:
        self.total = torch.tensor(lengths) + prompt_length

    def __call__(self, input_ids: torch.Tensor, scores: Any, **kwargs: Any) -> torch.Tensor:
        """(B,) bool: which rows are done."""
        return self.total <= input_ids.shape[1]


def ragged_lengths(count: int, longest: int) -> tuple[int, ...]:
    """`count` reproducible lengths: `MIN_LENGTH` and an exponential excess, cut at `longest`."""
    draw = random.Random(0)
    return tuple(min(longest, MIN_LENGTH + int(draw.expovariate(1 / MEAN_EXCESS))) for _ in range(count))


def with_transformers(loaded: LoadedModel, work: Workload) -> None:
    """Sample the whole workload in one call of generate, prompts padded on the left."""
    longest = max(len(prompt) for prompt, _ in work.rows)
    tokens = torch.tensor([[0] * (longest - len(prompt)) + list(prompt) for prompt, _ in work.rows])
    mask = torch.tensor([[0] * (longest - len(prompt)) + [1] * len(prompt) for prompt, _ in work.rows])
    # no eos: the length alone ends a row, so that both sides do the same work
    loaded.model.generation_config = GenerationConfig(
        do_sample=True, top_k=0, top_p=1.0, temperature=1.0, max_new_tokens=max(work.lengths), pad_token_id=0
    )
    criteria = StoppingCriteriaList([LengthReached(longest, work.lengths)])
    output = loaded.model.generate(input_ids=tokens, attention_mask=mask, stopping_criteria=criteria)
    assert output.shape == (len(work.rows), longest + max(work.lengths))


def with_tahr(engine: EmbeddedEngine, loaded: LoadedModel, work: Workload, seed: int) -> list[Completion]:
    """Sample the whole workload through the engine, after taking up the weights as if they had just changed."""

    async def collect() -> list[Completion]:
        requests = [
            GenerationRequest(prompt_token_ids=prompt, sampling=Sampling(max_new_tokens=length), seed=seed + index)
            for index, (prompt, length) in enumerate(work.rows)
        ]
        return await asyncio.gather(*map(engine.complete, requests))

    engine.load_weights(loaded.model, engine.policy_version + 1)
    completions = asyncio.run(collect())
    assert [len(completion.token_ids) for completion in completions] == list(work.lengths)
    return completions


@torch.no_grad()
def logprob_gap(loaded: LoadedModel, work: Workload, completions: list[Completion]) -> float:
    """Largest difference between the log-probabilities that the engine reported and those of `transformers`."""
    gaps: list[float] = []
    for (prompt, _), completion in list(zip(work.rows, completions, strict=True))[:8]:
        tokens = torch.tensor([[*prompt, *completion.token_ids]])
        logits = loaded.model(input_ids=tokens, use_cache=False).logits[0, len(prompt) - 1 : -1]
        logprobs = logits.log_softmax(-1).gather(-1, tokens[0, len(prompt) :, None])[:, 0]
        gaps.append((logprobs - torch.tensor(completion.logprobs)).abs().max().item())
    return max(gaps)


def matrix_flops(loaded: LoadedModel, work: Workload) -> float:
    """FLOPs of the linear layers: each prompt once, each new token once, the head once a new token."""
    shapes = linear_shapes(loaded.model)
    head = 2.0 * loaded.model.config.vocab_size * loaded.model.config.hidden_size
    per_token = sum(2.0 * num_out * num_in * count for (num_out, num_in), count in shapes.items())
    prompt_tokens = sum(map(len, work.prompts))
    # the last sampled token of a completion is never fed back, and the first comes from the prompt's own pass
    return (
        per_token * (sum(work.lengths) - len(work.lengths))
        + (per_token - head) * prompt_tokens
        + head * len(work.prompts)
    )


def compare(loaded: LoadedModel, work: Workload, rate: float, *, rounds: int) -> dict[str, Any]:
    """Time both sides on one workload."""
    longest = max(map(len, work.prompts)) + max(work.lengths)
    engine = EmbeddedEngine(loaded.model, max_context=longest)
    gap = logprob_gap(loaded, work, with_tahr(engine, loaded, work, 10**6))
    sides = {
        "transformers": lambda: timed(lambda: with_transformers(loaded, work)),
        "tahr": lambda: timed(lambda: with_tahr(engine, loaded, work, 0)),
    }
    seconds = interleave(sides, rounds)
    medians = {name: median(values) for name, values in seconds.items()}
    tokens = sum(work.lengths)
    return {
        "new_tokens": tokens,
        "mean_prompt_tokens": mean(map(len, work.prompts)),
        "seconds": seconds,
        "tokens_per_second": {name: tokens / value for name, value in medians.items()},
        "ratio": medians["transformers"] / medians["tahr"],
        "share_of_matrix_rate": matrix_flops(loaded, work) / medians["tahr"] / rate,
        "max_logprob_gap": gap,
    }


def load(*, smoke: bool) -> tuple[LoadedModel, tuple[tuple[int, ...], ...], int]:
    """The model, the prompts and the group size."""
    verifiers = build_verifiers({})
    source = "reverse_text" if smoke else "text_constraints"
    tasks = build_task_sets({"tasks": TaskSetConfig(source=source, num_tasks=200)}, verifiers)["tasks"].train
    architecture = ArchitectureConfig(hidden_size=32, num_layers=2, intermediate_size=64) if smoke else None
    name = "scratch" if smoke else "smollm2-135m"
    loaded = load_model(ModelConfig(source=name, device="cpu", architecture=architecture))
    prompts = sorted((loaded.renderer.render(task.prompt) for task in tasks), key=lambda ids: abs(len(ids) - 60))
    count = 2 if smoke else 8
    return loaded, tuple(prompts[:count]), count


def main() -> None:
    """Measure, print and save."""
    parser = argparse.ArgumentParser(description="tahr's embedded engine against transformers generate")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each side (default: 3)")
    parser.add_argument("--smoke", action="store_true", help="a tiny model, to see that it runs")
    options = parser.parse_args()
    loaded, prompts, group_size = load(smoke=options.smoke)
    count = len(prompts) * group_size
    rate = matrix_rate(linear_shapes(loaded.model), count)
    print(f"matrix rate at {count} rows: {rate / 1e9:.0f} GFLOP/s")
    cases = {
        "fixed": (6 if options.smoke else 64,) * count,
        "ragged": ragged_lengths(count, 16 if options.smoke else MAX_LENGTH),
    }
    result: dict[str, Any] = {"matrix_gflops": rate / 1e9}
    for name, lengths in cases.items():
        print(f"{name}: {count} completions, {sum(lengths)} new tokens")
        work = Workload(prompts=prompts, group_size=group_size, lengths=lengths)
        case = compare(loaded, work, rate, rounds=1 if options.smoke else options.rounds)
        result[name] = case
        speeds = ", ".join(f"{side} {speed:.0f}" for side, speed in case["tokens_per_second"].items())
        print(
            f"  tokens/s: {speeds}; ratio {case['ratio']:.2f}; {case['share_of_matrix_rate']:.0%} of the matrix rate; "
            f"log-probabilities within {case['max_logprob_gap']:.1e}"
        )
        # a fast engine that samples from another distribution would have won nothing
        assert case["max_logprob_gap"] < 1e-3, "the engine's log-probabilities are not those of the model"
    save("sampling", result, smoke=options.smoke)


if __name__ == "__main__":
    main()
