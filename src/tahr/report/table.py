"""Tables for the terminal: what training changed, and what one evaluation found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tahr.core.errors import InputError
from tahr.evaluation.statistics import Difference, correct_rate, mean_score, part_names
from tahr.report.gain import all_differences, before_and_after, ladder
from tahr.report.text import interval, score, signed, visible_text
from tahr.store.records import Evaluation
from tahr.store.run import Run

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text


def gain_table(run: Run) -> Table | None:
    """The before/after table of a run, or None where it has no two evaluations of the same tasks."""
    pair = before_and_after(run.evaluations())
    return difference_table(all_differences(*pair)) if pair else None


def stage_table(run: Run) -> Table | None:
    """The model at the beginning and after each stage, by the measures that all tasks have.

    None where there is but one stage, whose change is the run's.
    """
    from rich.table import Table
    from rich.text import Text

    rungs = ladder(run.evaluations())
    if not rungs:
        return None
    table = Table(title="Held-out tasks, stage by stage", title_justify="left", header_style="dim")
    table.caption = f"paired by task over {rungs[0].mean.num_tasks} tasks; intervals are 95% t intervals over tasks"
    table.caption_justify = "left"
    table.add_column("model")
    for name in ("mean", "from the stage before", "from the base"):
        table.add_column(name, justify="right")
    of_all = {rung.domain: rung.mean.num_tasks for rung in rungs if rung.part == "reward"}
    for rung in rungs:
        if rung.mean.num_tasks < of_all.get(rung.domain, 0):
            continue  # a part that few tasks have: the report has them all
        if not rung.stage:
            table.add_section()
            measure = f"{rung.domain or 'all'}, {rung.part}"
            table.add_row(Text(visible_text(measure, 60), style="bold"), score(rung.mean.mean), "", "")
            continue
        changes = [
            Text(f"{signed(one.difference)}  {interval(one.low, one.high)}", style=_style(one)) if one else ""
            for one in (rung.gain, rung.total)
        ]
        table.add_row(_name(f"  + {rung.stage}"), score(rung.mean.mean), *changes)
    return table


def difference_table(differences: Sequence[Difference]) -> Table:
    """One row per domain and reward part: before, after, difference and its 95% interval, paired by task."""
    from rich.table import Table
    from rich.text import Text

    table = Table(title="Held-out tasks, before and after", title_justify="left", header_style="dim")
    for name in ("tasks", "measure"):
        table.add_column(name)
    for name in ("before", "after", "difference", "95% interval", "number"):
        table.add_column(name, justify="right")
    last: str | None = None
    for one in differences:
        if last not in (None, one.domain):
            table.add_section()
        table.add_row(
            _name("" if one.domain == last else one.domain or "all"),
            _name(one.part),
            score(one.before.mean),
            score(one.after.mean),
            Text(signed(one.difference), style=_style(one)),
            interval(one.low, one.high),
            str(one.num_tasks),
        )
        last = one.domain
    table.caption = _caption(differences)
    table.caption_justify = "left"
    return table


def evaluation_table(evaluation: Evaluation) -> Table:
    """One row per domain: mean reward and share of right answers, each with its 95% interval."""
    from rich.table import Table

    table = Table(header_style="dim")
    table.add_column("tasks")
    for name in ("reward", "95% interval", "correct", "95% interval", "number", "without reward"):
        table.add_column(name, justify="right")
    domains = sorted({row.domain for row in evaluation.rows})
    for domain in ("", *(domains if len(domains) > 1 else ())):
        table.add_row(_name(domain or "all"), *_evaluation_cells(evaluation, domain))
    return table


def _evaluation_cells(evaluation: Evaluation, domain: str) -> list[str]:
    try:
        reward = mean_score(evaluation, domain=domain)
    except InputError:  # no attempt has a reward
        num_rows = sum(not domain or row.domain == domain for row in evaluation.rows)
        return ["–", "–", "–", "–", "0", str(num_rows)]
    cells = [score(reward.mean), interval(reward.low, reward.high, sign=False)]
    if "correct" in part_names(evaluation):
        try:
            correct = correct_rate(evaluation, domain=domain)
            cells += [score(correct.mean), interval(correct.low, correct.high, sign=False)]
        except InputError:  # other domains have the part, this one has not
            cells += ["–", "–"]
    else:
        cells += ["–", "–"]
    return [*cells, str(reward.num_tasks), str(reward.num_excluded)]


def _name(name: str) -> Text:
    """A name from a recipe or a verifier, which can carry neither markup nor escape sequences to the terminal."""
    from rich.text import Text

    return Text(visible_text(name, 60))


def _style(difference: Difference) -> str:
    if not difference.is_significant:
        return ""
    return "bold green" if difference.difference > 0 else "bold red"


def _caption(differences: Sequence[Difference]) -> str:
    overall = differences[0]
    notes = ["difference paired by task; its interval is a t interval over tasks"]
    if overall.standard_error == 0:
        notes[0] = "difference paired by task; all tasks changed alike: its interval is for the share that might not"
    if overall.num_unpaired:
        notes.append(f"{overall.num_unpaired} tasks scored on one side only")
    if overall.num_excluded:
        notes.append(f"{overall.num_excluded} attempts without a reward left out")
    return "; ".join(notes)
