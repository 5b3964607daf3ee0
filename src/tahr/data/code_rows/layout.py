"""Which columns of a coding data set hold what, and the layouts of well-known ones."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Annotated, Literal

from pydantic import Field

from tahr.core.errors import InputError, UnknownNameError
from tahr.data.columns import Column
from tahr.data.rows import Row

Form = Literal["assertions", "inputs_outputs", "cases"]
LayoutName = Literal["mbpp", "mbpp_sanitized", "apps", "livecodebench"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeColumns:
    """Columns by what they hold; those left at None are not read. ``metadata.func_name`` looks into a table (or JSON).

    `form` says how tests are written: a list of Python assertions; a table of ``inputs`` and ``outputs``, with
    ``fn_name`` where a function is called; or a list of ``{"input", "output", "testtype"}``. Such cells may be JSON.
    """

    statement: Annotated[Column, Field(description="what is asked for")] = None
    form: Annotated[Form | None, Field(description="how the tests are written")] = None
    tests: Annotated[Column, Field(description="the tests; for the form cases those that the statement shows")] = None
    hidden: Annotated[Column, Field(description="tests that are never shown")] = None
    setup: Annotated[Column, Field(description="source, or a list of lines, that the tests need")] = None
    solution: Annotated[Column, Field(description="a program that solves the task, or a list of them")] = None
    starter: Annotated[Column, Field(description="code that the program must begin with")] = None
    entry_point: Annotated[Column, Field(description="the function that is called; found in assertions")] = None
    id: Annotated[Column, Field(description="an id that must be unique; kept in meta")] = None
    domain: Annotated[Column, Field(description="the domain of the task in metrics")] = None
    kept: Annotated[tuple[str, ...], Field(description="columns kept in meta, such as a difficulty")] = ()

    def check(self, row: Row) -> None:
        """Raise InputError for what every mapping needs, UnknownNameError for a column that the first row lacks."""
        for name in ("statement", "form", "tests"):
            if getattr(self, name) is None:
                raise InputError(
                    f"the mapping of columns says nothing about {name!r}",
                    instead=f'columns.{name} = "...", or a layout: {", ".join(LAYOUTS)}',
                )
        named = [self.statement, self.tests, self.hidden, self.setup, self.solution, self.starter, self.entry_point]
        for name in filter(None, (*named, self.id, self.domain, *self.kept)):
            if name.partition(".")[0] not in row.values and name not in row.values:
                raise UnknownNameError(f"column ({row.place.partition(',')[0]})", name, row.values)


LAYOUTS: dict[LayoutName, CodeColumns] = {
    "mbpp": CodeColumns(
        statement="text",
        form="assertions",
        tests="test_list",
        hidden="challenge_test_list",
        setup="test_setup_code",
        solution="code",
        id="task_id",
    ),
    "mbpp_sanitized": CodeColumns(
        statement="prompt",
        form="assertions",
        tests="test_list",
        setup="test_imports",
        solution="code",
        id="task_id",
    ),
    "apps": CodeColumns(
        statement="question",
        form="inputs_outputs",
        tests="input_output",
        solution="solutions",
        starter="starter_code",
        kept=("difficulty",),
    ),
    "livecodebench": CodeColumns(
        statement="question_content",
        form="cases",
        tests="public_test_cases",
        hidden="private_test_cases",
        starter="starter_code",
        entry_point="metadata.func_name",
        kept=("platform", "contest_date", "difficulty"),
    ),
}
"""Austin et al. 2021 (arXiv:2108.07732), Hendrycks et al. 2021 (arXiv:2105.09938), Jain et al. 2024 (2403.07974)."""


def columns_of(layout: LayoutName | None, given: CodeColumns) -> CodeColumns:
    """The layout's columns, with those that are given in their place."""
    if layout is None:
        return given
    explicit = {field.name: value for field in fields(given) if (value := getattr(given, field.name))}
    return replace(LAYOUTS[layout], **explicit)
