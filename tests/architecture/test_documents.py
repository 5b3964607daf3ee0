"""Documents link to what exists, and their commands are found by the script that runs them."""

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted((*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "benchmarks").glob("*.md")))
LINK = re.compile(r"\]\(([^)\s#]+)(?:#([^)\s]*))?\)")
PATH_IN_CODE = re.compile(r"`((?:src|tests|docs|examples|recipes|benchmarks|scripts)/[\w./-]+)`")


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("run_documents", ROOT / "scripts" / "run_documents.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document: Path) -> None:
    targets = [target for target, _ in LINK.findall(document.read_text(encoding="utf-8")) if "://" not in target]
    assert [target for target in targets if not (document.parent / target).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_paths_that_are_named_exist(document: Path) -> None:
    named = PATH_IN_CODE.findall(document.read_text(encoding="utf-8"))
    # environments are made on first use and are not part of a checkout
    assert [name for name in named if not (ROOT / name).exists() and ".venv" not in name] == []


def test_commands_are_read_with_their_directives(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(script, "ROOT", tmp_path)
    page = tmp_path / "page.md"
    page.write_text(
        "<!-- checks: append --set a=1 -->\n```bash\ntahr train x \\\n  --debug  # why\n```\n"
        "<!-- checks: exits 2 -->\n<!-- checks: output -->\n"
        "```console\n$ tahr check y\nunknown key ... 'z'\n$ true\n```\n"
        "```python\nnot a command\n```\n"
    )
    first, second, third = script.commands_in(page)
    assert (first.text, first.exit_code, first.where) == ("tahr train x --debug --set a=1", 0, "page.md:3")
    assert (second.text, second.exit_code, second.shown) == ("tahr check y", 2, ("unknown key ... 'z'",))
    assert (third.text, third.shown) == ("true", ())


def test_a_directive_that_does_not_exist_is_refused(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(script, "ROOT", tmp_path)
    page = tmp_path / "page.md"
    page.write_text("<!-- checks: skp typo -->\n```bash\ntrue\n```\n")
    with pytest.raises(ValueError, match="unknown directive"):
        list(script.commands_in(page))


@pytest.mark.parametrize(
    ("shown", "output", "missing"),
    [
        (("a ... c", "d"), "x\n a b c\nd\n", None),
        (("d", "a ... c"), "a b c\nd\n", "a ... c"),
        (("[bold] 5*",), "[bold] 5*\n", None),
        (("[bold] 5*",), "b 55\n", "[bold] 5*"),
    ],
)
def test_shown_output_must_occur_in_order(
    script: ModuleType, shown: tuple[str, ...], output: str, missing: str | None
) -> None:
    assert script.missing_line(shown, output) == missing


def test_a_failing_command_is_reported(script: ModuleType, tmp_path: Path) -> None:
    command = script.Command(where="x", text="echo no; exit 3", exit_code=0, shown=(), skip="")
    assert script.run(command, tmp_path).startswith("exit code 3, not 0\nno")
