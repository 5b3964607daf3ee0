"""A verifier as the command line names it: registered, a recipe's own, or with arguments given beside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tahr.core.errors import InputError
from tahr.recipe.arguments import parse_arguments
from tahr.recipe.load import load_recipe


def verifier_sections(name: str, recipe: Path | None, arguments: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The ``[verifiers.NAME]`` sections among which `name` is looked up, as JSON values.

    `arguments` are ``key=value``, the value TOML; with them the verifier `name` is configured under its own name.
    Raises InputError where the recipe is wrong, or configures the verifier that arguments are given for.
    """
    configs = {} if recipe is None else load_recipe(recipe).recipe.verifiers
    sections = {key: config.model_dump(mode="json") for key, config in configs.items()}
    if arguments and name in sections:
        raise InputError(
            f"{recipe} configures the verifier {name!r}; its arguments belong there",
            received=", ".join(arguments),
            instead=f"another value in [verifiers.{name}.args]",
        )
    if arguments:
        sections[name] = {"verifier": name, "args": parse_arguments(arguments, example="place=boxed")}
    return sections
