"""The drawing of the floors in docs/architecture.md, the contract in pyproject.toml and the source tree agree."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^\| (\d+) \| `(\w+)` \|", re.MULTILINE)


def drawn_floors() -> dict[str, int]:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    return {package: int(floor) for floor, package in ROW.findall(text)}


def contract_floors() -> dict[str, int]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        contracts = tomllib.load(file)["tool"]["importlinter"]["contracts"]
    (layers,) = [contract["layers"] for contract in contracts if contract["type"] == "layers"]
    return {package.strip(): floor for floor, layer in enumerate(reversed(layers)) for package in layer.split("|")}


def test_the_drawing_shows_the_contract() -> None:
    assert drawn_floors() == contract_floors()


def test_the_drawing_shows_every_package_and_no_other() -> None:
    packages = {path.parent.name for path in (ROOT / "src" / "tahr").glob("*/__init__.py")}
    assert set(drawn_floors()) == packages


def test_no_package_is_an_empty_room() -> None:
    empty = [
        path.name
        for path in (ROOT / "src" / "tahr").iterdir()
        if (path / "__init__.py").exists() and not [file for file in path.rglob("*.py") if file.name != "__init__.py"]
    ]
    assert empty == []
