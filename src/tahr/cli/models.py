"""``tahr models``: which models there are to start from."""

from __future__ import annotations

from tahr.cli.console import console, count_text, table

EXAMPLES = (
    ("tahr models", "every model that has a name here"),
    ("tahr check recipes/quickstart.toml --set model.source=Qwen/Qwen3-0.6B", "use one in a recipe"),
)


def models() -> None:
    """List the models that need no hub, and hub models whose sizes tahr knows; say what each lacks here."""
    from tahr.models.known import list_models

    rows = [
        (
            row.name,
            "as you like" if row.num_parameters is None else count_text(row.num_parameters),
            "yes" if row.available else "no",
            row.origin,
            "" if row.origin == "hub" else row.missing,
        )
        for row in list_models()
    ]
    output = console()
    output.print(table("", ("model.source", "parameters", "here", "from", "to get it"), rows, right=("parameters",)))
    output.print("\nhub models that are not here are downloaded at first use")
    output.print("also: a folder, a finished run, a .gguf file, or any other hub id (owner/name)")
    output.print("`tahr eval --suite` also asks a model behind a server: NAME@http://HOST/v1", markup=False)
