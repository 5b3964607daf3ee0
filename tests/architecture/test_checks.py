"""The closing summary of the checks counts what the test runs said."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("checks", ROOT / "scripts" / "checks.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def result(script: ModuleType, closing: str, *, tests: bool, ok: bool = True) -> object:
    check = script.Check(name="x", command=("true",), tests=tests)
    return script.Result(check=check, ok=ok, seconds=1.0, closing=closing)


def test_counts_are_summed_over_test_runs_only(script: ModuleType) -> None:
    results = [
        result(script, "2 failed, 59 passed, 1 skipped in 6.98s", tests=True, ok=False),
        result(script, "7 passed, 3 deselected, 1 error in 1.00s", tests=True, ok=False),
        result(script, "100 passed by nobody", tests=False),
    ]
    assert dict(script.count_tests(results)) == {"failed": 2, "passed": 66, "skipped": 1, "error": 1}


def test_the_last_line_says_how_many_passed(script: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    script.summarise([result(script, "2 failed, 59 passed, 1 skipped in 6.98s", tests=True, ok=False)])
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "59 passed, 2 failed, 1 skipped"
    assert any(line.startswith("FAILED x") for line in lines)


def test_a_failing_command_and_a_run_without_tests_fail(script: ModuleType) -> None:
    assert script.run(script.Check(name="x", command=("python", "-c", "raise SystemExit(3)"))).ok is False
    no_tests = script.Check(name="x", command=("pytest", "-m", "slow", str(Path(__file__))), tests=True)
    assert script.run(no_tests).ok is False


def test_an_unknown_check_is_named(script: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert script.main(["unti"]) == 2
    assert "unknown check 'unti'" in capsys.readouterr().err


def test_every_check_of_the_makefile_exists(script: ModuleType) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = {
        name
        for line in makefile.splitlines()
        if "scripts/checks.py" in line
        for name in line.split("scripts/checks.py")[1].split()
    }
    assert named <= {check.name for check in script.CHECKS}
