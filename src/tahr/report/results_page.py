"""The results of an evaluation as one HTML page: scores, pairs of settings, and every question to read.

It needs no network and no script: questions are folded, and the choice of which to see (all wrong, settings differ,
...) is a matter of the style sheet. What is folded costs a browser next to nothing, so that thousands of questions stay
usable; the more there are, the more of long answers is left out.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from tahr.evaluation.absences import count_reasons, frequent_reasons
from tahr.report import text
from tahr.report.effort_lines import confidence_lines, token_lines
from tahr.report.questions import KINDS, blocks_of, kind_counts, questions_of
from tahr.report.suite_table import Line, pair_differences, suite_lines
from tahr.report.template import environment, style, whisker
from tahr.store.records import Evaluation
from tahr.store.run import Run

_MAX_OPEN = 100  # questions of a page whose blocks are open at first
_MAX_OF_ALL = 24_000_000  # characters of all answers together, about
_MOST_REASONS = 8  # why attempts have no reward
_FEWEST, _MOST = 400, 6_000  # characters of one answer


def render_results(run: Run) -> str:
    """The page's HTML. Raises InputError where a record is damaged."""
    evaluations = run.evaluations()
    questions = questions_of(evaluations)
    num_rows = sum(len(one.rows) for one in evaluations)
    pairs = pair_differences(evaluations, _pairs(run.recipe))
    differences = [value for _, one in pairs for value in (one.low, one.high)]
    scale = max([0.05, *map(abs, differences)]) * 1.08
    recipe_toml = run.folder / "recipe.toml"
    return (
        environment()
        .get_template("results.html")
        .render(
            run=run,
            status=run.status,
            about=run.manifest,
            evaluations=evaluations,
            conditions=[one.conditions for one in evaluations if one.conditions],
            settings=[(one, lines) for one in evaluations for lines in [suite_lines(one)]],
            lead=_lead(evaluations),
            absences=_absences(evaluations),
            pairs=pairs,
            scale=(-scale, scale),
            tokens=token_lines(evaluations),
            confidence=confidence_lines(evaluations),
            num_questions=len(questions),
            num_rows=num_rows,
            blocks=list(blocks_of(questions)),
            is_open=len(questions) <= _MAX_OPEN,
            kinds=KINDS,
            counts=kind_counts(questions),
            most=min(_MOST, max(_FEWEST, _MAX_OF_ALL // max(1, num_rows))),
            recipe_toml=recipe_toml.read_text(errors="replace") if recipe_toml.exists() else "",
            style=style("page.css", "results.css"),
            command=shlex.join(run.manifest.command),
            interval=text.interval,
            reach=text.reach,
            number=text.number,
            whisker=whisker,
        )
    )


def _lead(evaluations: Sequence[Evaluation]) -> list[Line]:
    """The first measure of each setting over all its questions."""
    return [lines[0] for one in evaluations if (lines := suite_lines(one))]


def _absences(evaluations: Sequence[Evaluation]) -> list[tuple[str, list[tuple[str, int]]]]:
    """Of each setting in which attempts have no reward, why: the reasons with their counts."""
    counted = [(one.name, count_reasons(one.rows)) for one in evaluations]
    return [(name, frequent_reasons(reasons, _MOST_REASONS)) for name, reasons in counted if reasons]


def _pairs(recipe: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The suite's pairs of settings, as the run kept it."""
    suite: Mapping[str, Any] = recipe.get("suite") or {}
    return [(str(without), str(with_)) for without, with_ in suite.get("pairs", ())]
