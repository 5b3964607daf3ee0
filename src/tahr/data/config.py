"""The ``[tasks.NAME]`` and ``[eval.decontaminate]`` sections of a recipe."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from tahr.core.config import Config

Split = Literal["train", "validation", "test"]


class TaskSetConfig(Config):
    """One named set of tasks. A task's split follows from its content hash, so the splits can never overlap."""

    source: str = Field(description="a task source (`tahr tasks` lists them), or package.module:Name")
    args: dict[str, Any] = Field(default_factory=dict, description="arguments of the source, such as levels or a path")
    num_tasks: int = Field(
        default=2000, ge=1, description="how many distinct tasks to generate or read before splitting"
    )
    seed: int = Field(default=0, description="seed of the source; the run's seed does not change which tasks exist")
    test_percent: int = Field(default=10, ge=0, le=90, description="share of the tasks kept for the final evaluation")
    validation_percent: int = Field(default=10, ge=0, le=90, description="share kept for evaluations while training")
    train_on_benchmark: bool = Field(
        default=False,
        description="let tasks be trained on that their source keeps for evaluation (ifeval, ...), or that are unseen "
        "questions of tahr's suites; evaluations of the model are then marked as contaminated",
    )
    verifier: str | None = Field(default=None, description="judge these tasks by this verifier instead of their own")
    domain: str | None = Field(
        default=None, description="name of these tasks in metrics; the set's own name by default"
    )


class DecontaminateConfig(Config):
    """What is done about training rows that hold a question of the evaluation (``[eval.decontaminate]``).

    Looked for are the held-out questions of every task set in ``eval.tasks``, whatever the split.
    """

    sources: tuple[Literal["chats", "pairs", "tasks"], ...] = Field(
        default=("chats", "pairs"),
        description="what is looked through; tasks that one generator makes share much with each other; [] for nothing",
    )
    action: Literal["remove", "refuse"] = Field(
        default="remove", description="go on without such rows, or don't start with them"
    )
    ngram: int = Field(default=8, ge=2, le=64, description="words of an n-gram")
    share: float = Field(default=0.5, gt=0, le=1, description="share of a question that a row must have")
    measure: Literal["words", "ngrams"] = Field(
        default="words", description="share of the question's words in common n-grams, or of its n-grams"
    )
