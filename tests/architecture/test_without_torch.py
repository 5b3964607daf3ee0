"""What must answer at once, or run where torch isn't installed, imports without it."""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "tahr"
HEAVY = ("torch", "transformers", "matplotlib", "peft", "accelerate")
PROGRAM = """
import importlib, json, sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {heavy}:
            raise ImportError(f"blocked: {{name}}")

sys.meta_path.insert(0, Refuse())
failed = {{}}
for name in {modules}:
    try:
        importlib.import_module(name)
    except ImportError as error:
        failed[name] = str(error)
print(json.dumps(failed))
"""


def modules_under(package: str) -> list[str]:
    return sorted(
        ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__")
        for path in (SOURCE / package).rglob("*.py")
    )


def failures(modules: list[str]) -> dict[str, str]:
    """Modules that could not be imported where the heavy packages are refused, with the reason; one process for all."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(heavy=set(HEAVY), modules=modules)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def packages_without_torch() -> list[str]:
    """The packages whose row in the drawing of the floors says "no" under "needs torch"."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    return re.findall(r"^\| \d+ \| `(\w+)` \|.*\| no \|$", text, re.MULTILINE)


def test_the_drawing_promises_the_floors_that_must_do_without() -> None:
    assert {"core", "verifiers", "data", "store", "environments", "rollout"} <= set(packages_without_torch())


def test_packages_import_without_torch() -> None:
    modules = [module for package in packages_without_torch() for module in modules_under(package)]
    assert len(modules) > 100
    assert failures(modules) == {}


def test_recipes_are_checked_without_torch() -> None:
    configs = [".".join(path.relative_to(SOURCE.parent).with_suffix("").parts) for path in SOURCE.rglob("config.py")]
    names = [
        "tahr",
        "tahr.core",
        "tahr.verifiers",
        "tahr.store",
        "tahr.data",
        "tahr.recipe.check",
        "tahr.cli",
        *configs,
    ]
    assert failures(names) == {}


def test_the_block_works() -> None:
    assert failures(["torch", "json"]) == {"torch": "blocked: torch"}
