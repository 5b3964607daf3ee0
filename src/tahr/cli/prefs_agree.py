"""``tahr prefs agree`` and ``tahr prefs winrate``: what labels are worth."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tahr.cli.console import console
from tahr.cli.prefs_label import SourceArgument
from tahr.core.errors import InputError

if TYPE_CHECKING:
    from tahr.core.preferences import Pair
    from tahr.data.labels.label import Label

AGREE_EXAMPLES = (
    ("tahr prefs agree ada.jsonl bob.jsonl", "two people, or a person and a judge's file of pairs"),
    ("tahr prefs agree labels.jsonl judge.jsonl --seed 1", "every rater of the files; more than two have alpha"),
)
WINRATE_EXAMPLES = (
    ("tahr prefs winrate pairs.jsonl --judge judge.jsonl --people ada.jsonl", "of the answers that the file chose"),
    ("tahr prefs winrate pairs.jsonl --judge judge.jsonl --people ada.jsonl --model smollm2-135m", "of a model"),
)

LabelsOption = Annotated[Path, typer.Option(metavar="FILE", help="Labels, or pairs.", show_default=False)]


def agree(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="LABELS", help="Files of labels, or of pairs, which are their own rater.", show_default=False
        ),
    ],
    seed: Annotated[int, typer.Option(help="Seed of the resamples behind the intervals.")] = 0,
) -> None:
    """How far raters agree on the same pairs: raw, and beyond chance, with intervals over prompts.

    Two raters are compared by Cohen's kappa, more by Krippendorff's alpha (and Fleiss' kappa where all of them labelled
    all pairs); ties count as a category, and again without them. Labels are joined by what was compared.
    """
    from tahr.evaluation.agreement import agreement
    from tahr.report.agreement_table import agreement_table, rater_table

    raters = _raters(files)
    output = console()
    found = agreement(raters, seed=seed)
    output.print(rater_table(raters))
    output.print(agreement_table(found))


def winrate(
    pairs: SourceArgument,
    judge: LabelsOption,
    people: LabelsOption,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Whose wins are counted; the answers that PAIRS chose by default.", show_default=False
        ),
    ] = None,
) -> None:
    """How often an answer wins by people's taste, from a judge on all pairs and people on some of them.

    The judge's error is measured where people labelled too, and corrected everywhere (prediction-powered inference).
    """
    from tahr.data.labels.files import read_labels
    from tahr.data.preferences.files import read_pairs
    from tahr.evaluation.prediction_powered import powered_win_rate
    from tahr.report.agreement_table import win_rate_table

    favourites = _favourites(read_pairs(pairs).pairs, model)
    found = powered_win_rate(read_labels(people), read_labels(judge), favourites)
    console().print(win_rate_table(found, model or "the answer that the file chose"))


def _raters(files: list[Path]) -> dict[str, list[Label]]:
    """Labels by rater; raters of one name in two files are told apart by the files."""
    from tahr.data.labels.files import read_labels

    found: dict[str, list[Label]] = {}
    twice = [path for place, path in enumerate(files) if path.resolve() in {one.resolve() for one in files[:place]}]
    if twice:
        raise InputError("a file is given twice", received=str(twice[0]), instead="different files")
    for path in files:
        by_name: defaultdict[str, list[Label]] = defaultdict(list)
        for label in read_labels(path):
            by_name[label.who].append(label)
        for who, labels in by_name.items():
            name = who if who not in found else f"{who} in {path}"
            found[name] = labels
    return found


def _favourites(pairs: tuple[Pair, ...], model: str | None) -> dict[str, str]:
    """Comparison to the id of the answer whose wins are counted."""
    from tahr.data.labels.label import Comparison, answer_of

    found = {Comparison.of(pair).id: answer_of(pair, model) for pair in pairs}
    known = {name: answer for name, answer in found.items() if answer is not None}
    if not known:
        models = {str(pair.provenance.get(f"{side}_model")) for pair in pairs for side in ("chosen", "rejected")}
        raise InputError(
            f"no pair has exactly one answer of {model!r}", received=", ".join(sorted(models)[:20]), instead="its name"
        )
    return known
