"""What every benchmark needs: interleaved timing, the machine's matrix rate, facts about the machine, a JSON file."""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

RESULTS = Path(__file__).parent / "results"


def interleave(sides: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, list[float]]:
    """Run every side once a round, the order turned round each time, so that a machine that slows down slows all.

    Each side returns its own seconds; so does this, a list a side.
    """
    seconds: dict[str, list[float]] = {name: [] for name in sides}
    for number in range(rounds):
        order = list(sides) if number % 2 == 0 else list(reversed(sides))
        for name in order:
            seconds[name].append(sides[name]())
            print(f"  round {number + 1}/{rounds}  {name:<14} {seconds[name][-1]:8.2f} s", flush=True)
    return seconds


def timed(work: Callable[[], object]) -> float:
    """Seconds that `work` takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def linear_shapes(model: nn.Module) -> dict[tuple[int, int], int]:
    """(out, in) of every linear layer of a model and how often it occurs; tied ones count where they are used."""
    shapes: dict[tuple[int, int], int] = {}
    for module in model.modules():
        if isinstance(module, nn.Linear):
            shape = (module.out_features, module.in_features)
            shapes[shape] = shapes.get(shape, 0) + 1
    return shapes


@torch.no_grad()
def matrix_rate(shapes: Mapping[tuple[int, int], int], rows: int, *, repeats: int = 5) -> float:
    """FLOP/s of products of `rows` rows with all the given fp32 weights, each by the faster of two ways.

    The ways are ``F.linear`` and oneDNN on a weight laid out for it beforehand. The weights are distinct, as those of a
    model are, so that caches don't flatter. The median of `repeats` passes counts.
    """
    best = 0.0
    for (num_out, num_in), count in shapes.items():
        weights = [torch.randn(num_out, num_in) for _ in range(min(count, 8))]
        x = torch.randn(rows, num_in)
        ways = [_linear_way(weights, x)]
        if torch.backends.mkldnn.is_available():
            ways.append(_onednn_way(weights, x))
        for way in ways:
            way()
        fastest = min(median(timed(way) for _ in range(repeats)) for way in ways)
        best += fastest / len(weights) * count
    flops = sum(2.0 * rows * num_out * num_in * count for (num_out, num_in), count in shapes.items())
    return flops / best


def _linear_way(weights: Sequence[Tensor], x: Tensor) -> Callable[[], object]:
    return lambda: [functional.linear(x, weight) for weight in weights]


def _onednn_way(weights: Sequence[Tensor], x: Tensor) -> Callable[[], object]:
    packed = [torch.ops.mkldnn._reorder_linear_weight(weight, x.shape[0]) for weight in weights]
    return lambda: [torch.ops.mkldnn._linear_pointwise(x, weight, None, "none", [], "") for weight in packed]


def machine() -> dict[str, Any]:
    """What the numbers were measured on."""
    return {
        "cpu": _cpu_name(),
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "python": platform.python_version(),
        **{name: _version(name) for name in ("tahr", "torch", "transformers")},
    }


def _cpu_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def save(name: str, result: Mapping[str, Any], *, smoke: bool) -> None:
    """Write `result` with the machine's facts to ``results/NAME.json``; a smoke run is printed and kept nowhere."""
    if smoke:
        print("smoke run: the numbers mean nothing and are not kept")
        return
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    text = json.dumps({"benchmark": name, "machine": machine(), **result}, indent=2) + "\n"
    path.write_text(text, encoding="utf-8")
    print(f"saved {path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path}")
