"""What an audit of the verifier of programs adds, in the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tahr.evaluation.audit.code.findings import CodeAudit, Honest
from tahr.report.audit_table import rate_cells, section

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text


def code_audit_tables(audit: CodeAudit) -> Iterator[Table | Text]:
    """Tables and lines, in the order in which they are read."""
    from rich.text import Text

    kinds = [(one.name, str(one.agreed.count), str(one.agreed.total)) for one in audit.exploits]
    yield from section("programs that cheat", ("kind", "beaten", "of"), kinds)
    yield Text(f"exploits rewarded: {audit.rewarded.count} of {audit.rewarded.total}")
    columns = ("programs", "pass", "flagged", "of", "share flagged", "95% interval")
    if audit.honest:
        yield from section("honest programs", columns, map(_honest, audit.honest))
    mistakes = [(one.name, str(one.flagged.total - one.passed.count), *_honest(one)[2:]) for one in audit.mistakes]
    caught = (columns[0], "caught", *columns[2:])
    yield from section("mutants: programs with one small change", caught, mistakes)
    for one in (*audit.honest, *audit.mistakes):
        yield from (Text(f"flagged, {one.name}: {example}", style="yellow") for example in one.examples)
    if audit.missing:
        yield Text(audit.missing, style="yellow")
    most = max(audit.rates.values(), default=0.0)
    rates = [(name, f"{rate:,.1f}", f"{rate / most:.2f}") for name, rate in audit.rates.items() if most]
    yield from section("a right program, graded by five tests", ("way", "grades/s", "of the fastest"), rates)
    yield Text("")
    yield from (Text(f"broken: {fault}", style="bold red") for fault in audit.faults)


def _honest(one: Honest) -> tuple[str, ...]:
    return (one.name, str(one.passed.count), str(one.flagged.count), str(one.flagged.total), *rate_cells(one.flagged))
