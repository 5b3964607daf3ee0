"""Build a registered part from the arguments that a recipe gives it, and describe those arguments to people.

A part is any class whose constructor takes keyword arguments. Its signature is the schema: annotations are checked by
pydantic, ``Annotated[int, Field(ge=1, description="...")]`` adds bounds and a description, and a misspelt argument is
answered with the nearest one. Third-party classes need nothing more than a signature.
"""

from __future__ import annotations

import dataclasses
import inspect
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar, cast

from pydantic import ConfigDict, Field, create_model
from pydantic.errors import PydanticUserError

from tahr.core.config import Config
from tahr.core.errors import InputError, MissingExtraError
from tahr.core.registry import Registry

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """One argument of a part, as people see it. `default` is its repr, or "required".

    Example: ``Argument(name="min_length", type="int", default="3", description="fewest letters")``
    """

    name: str
    type: str
    default: str
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PartDescription:
    """What a part is and what it takes. `summary` is the first paragraph of its docstring.

    Example: ``PartDescription(name="reverse_text", summary="Write letters backwards.", arguments=(argument,))``
    """

    name: str
    summary: str
    arguments: tuple[Argument, ...]


def construct(part: type[T], args: Mapping[str, Any], *, where: str) -> T:
    """An instance of `part` from `args` found at `where` (a dotted path such as ``tasks.words.args``).

    Raises InputError: no class, unknown arguments with the nearest valid one, wrong types, values out of bounds, or
    whatever its constructor raises.
    """
    if not isinstance(cast("Any", part), type):
        raise InputError(f"{where}: a part must be a class", received=repr(part)[:200])
    schema = argument_schema(part)
    validated = schema.read(args, where=where)
    values = {name: getattr(validated, name) for name in validated.model_fields_set}
    try:
        return part(**values)
    except MissingExtraError:
        raise
    except InputError as error:
        raise InputError(f"{where}: {error.wrong}", received=error.received, instead=error.instead) from error
    except (TypeError, ValueError) as error:
        raise InputError(f"{where}: {error}", received=dict(args)) from error
    except Exception as error:
        raise InputError(f"{where}: {part.__qualname__} failed: {type(error).__name__}: {error}") from error


@lru_cache(maxsize=256)
def argument_schema(part: type[Any]) -> type[Config]:
    """A section class with one field per constructor argument of `part`."""
    hints = _hints(part)
    factories = _default_factories(part)
    fields: dict[str, Any] = {}
    extra = "forbid"
    for name, parameter in list(inspect.signature(part).parameters.items()):
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            extra = "allow"
        elif parameter.kind is not inspect.Parameter.VAR_POSITIONAL:
            default = ... if parameter.default is inspect.Parameter.empty else parameter.default
            fields[name] = (hints.get(name, Any), factories.get(name, default))
    base = type("Arguments", (Config,), {"model_config": ConfigDict(extra=extra, validate_default=False)})
    try:
        return cast("type[Config]", create_model(part.__name__, __base__=base, **fields))
    except PydanticUserError as error:
        raise InputError(f"the arguments of {part.__qualname__} can't be checked: {error}") from error


def _hints(part: type[Any]) -> dict[str, Any]:
    """Annotations of the constructor's arguments; none where a third party's can't be resolved at run time."""
    generated = dataclasses.is_dataclass(part) and "__init__" in vars(part)
    try:
        return typing.get_type_hints(part if generated else part.__init__, include_extras=True)
    except NameError:
        return {}


def _default_factories(part: type[Any]) -> dict[str, Any]:
    """Arguments of a dataclass whose default is made anew for each instance."""
    if not dataclasses.is_dataclass(part):
        return {}
    made = {field.name: field.default_factory for field in dataclasses.fields(part)}
    return {
        name: Field(default_factory=factory) for name, factory in made.items() if factory is not dataclasses.MISSING
    }


def describe_part(name: str, part: type[Any]) -> PartDescription:
    """What `part` does and takes, from its docstring and its signature."""
    arguments = tuple(
        Argument(
            name=field_name,
            type=_type_name(field.annotation),
            default="required" if field.is_required() else _default(field.get_default(call_default_factory=True)),
            description=field.description or "",
        )
        for field_name, field in argument_schema(part).model_fields.items()
    )
    paragraph = (inspect.getdoc(part) or "").split("\n\n")[0]
    return PartDescription(name=name, summary=" ".join(paragraph.split()), arguments=arguments)


def describe_parts(registry: Registry[type[Any]]) -> list[PartDescription]:
    """Every part of a registry, sorted by name."""
    return [describe_part(name, registry.get(name)) for name in registry.names()]


def _default(value: Any) -> str:
    return repr(list(cast("tuple[Any, ...]", value)) if isinstance(value, tuple) else value)


def _type_name(annotation: Any) -> str:
    """An annotation as people write it, bounds left out."""
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return _type_name(inner[0])
    if origin is typing.Literal:
        return " | ".join(map(repr, inner))
    if origin in {typing.Union, types.UnionType}:
        return " | ".join(map(_type_name, inner))
    if annotation is types.NoneType or annotation is ...:
        return "None" if annotation is types.NoneType else "..."
    name = getattr(origin or annotation, "__name__", str(annotation))
    return f"{name}[{', '.join(map(_type_name, inner))}]" if inner else name
