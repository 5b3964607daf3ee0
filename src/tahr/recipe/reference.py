"""The reference of every recipe key, written from the schema: ``tahr check --keys > docs/recipes.md``."""

from __future__ import annotations

from collections.abc import Iterator

from tahr.recipe.keys import Section, sections

OPENING = """\
# Recipes

A recipe is one TOML file that says everything a run does: a model, named task sets, and the stages that are run in
order. Those in `recipes/` are examples to start from.

- `tahr check RECIPE` resolves it, reports every conflict at once and estimates memory and time, before anything is
  loaded.
- `--set rlvr.learning_rate=1e-6` puts a value in the place of the recipe's; `--set eval=` removes a key or a section.
- Every section of a stage is listed in `stages`, so leaving a stage out takes two overrides:
  `--set 'stages=["rlvr"]' --set sft=` starts without the supervised warm-up.
- Keys are closed and types are strict: an unknown key is answered with the nearest one, and `steps = "12"` is a fault.
- A run keeps its resolved recipe, every default filled in, as `recipe.toml` in its folder.
- `tahr tasks` lists the task sources with their arguments. Any part may also be named as `package.module:Name`.

This page is written from the program's own schema by `tahr check --keys > docs/recipes.md`.
"""


def reference() -> str:
    """The page as Markdown: one table of keys for each section."""
    return OPENING + "".join(f"\n{_section(section)}" for section in sections())


def _section(section: Section) -> str:
    title = f"## `[{section.path}]`" if section.path else "## Top of the file"
    lines = [title, "", section.description, ""]
    if section.keys:
        lines += ["| key | type | default | meaning |", "| --- | --- | --- | --- |", *_rows(section)]
    else:
        lines.append("It has no keys of its own.")
    return "\n".join(lines) + "\n"


def _rows(section: Section) -> Iterator[str]:
    for key in section.keys:
        kind = f"{key.type}, {key.limits}" if key.limits else key.type
        default = key.default if key.default in ("required", "absent") else f"`{key.default}`"
        yield f"| `{key.name}` | {_cell(kind)} | {_cell(default)} | {_cell(key.description)} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
