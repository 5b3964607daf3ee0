"""Conversations in a recipe: what the check says of them, and what a run leaves out."""

import json
from pathlib import Path
from typing import Any

import pytest

from small_talk import exchange, rows, write_talk
from tahr.core.errors import InputError
from tahr.core.progress import SilentProgress
from tahr.data.splits import build_task_sets
from tahr.recipe.check import check
from tahr.recipe.load import load_recipe
from tahr.recipe.run import run_recipe
from tahr.store.run import Run
from tahr.verifiers.build import build_verifiers


class Heard(SilentProgress):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.messages: list[str] = []

    def message(self, text: str) -> None:
        self.messages.append(text)


def checked(path: Path, *overrides: str) -> Any:
    return check(load_recipe(path, overrides).recipe)


def trained(path: Path, *overrides: str, name: str = "run") -> tuple[Run, list[str]]:
    heard = Heard()
    loaded = load_recipe(path, overrides)
    run = run_recipe(loaded, runs_root=path.parent, folder=path.parent / name, progress=heard)
    return run, heard.messages


def held_out_question(path: Path) -> str:
    """What a task of the evaluation asks, the letters alone changed by nothing."""
    recipe = load_recipe(path).recipe
    tasks = build_task_sets(recipe.tasks, build_verifiers(recipe.verifiers))["words"].test
    return tasks[0].prompt[-1].content


def test_the_check_counts_rows_tokens_and_what_would_be_left_out(tmp_path: Path) -> None:
    long = [exchange(f"q{number}", "x" * 120) for number in range(20)]
    result = checked(
        write_talk(tmp_path, rows() + rows(3) + long), "sft.chats.talk.validation_percent=0", "sft.validate_every=0"
    )
    (facts,) = result.chats
    assert (facts.name, facts.format, facts.num_rows) == ("talk", "messages", 80)
    assert facts.left_out == "83 rows, 3 twice"
    assert facts.refused_share == pytest.approx(20 / 80)
    assert facts.refusals == "20 too long"
    assert 20 < facts.tokens < 60
    assert result.estimate.stages[0].trained_tokens == pytest.approx(6 * 8 * facts.tokens, rel=0.01)


@pytest.mark.parametrize(
    ("overrides", "wrong"),
    [
        (["sft.chats="], "sft: there is nothing to learn from"),
        (
            ["sft.chats.talk.count=50", "sft.chats.more={ source = 'x.jsonl', weight = 2.0 }"],
            "some sets are mixed by count",
        ),
        (["sft.chats.talk.validation_percent=0"], "no chat set keeps anything out to validate on"),
        (["sft.chats.talk.count=61"], "sft.chats.talk.count: there are"),
        (["sft.chats.talk.source=gone.jsonl"], "sft.chats.talk: there is no file or folder gone.jsonl"),
        (["model.max_context=12", "eval.max_new_tokens=2"], "100% of its rows would be refused"),
    ],
)
def test_conflicts(tmp_path: Path, overrides: list[str], wrong: str) -> None:
    with pytest.raises(InputError) as caught:
        checked(write_talk(tmp_path), *overrides)
    assert wrong in str(caught.value)


def test_the_check_says_what_of_the_first_row_is_refused(tmp_path: Path) -> None:
    foreign = [exchange(f"q{number}", "É") for number in range(100)]
    path = write_talk(tmp_path, rows() + foreign)
    result = checked(path, "sft.chats.talk.validation_percent=0", "sft.validate_every=0")
    (warned,) = [text for text in result.warnings if "would be refused" in text]
    assert "100 not rendered by the template, the first at" in warned
    assert "the text has characters that the model's vocabulary lacks: 'É' in 'É<|end|>'" in warned


def test_a_run_says_what_it_left_out_and_learns_from_the_rest(tmp_path: Path) -> None:
    dirty = [exchange("say nothing", " "), exchange("say much", "x" * 120), *rows()]
    run, messages = trained(write_talk(tmp_path, dirty), "eval=")
    (said,) = [text for text in messages if text.startswith("chats.talk")]
    assert "62 rows, 2 refused (1 empty answer, the first at" in said
    assert "1 too long" in said
    metrics = {row.step: row.metrics for row in run.metrics()}
    assert [step for step, of_step in metrics.items() if "validation_loss" in of_step] == [3, 6]
    assert metrics[6]["validation_loss"] < metrics[1]["validation_loss_before"]
    assert metrics[6]["loss"] < metrics[1]["loss"]


def test_exactly_as_many_rows_as_are_counted(tmp_path: Path) -> None:
    settings = ["eval=", "sft.validate_every=0", "sft.chats.talk.validation_percent=0", "sft.steps=1"]
    long = [exchange(f"q{number}", "x" * 120) for number in range(20)]
    path = write_talk(tmp_path, rows() + long)
    _, messages = trained(path, *settings, "sft.chats.talk.count=59")
    assert any("; 59 to learn from" in text for text in messages)
    with pytest.raises(InputError, match="60 rows can be learnt from, and 61 are asked for"):
        trained(path, *settings, "sft.chats.talk.count=61", name="more")


def test_rows_that_hold_a_question_of_the_evaluation_are_left_out_and_reported(tmp_path: Path) -> None:
    question = held_out_question(write_talk(tmp_path))
    tainted = [*rows(), exchange(question, "ab"), exchange("say it", f"it is: {question.upper()}")]
    path = write_talk(tmp_path, tainted)
    run, messages = trained(path, "sft.steps=1")
    report = run.folder / "decontamination" / "chats.talk.jsonl"
    found = [json.loads(line) for line in report.read_text().splitlines()]
    assert sorted(one["row"].rpartition(" ")[2] for one in found) == ["61", "62"]
    assert all(one["question"].startswith("words ") and one["share"] == 1.0 for one in found)
    assert any("2 of 62 rows hold one of" in text and str(report) in text for text in messages)
    assert any("62 rows, 2 contaminated" in text for text in messages)
    run, _ = trained(path, "sft.steps=1", "eval.decontaminate.sources=[]", name="off")
    assert (run.folder / "decontamination" / "chats.talk.jsonl").read_text() == ""  # the suites' questions alone
    assert checked(path).chats[0].contaminated_share > 0
    with pytest.raises(InputError, match=r"of its rows hold a question of the evaluation"):
        checked(path, "eval.decontaminate.action=refuse")
    with pytest.raises(InputError, match=r"chats\.talk is contaminated: 2 of 62 rows"):
        trained(path, "sft.steps=1", "eval.decontaminate.action=refuse", name="refused")


def test_tasks_and_conversations_together(tmp_path: Path) -> None:
    run, _ = trained(write_talk(tmp_path), "sft.tasks=['words']", "sft.steps=2", "sft.chats.talk.weight=3.0")
    assert run.status == "finished"
    assert [row.step for row in run.metrics()] == [1, 2]


def test_a_misspelt_key_of_a_set_is_answered_with_the_right_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"did you mean sft\.chats\.talk\.format"):
        load_recipe(write_talk(tmp_path), ["sft.chats.talk.fromat=alpaca"])


def test_tasks_are_looked_through_where_the_recipe_says_so(tmp_path: Path) -> None:
    path = write_talk(tmp_path)
    settings = ["sft.tasks=['words']", "sft.chats=", "sft.validate_every=0", "sft.steps=1"]
    run, _ = trained(path, *settings)
    assert not (run.folder / "decontamination").exists()
    share = ["eval.decontaminate.sources=['tasks']", "eval.decontaminate.ngram=2", "eval.decontaminate.share=0.7"]
    with pytest.raises(InputError, match=r"the task set 'all' has no tasks|has no tasks to draw"):
        trained(path, *settings, *share, name="all")  # their words differ in one alone
    run, messages = trained(path, *settings, "eval.decontaminate.sources=['tasks']", name="clean")
    assert any("decontamination of tasks.words: 0 of" in text for text in messages)
    assert (run.folder / "decontamination" / "tasks.words.jsonl").read_text() == ""
