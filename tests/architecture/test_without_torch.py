"""What must answer at once, or run where torch isn't installed, imports without it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "tahr"
HEAVY = ("torch", "transformers", "matplotlib", "peft", "accelerate")
PROGRAM = """
import importlib, sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {heavy}:
            raise ImportError(f"blocked: {{name}}")

sys.meta_path.insert(0, Refuse())
for name in {modules}:
    importlib.import_module(name)
print("ok")
"""


def modules_under(package: str) -> list[str]:
    return sorted(
        ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__")
        for path in (SOURCE / package).rglob("*.py")
    )


def import_without_torch(modules: list[str]) -> str:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(heavy=set(HEAVY), modules=modules)], capture_output=True, text=True
    )
    return done.stdout.strip() or done.stderr[-2000:]


def packages_without_torch() -> list[str]:
    """The packages whose row in the drawing of the floors says "no" under "needs torch"."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    return re.findall(r"^\| \d+ \| `(\w+)` \|.*\| no \|$", text, re.MULTILINE)


def test_the_drawing_promises_the_floors_that_must_do_without() -> None:
    assert {"core", "verifiers", "data", "store", "environments", "rollout"} <= set(packages_without_torch())


@pytest.mark.parametrize("package", packages_without_torch())
def test_package_imports_without_torch(package: str) -> None:
    assert import_without_torch(modules_under(package)) == "ok"


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
    assert import_without_torch(names) == "ok"


def test_the_block_works() -> None:
    assert "blocked: torch" in import_without_torch(["torch"])
