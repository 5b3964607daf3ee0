"""The report of a run: one HTML file that needs no network, no script and no server.

The text of models reaches the page only through the template's escaping, and a content security policy in the page
forbids scripts and requests besides.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tahr.evaluation.absences import count_reasons, reasons_text
from tahr.evaluation.statistics import Difference, Mean, correct_rate, mean_score, part_names
from tahr.report import text
from tahr.report.curves import stage_charts
from tahr.report.examples import galleries
from tahr.report.gain import all_differences, before_and_after, ladder
from tahr.report.template import environment, style, whisker
from tahr.store.evaluations import evaluation_paths
from tahr.store.files import write_file
from tahr.store.records import Evaluation
from tahr.store.run import Run
from tahr.store.summary import summarise

PAGE_NAME = "report.html"


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationLine:
    """One evaluation in the table of all of them; a mean is None where nothing was scored.

    Example: ``EvaluationLine(evaluation=evaluation, reward=mean, correct=None, num_excluded=0, reasons="")``
    """

    evaluation: Evaluation
    reward: Mean | None
    correct: Mean | None
    num_excluded: int
    reasons: str


def write_report(run: Run) -> Path:
    """Write ``report.html`` into the run's folder and return its path; any run will do, finished or not.

    Raises ResourceError on a full disk, InputError where the folder can't be written or a record is damaged.
    """
    path = run.folder / PAGE_NAME
    write_file(path, render(run).encode("utf-8", "replace"))
    return path


def render(run: Run) -> str:
    """The page's HTML: that of its results where the run is an evaluation, that of the training otherwise."""
    if not run.manifest.stages and evaluation_paths(run.folder):  # an evaluation by itself
        from tahr.report.results_page import render_results  # its statistics need numpy

        return render_results(run)
    return environment().get_template("page.html").render(_content(run), interval=text.interval, whisker=whisker)


def _content(run: Run) -> dict[str, Any]:
    evaluations = run.evaluations()
    pair = before_and_after(evaluations)
    differences = all_differences(*pair) if pair else []
    lines = [_evaluation_line(one) for one in evaluations]
    recipe_toml = run.folder / "recipe.toml"
    return {
        "run": run,
        "status": run.status,
        "about": run.manifest,
        "recipe": run.recipe,
        "summary": summarise(run.folder),
        "pair": pair,
        "ladder": ladder(evaluations),
        "differences": differences,
        "difference_bounds": _difference_bounds(differences),
        "evaluations": lines,
        "stages": stage_charts(run, evaluations),
        "galleries": galleries(run, pair),
        "recipe_toml": recipe_toml.read_text(errors="replace") if recipe_toml.exists() else "",
        "style": style("page.css"),
        "command": shlex.join(run.manifest.command),
        "reproduce": _reproduce(run),
    }


def _difference_bounds(differences: Sequence[Difference]) -> tuple[float, float]:
    """A scale that holds zero and every interval, with some air."""
    values = [value for one in differences for value in (one.low, one.high)]
    low, high = min([0.0, *values]), max([0.0, *values])
    margin = 0.06 * (high - low) or 0.05
    return low - margin, high + margin


def _evaluation_line(evaluation: Evaluation) -> EvaluationLine:
    num_excluded = sum(row.score is None for row in evaluation.rows)
    reward = correct = None
    reasons = reasons_text(count_reasons(evaluation.rows))
    if num_excluded < len(evaluation.rows):
        reward = mean_score(evaluation)
        correct = correct_rate(evaluation) if "correct" in part_names(evaluation) else None
    return EvaluationLine(
        evaluation=evaluation, reward=reward, correct=correct, num_excluded=num_excluded, reasons=reasons
    )


def _reproduce(run: Run) -> str:
    """Commands that make the run again."""
    train = f"tahr train {shlex.quote(str(run.folder / 'recipe.toml'))}"
    revision = run.manifest.git_revision
    if not revision:
        return f"pip install tahr=={run.manifest.versions.get('tahr', '')}\n{train}"
    return f"git checkout {revision}\n{train}"
