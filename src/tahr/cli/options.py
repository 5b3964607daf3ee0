"""Arguments and options that several verbs share."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from tahr.core.errors import InputError


def place_to_write(path: Path | None) -> Path | None:
    """The path of a file that a verb will write, refused before any work is done where it can't be written."""
    if path is None:
        return None
    folder = path.resolve().parent
    if not folder.is_dir():
        raise InputError(f"there is no folder {folder}", received=path, instead=f"mkdir -p {folder}, or another folder")
    if path.is_dir():
        raise InputError(f"{path} is a folder", received=path, instead="the name of a file in it")
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise InputError(f"{path} can't be written", received=path, instead="a folder that you may write to")
    return path


RecipeArgument = Annotated[Path, typer.Argument(metavar="RECIPE", help="A recipe: a TOML file.", show_default=False)]


def _set_option(whose: str, such_as: str) -> Any:
    said = f"A setting in place of the {whose}'s, such as {such_as}; repeatable. Nothing after = removes the key."
    return typer.Option("--set", metavar="KEY=VALUE", help=said, show_default=False)


SetOption = Annotated[list[str] | None, _set_option("recipe", "rlvr.steps=20")]
SuiteSetOption = Annotated[list[str] | None, _set_option("suite", "sampling.seed=1")]
EvaluationSetOption = Annotated[list[str] | None, _set_option("suite's or recipe", "model.max_context=512")]
StudySetOption = Annotated[list[str] | None, _set_option("study", "scaling.placebo=false")]
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
