"""One table with given columns, numbers of rows, and kinds of cells."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from tahr.core.errors import InputError
from tahr.core.protocols import verifiers
from tahr.core.ranges import BINARY, RewardRange
from tahr.core.types import Task, Verdict, failed, passed
from tahr.core.visible import says_nothing
from tahr.verifiers.example import shown_text
from tahr.verifiers.structured.fences import last_block
from tahr.verifiers.structured.per_task import check_wanted, wanted
from tahr.verifiers.structured.table_text import Grid, NoTableError, Row, read_markdown, read_separated
from tahr.verifiers.text import outside_thinking

Kind = Literal["text", "integer", "number", "boolean", "date"]
_SEPARATORS = {"csv": ",", "tsv": "\t"}
_INTEGER = re.compile(r"[+-]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,300})")
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,300})?(?:\.[0-9]{1,300})?(?:[eE][+-]?[0-9]{1,3})?")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@verifiers.register("table")
@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Exactly one table: its columns, how many rows it has, what its cells are, or what it holds to the letter.

    Every row has as many cells as the header, and none is empty unless that is allowed. Separated values are the last
    fenced block, else the whole text. Without arguments, each task's `answer` is a table of them.
    """

    form: Annotated[Literal["markdown", "csv", "tsv"], Field(description="how the table is written")] = "markdown"
    columns: Annotated[tuple[str, ...], Field(description="the header's cells, in order; any by default")] = ()
    min_rows: Annotated[int, Field(ge=0, description="fewest rows below the header")] = 1
    max_rows: Annotated[int | None, Field(ge=0, description="most rows below the header")] = None
    kinds: Annotated[dict[str, Kind], Field(description="what the cells of a column are, by its name")] = field(
        default_factory=dict[str, Kind]
    )
    rows: Annotated[tuple[Row, ...] | None, Field(description="the very cells, row by row")] = None
    only: Annotated[bool, Field(description="nothing stands outside a Markdown table")] = False
    may_be_empty: Annotated[bool, Field(description="cells may be empty")] = False
    reward_range: ClassVar[RewardRange] = BINARY

    def __post_init__(self) -> None:
        unknown = sorted(self.kinds.keys() - set(self.columns)) if self.columns else []
        if unknown or len(set(self.columns)) < len(self.columns):
            raise InputError("kinds are of columns, and columns differ", received=unknown or self.columns)
        if self.max_rows is not None and self.max_rows < self.min_rows:
            raise InputError("max_rows is below min_rows", received=f"{self.max_rows} < {self.min_rows}")
        if self.rows is not None and any(len(row) != len(self.columns) for row in self.rows):
            raise InputError("every one of the rows needs a cell for each of the columns", received=self.rows)

    def check_task(self, task: Task) -> None:
        """Raise InputError where it isn't said what is wanted."""
        check_wanted(self, task, "table")

    def verify(self, task: Task, text: str) -> Verdict:
        """PASS where the table is as wanted; the part ``parses`` says whether there is one table at all."""
        form = wanted(self, task)
        try:
            grid, outside = form._read(outside_thinking(text))
        except NoTableError as error:
            return failed(str(error), parts={"parses": 0.0})
        shown = " | ".join(grid.header)[:200]
        fault = form._shape_fault(grid) or form._cell_fault(grid)
        if not fault and form.only and outside:
            fault = "text outside the table"
        if fault:
            return failed(fault[:300], extracted=shown, parts={"parses": 1.0})
        return passed(f"a table of {len(grid.rows)} rows as asked for", extracted=shown, parts={"parses": 1.0})

    def gold(self, task: Task) -> str | None:
        """The task's example, or its answer where that is text; None without either."""
        return shown_text(task)

    def _read(self, text: str) -> tuple[Grid, bool]:
        if self.form == "markdown":
            return read_markdown(text)
        block = last_block(text, self.form)
        return read_separated(text if block is None else block, _SEPARATORS[self.form]), False

    def _shape_fault(self, grid: Grid) -> str:
        if self.columns and grid.header != self.columns:
            return f"the columns are {', '.join(grid.header)}, not {', '.join(self.columns)}"
        if len(set(grid.header)) < len(grid.header):
            return "two columns have one name"
        missing = sorted(self.kinds.keys() - set(grid.header))
        if missing:
            return f"there is no column {missing[0]!r}"
        for number, row in enumerate(grid.rows, start=1):
            if len(row) != len(grid.header):
                return f"row {number} has {len(row)} cells, not {len(grid.header)}"
        least, most = self.min_rows, self.max_rows
        if len(grid.rows) < least or (most is not None and len(grid.rows) > most):
            return f"{len(grid.rows)} rows, not {least} to {'any number' if most is None else most}"
        return ""

    def _cell_fault(self, grid: Grid) -> str:
        for number, row in enumerate((grid.header, *grid.rows)):
            for column, cell in zip(grid.header, row, strict=True):
                if not self.may_be_empty and says_nothing(cell):
                    return f"an empty cell in row {number}"
                if number and cell and not _CHECKS[self.kinds.get(column, "text")](cell):
                    return f"{cell[:60]!r} in row {number} is no {self.kinds[column]}"
        if self.rows is not None and grid.rows != self.rows:
            return "the cells are others than those asked for"
        return ""


def _is_date(cell: str) -> bool:
    try:
        return bool(_DATE.fullmatch(cell)) and bool(date.fromisoformat(cell))
    except ValueError:
        return False


_CHECKS: dict[Kind, Callable[[str], bool]] = {
    "text": lambda _: True,
    "integer": lambda cell: bool(_INTEGER.fullmatch(cell)),
    "number": lambda cell: (
        any(mark.isdigit() for mark in cell.lower().partition("e")[0]) and bool(_NUMBER.fullmatch(cell))
    ),
    "boolean": lambda cell: cell.casefold() in {"true", "false", "yes", "no"},
    "date": _is_date,
}
