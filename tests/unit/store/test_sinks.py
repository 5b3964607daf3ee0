import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tahr.core.errors import InputError, MissingExtraError, UnknownNameError
from tahr.store.metrics import MetricsRow
from tahr.store.run import Run
from tahr.store.sinks import Sinks, check_sinks

ROW = MetricsRow(stage="rlvr", step=3, time=1000.0, metrics={"reward": 0.5, "reward/format": 0.25})


def test_an_absent_package_is_told_before_anything_opens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tahr.store.sinks.find_spec", lambda name: None)
    for name in ("tensorboard", "wandb", "trackio"):
        with pytest.raises(MissingExtraError, match=rf"pip install 'tahr\[{name}\]'"):
            check_sinks([name])
    check_sinks([])


def test_an_unknown_sink() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'wandb'"):
        check_sinks(["wanbd"])


def test_tensorboard(new_run: Callable[..., Run]) -> None:
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from tensorboard.util.tensor_util import make_ndarray

    run = new_run(log_to=["tensorboard"])
    run.log("rlvr", 1, {"reward": 0.25})
    run.log("rlvr", 2, {"reward": 0.5})
    run.close()
    events = EventAccumulator(str(run.folder / "tensorboard"))
    events.Reload()
    found = [(event.step, float(make_ndarray(event.tensor_proto))) for event in events.Tensors("rlvr/reward")]
    assert found == [(1, 0.25), (2, 0.5)]


class FakeRun:
    """Records what a sink's package would be told."""

    def __init__(self, **settings: Any) -> None:
        self.settings = settings
        self.calls: list[tuple[str, Any]] = []

    def log(self, values: dict[str, float]) -> None:
        self.calls.append(("log", values))

    def define_metric(self, name: str, step_metric: str | None = None) -> None:
        self.calls.append((name, step_metric))

    def finish(self) -> None:
        self.calls.append(("finish", None))


@pytest.fixture
def fakes(monkeypatch: pytest.MonkeyPatch) -> list[FakeRun]:
    """Stand-ins for wandb and trackio, whose `init` returns a run with log and finish."""
    opened: list[FakeRun] = []

    def init(**settings: Any) -> FakeRun:
        opened.append(FakeRun(**settings))
        return opened[-1]

    for name in ("wandb", "trackio"):
        module = types.ModuleType(name)
        module.init = init  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr("tahr.store.sinks.find_spec", lambda name: object())
    return opened


def test_wandb_gets_a_step_axis_per_stage(fakes: list[FakeRun], tmp_path: Path) -> None:
    sinks = Sinks.open(["wandb"], tmp_path, name="tiny-1", config={"seed": 7})
    sinks.log(ROW)
    sinks.log(ROW)
    sinks.close()
    sinks.close()
    (run,) = fakes
    assert (run.settings["id"], run.settings["resume"], run.settings["config"]) == ("tiny-1", "allow", {"seed": 7})
    values = {"rlvr/step": 3, "rlvr/reward": 0.5, "rlvr/reward/format": 0.25}
    assert run.calls == [
        ("rlvr/step", None),
        ("rlvr/*", "rlvr/step"),
        ("log", values),
        ("log", values),
        ("finish", None),
    ]


def test_trackio(fakes: list[FakeRun], tmp_path: Path) -> None:
    sinks = Sinks.open(["trackio"], tmp_path, name="tiny-1", config={})
    sinks.log(ROW)
    sinks.close()
    assert fakes[0].calls == [
        ("log", {"rlvr/step": 3, "rlvr/reward": 0.5, "rlvr/reward/format": 0.25}),
        ("finish", None),
    ]


def test_a_sink_that_does_not_start_closes_the_others(
    fakes: list[FakeRun], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(**_: object) -> None:
        raise PermissionError("no API key")

    monkeypatch.setattr(sys.modules["wandb"], "init", refuse)
    with pytest.raises(InputError, match=r"wandb could not be started\n.*PermissionError: no API key"):
        Sinks.open(["trackio", "wandb"], tmp_path, name="x", config={})
    assert fakes[0].calls == [("finish", None)]


def test_a_sink_that_fails_does_not_end_the_run(
    fakes: list[FakeRun], new_run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = new_run(log_to=["wandb", "trackio"])

    def fail(values: dict[str, float]) -> None:
        raise ConnectionError("no route to host")

    monkeypatch.setattr(fakes[0], "log", fail)
    with pytest.warns(UserWarning, match="wandb failed and gets no more metrics"):
        run.log("rlvr", 1, {"reward": 0.5})
    run.log("rlvr", 2, {"reward": 0.75})
    run.close()
    assert [row.step for row in run.metrics()] == [1, 2]
    assert [call for call, _ in fakes[1].calls] == ["log", "log", "finish"]
