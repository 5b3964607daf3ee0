"""``tahr losses``: the algorithms that a recipe can start from, and what each sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from tahr.cli.console import console, table
from tahr.core.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console

    from tahr.losses.presets import Preset

EXAMPLES = (
    ("tahr losses", "every algorithm, with its paper and what it sets"),
    ("tahr losses --explain dapo", "the formula of one, with its values"),
    ("tahr losses grpo dapo", "of several, one below the other"),
    ("tahr train recipes/tiny.toml --set rlvr.algorithm=gspo", "use one"),
)


def losses(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]...", help="Algorithms to explain; none lists all.", show_default=False),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Explain the algorithms that are named, before or behind this.")
    ] = False,
) -> None:
    """List the algorithms for [rlvr] algorithm = "NAME", each a setting of the same loss; explain those that are named.

    A recipe may start from one and change any of its settings, in [rlvr.advantage], [rlvr.loss] and [rlvr.schedule].
    """
    from tahr.losses.presets import PRESETS

    output = console()
    if names:
        presets = [_named(name) for name in names]  # a wrong name is told before anything is printed
        for number, preset in enumerate(presets):
            output.print("\n" * bool(number), end="")
            _explain(output, preset)
        return
    if explain:
        raise InputError(
            "--explain explains the algorithms that are named, and none is",
            instead=f"tahr losses --explain NAME, with one of {', '.join(PRESETS)}",
        )
    rows = [(one.name, one.title, ", ".join(_settings(one.settings)) or "(the defaults)") for one in PRESETS.values()]
    output.print(table("", ("algorithm", "what it is", "what it sets"), rows))
    output.print("`tahr losses --explain NAME` prints the formula, the paper, and how ours differs", markup=False)


def _named(name: str) -> Preset:
    """The algorithm that is meant: "Dr.GRPO", "dr-grpo" and "drgrpo" are dr_grpo. Raises UnknownNameError."""
    from tahr.losses.presets import PRESETS, find_preset

    def letters(written: str) -> str:
        return "".join(filter(str.isalnum, written.replace("++", "pp").casefold()))

    return find_preset(next((known for known in PRESETS if letters(known) == letters(name)), name))


def _explain(output: Console, preset: Preset) -> None:
    from tahr.losses.formula import explain as formula
    from tahr.training.config import RlvrConfig

    config = RlvrConfig(tasks={"any": 1.0}, steps=1, algorithm=preset.name)
    output.print(f"{preset.title} ({preset.paper})\n", markup=False, style="bold", soft_wrap=True)
    for line in formula(config.advantage, config.loss):
        output.print(f"  {line}", markup=False, highlight=False, soft_wrap=True)
    output.print(f"\nHow ours differs: {preset.differs}.", markup=False, highlight=False, soft_wrap=True)
    settings = [f"  rlvr.{line}" for line in _settings(preset.settings)] or ["  (the defaults)"]
    output.print("\n".join(["\nIt sets:", *settings]), markup=False, highlight=False, soft_wrap=True)


def _settings(values: dict[str, object], prefix: str = "") -> list[str]:
    """``loss.clip_high = 0.28`` and so on, one a setting."""
    lines: list[str] = []
    for name, value in values.items():
        if isinstance(value, dict):
            lines += _settings(value, f"{prefix}{name}.")  # pyright: ignore[reportUnknownArgumentType]
        else:
            lines.append(f"{prefix}{name} = {str(value).lower() if isinstance(value, bool) else repr(value)}")
    return lines
