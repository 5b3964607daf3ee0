"""``tahr prefs label``: a page in the browser on which a person says which of two answers is better."""

from __future__ import annotations

import getpass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tahr.cli.console import console

if TYPE_CHECKING:
    from tahr.labelling.desk import Desk

EXAMPLES = (
    ("tahr prefs label pairs.jsonl --out labels.jsonl", "opens the page; Ctrl-C ends it, the same command goes on"),
    ("tahr prefs label pairs.jsonl --out labels.jsonl --who ada --port 8765 --no-browser", "behind an SSH tunnel"),
)

SourceArgument = Annotated[
    str,
    typer.Argument(
        metavar="PAIRS", help="Pairs in any format: a file, a folder, or a hub dataset.", show_default=False
    ),
]


def label(
    pairs: SourceArgument,
    out: Annotated[
        Path,
        typer.Option(metavar="LABELS.jsonl", help="The file that labels are appended to.", show_default=False),
    ],
    who: Annotated[
        str | None, typer.Option(metavar="NAME", help="Who labels; your login by default.", show_default=False)
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port at 127.0.0.1; 0 takes a free one.")] = 0,
    seed: Annotated[int, typer.Option(help="Seed of which answer stands on which side.")] = 0,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Print the address and open nothing.")] = False,
) -> None:
    """Label pairs of answers in the browser: left, right, neither, or not to be judged, with one key each.

    The page shows neither which answer the file prefers nor who wrote it, and which answer stands on the left is drawn
    for each rater and pair. Every label is on the disk before the next pair is shown; the same command goes on where
    it ended. The server answers this machine only, under an address that nobody can guess.
    """
    import webbrowser

    from tahr.data.labels.files import LabelFile
    from tahr.data.labels.label import comparisons_of
    from tahr.data.preferences.files import read_pairs
    from tahr.labelling.desk import Desk
    from tahr.labelling.server import LabelServer

    read = read_pairs(pairs)
    comparisons = list(comparisons_of(read.pairs).values())
    desk = Desk(comparisons, LabelFile(out), who=who or getpass.getuser(), seed=seed)
    with LabelServer(desk, port) as server:
        output = console()
        output.print(f"{read}; {desk.state(None)['done']} labelled by {desk.who}", markup=False, soft_wrap=True)
        output.print(f"label at {server.url}", markup=False, soft_wrap=True)
        output.print("Ctrl-C ends it; every label is kept as it is given", markup=False)
        if not no_browser:
            webbrowser.open(server.url)
        try:
            server.serve_forever(poll_interval=0.2)
        except KeyboardInterrupt:
            _conclude(desk)


def _conclude(desk: Desk) -> None:
    """Say what there is; stopping is the ordinary end of labelling, and no failure."""
    desk.book.write_missing()
    state = desk.state(None)
    tally = ", ".join(f"{count} {answer.replace('_', ' ')}" for answer, count in state["tally"].items())
    console().print(
        f"\n{state['done']} of {state['total']} labelled in {state['file']}: {tally}", markup=False, soft_wrap=True
    )
