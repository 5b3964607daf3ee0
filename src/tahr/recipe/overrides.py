"""``--set rlvr.learning_rate=1e-6``: settings given on the command line in place of the recipe's own."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from typing import Any, get_args, get_origin

from pydantic import BaseModel

from tahr.core.errors import InputError, nearest_name
from tahr.recipe.keys import nested_model, sections, without_none
from tahr.recipe.schema import Recipe


def apply_overrides(
    values: Mapping[str, Any], overrides: Sequence[str], schema: type[BaseModel] = Recipe
) -> dict[str, Any]:
    """A copy of the parsed recipe with each ``path=value`` set in order; the later of two wins.

    The value is TOML (``1e-6``, ``true``, ``["sft"]``, ``{rank = 8}``); what is not TOML is taken as a string, and
    nothing after the ``=`` removes the key. Raises InputError where the path leads to no key of a recipe, or of
    another file's `schema`.
    """
    result = _copied(values)
    for override in overrides:
        path, sign, text = override.partition("=")
        if not sign or not path.strip():
            raise InputError("an override is not of the form path=value", received=override, instead="rlvr.steps=10")
        parts = [part.strip() for part in path.split(".")]
        _refuse_unknown(parts, result, schema)
        _set(result, parts, text.strip())
    return result


def parse_value(text: str) -> Any:
    """A TOML value, or the text itself where it is none.

    >>> parse_value("1e-6"), parse_value("cosine"), parse_value("[1, 2]")
    (1e-06, 'cosine', [1, 2])
    """
    try:
        parsed = tomllib.loads(f"value = {text}")
    except tomllib.TOMLDecodeError:
        return text
    return parsed["value"] if len(parsed) == 1 else text


def _copied(value: Any) -> Any:
    """Tables copied all the way down, so that the caller's recipe stays as it was."""
    return {key: _copied(inner) for key, inner in value.items()} if isinstance(value, Mapping) else value


def _set(values: dict[str, Any], parts: list[str], text: str) -> None:
    for depth, part in enumerate(parts[:-1]):
        inner = values.setdefault(part, {})
        if not isinstance(inner, dict):
            raise InputError(
                f"{'.'.join(parts[: depth + 1])!r} holds a value, not a table",
                received=".".join(parts),
                instead=f"{'.'.join(parts[: depth + 1])}=VALUE",
            )
        values = inner
    if text:
        values[parts[-1]] = parse_value(text)
    else:
        values.pop(parts[-1], None)


def _refuse_unknown(parts: list[str], values: Mapping[str, Any], schema: type[BaseModel]) -> None:
    """Raise InputError where the schema has no such path, or a named section that it leads into does not exist."""
    annotation: Any = schema
    present: Any = values
    for depth, part in enumerate(parts):
        inner = _step(annotation, part)
        if inner is None:
            raise _unknown_path(parts, values, schema)
        inside_named = nested_model(annotation)[1] and depth < len(parts) - 1
        present = present.get(part) if isinstance(present, Mapping) else None
        if inside_named and present is None:
            raise _unknown_path(parts, values, schema)
        annotation = inner


def _step(annotation: Any, part: str) -> Any | None:
    """The annotation below `part`; None where there is no such key."""
    plain = without_none(annotation)
    if isinstance(plain, type) and issubclass(plain, BaseModel):
        field = plain.model_fields.get(part)
        return field.annotation if field else None
    if plain is Any:
        return Any
    return get_args(plain)[1] if get_origin(plain) is dict else None


def _unknown_path(parts: list[str], values: Mapping[str, Any], schema: type[BaseModel]) -> InputError:
    path = ".".join(parts)
    valid = _paths(values, schema)
    same_key = [candidate for candidate in valid if candidate.rsplit(".", 1)[-1] == parts[-1]]
    if len(parts) > 1:
        same_key = [candidate for candidate in same_key if candidate.startswith(f"{parts[0]}.")]
    nearest = nearest_name(path, valid)
    if same_key:
        hint = f"did you mean {' or '.join(same_key)}?"
    elif nearest:
        hint = f"did you mean {nearest}?"
    else:
        hint = f"the sections are {', '.join(sorted({candidate.split('.')[0] for candidate in valid}))}"
    return InputError(f"no recipe has a key {path!r}", received=path, instead=hint)


def _paths(values: Mapping[str, Any], schema: type[BaseModel]) -> list[str]:
    """Dotted paths of every key, with the recipe's own names filled in (of tasks, verifiers, chats)."""
    paths: list[str] = []
    for section in sections(schema):
        *above, last = section.path.split(".")
        named: Any = values
        for part in above:
            named = named.get(part, {}) if isinstance(named, Mapping) else {}  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
        names = list(map(str, named)) if last == "NAME" else [""]
        for name in names:
            where = section.path.replace("NAME", name)
            paths += [f"{where}.{key.name}" if where else key.name for key in section.keys]
    return paths
