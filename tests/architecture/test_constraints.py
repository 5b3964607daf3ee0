"""The pinned versions cover what is installed for the checks, and name no place to fetch from."""

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PINS = [
    line for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines() if not line.startswith("#")
]


def pinned() -> dict[str, str]:
    return {canonicalize_name(name): version for name, version in (line.split("==") for line in PINS)}


def check_extras() -> list[str]:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (extras,) = re.findall(r"^CHECK_EXTRAS := (.*)$", makefile, re.MULTILINE)
    return extras.split(",")


def requirements() -> list[Requirement]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    lines = [
        *project["dependencies"],
        *(line for extra in check_extras() for line in project["optional-dependencies"][extra]),
    ]
    return [Requirement(line) for line in lines]


def test_every_requirement_is_pinned_within_its_range() -> None:
    pins = pinned()
    outside = [
        str(need) for need in requirements() if not need.specifier.contains(pins.get(canonicalize_name(need.name), "0"))
    ]
    assert outside == []


def test_pins_are_plain_versions() -> None:
    assert [line for line in PINS if not re.fullmatch(r"[A-Za-z0-9_.-]+==[0-9][0-9a-z.]*", line)] == []
    assert pinned()["torch"] == "2.13.0"


def test_nothing_names_a_registry() -> None:
    text = "".join((ROOT / name).read_text(encoding="utf-8") for name in ("constraints.txt", "Makefile", ".ci/run"))
    text += "".join(path.read_text(encoding="utf-8") for path in (ROOT / "scripts").glob("*.sh"))
    assert re.findall(r"https?://\S+|--(?:extra-)?index-url|--find-links", text) == []
