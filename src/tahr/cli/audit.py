"""``tahr audit``: whether a verifier deserves trust."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from tahr.cli.console import console
from tahr.cli.options import VerifierArgsOption, VerifierRecipeOption, place_to_write
from tahr.cli.pace import watch_checks

if TYPE_CHECKING:
    from tahr.evaluation.audit.code.findings import CodeAudit
    from tahr.evaluation.audit.run import AuditJob

EXAMPLES = (
    ("tahr audit numeric", "on tahr's own tasks"),
    ("tahr audit exact --args ignore_case=true --pairs answers.jsonl", "on answers that people have labelled"),
    ("tahr audit my_rewards:score --tasks questions.jsonl --html audit.html", "a function of yours, on your tasks"),
)


def audit(
    verifier: Annotated[
        str,
        typer.Argument(
            metavar="VERIFIER",
            help="A verifier, one of the recipe's, or package.module:Name of a class or a function(text, answer).",
            show_default=False,
        ),
    ],
    tasks: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Tasks: rows with prompt, answer, example.", show_default=False),
    ] = None,
    pairs: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Labelled answers: rows with gold, answer, correct.", show_default=False),
    ] = None,
    recipe: VerifierRecipeOption = None,
    args: VerifierArgsOption = None,
    num_tasks: Annotated[int, typer.Option(min=2, help="Most tasks that are used.")] = 200,
    seconds: Annotated[float, typer.Option("--timeout", min=0.001, help="Most seconds for one check.")] = 10.0,
    json_path: Annotated[
        Path | None,
        typer.Option(
            "--json", callback=place_to_write, metavar="FILE", help="Also write all findings.", show_default=False
        ),
    ] = None,
    html_path: Annotated[
        Path | None,
        typer.Option(
            "--html", callback=place_to_write, metavar="FILE", help="Also write a page for people.", show_default=False
        ),
    ] = None,
) -> None:
    """Audit a verifier: does it pass its own answers, what does it let through, what does it refuse, what does it cost?

    Wrong answers that pass and right ones that don't are counted apart. Exit code 0 only where the verifier passes its
    own answers, never fails by itself and says the same twice; 1 where it is broken.
    """
    from tahr.evaluation.audit.run import audit as audit_verifier
    from tahr.recipe.audit_plan import Given, plan_audit
    from tahr.report.audit_page import write_audit_json, write_audit_page
    from tahr.report.audit_table import audit_tables
    from tahr.report.code_audit_table import code_audit_tables

    given = Given(verifier=verifier, tasks=tasks, pairs=pairs, recipe=recipe, arguments=args or ())
    job, material = plan_audit(given, num_tasks=num_tasks, seconds=seconds)
    with watch_checks() as on_progress:
        found = audit_verifier(job, material, on_progress=on_progress)
    output = console()
    for part in audit_tables(found):
        output.print(part)
    code = _audit_code(job)
    for part in code_audit_tables(code) if code else ():
        output.print(part)
    if json_path is not None:
        write_audit_json(json_path, found, code)
        output.print(f"wrote {json_path}", markup=False)
    if html_path is not None:
        write_audit_page(html_path, found, code)
        output.print(f"wrote {html_path}", markup=False)
    if not found.is_sound or (code and code.faults):
        raise typer.Exit(1)


def _audit_code(job: AuditJob) -> CodeAudit | None:
    """What a verifier of programs must stand beyond any verifier's audit; None for all others."""
    section = job.verifiers.get(job.verifier, {"verifier": job.verifier})
    if section.get("verifier") != "code":
        return None
    from tahr.evaluation.audit.code.run import audit_code

    with watch_checks() as on_progress:
        return audit_code(cast("Mapping[str, object]", section.get("args") or {}), on_progress=on_progress)
