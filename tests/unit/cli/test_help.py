"""Help says every word of what the source says, brackets included."""

from __future__ import annotations

from rich.text import Text
from typer.core import TyperGroup
from typer.main import get_command
from typer.testing import CliRunner

from tahr.cli.app import app


def test_the_help_of_eval_names_the_section_wherever_it_is_meant() -> None:
    shown = CliRunner().invoke(app, ["eval", "--help"], env={"COLUMNS": "200", "TERMINAL_WIDTH": "200"}).output
    assert shown.count("[eval]") == 3  # the paragraph, --suite, the example


def test_no_help_text_holds_a_tag_that_markup_would_swallow() -> None:
    root = get_command(app)
    assert isinstance(root, TyperGroup)
    texts: list[str] = []
    for verb in root.commands.values():
        texts.append(verb.help or "")
        texts += [getattr(parameter, "help", None) or "" for parameter in verb.params]
    assert len(texts) > 40
    assert [text for text in texts if Text.from_markup(text).spans] == []


def test_a_paragraph_of_help_breaks_where_the_terminal_does() -> None:
    wide = CliRunner().invoke(app, ["train", "--help"], env={"COLUMNS": "300", "TERMINAL_WIDTH": "300"}).output
    assert "A run that was killed at any moment continues with --resume from its last checkpoint." in wide
