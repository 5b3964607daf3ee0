"""The example of docs/tasks-and-verifiers.md works as it is printed."""

import re
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from tahr.core.protocols import task_sources, verifiers
from tahr.core.types import Outcome
from tahr.data.config import TaskSetConfig
from tahr.data.splits import build_task_sets
from tahr.verifiers.build import build_verifiers
from tahr.verifiers.config import VerifierConfig

PAGE = (Path(__file__).parents[3] / "docs" / "tasks-and-verifiers.md").read_text(encoding="utf-8")

CODE = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def palindromes(monkeypatch: pytest.MonkeyPatch) -> str:
    """The page's Python example as an importable module; its registrations are undone afterwards."""
    (code,) = [one for one in CODE if "class " in one]
    for registry in (verifiers, task_sources):
        monkeypatch.setattr(registry, "_parts", dict(registry._parts))  # pyright: ignore[reportPrivateUsage]
    module = ModuleType("palindromes_of_the_page")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(code, "docs/tasks-and-verifiers.md", "exec"), module.__dict__)
    return module.__name__


def test_the_example_runs_by_name_and_by_path(palindromes: str) -> None:
    mine = build_verifiers({"long": VerifierConfig(verifier=f"{palindromes}:Palindrome", args={"min_length": 5})})
    by_path = TaskSetConfig(source=f"{palindromes}:Palindromes", verifier="long", num_tasks=26)
    by_name = TaskSetConfig(source="palindromes", num_tasks=26)
    sets = build_task_sets({"path": by_path, "name": by_name}, mine)
    task = sets["name"].train[0]
    letter = task.answer
    assert mine.verify(task, letter + "o" + letter).outcome is Outcome.PASS
    assert mine.verify(sets["path"].train[0], letter + "o" + letter).outcome is Outcome.FAIL


def test_the_recipes_of_the_page_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    rewards = ModuleType("rewards")
    (code,) = [one for one in CODE if "def closeness" in one]
    exec(compile(code, "docs/tasks-and-verifiers.md", "exec"), rewards.__dict__)
    assert code == (Path(__file__).parents[3] / "examples" / "rewards.py").read_text(encoding="utf-8")
    monkeypatch.setitem(sys.modules, "rewards", rewards)
    sections = [tomllib.loads(block) for block in re.findall(r"^```toml\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)]
    configured = {
        name: VerifierConfig.read(values, where=name)
        for section in sections
        for name, values in section.get("verifiers", {}).items()
    }
    assert set(configured) == {"close", "boxed_number"}
    built = build_verifiers(configured)
    for section in sections:
        for name, values in section.get("tasks", {}).items():
            config = TaskSetConfig.read(values, where=name)
            if config.source != "file":
                assert build_task_sets({name: config}, built)[name].train


def test_every_registered_part_is_on_the_page() -> None:
    from tahr.data.catalog import describe as sources
    from tahr.verifiers.build import describe as judges
    from tahr.verifiers.constraint_kinds import constraint_kinds

    names = [part.name for part in (*sources(), *judges())] + constraint_kinds.names()
    assert [name for name in names if f"`{name}`" not in PAGE] == []
