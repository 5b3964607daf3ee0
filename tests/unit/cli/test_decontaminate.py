"""``tahr decontaminate``: files, recipes and task sources as evaluations; what is written."""

import json
from pathlib import Path
from typing import Any

import pyarrow as arrow
import pyarrow.parquet as parquet
import pytest
from typer.testing import CliRunner

from small_talk import exchange, rows, write_talk
from tahr.cli.app import app
from tahr.core.errors import InputError, UnknownNameError
from tahr.data.splits import build_task_sets
from tahr.recipe.load import load_recipe
from tahr.verifiers.build import build_verifiers

QUESTION = "How many apples are left when six of nine are eaten?"


def run(*arguments: object) -> str:
    done = CliRunner().invoke(app, ["decontaminate", *map(str, arguments)])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.output


def write(path: Path, content: list[Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in content), encoding="utf-8")
    return path


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def train(tmp_path: Path) -> Path:
    return write(tmp_path / "train.jsonl", [*rows(5), exchange(QUESTION.upper(), "3"), exchange("Hello", "Ho")])


def test_the_rows_that_are_kept_and_the_report_on_the_others(train: Path, tmp_path: Path) -> None:
    questions = write(
        tmp_path / "eval.jsonl", [{"question": QUESTION}, {"question": "Why?"}, {"question": "not there at all"}]
    )
    kept, removed = tmp_path / "out" / "kept.jsonl", tmp_path / "removed.jsonl"
    output = run(train, "--against", questions, "--kept", kept, "--removed", removed)
    assert lines(kept) == [*rows(5), exchange("Hello", "Ho")]
    (one,) = lines(removed)
    assert (one["row"], one["share"], one["num_questions"]) == (f"{train}, line 6", 1.0, 1)
    assert one["question"] == f"{questions}, line 1"
    assert "1 of 7 rows (14.29%) hold a question" in output
    assert "33.33%" in output  # one of three questions is found
    assert "1 questions of fewer than 3 words were not looked for" in output


def test_a_recipe_gives_the_questions_that_it_holds_out(tmp_path: Path) -> None:
    recipe = write_talk(tmp_path)
    loaded = load_recipe(recipe).recipe
    sets = build_task_sets(loaded.tasks, build_verifiers(loaded.verifiers))["words"]
    chats = [exchange(sets.test[0].prompt[-1].content, "x"), exchange(sets.train[0].prompt[-1].content, "x")]
    kept = tmp_path / "kept.jsonl"
    run(write(tmp_path / "train.jsonl", chats), "--against", recipe, "--kept", kept)
    assert lines(kept) == chats[1:]


def test_a_task_source_and_several_evaluations_at_once(train: Path, tmp_path: Path) -> None:
    questions = write(tmp_path / "eval.jsonl", [{"messages": exchange(QUESTION, "never mind")["messages"]}])
    output = run(train, "--against", questions, "--against", "arithmetic", "--count", 50)
    assert "arithmetic" in output
    assert "1 of 7 rows" in output


def test_only_the_columns_that_are_named_and_parquet(tmp_path: Path) -> None:
    table = [{"prompt": "Hello", "notes": {"deep": [QUESTION]}}, {"prompt": QUESTION, "notes": {"deep": ["x"]}}]
    train = tmp_path / "data" / "train-00000-of-00001.parquet"
    train.parent.mkdir()
    parquet.write_table(arrow.Table.from_pylist(table), train)
    questions = write(tmp_path / "eval.jsonl", [{"asked": QUESTION}])
    named = ("--against", questions, "--question", "asked")
    assert "2 of 2 rows" in run(train, *named)
    assert "1 of 2 rows" in run(train.parent, *named, "--column", "prompt")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("--against", "ifevil"), UnknownNameError, "did you mean 'ifeval'"),
        (("--against", "gone.jsonl"), InputError, "no file or folder gone.jsonl"),
        (("--against", "{eval}", "--question", "nope"), InputError, "no column nope"),
        (("--against", "{eval}", "--column", "mesages"), UnknownNameError, "did you mean 'messages'"),
        (("--against", "{eval}", "--measure", "letters"), UnknownNameError, "valid: ngrams, words"),
        (("--against", "{eval}", "--share", "0"), InputError, "above 0"),
    ],
)
def test_what_can_not_be_done_is_said(
    train: Path, tmp_path: Path, arguments: tuple[str, ...], error: type[InputError], message: str
) -> None:
    questions = write(tmp_path / "eval.jsonl", [{"question": QUESTION}])
    with pytest.raises(error, match=message):
        run(train, *(one.format(eval=questions) for one in arguments))


def test_a_fault_in_the_middle_leaves_no_half_file(tmp_path: Path) -> None:
    train = write(tmp_path / "train.jsonl", rows(3))
    train.write_text(train.read_text() + "{broken\n")
    questions = write(tmp_path / "eval.jsonl", [{"question": QUESTION}])
    kept = tmp_path / "kept.jsonl"
    with pytest.raises(InputError, match="line 4: not JSON"):
        run(train, "--against", questions, "--kept", kept)
    assert not kept.exists()


def test_against_a_suite(tahr, tmp_path):
    (tmp_path / "suite.toml").write_text('[tasks.sums]\nsource = "arithmetic"\nnum_tasks = 1\n')
    shown = tahr("tasks", "arithmetic", "--count", "1").out
    question = next(line for line in shown.splitlines() if line.startswith("user: ")).removeprefix("user: ")
    rows = [{"prompt": f"Tell me: {question}"}, {"prompt": "What is a goat?"}]
    (tmp_path / "train.jsonl").write_text("\n".join(map(json.dumps, rows)))
    kept = tmp_path / "kept.jsonl"
    result = tahr(
        "decontaminate", str(tmp_path / "train.jsonl"), "--against", str(tmp_path / "suite.toml"), "--kept", str(kept)
    )
    assert result.code == 0
    assert [json.loads(line) for line in kept.read_text().splitlines()] == rows[1:]
