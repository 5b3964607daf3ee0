"""How long the prompts are: counted by the model's own tokenizer where it is at hand, else guessed from characters."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from tahr.core.errors import InputError
from tahr.core.types import Task
from tahr.models.config import ModelConfig
from tahr.models.source import Folder, Scratch, resolve
from tahr.recipe.findings import Findings
from tahr.recipe.schema import Recipe

if TYPE_CHECKING:
    from tahr.models.chat import ChatRenderer

CHARACTERS_PER_TOKEN = 4.0
"""English text under vocabularies of 30,000 to 150,000 tokens."""

TEMPLATE_TOKENS = 24
"""What a chat template adds around one message, a default system message included."""

LONGEST_COUNTED = 200
"""Tasks with most characters whose tokens are counted: the longest prompt is among them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptLengths:
    """Tokens of a typical prompt and of the longest; `counted` says that a tokenizer counted them.

    Example: ``PromptLengths(typical=58, longest=71, counted=True)``
    """

    typical: int
    longest: int
    counted: bool


def measure_prompts(recipe: Recipe, tasks: Sequence[Task], findings: Findings) -> PromptLengths:
    """Lengths over `tasks`; a prompt that leaves no room in the context is a conflict, or a warning if guessed."""
    ordered = sorted(tasks, key=_num_characters)
    if not ordered:
        return PromptLengths(typical=TEMPLATE_TOKENS, longest=TEMPLATE_TOKENS, counted=False)
    renderer = _renderer(recipe.model)
    if renderer is None:
        typical, longest = (_guess(_num_characters(task)) for task in (ordered[len(ordered) // 2], ordered[-1]))
        lengths = PromptLengths(typical=typical, longest=longest, counted=False)
    else:
        try:
            middle = [len(renderer.render(task.prompt)) for task in ordered[:: max(1, len(ordered) // 50)]]
            longest = max(len(renderer.render(task.prompt)) for task in ordered[-LONGEST_COUNTED:])
        except InputError as error:  # characters outside the vocabulary, roles that the template refuses
            findings.conflict("tasks", error.wrong, received=error.received, instead=error.instead)
            return PromptLengths(typical=TEMPLATE_TOKENS, longest=TEMPLATE_TOKENS, counted=False)
        lengths = PromptLengths(typical=round(median(middle)), longest=longest, counted=True)
    _compare_with_context(recipe, lengths, findings)
    return lengths


def _compare_with_context(recipe: Recipe, lengths: PromptLengths, findings: Findings) -> None:
    budgets: dict[str, int] = {}
    if recipe.rlvr is not None:
        budgets["rlvr.sampling.max_new_tokens"] = recipe.rlvr.sampling.max_new_tokens
    if recipe.eval is not None:
        budgets["eval.max_new_tokens"] = recipe.eval.max_new_tokens
    context = recipe.model.max_context
    for where, new in budgets.items():
        needed = lengths.longest + new
        if needed > context > new:  # a budget that leaves no room at all is reported where settings are compared
            report = findings.conflict if lengths.counted else findings.warn
            report(
                where,
                f"the longest prompt {'has' if lengths.counted else 'may have'} {lengths.longest} tokens: with "
                f"{new} new ones it does not fit into the context",
                received=f"{lengths.longest} + {new} = {needed}, model.max_context = {context}",
                instead=f"model.max_context = {needed} or more, or fewer new tokens, or shorter tasks",
            )


def _num_characters(task: Task) -> int:
    return sum(len(message.content) for message in task.prompt)


def _guess(num_characters: int) -> int:
    return TEMPLATE_TOKENS + round(num_characters / CHARACTERS_PER_TOKEN)


def _renderer(config: ModelConfig) -> ChatRenderer | None:
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
