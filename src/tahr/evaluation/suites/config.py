"""What a suite file may say: questions, the settings that they are asked in, and how answers are sampled."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import Field, model_validator

from tahr.core.config import Config
from tahr.verifiers.config import VerifierConfig

SuiteSplit = Literal["dev", "unseen", "all"]
"""`dev` may be looked at while one trains, `unseen` is for what is claimed in the end."""

BARE = "bare"
"""The setting of a suite that names none: the question as it is."""


class SuiteTasks(Config):
    """One set of questions of a suite (``[tasks.NAME]``)."""

    source: str = Field(description="a task source (`tahr tasks` lists them), or package.module:Name")
    args: dict[str, Any] = Field(default_factory=dict, description="arguments of the source, such as levels or a path")
    num_tasks: int | None = Field(
        default=None, ge=1, description="how many distinct tasks, dev and unseen together; all of a finite source"
    )
    seed: int = Field(default=0, ge=0, description="seed of the source: which tasks, and in which order their choices")
    verifier: str | None = Field(default=None, description="judge by this verifier instead of the tasks' own")
    domain: str | None = Field(
        default=None, description="name of these tasks in tables; the source's own domains, else the set's name"
    )
    cluster: str | None = Field(
        default=None,
        min_length=1,
        description="key of the tasks' meta whose value tasks share that are not independent, such as a passage",
    )


class SuiteSetting(Config):
    """One way of asking (``[settings.NAME]``). Every question of the suite is asked in every setting."""

    system: str | None = Field(default=None, min_length=1, description="system message before the question")
    template: str | None = Field(
        default=None, description="wording around the question, which stands at {question}; the question alone if none"
    )
    thinking: bool | None = Field(
        default=None, description="the chat template's switch for thinking; the template's default if none"
    )
    environment: str | None = Field(
        default=None, min_length=1, description="how an attempt is played; the tasks' own environment if none"
    )
    max_new_tokens: int | None = Field(
        default=None, ge=1, description="most tokens of one completion here; the suite's if none"
    )

    @model_validator(mode="after")
    def _question_stands_somewhere(self) -> Self:
        if self.template is not None and "{question}" not in self.template:
            raise ValueError("a template needs {question}, where the question stands")
        return self


class SuiteSampling(Config):
    """How answers are sampled (``[sampling]``)."""

    samples_per_task: int = Field(default=1, ge=1, description="attempts at each question in each setting")
    max_new_tokens: int = Field(default=512, ge=1, description="most tokens of one completion")
    temperature: float = Field(default=0.0, ge=0, description="0 is greedy: one attempt is enough then")
    top_p: float = Field(default=1.0, gt=0, le=1, description="share of the distribution that is kept; 1 is all")
    top_k: int = Field(default=0, ge=0, description="most likely tokens that are kept; 0 is all")
    seed: int = Field(default=0, ge=0, description="seed of the attempts")


class SuiteConfig(Config):
    """A suite: what is asked, how, and which share of it is kept for the end.

    A question's side of the split follows from its words alone, so that no setting, seed or number of tasks moves it.
    """

    description: str = Field(default="", description="what the suite measures, for people")
    tasks: dict[str, SuiteTasks] = Field(min_length=1, description="sets of questions by name")
    settings: dict[str, SuiteSetting] = Field(
        default_factory=lambda: {BARE: SuiteSetting()}, min_length=1, description="ways of asking by name"
    )
    pairs: tuple[tuple[str, str], ...] = Field(
        default=(), description="[without, with]: settings whose scores and difference are shown together"
    )
    sampling: SuiteSampling = Field(default_factory=SuiteSampling, description="how answers are sampled")
    unseen_percent: int = Field(
        default=50, ge=0, le=100, description="share of the questions that no training run may see"
    )
    verifiers: dict[str, VerifierConfig] = Field(
        default_factory=dict, description="verifiers with arguments, by the name that tasks refer to"
    )

    @model_validator(mode="after")
    def _pairs_are_settings(self) -> Self:
        for pair in self.pairs:
            unknown = [name for name in pair if name not in self.settings]
            if unknown:
                raise ValueError(f"pairs name the setting {unknown[0]!r}; there are {', '.join(self.settings)}")
            if pair[0] == pair[1]:
                raise ValueError(f"a pair is of two settings, not of {pair[0]!r} twice")
        return self
