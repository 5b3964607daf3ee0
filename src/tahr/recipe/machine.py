"""What this machine offers a run: cores, free memory, a GPU and its rates. Nothing here imports torch."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import psutil

from tahr.core.errors import InputError, UnknownNameError

MATRIX_SIZE = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Gpu:
    """One kind of CUDA device; memory in bytes, `flops` the dense bfloat16 rate in FLOP/s, `bandwidth` in bytes/s.

    All are those of one device, of which there are `count`.

    Example: ``Gpu(name="NVIDIA H200", memory_total=150e9, memory_free=149e9, flops=989e12, bandwidth=4.8e12)``
    """

    name: str
    memory_total: float
    memory_free: float
    flops: float
    bandwidth: float
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """Memory in bytes; `flops` is the CPU's measured float32 matrix rate in FLOP/s.

    Example: ``Machine(cores=2, memory_total=24e9, memory_free=20e9, flops=130e9, gpu=None)``
    """

    cores: int
    memory_total: float
    memory_free: float
    flops: float
    gpu: Gpu | None


# Dense bfloat16 FLOP/s (float16 for T4), memory bandwidth and memory, from the makers' data sheets.
GPU_RATES: dict[str, tuple[float, float, float]] = {
    "B200": (2250e12, 8.0e12, 180e9),
    "H200": (989e12, 4.8e12, 141e9),
    "H100 PCIe": (756e12, 2.0e12, 80e9),
    "H100": (989e12, 3.35e12, 80e9),
    "A100": (312e12, 2.0e12, 80e9),
    "L40S": (362e12, 0.86e12, 48e9),
    "L4": (121e12, 0.3e12, 24e9),
    "A10": (125e12, 0.6e12, 24e9),
    "RTX 5090": (210e12, 1.79e12, 32e9),
    "RTX 4090": (165e12, 1.0e12, 24e9),
    "RTX 3090": (71e12, 0.94e12, 24e9),
    "T4": (65e12, 0.32e12, 16e9),
}
UNKNOWN_GPU = (50e12, 0.5e12, 0.0)

MOST_GPUS = 16384


def look() -> Machine:
    """Measure this machine; takes about a tenth of a second."""
    total, free = memory()
    cores = num_cores()
    flops = measure_matrix_rate(cores)
    return Machine(cores=cores, memory_total=total, memory_free=free, flops=flops, gpu=find_gpu())


def stated(hardware: str) -> Machine:
    """The machine that a recipe is meant for, from a text such as ``8xH100``: data-sheet figures, nothing measured.

    Raises InputError where the text isn't a number of GPUs of a kind in `GPU_RATES`.
    """
    number, _, kind = hardware.rpartition("x") if "x" in hardware else ("1", "", hardware)
    if not number.strip().isdigit() or not 1 <= int(number) <= MOST_GPUS:
        raise InputError(
            "model.hardware must be a number of GPUs and their kind", received=hardware, instead="such as 8xH100"
        )
    if kind.strip() not in GPU_RATES:
        raise UnknownNameError("GPU (model.hardware)", kind.strip(), GPU_RATES)
    flops, bandwidth, size = GPU_RATES[kind.strip()]
    gpu = Gpu(
        name=kind.strip(), memory_total=size, memory_free=size, flops=flops, bandwidth=bandwidth, count=int(number)
    )
    return Machine(cores=0, memory_total=0.0, memory_free=0.0, flops=0.0, gpu=gpu)


def memory() -> tuple[float, float]:
    """Bytes of memory in all, and free: the machine's, or the container's where that has less."""
    found = psutil.virtual_memory()
    return _within_cgroup(float(found.total), float(found.available))


def num_cores() -> int:
    """Cores that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def measure_matrix_rate(cores: int, seconds: float = 0.1) -> float:
    """Float32 matrix products in FLOP/s: one core's rate by numpy's BLAS, times `cores`.

    The products are so small that the BLAS keeps them on one core, and the best one counts: what other programs take
    from the machine at the moment does not enter.
    """
    import numpy

    left = numpy.full((MATRIX_SIZE, MATRIX_SIZE), 0.5, dtype=numpy.float32)
    right, product = left.copy(), left.copy()
    best, ends = float("inf"), perf_counter() + seconds
    while (began := perf_counter()) < ends:
        numpy.matmul(left, right, out=product)
        best = min(best, perf_counter() - began)
    return cores * 2 * MATRIX_SIZE**3 / best


def find_gpu() -> Gpu | None:
    """The first CUDA device that the driver lists, without loading torch; None where there is none."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return None
    query = [program, "--query-gpu=name,memory.total,memory.free", "--format=csv,noheader,nounits"]
    try:
        listed = subprocess.run(query, capture_output=True, text=True, timeout=10, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    return parse_gpu(listed)


def parse_gpu(listed: str) -> Gpu | None:
    """The first line of the driver's ``name, total MiB, free MiB`` listing."""
    fields = [field.strip() for field in listed.strip().split("\n")[0].split(",")]
    if len(fields) != 3 or not fields[1].isdigit() or not fields[2].isdigit():
        return None
    name, total, free = fields
    flops, bandwidth, _ = next((rates for part, rates in GPU_RATES.items() if part in name), UNKNOWN_GPU)
    mebibyte = 2**20
    return Gpu(
        name=name,
        memory_total=float(int(total) * mebibyte),
        memory_free=float(int(free) * mebibyte),
        flops=flops,
        bandwidth=bandwidth,
    )


def disk_free(folder: Path) -> float:
    """Bytes free where `folder` is, or would be once it is made."""
    place = folder.absolute()
    while not place.exists():
        place = place.parent
    return float(shutil.disk_usage(place).free)


def _within_cgroup(total: float, free: float) -> tuple[float, float]:
    """Total and free memory, bounded by the container's limit where there is one (cgroup v2)."""
    root = Path("/sys/fs/cgroup")
    try:
        limit = float((root / "memory.max").read_text())
        used = float((root / "memory.current").read_text())
    except (OSError, ValueError):  # no cgroup, or "max": no limit
        return total, free
    return min(total, limit), min(free, limit - used)
