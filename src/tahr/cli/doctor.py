"""``tahr doctor``: what this machine can do, and what is missing for more."""

from __future__ import annotations

import platform
import socket
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any
from urllib.parse import urlparse

import typer

from tahr.cli.console import bytes_text, console, count_text, table

EXAMPLES = (
    ("tahr doctor", "everything, with measured matrix rates"),
    ("tahr doctor --quick", "without the measurements and without asking the hub"),
)

PACKAGES = ("torch", "transformers", "tokenizers", "safetensors", "peft", "numpy", "pydantic", "duckdb", "pyarrow")
EXTRAS = {
    "reasoning-gym": ("reasoning_gym", "a hundred more task sources"),
    "datasets": ("datasets", "hub datasets by name"),
    "tensorboard": ("tensorboard", "log_to = ['tensorboard']"),
    "wandb": ("wandb", "log_to = ['wandb']"),
    "trackio": ("trackio", "log_to = ['trackio']"),
}

Row = tuple[str, str, str]


def doctor(
    quick: Annotated[bool, typer.Option("--quick", help="Measure nothing and leave the hub alone.")] = False,
) -> None:
    """Say what this machine can do: cores, memory, matrix rates, GPU, packages, weights, the hub.

    Each missing part comes with the command that adds it.
    """
    rows = [*_machine(), _sandbox(), *_packages(), *_extras(), *_weights()]
    if not quick:
        rows += [*_rates(), _hub()]
    console().print(table("", ("what", "here", "for more"), rows))


def _machine() -> list[Row]:
    from tahr.recipe.machine import disk_free, find_gpu, memory, num_cores

    total, free = memory()
    gpu = find_gpu()
    found = f"{gpu.name}, {bytes_text(gpu.memory_free)} of {bytes_text(gpu.memory_total)} free" if gpu else "none"
    return [
        ("python", f"{platform.python_version()} on {platform.platform()}", ""),
        ("processor", f"{_processor()}, {num_cores()} cores for this process", ""),
        ("memory", f"{bytes_text(free)} of {bytes_text(total)} free", ""),
        ("disk", f"{bytes_text(disk_free(Path.cwd()))} free here", ""),
        ("GPU", found, "" if gpu else "models above about 0.5 G parameters want one"),
    ]


def _sandbox() -> Row:
    """The level at which untrusted programs run here, and what it does not cover."""
    from tahr.sandbox import LEVELS, best, probe

    level = best()
    if level is None:
        return ("sandbox", "none: " + probe(LEVELS[-1]).error, "code rewards need Linux")
    found = probe(level)
    walls = "" if level == LEVELS[0] else f" {'with' if found.landlock else 'without'} Landlock"
    here = f"{level}{walls}; not covered: {', '.join(found.gaps)}"
    return ("sandbox", here, "" if level == LEVELS[0] else f"{LEVELS[0]}: {probe(LEVELS[0]).error}")


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or "unknown"
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown")


def _packages() -> list[Row]:
    rows: list[Row] = []
    for name in PACKAGES:
        try:
            rows.append((name, version(name), ""))
        except PackageNotFoundError:
            rows.append((name, "missing", f"pip install {name}"))
    return rows


def _extras() -> list[Row]:
    return [
        (f"extra {extra}", "installed" if find_spec(module) else "absent", f"{use}: pip install 'tahr[{extra}]'")
        for extra, (module, use) in EXTRAS.items()
    ]


def _weights() -> list[Row]:
    from tahr.models.packaged import PACKAGED

    rows: list[Row] = []
    for name, packaged in PACKAGED.items():
        path = packaged.path()
        rows.append((f"model {name}", str(path) if path else "not installed", "" if path else packaged.install_command))
    return rows


def _rates() -> list[Row]:
    """Measured float32 rates of the shapes that a small model's decoding and training use."""
    import torch

    from tahr.recipe.machine import measure_matrix_rate, num_cores

    threads = torch.get_num_threads()
    rows: list[Row] = [
        ("matrix rate, numpy", f"{count_text(measure_matrix_rate(num_cores()))}FLOP/s in float32", ""),
        ("torch", f"{torch.__version__}, {threads} threads, CUDA {torch.version.cuda or 'no'}", ""),
    ]
    for tokens, use in ((64, "decoding"), (2048, "training")):
        rate = _linear_rate(tokens)
        rows.append((f"matrix rate, {use}", f"{count_text(rate)}FLOP/s, {tokens} tokens through a linear layer", ""))
        prepacked = _prepacked_rate(tokens)
        if prepacked is not None:
            rows.append(("the same, prepacked", f"{count_text(prepacked)}FLOP/s through oneDNN", ""))
    return rows


def _linear_rate(tokens: int, width: int = 1024) -> float:
    import torch

    inputs, weight = torch.randn(tokens, width), torch.randn(width, width)
    return 2.0 * tokens * width * width / _seconds(lambda: torch.nn.functional.linear(inputs, weight))


def _prepacked_rate(tokens: int, width: int = 1024) -> float | None:
    """The rate with the weight laid out by oneDNN beforehand; None where this torch has no oneDNN."""
    import torch

    if not torch.backends.mkldnn.is_available():
        return None
    inputs = torch.randn(tokens, width)
    packed = torch.ops.mkldnn._reorder_linear_weight(torch.randn(width, width), tokens)
    call = torch.ops.mkldnn._linear_pointwise
    return 2.0 * tokens * width * width / _seconds(lambda: call(inputs, packed, None, "none", [], ""))


def _seconds(action: Callable[[], Any]) -> float:
    """The fastest of thirty calls."""
    action()
    best = float("inf")
    for _ in range(30):
        began = perf_counter()
        action()
        best = min(best, perf_counter() - began)
    return best


def _hub() -> Row:
    from huggingface_hub import constants

    host = urlparse(constants.ENDPOINT).hostname or ""
    try:
        socket.create_connection((host, 443), timeout=3).close()
    except OSError:
        return ("hub", f"{host} can't be reached", "packaged models, folders and GGUF files work without it")
    return ("hub", f"{host} answers", "")
