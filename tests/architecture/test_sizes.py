"""Files, functions and config classes stay small enough to read, and are named after their subject."""

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel

from tahr.recipe.schema import STAGE_NAMES, Recipe

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
FILES = sorted((*SOURCE.rglob("*.py"), *(ROOT / "examples").glob("*.py"), *(ROOT / "scripts").glob("*.py")))
MAX_FILE_LINES = 300
MAX_FUNCTION_LINES = 60
MAX_CONFIG_FIELDS = 15
CATCH_ALLS = {"utils", "util", "common", "helpers", "helper", "misc", "base"}

# Each entry says why the thing is easier to read whole.
LONG_FUNCTIONS: dict[str, str] = {}


def functions(path: Path) -> Iterator[tuple[str, int]]:
    """Every function of a file as (name, lines from the `def` to the end, its docstring left out)."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            first = node.body[0]
            has_docstring = ast.get_docstring(node, clean=False) is not None
            docstring = (first.end_lineno or 0) - first.lineno + 1 if has_docstring else 0
            yield f"{path.relative_to(ROOT)}:{node.name}", node.end_lineno - node.lineno + 1 - docstring


def config_classes() -> list[type[BaseModel]]:
    """Every section class, from every config.py and the recipe's schema."""
    modules = [*SOURCE.rglob("config.py"), SOURCE / "tahr" / "recipe" / "schema.py"]
    found: list[type[BaseModel]] = []
    for path in modules:
        module = importlib.import_module(".".join(path.relative_to(SOURCE).with_suffix("").parts))
        found += [
            value
            for value in vars(module).values()
            if isinstance(value, type) and issubclass(value, BaseModel) and value.__module__ == module.__name__
        ]
    return found


def test_files_are_short() -> None:
    long = {str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines()) for path in FILES}
    assert {name: lines for name, lines in long.items() if lines > MAX_FILE_LINES} == {}


def test_functions_are_short() -> None:
    long = {name: lines for path in FILES for name, lines in functions(path) if lines > MAX_FUNCTION_LINES}
    assert long.keys() == LONG_FUNCTIONS.keys(), long


def test_no_file_is_a_catch_all() -> None:
    assert [str(path) for path in FILES if path.stem in CATCH_ALLS or path.parent.name in CATCH_ALLS] == []


def test_one_page_is_one_page() -> None:
    page = (ROOT / "examples" / "grpo_one_page.py").read_text(encoding="utf-8")
    assert len(page.splitlines()) < 200
    imported = {node.module or "" for node in ast.walk(ast.parse(page)) if isinstance(node, ast.ImportFrom)}
    floors = {name.split(".")[1] for name in imported if name.startswith("tahr.")}
    assert floors <= {"core", "data", "models", "verifiers"}


@pytest.mark.parametrize("section", config_classes(), ids=lambda section: section.__name__)
def test_config_classes_are_short_and_described(section: type[BaseModel]) -> None:
    # a recipe is the one place that lists the sections themselves: its stages' don't count
    fields = section.model_fields.keys() - (set(STAGE_NAMES) if section is Recipe else set())
    assert len(fields) <= MAX_CONFIG_FIELDS
    undescribed = [
        name
        for name, field in section.model_fields.items()
        if section.__name__ != "Config" and not (field.description or "").strip()
    ]
    assert undescribed == []
