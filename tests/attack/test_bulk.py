"""Thousands of rows, one in a hundred hostile: every verdict is right, nothing is left running, memory stays flat."""

import importlib.util
import sys
from pathlib import Path

import pytest

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "bulk.py"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["numeric", "obedient"])
def test_hostile_rows_cost_themselves_only(tmp_path: Path, name: str) -> None:
    spec = importlib.util.spec_from_file_location("bulk_benchmark", BENCHMARK)
    assert spec is not None
    assert spec.loader is not None
    benchmark = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = benchmark
    spec.loader.exec_module(benchmark)
    found = benchmark.measured(tmp_path, name, *benchmark.JOBS[name], count=20_000, workers=2)
    assert found["expected"]["pass"] == 12_000
    assert {key: value for key, value in found["verdicts"].items() if value} == found["expected"]
    assert (found["wrong_verdicts"], found["in_order"], found["processes_left"]) == (0, True, 0)
    assert found["peak_mib_second_half"] < 1.3 * found["peak_mib_first_half"]
