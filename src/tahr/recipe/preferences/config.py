"""The file that ``tahr prefs build`` reads."""

from __future__ import annotations

from pydantic import Field, model_validator

from tahr.core.config import Config
from tahr.data.config import TaskSetConfig
from tahr.engines.config import EngineConfig
from tahr.judges.build import judges_by_own_run
from tahr.models.config import ModelConfig
from tahr.preference.config import BuildConfig
from tahr.verifiers.config import VerifierConfig


class PrefsConfig(Config):
    """Pairs of answers: who is asked what, and who judges. The sections are those of a recipe, ``[build]`` is its
    ``[dpo.build]``."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", description="what progress calls the build")
    description: str = Field(default="", description="one line for people")
    seed: int = Field(default=0, ge=0, description="every random stream of the build derives from it")
    threads: int = Field(default=0, ge=0, le=1024, description="CPU threads; 0 takes all cores")
    model: ModelConfig | None = Field(
        default=None, description="who stands as the policy; not needed where build.on_policy_share = 0"
    )
    tasks: dict[str, TaskSetConfig] = Field(default_factory=dict, description="named task sets: the questions")
    verifiers: dict[str, VerifierConfig] = Field(default_factory=dict, description="verifiers with arguments")
    engine: EngineConfig = Field(default_factory=EngineConfig, description="bounds of sampling")
    build: BuildConfig = Field(description="answers, judge and choice of pairs")

    @model_validator(mode="after")
    def _whole(self) -> PrefsConfig:
        build = self.build
        if build.num_own and self.model is None:
            raise ValueError(f"the policy gives {build.num_own} answers to each question, and there is no [model]")
        if judges_by_own_run(build.judge):
            raise ValueError('build.judge.args.source = "run" names the reward model of a run, and this is none')
        unknown = sorted(set(build.tasks) - set(self.tasks))
        if unknown:
            raise ValueError(f"build.tasks names {unknown[0]!r}, but [tasks] has {', '.join(self.tasks)}")
        return self
