"""The form of a thinking model's output: thoughts between tags, then an answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from tahr.core.protocols import verifiers
from tahr.core.ranges import BINARY, RewardRange
from tahr.core.types import Task, Verdict, failed, passed
from tahr.core.visible import has_word, is_blank, without_blank_ends
from tahr.verifiers.example import example_of, needed_text

TagName = Annotated[str, Field(pattern=r"^[A-Za-z_|][\w.|-]{0,63}$")]


@verifiers.register("thinking")
@dataclass(frozen=True, slots=True, kw_only=True)
class Thinking:
    """One well-formed ``<think>...</think>`` at the start, with thoughts in it, and an answer after it.

    With `answer_tag`, what follows must be exactly one pair of those tags. The task's answer plays no role: this is
    about form, and meant as a part of a combination.
    """

    tag: Annotated[TagName, Field(description="name of the thinking tag")] = "think"
    answer_tag: Annotated[TagName | None, Field(description="name of the tag that must hold the answer")] = None
    opened_by_prompt: Annotated[
        bool, Field(description="the prompt ends with the opening tag, so the output must not repeat it")
    ] = False
    min_words: Annotated[int, Field(ge=1, description="fewest words between the tags")] = 1
    reward_range: ClassVar[RewardRange] = BINARY

    def check_task(self, task: Task) -> None:
        """Raise InputError where the task has neither an example nor a text as its answer."""
        needed_text(task, "thinking")

    def verify(self, task: Task, text: str) -> Verdict:
        """PASS where all is well-formed; the parts ``thoughts`` and ``answer`` say which half is."""
        thoughts, answer, fault = self._split(without_blank_ends(text))
        parts = {"thoughts": 0.0, "answer": 0.0}
        if fault:
            return failed(fault, parts=parts)
        faults: list[str] = []
        num_words = sum(not is_blank(word) for word in thoughts.split())
        if num_words < self.min_words or not has_word(thoughts):
            faults.append(f"fewer than {self.min_words} words between the thinking tags")
        parts["thoughts"] = float(not faults)
        if answer_fault := self._answer_fault(without_blank_ends(answer)):
            faults.append(answer_fault)
        parts["answer"] = float(not answer_fault)
        if faults:
            return failed("; ".join(faults), parts=parts, extracted=answer.strip()[:200])
        return passed("thoughts, then an answer", parts=parts, extracted=answer.strip()[:200])

    def gold(self, task: Task) -> str:
        """The task's example, else its answer with a thought before it."""
        example = example_of(task)
        if example is not None:
            return example
        answer = needed_text(task, "thinking")
        opening = "" if self.opened_by_prompt else f"<{self.tag}>"
        said = f"<{self.answer_tag}>{answer}</{self.answer_tag}>" if self.answer_tag else answer
        return f"{opening}{'The answer is known. ' * self.min_words}</{self.tag}>\n{said}"

    def _split(self, text: str) -> tuple[str, str, str]:
        """What is thought, what is answered, and what is wrong with the tags."""
        opening, closing = f"<{self.tag}>", f"</{self.tag}>"
        opens, closes = text.count(opening), text.count(closing)
        expected = 0 if self.opened_by_prompt else 1
        if opens != expected or closes != 1:
            return "", "", f"{opens} opening and {closes} closing tags, not {expected} and 1"
        if expected and not text.startswith(opening):
            return "", "", f"the text does not begin with {opening}"
        thoughts, _, answer = text.partition(closing)
        return thoughts.removeprefix(opening), answer, ""

    def _answer_fault(self, answer: str) -> str:
        if self.answer_tag is not None:
            opening, closing = f"<{self.answer_tag}>", f"</{self.answer_tag}>"
            if answer.count(opening) != 1 or answer.count(closing) != 1:
                return f"the answer needs one pair of {opening} and {closing}"
            if not (answer.startswith(opening) and answer.endswith(closing)):
                return f"text outside of {opening} and {closing}"
            answer = answer.removeprefix(opening).removesuffix(closing)
        return "" if has_word(answer) else "no answer after the thoughts"
