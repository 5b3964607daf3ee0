"""``tahr decontaminate``: training rows that hold an evaluation's question."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tahr.cli.console import console, table

if TYPE_CHECKING:
    from tahr.recipe.sift import Question, Sifted

EXAMPLES = (
    ("tahr decontaminate chats.jsonl --against ifeval", "which rows hold a question of IFEval"),
    ("tahr decontaminate chats/ --against recipes/tiny.toml --kept clean.jsonl", "the rows without them"),
)


def decontaminate(
    train: Annotated[
        str, typer.Argument(metavar="TRAIN", help="A file, a folder of shards, or a hub dataset.", show_default=False)
    ],
    against: Annotated[
        list[str],
        typer.Option(
            metavar="EVAL",
            help="A file of questions, a suite, a task source, or a recipe (what it holds out); repeatable.",
            show_default=False,
        ),
    ],
    kept: Annotated[
        Path | None,
        typer.Option(metavar="FILE.jsonl", help="Write the rows that hold no question.", show_default=False),
    ] = None,
    removed: Annotated[
        Path | None,
        typer.Option(metavar="FILE.jsonl", help="Write which rows hold which question.", show_default=False),
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Look at this column only; repeatable.", show_default=False),
    ] = None,
    question: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Column of a file's questions.", show_default=False),
    ] = None,
    ngram: Annotated[int, typer.Option(min=2, max=64, help="Words of an n-gram.")] = 8,
    share: Annotated[float, typer.Option(min=0.0, max=1.0, help="Share of a question that a row must have.")] = 0.5,
    measure: Annotated[str, typer.Option(help="Share of the question's words, or of its ngrams.")] = "words",
    count: Annotated[int, typer.Option(min=1, help="Tasks that a task source generates.")] = 2000,
    seed: Annotated[int, typer.Option(help="Seed of a task source.")] = 0,
    split: Annotated[str, typer.Option(help="Split of a folder or a hub dataset.")] = "train",
    config: Annotated[
        str | None, typer.Option(metavar="NAME", help="Configuration of a hub dataset.", show_default=False)
    ] = None,
) -> None:
    """Find the training rows that hold a question of an evaluation, exactly, and write the others.

    A row holds a question where at least half of the question's words lie in 8-grams that both have; of a shorter
    question, all of it must occur. Rows are read one by one: files may be larger than memory.
    """
    from tahr.data.decontaminate import QuestionIndex
    from tahr.recipe.sift import questions_of, sift

    questions = [one for source in against for one in questions_of(source, column=question, count=count, seed=seed)]
    index = QuestionIndex(
        ((one.place, one.text) for one in questions), ngram=ngram, share=_share(share), measure=_measure(measure)
    )
    owners = {one.place: one.evaluation for one in questions}
    found = sift(
        train,
        index,
        owners.__getitem__,
        split=split,
        config=config,
        columns=column or (),
        kept=kept,
        removed=removed,
    )
    _print(train, questions, index.num_too_short, found)
    for path, what in ((kept, "rows without a question"), (removed, "report of the others")):
        if path is not None:
            console().print(f"wrote {path}: {what}", markup=False)


def _share(share: float) -> float:
    from tahr.core.errors import InputError

    if share <= 0:
        raise InputError("--share must be above 0", received=share, instead="0.5")
    return share


def _measure(name: str):
    from tahr.core.errors import UnknownNameError

    if name == "words" or name == "ngrams":
        return name
    raise UnknownNameError("measure", name, ("words", "ngrams"))


def _print(train: str, questions: list[Question], num_too_short: int, found: Sifted) -> None:
    rows: list[tuple[str, ...]] = []
    for evaluation in dict.fromkeys(one.evaluation for one in questions):
        total = sum(one.evaluation == evaluation for one in questions)
        hit = len(found.found.get(evaluation, ()))
        rows.append((evaluation, f"{total:,}", f"{hit:,}", f"{hit / total:.2%}", f"{found.rows[evaluation]:,}"))
    output = console()
    names = ("evaluation", "questions", "found", "share", "rows with one")
    output.print(table("", names, rows, right=names[1:]))
    share = found.num_removed / max(found.num_rows, 1)
    output.print(
        f"{train}: {found.num_removed:,} of {found.num_rows:,} rows ({share:.2%}) hold a question", markup=False
    )
    if num_too_short:
        output.print(f"{num_too_short:,} questions of fewer than 3 words were not looked for", markup=False)
