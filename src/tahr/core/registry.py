"""One registry for everything that a recipe names: verifiers, environments, task sources, engines, losses.

A name is looked up among the parts registered here or referred to, then among the installed packages' entry points
(group ``tahr.<kind>``), and a name with a colon (``package.module:Name``) is imported as it stands.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, Generic, TypeVar

from tahr.core.errors import InputError, UnknownNameError

T = TypeVar("T")


class Registry(Generic[T]):
    """Named parts of one kind.

    >>> shapes: Registry[type] = Registry("shape")
    >>> @shapes.register("square")
    ... class Square: ...
    >>> shapes.get("square") is Square
    True
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._parts: dict[str, T] = {}
        self._places: dict[str, str] = {}

    def register(self, name: str) -> Callable[[T], T]:
        """Decorator that files a part under `name`. Raises ValueError where the name is taken."""

        def file(part: T) -> T:
            if name in self._parts:
                raise ValueError(f"{self.kind} {name!r} is registered twice")
            self._parts[name] = part
            return part

        return file

    def refer(self, name: str, place: str) -> None:
        """File a part of tahr under `name` that is imported from `place` (``package.module:Name``) when asked for: it
        rests on more than who registers it may import."""
        self._places[name] = place

    def names(self) -> list[str]:
        """Every known name, sorted: the parts of tahr and those of installed packages."""
        return sorted({*self._parts, *self._places, *(point.name for point in self._entry_points())})

    def get(self, name: str) -> T:
        """The part called `name`. Raises UnknownNameError with the nearest name, or InputError on a bad import."""
        if name in self._parts:
            return self._parts[name]
        if name in self._places:
            return _import(self.kind, self._places[name])
        if ":" in name:
            return _import(self.kind, name)
        for point in self._entry_points():
            if point.name == name:
                return _import(self.kind, point.value)
        raise UnknownNameError(self.kind, name, self.names())

    def _entry_points(self) -> Any:
        return entry_points(group=f"tahr.{self.kind.replace(' ', '_')}")


def _import(kind: str, path: str) -> Any:
    """Import ``package.module:Name``."""
    module_name, _, attribute = path.partition(":")
    try:
        return getattr(import_module(module_name), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise InputError(
            f"the {kind} {path!r} could not be imported: {error}",
            received=path,
            instead="package.module:Name of something importable from here",
        ) from error
    except Exception as error:
        raise InputError(
            f"the {kind} {path!r} could not be imported: its module failed",
            received=f"{type(error).__name__}: {error}",
            instead=f"mend {module_name}",
        ) from error
