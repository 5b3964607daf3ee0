import os
import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from types import SimpleNamespace

import pytest

from tahr.core.errors import ResourceError
from tahr.report.curves import stage_charts
from tahr.report.page import render, write_report
from tahr.report.template import whisker
from tahr.store.run import Run

NewRun = Callable[..., Run]


class Page(HTMLParser):
    """Tags, attributes and text of a page; fails on a tag that is closed but not open."""

    VOID = ("meta",)

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def headings(html: str) -> list[str]:
    return re.findall(r"<h2>(.*?)</h2>", html)


def test_a_finished_run_shows_what_it_gained(full_run: Run) -> None:
    path = write_report(full_run)
    assert path == full_run.folder / "report.html"
    html = path.read_text()
    page = Page(html)
    assert "SmolLM2-135M learns to keep writing constraints" in page.text
    # The numbers of this synthetic run, as compare() finds them.
    assert "0.359" in page.text
    assert "0.762" in page.text
    assert "+0.403" in page.text
    assert "+0.367 to +0.438" in page.text
    assert headings(html) == [
        "Held-out reward",
        "Model",
        "Steps",
        "Machine",
        "Before and after",
        "Training: rlvr",
        "Evaluations",
        "Examples",
        "How to make this run again",
    ]
    for title in ("Reward", "Parts of the reward", "Reward by domain", "Completion length", "Entropy", "Gradient norm"):
        assert f"<b>{title}</b>" in html
    for gallery in ("Most improved", "Most worsened", "Best", "Worst"):
        assert f"<h3>{gallery} " in html
    assert full_run.manifest.recipe_hash in page.text
    assert f"tahr train {full_run.folder}/recipe.toml" in page.text
    assert "torch 2." in page.text


def test_the_page_asks_for_nothing_from_outside(full_run: Run) -> None:
    html = render(full_run)
    tags = Page(html).tags
    assert not {"script", "link", "img", "iframe", "object", "base"} & {tag for tag, _ in tags}
    names = {name for _, attributes in tags for name in attributes}
    assert not {"src", "href", "srcset", "action", "data", "xlink:href"} & names
    assert not [name for name in names if name.startswith("on")]
    assert "url(" not in html
    assert "@import" not in html
    policy = next(attributes["content"] for tag, attributes in tags if attributes.get("http-equiv"))
    assert policy and policy.startswith("default-src 'none'")


def test_all_measurements_are_somewhere(full_run: Run, synthetic: SimpleNamespace) -> None:
    html = render(full_run)
    for label in ("Learning rate", "Sampler against trainer", "Importance ratio", "Seconds a step", "advantage_mean"):
        assert f"<b>{label}</b>" in html


def test_dropped_attempts_and_cheating_have_charts_in_front_once_there_are_any(new_run: NewRun) -> None:
    quiet = {"cheat_share": 0.0, "dropped_infrastructure": 0.0, "dropped_timeout": 0.0, "dropped_error": 0.0}
    titles = {"Attempts that cheat", "Attempts dropped, by cause"}
    for metrics, place in ((quiet, "other"), (quiet | {"cheat_share": 0.1, "dropped_timeout": 2.0}, "main")):
        run = new_run()
        for step in (1, 2):
            run.log("rlvr", step, {"reward": 0.5, **metrics})
        (charts,) = stage_charts(run, [])
        assert titles <= {chart.title for chart in getattr(charts, place)}
        assert not titles & {chart.title for chart in getattr(charts, "other" if place == "main" else "main")}


def test_an_empty_run(new_run: NewRun) -> None:
    html = render(new_run())
    assert "The run is still going." in Page(html).text
    assert headings(html) == ["Model", "Steps", "Machine", "How to make this run again"]


def test_an_interrupted_run_says_how_to_go_on(new_run: NewRun) -> None:
    run = new_run()
    run.close()
    assert f"tahr train --resume {run.folder}" in Page(render(Run.open(run.folder))).text


def test_a_failed_run_says_why(new_run: NewRun) -> None:
    run = new_run()
    run.finish("failed", error="memory ran out: lower micro_batch_tokens")
    assert "memory ran out: lower micro_batch_tokens" in Page(render(run)).text


def test_a_run_of_supervised_training_only(new_run: NewRun) -> None:
    run = new_run(stages=["sft"])
    for step in (1, 2, 3):
        run.log("sft", step, {"loss": 3.0 / step, "grad_norm": 1.0, "learning_rate": 1e-3, "seconds_step": 0.1})
    html = render(run)
    assert "Training: sft" in headings(html)
    assert "<b>Loss</b>" in html
    assert "<b>Reward</b>" not in html
    assert "Examples" not in headings(html)


def test_a_run_without_evaluation_shows_examples_of_its_rollouts(new_run: NewRun, synthetic: SimpleNamespace) -> None:
    run = new_run()
    for step in (1, 2):
        groups = synthetic.make_groups(step, 0.5)
        run.write_rollouts("rlvr", step, groups, [[0.5] * 8 for _ in groups])
        run.log("rlvr", step, synthetic.make_metrics(step, groups))
    page = Page(render(run))
    assert "No held-out comparison yet." in page.text
    assert "training tasks, last step" in page.text


def test_a_diverged_run(new_run: NewRun) -> None:
    run = new_run()
    run.log("rlvr", 1, {"reward": 0.5, "loss": 1.0})
    for step in (2, 3):
        run.log("rlvr", step, {"reward": float("nan"), "loss": float("inf")})
    page = Page(render(run))
    assert "2 values are not finite." in page.text
    assert "rlvr" in page.text


def test_nothing_was_scored(new_run: NewRun, synthetic: SimpleNamespace) -> None:
    run = new_run()
    evaluation = synthetic.make_evaluation("before", 0, 0.5, num_tasks=3)
    lost = tuple(replace(row, score=None, parts={}) for row in evaluation.rows)
    run.write_evaluation(replace(evaluation, rows=lost))
    run.write_evaluation(replace(evaluation, name="after", rows=()))
    page = Page(render(run))
    assert "Before and after" not in page.text
    assert "12" in page.text


def test_a_change_that_may_be_chance_is_called_so(new_run: NewRun, synthetic: SimpleNamespace) -> None:
    run = new_run()
    run.write_evaluation(synthetic.make_evaluation("before", 0, 0.5))
    run.write_evaluation(synthetic.make_evaluation("after", 12, 0.5))
    assert "The interval contains zero: this does not show a change." in Page(render(run)).text


def test_one_task_shows_next_to_nothing(new_run: NewRun, synthetic: SimpleNamespace) -> None:
    run = new_run()
    run.write_evaluation(synthetic.make_evaluation("before", 0, 0.0, num_tasks=1))
    run.write_evaluation(synthetic.make_evaluation("after", 12, 1.0, num_tasks=1))
    assert "95% interval −0.950 to +1.000, 1 tasks" in Page(render(run)).text


def test_when_every_attempt_scores_alike(new_run: NewRun, synthetic: SimpleNamespace) -> None:
    run = new_run()
    run.write_evaluation(synthetic.make_evaluation("before", 0, -1.0, num_tasks=5))
    run.write_evaluation(synthetic.make_evaluation("after", 12, 2.0, num_tasks=5))
    html = render(run)
    assert "for the share of tasks that might not" in Page(html).text
    assert "<h3>Best " in html
    assert "<h3>Worst " not in html


def test_a_full_disk_leaves_the_old_page(full_run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    (full_run.folder / "report.html").write_text("old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ResourceError, match="disk is full"):
        write_report(full_run)
    assert (full_run.folder / "report.html").read_text() == "old"


def test_whisker_positions() -> None:
    assert whisker(0.1, 0.2, 0.3, (0.0, 0.4)) == {"low": 25.0, "middle": 50.0, "high": 75.0, "zero": 0.0}
    assert whisker(-float("inf"), 1.0, float("inf"), (-1.0, 1.0)) == {
        "low": 0.0,
        "middle": 100.0,
        "high": 100.0,
        "zero": 50.0,
    }


def test_the_page_has_the_gain_of_each_stage_where_there_are_several(staged_run: Run, full_run: Run) -> None:
    page = render(staged_run)
    assert "Stage by stage" in page
    assert "after-sft" in page
    # the chart of the second stage starts from the evaluation after the first
    assert "held out (test), step 0: " in page
    assert "Stage by stage" not in render(full_run)
