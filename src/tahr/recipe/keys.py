"""Every key of a recipe with its type, default and meaning, read from the schema itself."""

from __future__ import annotations

import inspect
import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from tahr.recipe.schema import Recipe


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One key. `default` is its TOML form, "required" or "absent"; `limits` such as ">= 1", "" where there are none.

    Example: ``Key(section="rlvr", name="group_size", type="integer", default="8", limits=">= 1",
    description="attempts at one task")``
    """

    section: str
    name: str
    type: str
    default: str
    limits: str
    description: str

    @property
    def path(self) -> str:
        """Dotted path from the recipe's top, with NAME in place of names that the recipe chooses."""
        return f"{self.section}.{self.name}" if self.section else self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One table of the recipe: its dotted path (NAME for chosen names), what it is, and its keys.

    Example: ``Section(path="model.lora", description="Low-rank adapters ...", keys=(key,))``
    """

    path: str
    description: str
    keys: tuple[Key, ...]


def sections(model: type[BaseModel] = Recipe, path: str = "") -> Iterator[Section]:
    """The recipe's tables from the top down, each before those inside it."""
    keys: list[Key] = []
    nested: list[tuple[type[BaseModel], str]] = []
    for name, field in model.model_fields.items():
        inner, named = nested_model(field.annotation)
        if inner is None:
            keys.append(_key(path, name, field))
        else:
            below = f"{path}.{name}" if path else name
            nested.append((inner, f"{below}.NAME" if named else below))
    yield Section(path=path, description=_prose(model.__doc__ or ""), keys=tuple(keys))
    for inner, below in nested:
        yield from sections(inner, below)


def _prose(docstring: str) -> str:
    """A docstring as Markdown: without its indentation, and code between single backticks."""
    return inspect.cleandoc(docstring).replace("``", "`")


def nested_model(annotation: Any) -> tuple[type[BaseModel] | None, bool]:
    """The model that an annotation holds, and whether under names that the recipe chooses (``dict[str, Model]``)."""
    plain = without_none(annotation)
    if get_origin(plain) is dict:
        inner = get_args(plain)[1]
        return (inner, True) if _is_model(inner) else (None, False)
    return (plain, False) if _is_model(plain) else (None, False)


def without_none(annotation: Any) -> Any:
    """``X`` for ``X | None``; anything else as it is."""
    if get_origin(annotation) not in (Union, types.UnionType):
        return annotation
    inner = [part for part in get_args(annotation) if part is not type(None)]
    return inner[0] if len(inner) == 1 else annotation


def _is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


def _key(section: str, name: str, field: FieldInfo) -> Key:
    return Key(
        section=section,
        name=name,
        type=_type_name(without_none(field.annotation)),
        default=_default(field),
        limits=_limits(field),
        description=field.description or "",
    )


def _type_name(annotation: Any) -> str:
    names = {int: "integer", float: "number", str: "string", bool: "true or false", Any: "any value"}
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Annotated:  # bounds of an inner value: its description is of the outer one
        return _type_name(args[0])
    if origin is Literal:
        return " or ".join(f'"{value}"' for value in args)
    if origin is tuple:
        return f"list of {_type_name(args[0])}"
    if origin is dict:
        return f"table of {_type_name(args[1])}"
    return names.get(annotation, str(annotation))


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True, validated_data={})
    if value is None:
        return "absent"
    return toml_value(value)


def toml_value(value: Any) -> str:
    """A value in TOML's inline form.

    >>> toml_value({"a": [1, "b"], "c": True})
    '{ a = [1, "b"], c = true }'
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        inner = ", ".join(f"{name} = {toml_value(entry)}" for name, entry in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(toml_value(entry) for entry in value)}]"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return repr(value)


def _limits(field: FieldInfo) -> str:
    signs = {"ge": ">=", "gt": ">", "le": "<=", "lt": "<", "min_length": "length >="}
    found = [
        f"{sign} {getattr(limit, name):g}"
        for limit in field.metadata
        for name, sign in signs.items()
        if getattr(limit, name, None) is not None
    ]
    return ", ".join(found)
