"""Help says every word of what the source says, brackets included."""

from __future__ import annotations

import re

from rich.text import Text
from typer.core import TyperGroup
from typer.main import get_command
from typer.testing import CliRunner

from tahr.cli.app import app
from tahr.evaluation.suites.config import SuiteConfig
from tahr.evaluation.suites.load import parse_suite, read_suite
from tahr.recipe.evaluation_plan import plan_evaluation
from tahr.recipe.overrides import apply_overrides
from tahr.recipe.scale import plan_scale
from tahr.recipe.suite_run import Wishes, plan_suite


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


def example_of_set(verb: str) -> str:
    root = get_command(app)
    assert isinstance(root, TyperGroup)
    (option,) = [one for one in root.commands[verb].params if "--set" in one.opts]
    (example,) = re.findall(r"such as ([^;]+);", getattr(option, "help", ""))
    return example


def test_each_verb_takes_the_setting_that_its_help_shows() -> None:
    plan_suite("smollm2-135m", "arithmetic-levels", [example_of_set("eval")], Wishes(), split="dev")
    plan_evaluation("smollm2-135m", "arithmetic", [example_of_set("eval")], Wishes())
    values = apply_overrides(read_suite("arithmetic-levels"), [example_of_set("suites")], SuiteConfig)
    parse_suite(values, origin="arithmetic-levels")
    plan_scale(
        "smollm2-135m",
        "arithmetic-levels",
        setting=None,
        split="dev",
        num_tasks=None,
        sampling={},
        samples=None,
        selectors=(),
        reward_model=None,
        overrides=[example_of_set("scale")],
    )
