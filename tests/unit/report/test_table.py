import io
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace

from rich.console import Console
from rich.table import Table

from tahr.evaluation.statistics import compare
from tahr.report.gain import ladder, steps_up
from tahr.report.table import evaluation_table, gain_table, stage_table
from tahr.store.run import Run


def printed(table: Table | None) -> str:
    assert table is not None
    console = Console(file=io.StringIO(), width=120)
    console.print(table)
    return console.file.getvalue()  # type: ignore[attr-defined]


def row(text: str, *cells: str) -> bool:
    return any(all(cell in line for cell in cells) for line in text.splitlines())


def test_before_and_after(full_run: Run) -> None:
    text = printed(gain_table(full_run))
    assert row(text, "all", "reward", "0.359", "0.762", "+0.403", "+0.367 to +0.438", "100")
    assert row(text, "correct", "0.055", "0.443", "+0.388")
    assert row(text, "reverse", "reward", "0.257", "0.620", "25")
    assert "paired by task" in text


def test_no_comparison_is_no_table(new_run: Callable[..., Run], synthetic: SimpleNamespace) -> None:
    run = new_run()
    assert gain_table(run) is None
    run.write_evaluation(synthetic.make_evaluation("before", 0, 0.5))
    assert gain_table(run) is None


def test_the_latest_evaluation_of_the_same_tasks_stands_in_for_after(
    new_run: Callable[..., Run], synthetic: SimpleNamespace
) -> None:
    run = new_run()
    run.write_evaluation(synthetic.make_evaluation("before", 0, 0.0, num_tasks=4))
    run.write_evaluation(synthetic.make_evaluation("step-000004", 4, 1.0, num_tasks=4))
    other = synthetic.make_evaluation("step-000008", 8, 0.5, num_tasks=4)
    foreign = tuple(replace(one, task_id=f"other{one.task_id}") for one in other.rows)
    run.write_evaluation(replace(other, rows=foreign))
    assert row(printed(gain_table(run)), "reward", "0.000", "+1.000")


def test_what_is_left_out_is_counted(new_run: Callable[..., Run], synthetic: SimpleNamespace) -> None:
    run = new_run()
    before = synthetic.make_evaluation("before", 0, 0.5, num_tasks=10)
    broken = replace(before.rows[0], score=None, parts={})
    run.write_evaluation(replace(before, rows=(broken, *before.rows[1:])))
    run.write_evaluation(synthetic.make_evaluation("after", 12, 0.9, num_tasks=9))
    text = " ".join(printed(gain_table(run)).split())
    assert "1 tasks scored on one side only" in text
    assert "1 attempts without a reward left out" in text


def test_markup_in_names_is_shown_as_it_is(synthetic: SimpleNamespace) -> None:
    evaluation = synthetic.make_evaluation("after", 0, 0.5, num_tasks=8)
    rows = tuple(replace(one, domain="[red]x[/red]") for one in evaluation.rows)
    half = replace(evaluation, rows=(*rows, *synthetic.make_evaluation("a", 0, 0.5, num_tasks=2).rows))
    assert "[red]x[/red]" in printed(evaluation_table(half))


def test_one_evaluation(synthetic: SimpleNamespace) -> None:
    evaluation = synthetic.make_evaluation("before", 0, 0.4)
    text = printed(evaluation_table(evaluation))
    assert row(text, "all", "0.359", "0.325 to 0.393", "0.055", "0.025 to 0.118", "100", "0")
    lost = tuple(replace(one, score=None, parts={}) for one in evaluation.rows)
    assert row(printed(evaluation_table(replace(evaluation, rows=lost))), "all", "–", "400")


def test_each_stage_is_compared_with_the_one_before_and_with_the_base(staged_run: Run, full_run: Run) -> None:
    before, between, after = staged_run.evaluations()
    assert [one.name for one in (before, between, after)] == ["before", "after-sft", "after"]
    text = printed(stage_table(staged_run))
    assert row(text, "all, reward", f"{compare(before, after)[0].before.mean:.3f}"), text
    for stage, pair in (("+ sft", (before, between)), ("+ rlvr", (between, after))):
        gain, total = compare(*pair)[0], compare(before, pair[1])[0]
        changes = [f"{one.difference:+.3f}  {one.low:+.3f} to {one.high:+.3f}" for one in (gain, total)]
        assert row(text, stage, f"{gain.after.mean:.3f}", *changes), text
    assert stage_table(full_run) is None


def test_a_run_not_evaluated_between_its_stages_attributes_nothing(staged_run: Run) -> None:
    before, _, after = staged_run.evaluations()
    assert steps_up([before, after]) == []
    assert ladder([before, after]) == []
