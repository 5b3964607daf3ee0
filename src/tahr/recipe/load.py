"""From a TOML file and ``--set`` overrides to a checked `Recipe`, and back to TOML."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import tomli_w
from pydantic import ValidationError

from tahr.core.config import Config, explain
from tahr.core.errors import InputError, nearest_name
from tahr.recipe.overrides import apply_overrides
from tahr.recipe.schema import Recipe

C = TypeVar("C", bound=Config)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedRecipe:
    """A recipe, where it came from, and its resolved form: every key with its value, as TOML that loads back equal.

    Example: ``LoadedRecipe(recipe=recipe, text='name = "tiny"\\n...', path=Path("recipes/tiny.toml"))``
    """

    recipe: Recipe
    text: str
    path: Path


def load_recipe(path: Path, overrides: Sequence[str] = ()) -> LoadedRecipe:
    """Read, override and validate the recipe at `path`; `overrides` are ``rlvr.learning_rate=1e-6`` and the like.

    Raises InputError where the file is missing or not TOML, an override names no key, or keys or values are wrong:
    then every fault is in the one message.
    """
    values = apply_overrides(read_values(path), overrides)
    recipe = parse_recipe(values, origin=str(path))
    return LoadedRecipe(recipe=recipe, text=to_toml(recipe), path=path)


def parse_recipe(values: Mapping[str, Any], *, origin: str) -> Recipe:
    """Validate parsed TOML as a recipe; see `parse_as`."""
    return parse_as(Recipe, values, origin=origin)


def parse_as(schema: type[C], values: Mapping[str, Any], *, origin: str) -> C:
    """Validate parsed TOML. Types are strict: TOML has types of its own, so ``steps = "12"`` is a fault.

    Validation goes through JSON because pydantic's strict mode takes arrays for tuples only there.
    Raises InputError with one line for each fault.
    """
    try:
        return schema.model_validate_json(json.dumps(values, default=str), strict=True)
    except ValidationError as error:
        faults = explain(error, schema, "")
        count = "1 fault" if len(faults) == 1 else f"{len(faults)} faults"
        raise InputError(
            "\n".join([f"the recipe {origin} has {count}:", *(f"  {fault}" for fault in faults)])
        ) from None


def to_toml(recipe: Config) -> str:
    """The resolved recipe as TOML; absent optional keys are left out, since TOML has no null."""
    return tomli_w.dumps(recipe.model_dump(mode="json", exclude_none=True))


def read_values(path: Path) -> dict[str, Any]:
    """The parsed TOML of a recipe, not validated. Raises InputError where the file is missing or is not TOML."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise InputError("there is no such recipe", received=path, instead=_nearest_file(path)) from None
    except IsADirectoryError:
        inside = ", ".join(sorted(found.name for found in path.glob("*.toml"))[:8])
        raise InputError(
            "the recipe is a folder, not a file", received=path, instead=f"one of {inside}" if inside else "a TOML file"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"the recipe can't be read: {error}", received=path, instead="a TOML file in UTF-8") from None
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path} is not TOML: {error}{_pointer(text, str(error))}") from None


def _nearest_file(path: Path) -> str:
    folder = path.parent
    if not folder.is_dir():
        return f"a path to a TOML file; the folder {folder} does not exist either"
    present = sorted(found.name for found in folder.glob("*.toml"))
    nearest = nearest_name(path.name, present) or nearest_name(path.name + ".toml", present)
    if nearest:
        return f"did you mean {folder / nearest}?"
    listed = ", ".join(present[:8])
    return f"a path to a TOML file; {folder} has {listed}" if listed else "a path to a TOML file"


def _pointer(text: str, message: str) -> str:
    """The faulty line with a caret under the column, where the parser's message tells them."""
    place = re.search(r"line (\d+), column (\d+)", message)
    if place is None:
        return ""
    line, column = int(place[1]), int(place[2])
    shown = text.splitlines()[line - 1] if line <= len(text.splitlines()) else ""
    return f"\n  {line} | {shown}\n  {' ' * len(str(line))} | {' ' * (column - 1)}^"
