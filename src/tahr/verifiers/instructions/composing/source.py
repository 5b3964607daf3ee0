"""A task source that composes instruction-following tasks."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Annotated, Any

from pydantic import Field

from tahr.core.construct import construct
from tahr.core.errors import InputError
from tahr.core.protocols import task_sources
from tahr.core.seeding import stream
from tahr.core.types import Message, Task
from tahr.verifiers.instructions.composing import vocabulary
from tahr.verifiers.instructions.composing.arguments import DRAWS, Scene, can_draw
from tahr.verifiers.instructions.composing.conflicts import contradiction
from tahr.verifiers.instructions.composing.groups import ids_of, keep_benchmark_out
from tahr.verifiers.instructions.composing.witness import can_witness, witness
from tahr.verifiers.instructions.kind import read_instructions
from tahr.verifiers.instructions.verifier import vacuous

MAX_MISSES = 2000  # draws in a row that gave nothing new: the source is as good as exhausted
MAX_PROMPTS = 100_000  # read from another source
ABOVE = ("combination:repeat_prompt", "copy:copy", "new:")
"""Beginnings of the ids whose sentence stands in a paragraph of its own below everything else."""

_EMPTY = "an answer of nothing would keep all instructions of each task"
_TOO_FEW = "fewer than min_instructions go together without contradicting each other"
_UNPROVEN = "no answer was found that keeps a whole set"
_INSTEAD = {
    _EMPTY: "kinds beside them that ask for something, such as keywords:existence",
    _TOO_FEW: "a lower min_instructions, or more kinds",
    _UNPROVEN: "fewer instructions a task, a larger max_words, or proven = false",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is asked for, without instructions. `topic` is "" where it isn't known; `before` are earlier messages.

    Example: ``Request(text="Tell me something about the moon.", topic="the moon")``
    """

    text: str
    topic: str = ""
    before: tuple[Message, ...] = ()


@task_sources.register("instructions")
@dataclass(frozen=True, kw_only=True)
class ComposedInstructions:
    """Requests with one or more instructions that don't contradict each other, from IFEval's kinds and those made for
    training.

    The requests are built in, or another task source's prompts. Contradictions are known from a table, and ruled out
    by an answer that keeps the whole set; over built-in requests the task carries it as its example.
    """

    kinds: Annotated[
        tuple[str, ...],
        Field(min_length=1, description='ids such as "keywords:existence", or groups: ifeval, training, keywords, ...'),
    ] = ("ifeval", "training")
    without: Annotated[tuple[str, ...], Field(description="ids and groups to leave out")] = ()
    min_instructions: Annotated[int, Field(ge=1, le=10, description="fewest instructions in one task")] = 1
    max_instructions: Annotated[int, Field(ge=1, le=10, description="most instructions in one task")] = 3
    max_words: Annotated[int, Field(ge=30, le=2000, description="longest answer that may be asked for")] = 80
    prompts: Annotated[
        dict[str, Any] | None,
        Field(description='requests from another task source: { source = "file", args = { path = ... } }'),
    ] = None
    proven: Annotated[
        bool, Field(description="only sets for which an answer that keeps them was written and judged")
    ] = True
    include_ifbench: Annotated[
        bool, Field(description="allow the kinds of IFBench, which then measures nothing new any more")
    ] = False

    def __post_init__(self) -> None:
        if self.min_instructions > self.max_instructions:
            raise InputError(
                "min_instructions must not be above max_instructions",
                received=f"{self.min_instructions} and {self.max_instructions}",
            )
        if not self.include_ifbench:
            keep_benchmark_out(self._asked_for())
        if not self._ids:
            raise InputError(
                "no kind of instruction is left that tasks can be composed of",
                received=f"{', '.join(self.kinds)} without {', '.join(self.without) or 'any'}",
                instead="other kinds" + (", or proven = false" if self.proven else ""),
            )
        if left := [name for name in self.kinds if name in self._asked_for() and name not in self._ids]:
            raise InputError(
                "no tasks can be composed of these instructions: " + "; ".join(map(self._why_not, left)),
                received=", ".join(left),
                instead="kinds without them",
            )

    def _why_not(self, name: str) -> str:
        if can_draw(name):
            return f"no answer to {name} can be written that proves it possible (proven = false asks for none)"
        return f"the arguments of {name} can't be drawn"

    def _asked_for(self) -> list[str]:
        left_out = set(ids_of(self.without))
        return [name for name in ids_of(self.kinds) if name not in left_out]

    @cached_property
    def _ids(self) -> list[str]:
        """Kinds whose arguments can be drawn and, where sets must be proven, that an answer can be written for."""
        return [name for name in self._asked_for() if can_draw(name) and (can_witness(name) or not self.proven)]

    def generate(self, count: int, seed: int) -> list[Task]:
        """The first `count` distinct tasks of stream `seed`; fewer where requests and instructions run out.

        Raises InputError where there is none at all, with the reason why draws came to nothing.
        """
        random = stream(seed, "tasks.instructions")
        requests = self._read_requests(seed)
        tasks: dict[str, Task] = {}
        misses = 0
        reasons: Counter[str] = Counter()
        while len(tasks) < count and misses < MAX_MISSES:
            task = self._compose(random, requests)
            if isinstance(task, str):
                reasons[task] += 1
            if isinstance(task, str) or task.id in tasks:
                misses += 1
                continue
            misses = 0
            tasks[task.id] = task
        if not tasks:
            raise self._nothing_drawn(reasons)
        return list(tasks.values())

    def _nothing_drawn(self, reasons: Counter[str]) -> InputError:
        reason, times = reasons.most_common(1)[0] if reasons else ("the source of prompts has none", 0)
        return InputError(
            f"no task can be drawn from these instructions: {reason}",
            received=f"{', '.join(self._ids[:10])}{', ...' if len(self._ids) > 10 else ''}; {times:,} draws",
            instead=_INSTEAD.get(reason, "more kinds"),
        )

    def _read_requests(self, seed: int) -> list[Request]:
        """The other source's prompts; none where the requests are built in."""
        if self.prompts is None:
            return []
        table = dict(self.prompts)
        name, args = table.pop("source", None), table.pop("args", {})
        if not isinstance(name, str) or table:
            raise InputError(
                "prompts needs a source and may have args",
                received=repr(self.prompts)[:200],
                instead='{ source = "file", args = { path = "prompts.jsonl" } }',
            )
        part = task_sources.get(name)
        if "answer" in getattr(
            part, "__dataclass_fields__", ()
        ):  # a file of prompts alone: nothing reads their answers
            args = {"answer": args.get("prompt", "prompt"), **args}
        source = construct(part, args, where="prompts.args")
        if getattr(source, "evaluation_only", False):
            raise InputError(f"{name!r} is a benchmark: its prompts are for evaluation only", received=name)
        drawn = source.generate(MAX_PROMPTS, seed)
        return [Request(text=task.prompt[-1].content, before=task.prompt[:-1]) for task in drawn if task.prompt]

    def _compose(self, random: Random, requests: Sequence[Request]) -> Task | str:
        """One task; the reason where the draw led to a set that can't be proven or asks for nothing."""
        chosen = self._choose(random, built_in=not requests)
        if len(chosen) < self.min_instructions:
            return _TOO_FEW
        request = random.choice(requests) if requests else _built_in(random, chosen)
        answer, prompt = self._in_words(chosen, Scene(random, request.text, self.max_words))
        named = read_instructions(answer)
        if len(vacuous(json.dumps(answer), prompt)) == len(answer):
            return _EMPTY
        proof = witness(named, request=request.text, prompt=prompt, topic=request.topic, random=random)
        if proof is None and self.proven:
            return _UNPROVEN
        meta: dict[str, Any] = {"num_instructions": len(answer)}
        if proof is not None:
            meta["example" if request.topic else "witness"] = proof
        messages = (*request.before, Message(role="user", content=prompt))
        return Task(prompt=messages, answer=answer, verifier="instructions", meta=meta)

    def _choose(self, random: Random, *, built_in: bool) -> list[str]:
        """Ids that don't contradict each other, as many as were drawn where there are so many."""
        wanted = random.randint(self.min_instructions, self.max_instructions)
        chosen: list[str] = []
        for name in random.sample(self._ids, len(self._ids)):
            answers_question = name == "detectable_format:constrained_response"
            if answers_question and not built_in:
                continue  # whether a foreign request can be answered by yes or no isn't known
            if len(chosen) < wanted and not any(contradiction(name, other) for other in chosen):
                chosen.append(name)
        return chosen

    def _in_words(self, chosen: Sequence[str], scene: Scene) -> tuple[list[dict[str, Any]], str]:
        """The instructions as the verifier reads them, and the prompt that asks for them.

        Those that speak of the request above come last, and what they repeat is all that stands above them.
        """
        request = scene.request
        answer: list[dict[str, Any]] = []
        prompt = request
        for name in sorted(chosen, key=lambda name: name.startswith(ABOVE)):
            below = name.startswith(ABOVE)
            if below:
                scene.request = prompt
            table = {"id": name, "args": DRAWS[name](scene) if name in DRAWS else {}}
            ((_, instruction),) = read_instructions([table])
            prompt += ("\n\n" if below else " ") + instruction.describe()
            answer.append(table)
        return answer, prompt


def _built_in(random: Random, chosen: Sequence[str]) -> Request:
    topic = random.choice(vocabulary.TOPICS)
    asks = vocabulary.QUESTIONS if "detectable_format:constrained_response" in chosen else vocabulary.REQUESTS
    return Request(text=random.choice(asks).format(topic=topic), topic=topic)
