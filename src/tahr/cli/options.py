"""Arguments and options that several verbs share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

RecipeArgument = Annotated[Path, typer.Argument(metavar="RECIPE", help="A recipe: a TOML file.", show_default=False)]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="A setting in place of the recipe's, such as rlvr.steps=20; repeatable. Nothing after = removes the key.",
        show_default=False,
    ),
]
RunArgument = Annotated[
    Path, typer.Argument(metavar="RUN", help="A run folder, or its name under --runs.", show_default=False)
]
RunsOption = Annotated[Path, typer.Option("--runs", metavar="FOLDER", help="Where run folders are.")]

RUNS = Path("runs")

VerifierRecipeOption = Annotated[
    Path | None,
    typer.Option("--recipe", metavar="RECIPE", help="A recipe that configures verifiers.", show_default=False),
]
VerifierArgsOption = Annotated[
    list[str] | None,
    typer.Option("--args", metavar="KEY=VALUE", help="An argument of the verifier; repeatable.", show_default=False),
]
