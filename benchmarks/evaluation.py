"""What the runner of evaluations adds to the engine's own sampling time, at 10,000 samples.

    .venv/bin/python benchmarks/evaluation.py            # about 6 minutes on 2 cores
    .venv/bin/python benchmarks/evaluation.py --smoke    # that it runs; a tiny model from scratch, 200 samples

SmolLM2-135M answers 2,500 arithmetic questions four times each, at most 16 tokens an answer. All goes through what
`tahr eval` uses: the window of questions in flight, the prompts' templates, the cache of samples, the verifier, the
rows and their file. The engine's steps are timed within the same run, so that nothing has to be equal between two; all
other time counts as the runner's, the engine's own queues included. Then the same evaluation is asked for again, and
every sample has to come from the cache. Memory is read at a tenth and at the end.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from measure import save
from tahr.core.protocols import Sampling
from tahr.core.types import Completion, Task
from tahr.data.sources.arithmetic import Arithmetic
from tahr.engines.cached import CachedEngine, SampleCache
from tahr.engines.embedded.engine import EmbeddedEngine
from tahr.evaluation.runner import attempt_in_windows, evaluation_row
from tahr.models.config import ArchitectureConfig, ModelConfig
from tahr.models.fingerprint import model_hash
from tahr.models.load import LoadedModel, load_model
from tahr.rollout.collect import Collector
from tahr.store.journal import EvaluationJournal
from tahr.verifiers.build import build_verifiers

SAMPLES_PER_TASK = 4
MOST_ADDED = 0.05
"""Share of the engine's time that the runner may add."""


class TimedEngine(EmbeddedEngine):
    """Adds up the seconds of its steps, and counts the tokens that it gives out."""

    seconds = 0.0
    num_tokens = 0

    def _step(self) -> Any:
        started = time.perf_counter()
        try:
            return super()._step()
        finally:
            self.seconds += time.perf_counter() - started

    async def complete(self, request: Any) -> Completion:
        """The completion, counted."""
        completion = await super().complete(request)
        self.num_tokens += len(completion.token_ids)
        return completion


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """One evaluation. `seconds` are of the whole, `engine_seconds` of the engine's steps; memory in MiB."""

    seconds: float
    engine_seconds: float
    num_tokens: int
    num_cached: int
    memory_at_a_tenth: float
    memory_at_the_end: float

    def values(self) -> dict[str, float]:
        """As the result keeps it."""
        return {name: round(getattr(self, name), 3) for name in self.__slots__}


async def evaluate(loaded: LoadedModel, tasks: list[Task], folder: Path) -> Pass:
    """Ask every question, keep the rows, write them."""
    embedded = TimedEngine(loaded.model, max_context=256, decode=loaded.renderer.decode)
    memory: list[float] = []
    started = time.perf_counter()
    with SampleCache(folder / "samples.sqlite") as cache:
        engine = CachedEngine(embedded, cache, model_hash(loaded.model))
        collector = Collector(engine=engine, renderer=loaded.renderer, verifiers=build_verifiers({}), run_seed=0)
        sampling, num_rows = Sampling(max_new_tokens=16, temperature=1.0), 0
        with EvaluationJournal(folder, name="bare", stage="eval", step=0, split="all") as journal:
            async for place, group in attempt_in_windows(
                collector, tasks, group_size=SAMPLES_PER_TASK, sampling=sampling
            ):
                rows = [evaluation_row(group.task, scored, loaded.renderer.decode) for scored in group.scored]
                journal.add(place, rows)
                num_rows += len(rows)
                if not memory and num_rows >= len(tasks) * SAMPLES_PER_TASK / 10:
                    memory.append(_memory())
            journal.finish(None)
        assert num_rows == len(tasks) * SAMPLES_PER_TASK
    return Pass(
        seconds=time.perf_counter() - started,
        engine_seconds=embedded.seconds,
        num_tokens=embedded.num_tokens,
        num_cached=engine.num_cached,
        memory_at_a_tenth=memory[0],
        memory_at_the_end=_memory(),
    )


def _memory() -> float:
    return psutil.Process().memory_info().rss / 2**20


def model(*, smoke: bool) -> LoadedModel:
    """SmolLM2-135M, or a tiny one."""
    if not smoke:
        return load_model(ModelConfig(source="smollm2-135m", max_context=256))
    architecture = ArchitectureConfig(hidden_size=32, num_layers=2, alphabet="".join(map(chr, range(32, 127))) + "\n")
    return load_model(ModelConfig(source="scratch", max_context=256, architecture=architecture))


def main() -> None:
    """Measure, print and save."""
    parser = argparse.ArgumentParser(description="what the runner adds to the engine's sampling time")
    parser.add_argument("--samples", type=int, default=10_000)
    parser.add_argument("--smoke", action="store_true", help="a tiny model and 200 samples, to see that it runs")
    options = parser.parse_args()
    num_samples = 200 if options.smoke else options.samples
    loaded = model(smoke=options.smoke)
    loaded.model.requires_grad_(False)
    tasks = list(Arithmetic().generate(num_samples // SAMPLES_PER_TASK, 0))
    with tempfile.TemporaryDirectory() as folder:
        first, again = (asyncio.run(evaluate(loaded, tasks, Path(folder))) for _ in range(2))
        size = (Path(folder) / "samples.sqlite").stat().st_size
    added = first.seconds / first.engine_seconds - 1
    result = {
        "samples": num_samples,
        "sampled": first.values(),
        "from_the_cache": again.values(),
        "added_share": round(added, 4),
        "added_ms_a_sample": round(1000 * (first.seconds - first.engine_seconds) / num_samples, 3),
        "cache_bytes_a_sample": round(size / num_samples),
    }
    print(result)
    assert (first.num_cached, again.num_cached, again.num_tokens) == (0, num_samples, 0)
    if not options.smoke:  # a tiny model samples in less time than a question takes to be put together
        assert added < MOST_ADDED, f"the runner adds {added:.1%}"
    save("evaluation", result, smoke=options.smoke)


if __name__ == "__main__":
    main()
