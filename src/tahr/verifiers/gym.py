"""Answers to reasoning-gym tasks, scored by reasoning-gym itself."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import Annotated, Any, ClassVar

from pydantic import Field

from tahr.core.errors import InputError, MissingExtraError
from tahr.core.protocols import verifiers
from tahr.core.ranges import BINARY, PARTIAL, RewardRange
from tahr.core.types import Outcome, Reward, Task, Verdict, broken, failed, passed
from tahr.verifiers.example import example_of
from tahr.verifiers.extract import last_box, last_marked
from tahr.verifiers.text import outside_comments, outside_thinking
from tahr.verifiers.worker import Worker, WorkerError

MAX_ANSWER_CHARS = 20_000
_KEYS = {"dataset": str, "config": dict, "seed": int, "index": int, "answer": str}


@verifiers.register("reasoning_gym")
@dataclass(frozen=True, slots=True, kw_only=True)
class ReasoningGym:
    r"""The score that the task's own generator gives to the answer; correct at 1.

    The answer is what ``<answer>`` tags hold, the last ``\boxed{}``, what follows the last "answer is" or "####", or
    the whole text. Scorers run in a process of their own: one that hangs is killed, and the attempt has no reward.
    """

    is_concurrent: ClassVar[bool] = True
    timeout: Annotated[float, Field(gt=0, le=600, description="seconds for one score")] = 10.0
    partial: Annotated[bool, Field(description="scores below 1 are worth what the generator says; else 0")] = True
    _worker: Worker = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if find_spec("reasoning_gym") is None:
            raise MissingExtraError("reasoning-gym", extra="reasoning-gym", needed_for="the verifier 'reasoning_gym'")
        object.__setattr__(self, "_worker", Worker("tahr.verifiers.gym:score"))

    @property
    def reward_range(self) -> RewardRange:
        """Partial credit only where it is asked for."""
        return PARTIAL if self.partial else BINARY

    def check_task(self, task: Task) -> None:
        """Raise InputError unless the answer says which task of which generator it is."""
        answer: Any = task.answer
        if not isinstance(answer, dict) or not all(isinstance(answer.get(key), kind) for key, kind in _KEYS.items()):
            raise InputError(
                "the reasoning_gym verifier judges tasks of the reasoning_gym source only",
                received=repr(answer)[:200],
                instead='source = "reasoning_gym"',
            )

    def verify(self, task: Task, text: str) -> Verdict:
        """PASS at score 1, else FAIL worth the score; TIMEOUT and ERROR where the scorer hung or failed."""
        answer = _candidate(outside_comments(outside_thinking(text)))
        if len(answer) > MAX_ANSWER_CHARS:
            return failed(f"the answer has more than {MAX_ANSWER_CHARS} characters")
        which = {key: task.answer[key] for key in ("dataset", "config", "seed", "index")}
        try:
            value = float(self._worker.call({**which, "answer": answer}, timeout=self.timeout))
        except TimeoutError as error:
            return Verdict(outcome=Outcome.TIMEOUT, reward=None, note=f"the scorer gave {error}")
        except WorkerError as error:
            return broken(f"the scorer failed: {error}")
        return self._verdict(value, answer)

    def gold(self, task: Task) -> str:
        """The generator's own answer."""
        return example_of(task) or f"<answer>{task.answer['answer']}</answer>"

    def _verdict(self, value: float, answer: str) -> Verdict:
        if not math.isfinite(value) or not 0 <= value <= 1:
            return broken(f"the scorer gave {value}, which is not from 0 to 1")
        if value == 1:
            return passed("scored 1", extracted=answer[:200], parts={"score": 1.0})
        worth = value if self.partial else 0.0
        reward = Reward(value=worth, parts={"correct": 0.0, "score": value}, note=f"scored {value:g}")
        return Verdict(outcome=Outcome.FAIL, reward=reward, extracted=answer[:200], note=reward.note)


def prepare_worker() -> None:
    """Load the generators before processes are forked."""
    import_module("reasoning_gym")


def score(dataset: str, config: dict[str, Any], seed: int, index: int, answer: str) -> float:
    """Run in the worker: the score of `answer` on entry `index` of a generator."""
    generator, entry = _entry(dataset, json.dumps(config, sort_keys=True), seed, index)
    return float(generator.score_answer(answer, entry))


@lru_cache(maxsize=4096)
def _entry(dataset: str, config: str, seed: int, index: int) -> tuple[Any, dict[str, Any]]:
    generator = _generator(dataset, config, seed)
    return generator, generator[index]


@lru_cache(maxsize=64)
def _generator(dataset: str, config: str, seed: int) -> Any:
    return import_module("reasoning_gym").create_dataset(dataset, **json.loads(config), seed=seed, size=2**31 - 1)


def _candidate(text: str) -> str:
    start, end = text.rfind("<answer>"), text.rfind("</answer>")
    if 0 <= start < end:
        return text[start + len("<answer>") : end].strip()
    found = last_box(text)
    if found is None:
        found = last_marked(text)
    return (text if found is None else found).strip()
