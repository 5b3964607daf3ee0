"""The ``[dpo.build]`` section of a recipe, and what ``tahr prefs build`` reads."""

from __future__ import annotations

from pydantic import Field, model_validator

from tahr.core.config import Config
from tahr.data.preferences.config import Choice
from tahr.data.prompts import PromptSetConfig
from tahr.engines.config import ChatModelConfig, SamplingConfig
from tahr.judges.config import JudgeConfig


class BuildConfig(Config):
    """Pairs made of answers that models give now: asked, judged, and set against one another."""

    tasks: dict[str, float] = Field(
        default_factory=dict, description="names of [tasks.NAME] sections and their weights; or prompts, or both"
    )
    prompts: dict[str, PromptSetConfig] = Field(
        default_factory=dict, description="files of questions without answers: [dpo.build.prompts.NAME]"
    )
    num_prompts: int = Field(default=256, ge=1, le=10_000_000, description="different questions that are asked")
    samples_per_prompt: int = Field(default=4, ge=2, le=1024, description="answers to each question")
    on_policy_share: float = Field(
        default=1.0, ge=0, le=1, description="share of each question's answers that the policy gives itself"
    )
    models: dict[str, ChatModelConfig] = Field(
        default_factory=dict, description="who gives the other answers, and models that judge: [dpo.build.models.NAME]"
    )
    answering: tuple[str, ...] = Field(
        default=(), description="names of the models that answer, in turn; all but the judge's model by default"
    )
    sampling: SamplingConfig = Field(
        default_factory=lambda: SamplingConfig(max_new_tokens=256), description="how answers are drawn"
    )
    judge: JudgeConfig = Field(default_factory=JudgeConfig, description="who judges the answers")
    choice: Choice = Field(default="best_vs_random", description="which pairs to make of a question's judged answers")
    min_margin: float = Field(default=0.0, ge=0, description="least difference of two ratings, where they are rated")
    max_concurrency: int = Field(default=64, ge=1, le=4096, description="questions under way at once")
    weight: float = Field(default=1.0, gt=0, description="share of the draws while training")
    seed: int = Field(default=0, description="seed of the answers, of the judge and of what is drawn")
    validation_percent: int = Field(default=5, ge=0, le=90, description="share of the prompts kept to measure on")

    @model_validator(mode="after")
    def _pool(self) -> BuildConfig:
        unknown = sorted(set(self.answering) - set(self.models))
        if unknown:
            raise ValueError(f"answering names {unknown[0]!r}, but models has {', '.join(self.models) or 'nobody'}")
        if self.num_others and not self.others:
            raise ValueError(
                "on_policy_share leaves answers to other models, and no model besides the judge's is named"
            )
        self._check_questions()
        worthless = next((name for name, weight in self.tasks.items() if weight <= 0), None)
        if worthless is not None:
            raise ValueError(f"the weight of tasks.{worthless} must be above 0")
        if self.sampling.temperature == 0 and (self.num_own > 1 or self.num_others > len(self.others)):
            raise ValueError(
                "sampling.temperature = 0 gives the same answer twice where a model is asked twice: pairs need one "
                "above 0, or models that answer once each"
            )
        return self

    def _check_questions(self) -> None:
        if not self.tasks and not self.prompts:
            raise ValueError("questions come from tasks, from [dpo.build.prompts.NAME], or from both; there is neither")
        twice = sorted(set(self.tasks) & set(self.prompts))
        if twice:
            raise ValueError(f"{twice[0]!r} names a set of tasks and a set of prompts: give one of them another name")
        if self.prompts and self.judge.kind == "verifier":
            raise ValueError(
                f"the questions of prompts.{next(iter(self.prompts))} have no answer that a verifier could judge by: "
                'judge.kind = "pairwise", "aspects", "rubric" or "reward_model", or tasks in the place of prompts'
            )

    @property
    def num_own(self) -> int:
        """Answers to each question that the policy gives."""
        return round(self.on_policy_share * self.samples_per_prompt)

    @property
    def num_others(self) -> int:
        """Answers to each question that other models give."""
        return self.samples_per_prompt - self.num_own

    @property
    def others(self) -> tuple[str, ...]:
        """The models that answer besides the policy."""
        return self.answering or tuple(name for name in self.models if name != self.judge.model)
