"""Every field of a recipe does something: a field that no code reads is a promise that isn't kept."""

import ast
from pathlib import Path

from pydantic import BaseModel

SOURCE = Path(__file__).parents[2] / "src" / "tahr"


def attributes_read(path: Path) -> set[str]:
    """Names that a file reads as attributes, such as ``config.steps``."""
    return _read_in(ast.parse(path.read_text(encoding="utf-8")))


def _read_in(tree: ast.AST) -> set[str]:
    nodes = ast.walk(tree)
    return {node.attr for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)}


def properties_defined(path: Path) -> dict[str, set[str]]:
    """What each property of a file's classes reads: a field that a property gives out is read where that is."""
    return {
        node.name: _read_in(node)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
        and any(isinstance(one, ast.Name) and one.id == "property" for one in node.decorator_list)
    }


def fields_defined(path: Path) -> dict[str, set[str]]:
    """Fields of the section classes of a file, by class."""
    fields: dict[str, set[str]] = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef):
            fields[node.name] = {
                item.target.id
                for item in node.body
                if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name) and _is_field(item)
            }
    return fields


def _is_field(item: ast.AnnAssign) -> bool:
    return isinstance(item.value, ast.Call) and isinstance(item.value.func, ast.Name) and item.value.func.id == "Field"


def unused(defining: list[Path], reading: list[Path]) -> list[str]:
    """``Class.field`` of every field that no file in `reading` reads."""
    read = set[str]().union(*map(attributes_read, reading))
    through = [properties_defined(path) for path in defining]
    while more := {name for one in through for given, names in one.items() if given in read for name in names} - read:
        read |= more
    return sorted(
        f"{name}.{field}"
        for path in defining
        for name, fields in fields_defined(path).items()
        for field in fields - read
    )


def test_every_field_is_read_outside_its_definition() -> None:
    defining = [*SOURCE.rglob("config.py"), SOURCE / "recipe" / "schema.py"]
    # checks and estimates look at a field; only what acts on it counts
    looking = {"conflicts.py", "estimate.py", "memory.py", "findings.py", "keys.py", "resources.py"}
    reading = [path for path in SOURCE.rglob("*.py") if path not in defining and path.name not in looking]
    assert unused(defining, reading) == []


def test_an_unread_field_is_found(tmp_path: Path) -> None:
    config, code = tmp_path / "config.py", tmp_path / "code.py"
    config.write_text("class A(Config):\n    used: int = Field(default=1)\n    idle: int = Field(default=2)\n")
    code.write_text("print(a.used)\n")
    assert unused([config], [code]) == ["A.idle"]


def test_sections_are_pydantic_models() -> None:
    from tahr.recipe.schema import Recipe

    assert issubclass(Recipe, BaseModel)
    assert fields_defined(SOURCE / "recipe" / "schema.py")["Recipe"] == set(Recipe.model_fields)
