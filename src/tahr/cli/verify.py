"""``tahr verify``: verdicts on every row of a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tahr.cli.console import bytes_text, console, table
from tahr.cli.options import VerifierArgsOption, VerifierRecipeOption, place_to_write
from tahr.cli.pace import watch_rows

if TYPE_CHECKING:
    from tahr.evaluation.bulk.tally import Tally
    from tahr.evaluation.bulk.verify import BulkJob

MAX_REASONS = 3
"""Reasons for rows without a reward that are shown: the commonest."""

EXAMPLES = (
    ("tahr verify answers.jsonl --verifier numeric", "verdicts in answers.verdicts.jsonl"),
    ("tahr verify answers.jsonl --verifier exact --args ignore_case=true --response completion", "another column"),
)


def verify(
    rows: Annotated[
        Path, typer.Argument(metavar="FILE.jsonl", help="JSON lines, one answer a row.", show_default=False)
    ],
    verifier: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="A verifier, one of the recipe's, or package.module:Name.", show_default=False
        ),
    ],
    recipe: VerifierRecipeOption = None,
    args: VerifierArgsOption = None,
    out: Annotated[
        Path | None,
        typer.Option(
            callback=place_to_write,
            metavar="FILE",
            help="Where verdicts go; beside FILE by default.",
            show_default=False,
        ),
    ] = None,
    prompt: Annotated[str, typer.Option(metavar="COLUMN", help='Column of the question; "" for none.')] = "prompt",
    answer: Annotated[str, typer.Option(metavar="COLUMN", help="Column of the right answer.")] = "answer",
    response: Annotated[str, typer.Option(metavar="COLUMN", help="Column of the text to judge.")] = "response",
    id_column: Annotated[
        str | None, typer.Option("--id", metavar="COLUMN", help="Column kept in the verdicts.", show_default=False)
    ] = None,
    example: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Column of a text that passes, where tasks need one.", show_default=False),
    ] = None,
    answer_is_json: Annotated[bool, typer.Option("--answer-is-json", help="The answer's text is JSON.")] = False,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes that judge; one a core by default.", show_default=False)
    ] = None,
    seconds: Annotated[float, typer.Option("--timeout", min=0.001, help="Most seconds for one row.")] = 10.0,
    memory: Annotated[float, typer.Option(min=0.1, help="Most memory of one process, in GB.")] = 4.0,
    restart: Annotated[bool, typer.Option("--restart", help="Judge all rows anew.")] = False,
) -> None:
    """Judge every row of a file and write a verdict for each, in the same order.

    What was judged before is not judged again: the same command goes on after a crash. A row that breaks its process
    or takes too long costs itself only. Exit code 0: every row has a reward; 1: some have none.
    """
    from tahr.evaluation.bulk.judges import RowFormat
    from tahr.evaluation.bulk.verify import BulkJob
    from tahr.recipe.verifier_choice import verifier_sections

    columns = RowFormat(
        prompt=prompt or None,
        answer=answer,
        response=response,
        id=id_column,
        example=example,
        answer_is_json=answer_is_json,
    )
    job = BulkJob(
        verifier=verifier,
        verifiers=verifier_sections(verifier, recipe, args or ()),
        columns=columns,
        seconds=seconds,
        memory_bytes=int(memory * 1e9),
    )
    _run(rows, job, out or rows.with_name(f"{rows.stem}.verdicts.jsonl"), workers, restart)


def _run(rows: Path, job: BulkJob, target: Path, workers: int | None, restart: bool) -> None:
    from tahr.evaluation.bulk.lane import default_workers
    from tahr.evaluation.bulk.verify import verify_file

    processes = workers or default_workers()
    with watch_rows() as pace:
        tally = verify_file(rows, job, target, workers=processes, restart=restart, on_progress=pace.show)
    _print(tally, target, pace.summary)
    if tally.num_without_reward:
        raise typer.Exit(1)


def _print(tally: Tally, target: Path, pace: str) -> None:
    from tahr.core.types import Outcome

    total = max(tally.num_rows, 1)
    counts = [
        (outcome.value, f"{tally.count(outcome):,}", f"{tally.count(outcome) / total:.2%}") for outcome in Outcome
    ]
    rows = [*counts, ("all", f"{tally.num_rows:,}", "")]
    output = console()
    output.print(table("", ("outcome", "rows", "share"), rows, right=("rows", "share")))
    mean = "none" if tally.mean_reward is None else f"{tally.mean_reward:.4f}"
    output.print(f"mean reward {mean} over {tally.num_rows - tally.num_without_reward:,} rows; {pace}", markup=False)
    for reason, count in tally.reasons(MAX_REASONS):
        output.print(f"no reward for {count:,} {'row' if count == 1 else 'rows'}: {reason}", markup=False)
    output.print(f"wrote {target} ({bytes_text(target.stat().st_size)})", markup=False)
