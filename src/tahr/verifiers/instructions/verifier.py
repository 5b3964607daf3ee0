"""The verifier of instructions: which of a task's instructions a response keeps, strictly and loosely."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from tahr.core.protocols import verifiers
from tahr.core.ranges import BINARY, PARTIAL, RewardRange
from tahr.core.types import Outcome, Reward, Task, Verdict, failed
from tahr.verifiers.example import example_of
from tahr.verifiers.instructions import kinds as kinds  # registers tahr's own kinds
from tahr.verifiers.instructions.kind import Finding, Instruction, admits, read_instructions
from tahr.verifiers.instructions.response import Response

MAX_CHARS = 100_000
"""Longest response that is read; no honest answer is longer."""

NULL_RESPONSES = ("", ".", "a", "I can't help with that.")
"""Answers that do nothing: an instruction that one of them keeps says little about a response that keeps it too."""

Named = tuple[tuple[str, Instruction], ...]


@verifiers.register("instructions")
@dataclass(frozen=True, slots=True, kw_only=True)
class Instructions:
    """Which of a task's instructions the response keeps; correct where it keeps all.

    `answer` is a list of tables such as ``{"id": "keywords:existence", "args": {"keywords": ["river"]}}``. Parts of
    the reward: "correct" (all kept, in this mode), "strict", "loose", "share" (kept in this mode), "loose_share", each
    instruction under its id, "undetectable" (how many can't be decided: their own part is left out, and they count as
    not kept) and "vacuous" (share of the kept ones that an answer of nothing keeps as well).
    """

    mode: Annotated[
        Literal["strict", "loose"],
        Field(description="the response as it is; or also without its first line, its last, or its asterisks"),
    ] = "strict"
    score: Annotated[
        Literal["all", "share"], Field(description="reward 1 for keeping all and 0 else; or the share kept")
    ] = "all"
    refuse_junk: Annotated[
        bool,
        Field(description="a response of few different words, or that says the prompt back, keeps nothing"),
    ] = True

    passes_unfinished: ClassVar[bool] = True

    @property
    def reward_range(self) -> RewardRange:
        """Partial credit only with score "share"."""
        return PARTIAL if self.score == "share" else BINARY

    def check_task(self, task: Task) -> None:
        """Raise InputError where there is no instruction, an unknown one, or one with wrong arguments."""
        read_instructions(task.answer)

    def verify(self, task: Task, text: str) -> Verdict:
        """PASS where all are kept in this mode; else FAIL, worth the share kept with score "share"."""
        named = read_instructions(task.answer)
        if len(text) > MAX_CHARS:
            return failed(f"the response has {len(text)} characters; more than {MAX_CHARS} are not read")
        response = Response.of(text, task.prompt[-1].content if task.prompt else "")
        if junk := self._junk(named, response):
            zeros = dict.fromkeys(["strict", "loose", "share", "loose_share", *(name for name, _ in named)], 0.0)
            return failed(junk, parts=zeros, extracted=response.text[:200])
        strict = [instruction.kept(response) for _, instruction in named]
        loose = [_loosely(instruction, found, response) for (_, instruction), found in zip(named, strict, strict=True)]
        return self._verdict(named, strict, loose, vacuous(json.dumps(task.answer), response.prompt), response)

    def gold(self, task: Task) -> str | None:
        """The task's example; None where none is known, as for prompts written by people."""
        return example_of(task)

    def _junk(self, named: Named, response: Response) -> str:
        if not response.words:
            return "no words"
        if not self.refuse_junk:
            return ""
        return response.junk(frozenset[str]().union(*(admits(instruction) for _, instruction in named)))

    def _verdict(
        self,
        named: Named,
        strict: Sequence[Finding],
        loose: Sequence[Finding],
        vacuous: frozenset[str],
        response: Response,
    ) -> Verdict:
        findings = strict if self.mode == "strict" else loose
        judged = [(name, found) for (name, _), found in zip(named, findings, strict=True)]
        kept = [name for name, found in judged if found.kept]
        undetectable = [name for name, found in judged if found.kept is None]
        share = len(kept) / len(named)
        correct = len(kept) == len(named)
        empty = [name for name in kept if name in vacuous]
        parts = {
            "correct": float(correct),
            "strict": float(all(found.kept for found in strict)),
            "loose": float(all(found.kept for found in loose)),
            "share": share,
            "loose_share": sum(found.kept is True for found in loose) / len(named),
            "undetectable": float(len(undetectable)),
            "vacuous": len(empty) / len(kept) if kept else 0.0,
            **{name: float(found.kept) for name, found in judged if found.kept is not None},
        }
        note = _note(judged, empty)
        value = share if self.score == "share" else float(correct)
        return Verdict(
            outcome=Outcome.PASS if correct else Outcome.FAIL,
            reward=Reward(value=value, parts=parts, note=note),
            extracted=response.text[:200],
            note=note,
        )


def _loosely(instruction: Instruction, found: Finding, response: Response) -> Finding:
    """`found`, or what the first loose reading that keeps the instruction gives."""
    if found.kept:
        return found
    readings = (instruction.kept(variant) for variant in response.variants[1:] if variant.words)
    return next((reading for reading in readings if reading.kept), found)


@lru_cache(maxsize=16384)
def vacuous(answer: str, prompt: str) -> frozenset[str]:
    """Names of the instructions that one of `NULL_RESPONSES` keeps."""
    nothing = [Response.of(text, prompt) for text in NULL_RESPONSES]
    named = read_instructions(json.loads(answer))
    return frozenset(name for name, instruction in named if any(instruction.kept(text).kept for text in nothing))


def _note(judged: Sequence[tuple[str, Finding]], vacuous: Sequence[str]) -> str:
    broken = [f"{name} ({found.note})" if found.note else name for name, found in judged if found.kept is False]
    unknown = [f"{name} ({found.note})" if found.note else name for name, found in judged if found.kept is None]
    said = [f"breaks {', '.join(broken)}"] if broken else []
    said += [f"undetectable: {', '.join(unknown)}"] if unknown else []
    said = said or [f"keeps all {len(judged)}"]
    said += [f"as an empty answer would: {', '.join(vacuous)}"] if vacuous else []
    return "; ".join(said)[:1000]
