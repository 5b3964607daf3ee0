"""The base of every recipe section: frozen, closed to unknown keys, with errors that name the nearest key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from tahr.core.errors import InputError, nearest_name


class Config(BaseModel):
    """One section of a recipe. Defaults are the vetted setting; every field carries a description."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)

    @classmethod
    def read(cls, values: Mapping[str, Any], *, where: str) -> Self:
        """Validate `values` found at `where` (a dotted path such as ``rlvr.optimizer``).

        Raises InputError: every fault of the section in one message, each with its dotted path.
        """
        try:
            return cls.model_validate(dict(values))
        except ValidationError as error:
            raise InputError("\n".join(explain(error, cls, where))) from None


def explain(error: ValidationError, root: type[BaseModel], where: str) -> list[str]:
    """One line per fault of a pydantic error: dotted path, what was wrong, what was received, what to set."""
    return [_explain_one(detail, root, where) for detail in error.errors()]


def _explain_one(detail: ErrorDetails, root: type[BaseModel], where: str) -> str:
    path = ".".join([where, *map(str, detail["loc"])]) if where else ".".join(map(str, detail["loc"]))
    if detail["type"] == "extra_forbidden":
        valid = sorted(_fields_at(root, detail["loc"][:-1]))
        nearest = nearest_name(str(detail["loc"][-1]), valid)
        hint = f"did you mean {nearest!r}? " if nearest else ""
        return f"unknown key {path!r}: {hint}valid keys: {', '.join(valid)}"
    if detail["type"] == "missing":
        return f"{path}: a value is required"
    return f"{path}: {detail['msg']} (received {detail['input']!r})"


def _fields_at(root: type[BaseModel], path: tuple[int | str, ...]) -> set[str]:
    """Field names of the model that a pydantic location points into."""
    model: type[BaseModel] = root
    for part in path:
        field = model.model_fields.get(str(part))
        nested = _model_in(field.annotation) if field else None
        if nested is None:
            continue
        model = nested
    return set(model.model_fields)


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """The first pydantic model inside an annotation such as ``X | None`` or ``dict[str, X]``."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for inner in getattr(annotation, "__args__", ()):
        found = _model_in(inner)
        if found is not None:
            return found
    return None
