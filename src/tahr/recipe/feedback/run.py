"""Human or AI feedback, as an experiment: agreement of two sources of labels, and what each makes of one model.

Both models start from the same weights and see the same comparisons in the same order of draws; only which answer of a
comparison is the better one comes from different sources. They are evaluated on the same held-out tasks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tahr.core.errors import InputError
from tahr.core.preferences import Pair, content_id
from tahr.core.progress import Progress
from tahr.data.labels.files import read_labels
from tahr.data.labels.label import Label, answer_of, comparisons_of, relabelled
from tahr.data.preferences.files import read_pairs, write_pairs
from tahr.evaluation.agreement import Agreement, agreement
from tahr.evaluation.prediction_powered import PoweredMean, powered_win_rate
from tahr.evaluation.statistics import Difference, compare, part_names
from tahr.recipe.feedback.config import FeedbackConfig
from tahr.recipe.load import LoadedRecipe, parse_recipe, read_values, to_toml
from tahr.recipe.overrides import apply_overrides
from tahr.store.records import Evaluation
from tahr.store.run import Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """What an experiment found. `gains` is after against before for each source, `between` the second source's model
    against the first's, each by reward part; `win_rate` is how often people would prefer the answer that the pairs
    chose. `num_turned` counts the comparisons that the sources taught in opposite ways.

    Example: ``run_feedback(config, root=Path("runs"), progress=SilentProgress()).between["reward"].difference``
    """

    name: str
    sources: tuple[str, str]
    num_pairs: int
    num_trained: int
    num_turned: int
    agreement: tuple[Agreement, ...]
    win_rate: PoweredMean
    runs: Mapping[str, Path]
    gains: Mapping[str, Mapping[str, Difference]]
    between: Mapping[str, Difference]


def load_feedback(path: Path) -> FeedbackConfig:
    """The experiment in a TOML file. Raises InputError: missing, not TOML, or wrong keys."""
    return FeedbackConfig.read(read_values(path), where="")


def run_feedback(config: FeedbackConfig, *, root: Path, progress: Progress, overrides: Sequence[str] = ()) -> Feedback:
    """Compare the labels, train on each source's, and compare the models. A second call goes on where it ended.

    `overrides` change the recipe, such as ``dpo.steps=4``. Raises InputError for a recipe without the stage dpo or
    without [eval], and for sources with too little in common; what training raises passes through.
    """
    pairs = read_pairs(config.pairs).pairs
    known = comparisons_of(pairs)
    labels = {
        name: _newest([one for one in read_labels(Path(path)) if one.comparison in known])
        for name, path in config.labels.items()
    }
    people, judge = labels
    found = agreement(labels, seed=config.seed)
    favourites = {one: answer for pair in pairs for one in comparisons_of([pair]) if (answer := answer_of(pair, None))}
    win_rate = powered_win_rate(labels[people], labels[judge], favourites)
    trained = _training_pairs(pairs, labels)
    recipe = _recipe(config, overrides)
    folder = root / config.name
    folder.mkdir(parents=True, exist_ok=True)
    runs = {name: _train(recipe, name, of, folder, progress) for name, of in trained.items()}
    ends = {name: _ends(run) for name, run in runs.items()}
    return Feedback(
        name=config.name,
        sources=(people, judge),
        num_pairs=len(known),
        num_trained=len(trained[people]),
        num_turned=sum(one.chosen != other.chosen for one, other in zip(*trained.values(), strict=True)),
        agreement=tuple(found),
        win_rate=win_rate,
        runs={name: run.folder for name, run in runs.items()},
        gains={name: _differences(*both) for name, both in ends.items()},
        between=_differences(ends[people][1], ends[judge][1]),
    )


def _newest(labels: list[Label]) -> list[Label]:
    """One label a comparison. Raises InputError where several raters stand behind one source and differ."""
    found: dict[str, Label] = {}
    for label in labels:
        held = found.setdefault(label.comparison, label)
        if held.who != label.who and held.verdict != label.verdict:
            raise InputError(
                "two raters of one source say different things of a pair",
                received=f"{held.who}: {held.verdict}, {label.who}: {label.verdict}",
                instead="a file with one rater's labels, or with the labels that they agreed on",
            )
    return list(found.values())


def _training_pairs(pairs: tuple[Pair, ...], labels: Mapping[str, list[Label]]) -> dict[str, list[Pair]]:
    """For each source the comparisons of which both prefer one answer, in the same order."""
    turned = {
        name: {next(iter(comparisons_of([one]))): one for one in relabelled(pairs, of)} for name, of in labels.items()
    }
    one, other = turned.values()
    shared = [name for name in one if name in other]
    if not shared:
        raise InputError("the sources have no pair in common of which both prefer one answer", instead="other labels")
    return {name: [of[one] for one in shared] for name, of in turned.items()}


def _train(recipe: Mapping[str, Any], name: str, pairs: list[Pair], folder: Path, progress: Progress) -> Run:
    """The run of one source. One that has ended is taken as it is where nothing has changed since, another goes on."""
    from tahr.recipe.run import run_recipe

    content = content_id(*(one.id for one in pairs))
    source = folder.resolve() / f"pairs-{name}-{content}.jsonl"
    if not source.exists():
        write_pairs(source, pairs)
    loaded = _on(recipe, name, source)
    place = folder / f"{name}-{content_id(content, loaded.text.replace(str(source), ''))}"
    if place.exists():
        if Run.open(place).status == "finished":
            return run_recipe(loaded, runs_root=folder, progress=progress, reuse=True)
        return run_recipe(loaded, runs_root=folder, resume=place, progress=progress)
    progress.message(f"training on the labels of {name}: {len(pairs)} pairs")
    return run_recipe(loaded, runs_root=folder, folder=place, progress=progress)


def _recipe(config: FeedbackConfig, overrides: Sequence[str]) -> dict[str, Any]:
    """The recipe's values, called like the experiment. Raises InputError where it has no dpo or no evaluation."""
    values = apply_overrides(read_values(Path(config.recipe)), overrides)
    if "dpo" not in values.get("stages", ()) or "dpo" not in values or "eval" not in values:
        raise InputError(
            "the experiment's recipe must have the stage dpo and an [eval] section",
            received=f"{config.recipe} with {', '.join(values)}",
            instead="a recipe whose stages end with dpo",
        )
    return {**values, "name": config.name}


def _on(recipe: Mapping[str, Any], name: str, source: Path) -> LoadedRecipe:
    """The recipe on the pairs of one source."""
    dpo = {**recipe["dpo"], "pairs": {"feedback": {"source": str(source)}}}
    parsed = parse_recipe({**recipe, "name": f"{recipe['name']}-{name}", "dpo": dpo}, origin="of the experiment")
    return LoadedRecipe(recipe=parsed, text=to_toml(parsed), path=source)


def _ends(run: Run) -> tuple[Evaluation, Evaluation]:
    """The evaluations before and after. Raises InputError where the run was interrupted before it had both."""
    found = {one.name: one for one in run.evaluations()}
    if run.status != "finished" or "before" not in found or "after" not in found:
        raise InputError(
            f"the run {run.folder} has not ended", received=run.status, instead="the same command again: it goes on"
        )
    return found["before"], found["after"]


def _differences(before: Evaluation, after: Evaluation) -> dict[str, Difference]:
    """By reward part, over all tasks."""
    shared = [part for part in part_names(before) if part in part_names(after)]
    return {part: compare(before, after, part=part)[0] for part in ("reward", *shared)}
