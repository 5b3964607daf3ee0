"""What a run keeps about an evaluation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationRow:
    """One attempt at one held-out task. `score` is the reward, None where it is absent; `parts` its components.

    `num_tokens` were sampled, `num_prompt_tokens` read (of all turns together); None where nobody counted them: a
    server that doesn't tell, an attempt that never came back. `extracted` is the answer that the
    verifier found, None where there was none to find. `logprob` is the sum over the sampled tokens, in nats, None
    where the engine doesn't tell. `num_tokens_to_answer` counts the sampled tokens up to where the answer first stood
    whole; None where that isn't known. Tasks of one `cluster` (a passage, a template) are not independent of each
    other; an empty one is the task alone.

    Example: ``EvaluationRow(task_id="9f86d081884c7d65", domain="arithmetic", index=0, prompt="What is 2 + 3?",
    answer="5", text="5", score=1.0, parts={"correct": 1.0}, outcome="pass", note="5 equals 5", num_tokens=2,
    finish_reason="stop", num_prompt_tokens=14, extracted="5", logprob=-0.3)``
    """

    task_id: str
    domain: str
    index: int
    prompt: str
    answer: str
    text: str
    score: float | None
    parts: Mapping[str, float]
    outcome: str
    note: str
    num_tokens: int | None
    finish_reason: str
    num_prompt_tokens: int | None = None
    extracted: str | None = None
    logprob: float | None = None
    num_tokens_to_answer: int | None = None
    cluster: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """Under what an evaluation was made: what has to be equal, or to be the thing compared.

    `weights` is the hash of the weights (`tahr.models.fingerprint.model_hash`), empty where an engine hides them, and
    `training` names what made them: the run, its stage and step, or the model's source alone. `num_bytes` is the size
    of the weights as sampled from. `setting` is one of the suite's (bare, harness, ...). `seconds` were spent sampling
    and judging; samples taken from the cache took none (`num_cached` of them).
    `filters` says which tokens could be drawn where not all could, `request` what a server was asked for besides, and
    `wording` is the hash of what the setting puts around a question. `contaminated` names the settings by which the
    model may have learnt questions of evaluations, where there are such; a score then claims nothing.

    Example: ``Conditions(suite="ifeval", setting="bare", model="smollm2-135m", training="smollm2-135m",
    weights="9f86d081884c7d65", num_parameters=134_515_008, num_bytes=538_060_032, seed=0, temperature=0.0,
    max_new_tokens=512, samples_per_task=1, seconds=312.5, num_cached=0)``
    """

    suite: str
    setting: str
    model: str
    training: str
    weights: str
    num_parameters: int
    num_bytes: int
    seed: int
    temperature: float
    max_new_tokens: int
    samples_per_task: int
    seconds: float
    num_cached: int
    filters: str = ""
    request: str = ""
    wording: str = ""
    contaminated: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """All attempts of one evaluation. `name` is "before", "after-STAGE", "after" or "step-000010", or that of a suite's
    setting; `conditions` are kept with evaluations of suites.

    Example: ``Evaluation(name="before", stage="rlvr", step=0, split="test", rows=(row,))``
    """

    name: str
    stage: str
    step: int
    split: str
    rows: tuple[EvaluationRow, ...]
    conditions: Conditions | None = None
