"""The base of every recipe section: frozen, closed to unknown keys, with errors that name the nearest key."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from tahr.core.errors import InputError, nearest_name, raise_all


class Config(BaseModel):
    """One section of a recipe. Defaults are the vetted setting; every field carries a description."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True, allow_inf_nan=False)

    @classmethod
    def read(cls, values: Mapping[str, Any], *, where: str) -> Self:
        """Validate `values` found at `where` (a dotted path such as ``rlvr.optimizer``).

        Raises InputError: every fault of the section at once, each with its dotted path.
        """
        try:
            return cls.model_validate(dict(values))
        except ValidationError as error:
            lines = explain(error, cls, where)
        raise_all(InputError(line) for line in lines)
        raise AssertionError("pydantic refuses values for a reason")


def explain(error: ValidationError, root: type[BaseModel], where: str) -> list[str]:
    """One line per fault of a pydantic error: dotted path, what was wrong, what was received, what to set."""
    return [_explain_one(detail, root, where) for detail in error.errors()]


def _explain_one(detail: ErrorDetails, root: type[BaseModel], where: str) -> str:
    location = [str(part) for part in detail["loc"]]
    path = ".".join([where, *location] if where else location)
    if detail["type"] == "extra_forbidden":
        owner = _model_at(root, location[:-1])
        return f"unknown key {path!r}: {_hint(location[-1], owner)}valid keys: {', '.join(sorted(owner.model_fields))}"
    # a fault of the section as a whole has no location inside it
    field = _model_at(root, location[:-1]).model_fields.get(location[-1]) if location else None
    meaning = f": {field.description}" if field and field.description else ""
    if detail["type"] == "missing":
        return f"{path}: a value is required{meaning}"
    received = repr(detail["input"])
    shown = received if len(received) <= 80 else received[:77] + "..."
    message = detail["msg"].removeprefix("Value error, ")  # a validator's own words, without pydantic's before them
    return f"{path}: {message} (received {shown}){_nearest_choice(detail)}{meaning}"


def _nearest_choice(detail: ErrorDetails) -> str:
    """The nearest of the allowed words where a misspelt one was given."""
    if detail["type"] != "literal_error" or not isinstance(detail["input"], str):
        return ""
    nearest = nearest_name(detail["input"], re.findall(r"'([^']*)'", detail.get("ctx", {}).get("expected", "")))
    return f", did you mean {nearest!r}?" if nearest else ""


def _hint(key: str, owner: type[BaseModel]) -> str:
    """The nearest key of the section, or the place further down where a key of this very name belongs."""
    nearest = nearest_name(key, owner.model_fields)
    deeper = next((path for path in _paths_below(owner) if path.endswith(f".{key}")), None)
    suggestion = deeper or nearest
    return f"did you mean {suggestion!r}? " if suggestion else ""


def _paths_below(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    for name, field in model.model_fields.items():
        yield prefix + name
        nested = _model_in(field.annotation)
        if nested is not None:
            yield from _paths_below(nested, f"{prefix}{name}.")


def _model_at(root: type[BaseModel], path: Sequence[str]) -> type[BaseModel]:
    """The model that a pydantic location points into; names of dictionary entries and indices are passed over."""
    model: type[BaseModel] = root
    for part in path:
        field = model.model_fields.get(part)
        model = (_model_in(field.annotation) if field else None) or model
    return model


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """The first pydantic model inside an annotation such as ``X | None`` or ``dict[str, X]``."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for inner in getattr(annotation, "__args__", ()):
        found = _model_in(inner)
        if found is not None:
            return found
    return None
