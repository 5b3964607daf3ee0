"""Tasks from every generator of the package reasoning-gym."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from importlib import import_module
from typing import Annotated, Any

from pydantic import Field

from tahr.core.errors import InputError, MissingExtraError, UnknownNameError
from tahr.core.protocols import task_sources
from tahr.core.types import Message, Task

NUM_PROBES = 3  # entries whose own answer is scored before any task is made


@task_sources.register("reasoning_gym")
@dataclass(frozen=True, slots=True, kw_only=True)
class ReasoningGym:
    """Tasks of one reasoning-gym generator, judged by the generator's own scorer.

    A generator that does not score its own answers 1 is refused: nothing could be learned from it.
    """

    name: Annotated[str, Field(min_length=1, description="the generator, such as basic_arithmetic")]
    config: Annotated[dict[str, Any], Field(description="the generator's settings, but for seed and size")] = field(
        default_factory=dict[str, Any]
    )
    instruction: Annotated[str, Field(description="sentence behind the question; may be empty")] = (
        "Give the answer between <answer> and </answer>."
    )

    def generate(self, count: int, seed: int) -> list[Task]:
        """The first `count` distinct tasks under `seed`; fewer where the generator repeats itself."""
        generator = self._generator(seed, size=2 * count + 100)
        self._probe(generator)
        tasks: dict[str, Task] = {}
        for index in range(2 * count + 100):
            if len(tasks) == count:
                break
            entry = generator[index]
            tasks.setdefault(entry["question"], self._task(entry, seed, index))
        return list(tasks.values())

    def _generator(self, seed: int, size: int) -> Any:
        try:
            package = import_module("reasoning_gym")
            known: Mapping[str, Any] = import_module("reasoning_gym.factory").DATASETS
        except ImportError:
            raise MissingExtraError("reasoning-gym", extra="reasoning-gym", needed_for="the task source") from None
        if self.name not in known:
            raise UnknownNameError("reasoning-gym generator", self.name, known)
        valid = {setting.name for setting in fields(known[self.name][1])} - {"seed", "size"}
        for setting in self.config:
            if setting not in valid:
                raise UnknownNameError(f"setting of {self.name}", setting, valid)
        try:
            json.dumps(self.config)
            return package.create_dataset(self.name, **self.config, seed=seed, size=size)
        except (AssertionError, TypeError, ValueError) as error:
            raise InputError(f"{self.name} refuses its settings: {error}", received=self.config) from error

    def _probe(self, generator: Any) -> None:
        for index in range(NUM_PROBES):
            entry = generator[index]
            answer = entry["answer"]
            scored = generator.score_answer(answer, entry) if isinstance(answer, str) else None
            if scored != 1:
                raise InputError(
                    f"the generator {self.name!r} does not score its own answers 1: no attempt could earn the reward",
                    received=f"{answer!r} scored {scored}",
                    instead="another generator, or other settings of this one",
                )

    def _task(self, entry: Mapping[str, Any], seed: int, index: int) -> Task:
        question = f"{entry['question']}\n{self.instruction}".strip()
        return Task(
            prompt=(Message(role="user", content=question),),
            answer={
                "dataset": self.name,
                "config": self.config,
                "seed": seed,
                "index": index,
                "answer": entry["answer"],
            },
            verifier="reasoning_gym",
        )
