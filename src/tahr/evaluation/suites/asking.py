"""A question in one of a suite's settings."""

from __future__ import annotations

from dataclasses import replace

from tahr.core.protocols import Sampling
from tahr.core.types import Message, Task
from tahr.evaluation.suites.config import SuiteConfig, SuiteSetting
from tahr.store.records import EvaluationRow


def sampling_in(suite: SuiteConfig, setting: SuiteSetting) -> Sampling:
    """How answers are sampled in `setting`: as in the suite, up to the setting's own number of tokens."""
    of_suite = suite.sampling
    return Sampling(
        max_new_tokens=setting.max_new_tokens or of_suite.max_new_tokens,
        temperature=of_suite.temperature,
        top_p=of_suite.top_p,
        top_k=of_suite.top_k,
    )


def own_row(row: EvaluationRow, task: Task) -> EvaluationRow:
    """The row of an attempt at `task` as asked in some setting, under the id and cluster of the suite's own question:
    so settings can be compared on it."""
    return replace(row, task_id=task.id, cluster=str(task.meta.get("cluster", "")))


def asked_in(task: Task, setting: SuiteSetting) -> Task:
    """The task as `setting` asks it: its system message first, its wording around the last message of the user.

    The id follows from the words and the environment and differs with them. The switch for thinking is no part of the
    words.
    """
    prompt = list(task.prompt)
    if setting.template is not None:
        place = max(index for index, message in enumerate(prompt) if message.role == "user")
        prompt[place] = Message(role="user", content=setting.template.replace("{question}", prompt[place].content))
    if setting.system is not None:
        prompt = [Message(role="system", content=setting.system), *(one for one in prompt if one.role != "system")]
    return replace(task, prompt=tuple(prompt), environment=setting.environment or task.environment)
