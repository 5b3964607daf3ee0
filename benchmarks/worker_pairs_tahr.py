"""tahr's side of `preference.py`: the updates of the stages `dpo` and `sft`, told by the parent when to take one."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from pair_job import PairJob
from tahr.core.progress import SilentProgress
from tahr.core.types import Sample
from tahr.models.config import ModelConfig
from tahr.models.load import load_model
from tahr.store.run import Run
from tahr.training.config import SftConfig
from tahr.training.dpo import Dpo
from tahr.training.dpo_config import DpoConfig
from tahr.training.interrupt import StopRequest
from tahr.training.pairs import EncodedPair
from tahr.training.sft import Sft
from tahr.training.step import Policy
from worker import Channel


@dataclass(frozen=True)
class Chosen:
    """A chosen answer to imitate. Example: ``Chosen(pair).samples()``"""

    pair: EncodedPair

    def samples(self) -> list[Sample]:
        """One sample, the answer's tokens in the loss."""
        prompt, answer = self.pair.prompt, self.pair.chosen
        unused = (0.0,) * (len(prompt) + len(answer))
        mask = (False,) * len(prompt) + (True,) * len(answer)
        return [
            Sample(
                token_ids=prompt + answer, loss_mask=mask, logprobs=unused, advantages=unused, prompt_length=len(prompt)
            )
        ]


class InOrder:
    """The job's rows as they come."""

    def __init__(self, rows: Sequence[Any]) -> None:
        self._rows = rows

    def take(self, cursor: int, count: int) -> Sequence[Any]:
        """Rows number `cursor` to `cursor + count - 1`."""
        return self._rows[cursor : cursor + count]


def make_stage(job: PairJob, folder: Path) -> Callable[[int], dict[str, float]]:
    """One update of the stage, by its number; the reference has been asked."""
    model = load_model(ModelConfig(source=job.model, device="cpu", max_context=job.max_context)).model
    rows = zip(job.prompts, job.chosen, job.rejected, strict=True)
    pairs = [
        EncodedPair(id=str(number), prompt=tuple(prompt), chosen=tuple(chosen), rejected=tuple(rejected))
        for number, (prompt, chosen, rejected) in enumerate(rows)
    ]
    shared: dict[str, Any] = {
        "run": Run.create(folder, "job", recipe={"stages": [job.kind]}, recipe_toml="", seed=0),
        "progress": SilentProgress(),
        "stop": StopRequest(),
        "max_context": job.max_context,
        "run_seed": 0,
    }
    values = {"steps": job.steps, "batch_size": job.batch_size, "learning_rate": job.learning_rate}
    if job.kind == "dpo":
        config = DpoConfig.model_validate({**values, "loss": {"name": "dpo"}, "pairs": {"job": {"source": "job"}}})
        policy = Policy(model, config.optimizer, max_context=job.max_context)
        draws: Any = InOrder(pairs)
        dpo = Dpo(
            config=config, policy=policy, draws=draws, num_train=len(pairs), validation=(), cache=folder, **shared
        )
        dpo.open_reference()
        return dpo.learn
    sft_config = SftConfig.model_validate({**values, "tasks": ["job"]})
    policy = Policy(model, sft_config.optimizer, max_context=job.max_context)
    chosen: Any = InOrder([Chosen(pair) for pair in pairs])
    return Sft(config=sft_config, policy=policy, draws=chosen, gold=lambda _: None, **shared)._step


def main(path: str) -> None:
    """Train the job at `path` until told to stop."""
    channel = Channel()
    job = PairJob.read(path)
    torch.set_num_threads(job.threads)
    update = make_stage(job, Path(path).parent / f"{job.kind}-runs")
    channel.next_command()  # "hello"
    channel.answer()
    for step in range(1, job.steps + 1):
        if channel.next_command() == "stop":
            break
        started = time.perf_counter()
        metrics = update(step)
        channel.answer(seconds=time.perf_counter() - started, loss=metrics["loss"])
    channel.leave()


if __name__ == "__main__":
    main(sys.argv[1])
