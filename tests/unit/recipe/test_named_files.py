"""Files that a stage reads are known by their content, however a recipe names them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tahr.recipe.named_files import named_files


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "pairs").mkdir()
    (tmp_path / "pairs" / "a.jsonl").write_text("a")
    (tmp_path / "pairs" / "b.jsonl").write_text("b")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "section",
    [
        {"pairs": {"mine": {"source": "pairs/*.jsonl"}}},
        {"pairs": {"mine": {"source": "pairs"}}},
        {"pairs": {"mine": {"source": "pairs/a.jsonl"}}},
        {"chats": [{"args": {"path": "./pairs/a.jsonl"}}]},
        [{"kind": "reward_model", "args": {"model": "pairs"}}],
    ],
)
def test_another_content_is_another_key(folder: Path, section: Any) -> None:
    before = dict(named_files(section))
    assert before
    (folder / "pairs" / "a.jsonl").write_text("other")
    assert dict(named_files(section)) != before


@pytest.mark.parametrize(
    "text", ["pairs", "a\0b/c", "x/" * 4000, "a/**b/[", "is 2/3 right?", ".", "/", "..", ".*", "./*"]
)
def test_other_texts_are_nonamed_files(text: str) -> None:
    assert dict(named_files({"system": text})) == {}


@pytest.mark.parametrize("text", ["", ".", "/"])
def test_a_place_that_is_not_given_is_not_the_working_folder(text: str) -> None:
    assert dict(named_files({"model": text})) == {}


def test_of_a_run_what_is_told_about_it_does_not_count(folder: Path) -> None:
    run = folder / "run"
    (run / "model").mkdir(parents=True)
    (run / "evaluations").mkdir()
    (run / "manifest.json").write_text("{}")
    (run / "model" / "model.safetensors").write_text("weights")
    before = dict(named_files({"teacher": "run"}))
    (run / "report.html").write_text("a report made later")
    (run / "evaluations" / "again.json").write_text("{}")
    assert dict(named_files({"teacher": "run"})) == before
    (run / "model" / "model.safetensors").write_text("others")
    assert dict(named_files({"teacher": "run"})) != before
