"""Metrics also to TensorBoard, Weights & Biases or trackio. The run folder stays the record: a sink may fail.

Tags are ``stage/metric`` in every sink, and each stage counts its own steps.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol, Self

from tahr.core.errors import InputError, MissingExtraError, UnknownNameError
from tahr.store.metrics import MetricsRow

PROJECT = "tahr"

_PACKAGES = {"tensorboard": "tensorboard", "wandb": "wandb", "trackio": "trackio"}


class Sink(Protocol):
    """Somewhere else to send metrics to."""

    def log(self, row: MetricsRow) -> None:
        """Send one step."""
        ...

    def close(self) -> None:
        """Send what is buffered."""
        ...


def check_sinks(names: Sequence[str]) -> None:
    """Raise UnknownNameError or MissingExtraError for a sink that can't be opened; opens and imports nothing."""
    for name in names:
        if name not in _PACKAGES:
            raise UnknownNameError("metrics sink", name, _PACKAGES)
        if find_spec(_PACKAGES[name]) is None:
            raise MissingExtraError(_PACKAGES[name], extra=name, needed_for=f"log_to = [{name!r}]")


class TensorBoardSink:
    """Event files in the run's ``tensorboard`` folder."""

    def __init__(self, folder: Path, name: str, config: Mapping[str, Any]) -> None:
        # The writer of the tensorboard package itself: torch's wrapper around it would load torch here.
        writer = import_module("tensorboard.summary").Writer
        self._writer = writer(str(folder / "tensorboard"))

    def log(self, row: MetricsRow) -> None:
        """Write one step's values and push them to the file."""
        for name, value in row.metrics.items():
            self._writer.add_scalar(f"{row.stage}/{name}", value, row.step, wall_time=row.time)
        self._writer.flush()

    def close(self) -> None:
        """Close the event file."""
        self._writer.close()


class WandbSink:
    """A Weights & Biases run whose id is the run folder's name, so that a resumed run goes on in it."""

    def __init__(self, folder: Path, name: str, config: Mapping[str, Any]) -> None:
        wandb = import_module("wandb")
        self._run = wandb.init(
            project=PROJECT, name=name, id=name, resume="allow", config=dict(config), dir=str(folder)
        )
        self._stages: set[str] = set()

    def log(self, row: MetricsRow) -> None:
        """Log one step against the stage's own step axis."""
        axis = f"{row.stage}/step"
        if row.stage not in self._stages:
            self._stages.add(row.stage)
            self._run.define_metric(axis)
            self._run.define_metric(f"{row.stage}/*", step_metric=axis)
        self._run.log({axis: row.step, **{f"{row.stage}/{name}": value for name, value in row.metrics.items()}})

    def close(self) -> None:
        """Upload what is left."""
        self._run.finish()


class TrackioSink:
    """A trackio run, kept in trackio's own local folder."""

    def __init__(self, folder: Path, name: str, config: Mapping[str, Any]) -> None:
        trackio = import_module("trackio")
        self._run = trackio.init(project=PROJECT, name=name, config=dict(config), resume="allow", embed=False)

    def log(self, row: MetricsRow) -> None:
        """Log one step; the step is also a value, because every stage counts its own."""
        values = {f"{row.stage}/{name}": value for name, value in row.metrics.items()}
        self._run.log({f"{row.stage}/step": row.step, **values})

    def close(self) -> None:
        """Write what is left."""
        self._run.finish()


_SINKS: dict[str, Callable[[Path, str, Mapping[str, Any]], Sink]] = {
    "tensorboard": TensorBoardSink,
    "wandb": WandbSink,
    "trackio": TrackioSink,
}


class Sinks:
    """The sinks of one run."""

    def __init__(self, sinks: Mapping[str, Sink] | None = None) -> None:
        self._sinks = dict(sinks or {})

    @classmethod
    def open(cls, names: Sequence[str], folder: Path, *, name: str, config: Mapping[str, Any]) -> Self:
        """Open every sink in `names`. Raises InputError where one is unknown, absent or won't start."""
        check_sinks(names)
        opened = cls()
        for sink in names:
            try:
                opened._sinks[sink] = _SINKS[sink](folder, name, config)
            except Exception as error:
                opened.close()
                raise InputError(
                    f"{sink} could not be started",
                    received=f"{type(error).__name__}: {error}",
                    instead=f"log in to {sink} first, or leave it out of log_to",
                ) from error
        return opened

    def log(self, row: MetricsRow) -> None:
        """Send one step to every sink; one that fails is closed with a warning, and the run goes on."""
        for name, sink in list(self._sinks.items()):
            self._attempt(name, lambda sink=sink: sink.log(row))

    def close(self) -> None:
        """Close every sink; doing so twice is harmless."""
        for name, sink in list(self._sinks.items()):
            self._attempt(name, sink.close)
        self._sinks.clear()

    def _attempt(self, name: str, action: Callable[[], None]) -> None:
        try:
            action()
        except Exception as error:  # noqa: BLE001 (a dashboard's failure of any kind must not end a training run)
            self._sinks.pop(name, None)
            warnings.warn(
                f"{name} failed and gets no more metrics ({type(error).__name__}: {error}); the run's own "
                "metrics.jsonl is complete",
                stacklevel=2,
            )
