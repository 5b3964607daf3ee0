"""A question in one of a suite's settings."""

from __future__ import annotations

from dataclasses import replace

from tahr.core.types import Message, Task
from tahr.evaluation.suites.config import SuiteSetting


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
