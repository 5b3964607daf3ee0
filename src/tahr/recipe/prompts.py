"""How long the prompts are: counted by the model's own tokenizer where it is at hand, else guessed from characters."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, TypeVar

from tahr.core.errors import InputError, OutOfReachError
from tahr.core.judging import Question
from tahr.core.types import Message, Task
from tahr.data.chats.chat import Tally
from tahr.data.prompts import read_prompts
from tahr.models.config import ModelConfig
from tahr.models.source import Folder, Scratch, resolve
from tahr.recipe.findings import Findings
from tahr.recipe.parts import Parts, used_tasks
from tahr.recipe.schema import Recipe, sampled_by
from tahr.recipe.suite_guard import dev_questions

if TYPE_CHECKING:
    from tahr.models.chat import ChatRenderer

T = TypeVar("T")

CHARACTERS_PER_TOKEN = 4.0
"""English text under vocabularies of 30,000 to 150,000 tokens."""

UNKNOWN_TOKENS = 1000.0
"""Assumed of a conversation or a pair whose rows are not at hand yet."""

TEMPLATE_TOKENS = 24
"""What a chat template adds around one message, a default system message included."""

LONGEST_COUNTED = 200
"""Tasks with most characters whose tokens are counted: the longest prompt is among them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptLengths:
    """Tokens of a typical prompt, of the longest one, and of a typical gold answer (0 without supervised fine-tuning).

    `counted` says that the model's tokenizer counted them. `example` is the mean of the supervised stage's examples
    where conversations are among them, else 0.

    `pair` is the mean of a pair of answers with its prompt once, 0 without preference tuning.

    Example: ``PromptLengths(typical=58, longest=71, answer=12, counted=True)``
    """

    typical: int
    longest: int
    answer: int
    counted: bool
    scored_pair: float = 0.0
    pair: float = 0.0
    example: float = 0.0


UNKNOWN = PromptLengths(typical=TEMPLATE_TOKENS, longest=TEMPLATE_TOKENS, answer=0, counted=False)


def measure_prompts(recipe: Recipe, parts: Parts, findings: Findings) -> PromptLengths:
    """Lengths over all tasks and prompts that the run may use.

    What does not fit into the context is a conflict where it was counted, and a warning where it was guessed.
    """
    tasks = sorted([*used_tasks(recipe, parts), *_prompts(recipe, findings)], key=_num_characters)
    if not tasks:
        return UNKNOWN
    taught = used_tasks(recipe, parts, "sft.")
    renderer = renderer_at_hand(recipe.model)
    try:
        ruler = _Guess() if renderer is None else _Count(renderer)
        prompts = [ruler.prompt(task) for task in _spread(tasks)]
        longest = max(ruler.prompt(task) for task in tasks[-LONGEST_COUNTED:])
        taught = taught if renderer is None else _learnable(taught, parts, renderer, findings)
        answers = [ruler.answer(task, parts.gold(task)) for task in _spread(taught)]
        # the longest example is sought among those with most characters
        long = sorted(taught, key=lambda task: _num_characters(task) + len(parts.gold(task)))[-LONGEST_COUNTED:]
        example = max((ruler.prompt(task) + ruler.answer(task, parts.gold(task)) for task in long), default=0)
    except InputError as error:  # characters outside the vocabulary, roles that the template refuses
        findings.conflict("tasks", error.wrong, received=error.received, instead=error.instead)
        return UNKNOWN
    _measure_suites(recipe, ruler, findings, counted=renderer is not None)
    answer = round(median(answers)) if answers else 0
    counted = renderer is not None
    lengths = PromptLengths(typical=round(median(prompts)), longest=longest, answer=answer, counted=counted)
    _compare_with_context(recipe, lengths, example, findings)
    return lengths


def _learnable(tasks: Sequence[Task], parts: Parts, renderer: ChatRenderer, findings: Findings) -> Sequence[Task]:
    """The tasks whose gold answers can be learnt; files how many are left out."""
    from tahr.training.examples import GoldAnswers

    tally = Tally()
    kept = GoldAnswers(renderer=renderer, answer=parts.gold, max_context=0).without_special(tasks, tally)
    if tally.refused:
        report = findings.warn if kept else findings.conflict
        report(
            "sft.tasks",
            "some gold answers can't be learnt" if kept else "no gold answer can be learnt",
            received=tally.text(),
        )
    return kept


def _prompts(recipe: Recipe, findings: Findings) -> list[Question]:
    """The questions of ``[dpo.build.prompts.NAME]``; files what can't be read."""
    build = recipe.dpo.build if recipe.dpo is not None else None
    found: list[Question] = []
    for name, config in build.prompts.items() if build is not None else ():
        with findings.catching(f"dpo.build.prompts.{name}"):
            found.extend(read_prompts({name: config}, where="dpo.build.prompts")[name])
    return found


def _measure_suites(recipe: Recipe, ruler: _Guess | _Count, findings: Findings, *, counted: bool) -> None:
    """File what the model can't be asked of the suites: words outside its vocabulary, questions that don't fit."""
    for name in recipe.eval.suites if recipe.eval is not None else ():
        with findings.catching("eval.suites"):
            try:
                asked, new = dev_questions(name, recipe.eval.num_tasks if recipe.eval is not None else 0)
            except OutOfReachError:
                continue  # warned of where the task sets are built
            tasks = sorted(asked, key=_num_characters)
            longest = max(ruler.prompt(task) for task in (*_spread(tasks), *tasks[-LONGEST_COUNTED:]))
            if longest + new > recipe.model.max_context:
                findings.warn(
                    "eval.suites",
                    f"the longest question of {name} {'has' if counted else 'may have'} {longest} tokens: its answer "
                    f"is cut short of {new}",
                    received=f"model.max_context = {recipe.model.max_context}",
                    instead=f"model.max_context = {longest + new} or more, where the model can",
                )


def _compare_with_context(recipe: Recipe, lengths: PromptLengths, example: int, findings: Findings) -> None:
    context = recipe.model.max_context
    report = findings.conflict if lengths.counted else findings.warn
    has = "has" if lengths.counted else "may have"
    budgets = {f"{place}.sampling.max_new_tokens": one.max_new_tokens for place, one in sampled_by(recipe).items()}
    if recipe.eval is not None:
        budgets["eval.max_new_tokens"] = recipe.eval.max_new_tokens
    for where, new in budgets.items():
        needed = lengths.longest + new
        if needed > context > new:  # a budget that leaves no room at all is reported where settings are compared
            report(
                where,
                f"the longest prompt {has} {lengths.longest} tokens: with {new} new ones it does not fit into the "
                "context",
                received=f"{lengths.longest} + {new} = {needed}, model.max_context = {context}",
                instead=f"model.max_context = {needed} or more, or fewer new tokens, or shorter tasks",
            )
    if example > context:
        report(
            "sft.tasks",
            f"the longest prompt with its gold answer {has} {example} tokens and does not fit into the context",
            received=f"model.max_context = {context}",
            instead=f"model.max_context = {example} or more, or shorter tasks",
        )


class _Guess:
    """Tokens from characters."""

    def prompt(self, task: Task | Question) -> int:
        return TEMPLATE_TOKENS + round(_num_characters(task) / CHARACTERS_PER_TOKEN)

    def answer(self, task: Task, text: str) -> int:
        return 1 + round(len(text) / CHARACTERS_PER_TOKEN)


class _Count:
    """Tokens by the model's tokenizer and chat template."""

    def __init__(self, renderer: ChatRenderer) -> None:
        self._renderer = renderer

    def prompt(self, task: Task | Question) -> int:
        return len(self._renderer.render(task.prompt))

    def answer(self, task: Task, text: str) -> int:
        return len(self._renderer.written_answer((*task.prompt, Message(role="assistant", content=text))))


def _spread(tasks: Sequence[T]) -> Sequence[T]:
    """About fifty tasks, evenly from the whole."""
    return tasks[:: max(1, len(tasks) // 50)]


def _num_characters(task: Task | Question) -> int:
    return sum(len(message.content) for message in task.prompt)


def renderer_at_hand(config: ModelConfig) -> ChatRenderer | None:
    """The model's renderer where its tokenizer is on this disk and loads without torch; None otherwise."""
    try:
        source = resolve(config)
    except InputError:
        return None  # reported with the model itself
    if not isinstance(source, (Scratch, Folder)):
        return None
    # transformers warns on import where torch is missing, which matters to models and not to tokenizers
    os.environ.setdefault("TRANSFORMERS_NO_ADVISORY_WARNINGS", "1")
    from tahr.models.chat import ChatRenderer

    if isinstance(source, Scratch):
        from tahr.models.scratch import make_tokenizer

        return ChatRenderer(make_tokenizer(source.architecture, config.max_context))
    from transformers import AutoTokenizer

    try:
        return ChatRenderer(AutoTokenizer.from_pretrained(source.path))
    except (OSError, ValueError):
        return None  # reported with the model itself
