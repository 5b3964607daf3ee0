"""What a model writes can't become part of the report page, the table or the picture."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import pytest

from tahr.report.page import render
from tahr.report.picture import write_picture
from tahr.store.records import Evaluation, EvaluationRow
from tahr.store.run import Run

HOSTILE = [
    "<script>alert(1)</script>",
    "</pre></style></title><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "{{ 7 * 7 }}{% include 'page.css' %}",
    "<!-- ",
    "]]><!ENTITY x SYSTEM 'file:///etc/passwd'>",
    "javascript:alert(1)",
    "\x00\x01\x1b[31m\x7f",
    "\u202etxt.exe\u2066",
    "half \ud83d of a pair",
    "$\\frac{1}{0}$ \\unknown",
    "&lt;script&gt;",
    "",
]


class Tags(HTMLParser):
    """Counts the tags and collects the attribute names of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.attributes: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append(tag)
        self.attributes |= {name for name, _ in attrs}


def make_run(folder: Path, text: str) -> Run:
    """A run in which every text that the model or a third party controls is `text`."""
    recipe = {"name": text, "description": text, "stages": ["rlvr"], "model": {"source": text, "lora": None}}
    run = Run.create(folder, "x", recipe=recipe, recipe_toml=text, seed=1, folder=folder / "run", command=(text,))
    for name, score in (("before", 0.0), ("after", 1.0)):
        rows = tuple(
            EvaluationRow(
                task_id=f"task{number}",
                domain=f"{text}{number}",
                index=0,
                prompt=text,
                answer=text,
                text=text,
                score=score,
                parts={"correct": score, text or "part": score},
                outcome="pass",
                note=text,
                num_tokens=3,
                finish_reason="stop",
            )
            for number in range(3)
        )
        run.write_evaluation(Evaluation(name=name, stage="rlvr", step=int(score), split="test", rows=rows))
    for step in (1, 2):
        run.log("rlvr", step, {"reward": step / 4, f"reward/{text}": step / 4, text: 1.0})
    run.finish("failed", error=text)
    return run


@pytest.fixture(scope="module")
def harmless(tmp_path_factory: pytest.TempPathFactory) -> Tags:
    return Tags(render(make_run(tmp_path_factory.mktemp("harmless"), "x")))


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_adds_no_tag(tmp_path: Path, text: str, harmless: Tags) -> None:
    text = text.encode("utf-8", "replace").decode("utf-8") if "\ud83d" in text else text
    html = render(make_run(tmp_path / "hostile", text))
    hostile = Tags(html)
    assert set(hostile.found) <= set(harmless.found)
    assert "script" not in hostile.found
    assert hostile.attributes <= harmless.attributes
    assert not [one for one in html if one in "\x00\x01\x1b\x7f\u202e\u2066"]
    assert "49" not in html.split("<h2>Examples</h2>")[1].split("<h2>")[0] or "7 * 7" not in text


@pytest.mark.parametrize("text", [HOSTILE[1], HOSTILE[8], "$\\frac{1}{0}$ \\unknown"])
def test_hostile_text_can_be_drawn(tmp_path: Path, text: str) -> None:
    text = text.encode("utf-8", "replace").decode("utf-8")
    svg = write_picture(make_run(tmp_path, text), tmp_path / "a.svg").read_text()
    assert "<script" not in svg


def test_megabytes_of_text_stay_out_of_the_page(tmp_path: Path) -> None:
    html = render(make_run(tmp_path, "<b>" * 500_000))
    assert len(html) < 1_000_000
    assert "characters left out" in html
