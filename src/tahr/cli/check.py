"""``tahr check``: what a recipe will do and take, and every conflict, before anything is loaded."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Annotated

import typer

from tahr.cli.console import bytes_text, console, count_text, table, time_text
from tahr.cli.options import RecipeArgument, SetOption

if TYPE_CHECKING:
    from rich.console import Console

    from tahr.recipe.chats import ChatFacts
    from tahr.recipe.estimate import Estimate
    from tahr.recipe.pairs import PairFacts
    from tahr.recipe.pool_sizes import PoolModel
    from tahr.recipe.rewards import RewardFacts
    from tahr.recipe.schema import Recipe

EXAMPLES = (
    ("tahr check recipes/tiny.toml", "the resolved recipe and its estimate"),
    ("tahr check recipes/quickstart.toml --set rlvr.group_size=16", "what a larger group would take"),
)


def _print_keys(wanted: bool) -> None:
    if wanted:
        from tahr.recipe.reference import reference

        typer.echo(reference(), nl=False)
        raise typer.Exit


def check(
    recipe: RecipeArgument,
    overrides: SetOption = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Only warnings and errors.")] = False,
    keys: Annotated[
        bool,
        typer.Option("--keys", callback=_print_keys, is_eager=True, help="Print every recipe key (Markdown) and stop."),
    ] = False,
) -> None:
    """Check a recipe: its settings, parts, tasks and model, and estimate memory and time.

    Every conflict is reported at once, with exit code 2, before any model is loaded.
    """
    from tahr.recipe.check import check as check_recipe
    from tahr.recipe.load import load_recipe

    loaded = load_recipe(recipe, overrides or ())
    result = check_recipe(loaded.recipe)
    output = console()
    if not quiet:
        output.print(loaded.text, markup=False)
        if result.estimate is not None:
            _print_estimate(output, result.estimate)
        _print_chats(output, result.chats)
        _print_pairs(output, result.pairs)
        _print_rewards(output, result.rewards)
        _print_guard(output, loaded.recipe)
    for warning in result.warnings:
        output.print(f"warning: {warning}", markup=False, style="yellow")
    if not quiet:
        output.print(f"{recipe}: no conflicts", markup=False, style="green")


def _print_estimate(output: Console, estimate: Estimate) -> None:
    parts = estimate.memory
    output.print(
        f"parameters: {count_text(estimate.num_parameters)}, {count_text(estimate.num_trainable)} of them trained"
    )
    rows = [(field.name, bytes_text(getattr(parts, field.name))) for field in fields(parts)]
    output.print(table("memory", ("part", "about"), [*rows, ("peak", bytes_text(parts.peak))], right=("about",)))
    output.print(_room(estimate))
    _print_pool(output, estimate.pool)
    output.print(
        table(
            "work, at the longest completions and with all resampling",
            ("stage", "steps", "tokens sampled", "tokens trained", "FLOPs", "about"),
            [
                (
                    stage.name,
                    str(stage.steps),
                    count_text(stage.sampled_tokens),
                    count_text(stage.trained_tokens),
                    count_text(stage.flops),
                    time_text(stage.seconds),
                )
                for stage in estimate.stages
            ],
            right=("steps", "tokens sampled", "tokens trained", "FLOPs", "about"),
        )
    )
    output.print(f"time: about {time_text(estimate.seconds)}, {estimate.assumption}")
    output.print(f"disk: {bytes_text(estimate.checkpoint_bytes)} a checkpoint")


def _print_pool(output: Console, pool: tuple[PoolModel, ...]) -> None:
    """A row for every model beside the policy that answers or judges while pairs are built."""
    rows = [
        (
            one.name,
            count_text(one.facts.num_parameters) if one.facts else "unknown" if one.is_here else "behind a server",
            bytes_text(one.num_bytes) if one.facts else "unknown" if one.is_here else "0 B",
            count_text(one.num_requests),
            count_text(one.num_new_tokens),
        )
        for one in pool
    ]
    if rows:
        names = ("model", "parameters", "weights, matrices, cache", "requests", "tokens at most")
        output.print(table("beside the policy, while pairs are built", names, rows, right=names[2:]))


def _room(estimate: Estimate) -> str:
    """What there is of memory; where the recipe states its hardware, what that would have to be."""
    gpu = estimate.machine.gpu
    if not estimate.hardware or gpu is None:
        return f"free here: {bytes_text(estimate.memory_free)} on the {'GPU' if estimate.on_gpu else 'machine'}"
    fewest = "no number" if estimate.fewest_gpus is None else f"{estimate.fewest_gpus} or more"
    hours = count_text(round(estimate.seconds * gpu.count / 3600))
    return (
        f"{estimate.hardware}: {bytes_text(estimate.memory_needed)} of {bytes_text(gpu.memory_total)} on each GPU; "
        f"{fewest} of them would hold it; {hours} GPU-hours"
    )


def _print_pairs(output: Console, pairs: tuple[PairFacts, ...]) -> None:
    """A row for every set of pairs."""
    names = ("set", "to learn from", "held out", "weight", "tokens", "left out of a sample")
    rows = [
        (
            one.name,
            f"{one.num_train:,}",
            f"{one.num_validation:,}",
            f"{one.weight:g}",
            f"{one.tokens:.0f}",
            one.left_out or "none",
        )
        for one in pairs
    ]
    if rows:
        output.print(table("pairs: tokens with the prompt once", names, rows))


def _print_chats(output: Console, chats: tuple[ChatFacts, ...]) -> None:
    rows = [
        (
            one.name,
            one.format,
            f"{one.num_rows:,}",
            f"{one.tokens:.0f}",
            f"{one.refused_share:.1%}" + (f" ({one.refusals})" if one.refusals else ""),
            f"{one.contaminated_share:.1%}",
            one.left_out,
        )
        for one in chats
    ]
    if rows:
        names = ("set", "format", "to learn from", "tokens", "refused", "contaminated", "read")
        output.print(table("chats: tokens of a conversation, and shares of a sample of the rows", names, rows))


def _print_guard(output: Console, recipe: Recipe) -> None:
    """Which suites' unseen questions are kept out of training, and why the others' are not."""
    from tahr.recipe.unseen_guard import guarded_suites, unseen_guard

    kept = ", ".join(f"{name} ({len(questions)})" for name, questions in guarded_suites(recipe).items())
    output.print(f"unseen questions kept out of training: {kept or 'none'}", markup=False)
    named = recipe.eval.suites if recipe.eval is not None else ()
    for why, names in unseen_guard().why_left().items():
        left = ", ".join(name for name in names if name not in named)
        if left:
            output.print(f"not kept out unless named in eval.suites: {left} ({why})", markup=False)


def _print_rewards(output: Console, rewards: tuple[RewardFacts, ...]) -> None:
    def between(ends: tuple[float, float]) -> str:
        return f"{ends[0]:g}" if ends[0] == ends[1] else f"{ends[0]:g} to {ends[1]:g}"

    rows = [
        (
            one.verifier,
            between(one.known.passing) if one.known else "unknown",
            between(one.known.failing) if one.known else "unknown",
            f"{one.known.cheating:g}" if one.known else "unknown",
            *("absent" if worth is None else f"{worth:g}" for worth in one.nulls.values()),
        )
        for one in rewards
    ]
    if rows:
        names = ("verifier", "passing", "failing", "cheating", *(f'"{null}"' for null in rewards[0].nulls))
        output.print(table("rewards: their ranges, and what null answers earn on average", names, rows))
