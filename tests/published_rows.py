"""Files in the layouts of published test sets, made up; shared by contract and unit tests."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as arrow
import pyarrow.parquet as parquet


def _parquet(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(arrow.Table.from_pylist(rows), path)


def _separated(path: Path, rows: list[dict[str, Any]], delimiter: str = ",") -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)


def mmlu(folder: Path, count: int) -> None:
    """Parquet, a folder for each subject and one for all; the right choice by its number."""
    rows = [
        {
            "question": f"Which number follows {number}?",
            "subject": ("anatomy", "world_religions")[number % 2],
            "choices": [str(number + offset) for offset in range(4)],
            "answer": 1,
        }
        for number in range(count)
    ]
    _parquet(folder / "all" / "test-00000-of-00001.parquet", rows)
    _parquet(folder / "anatomy" / "test-00000-of-00001.parquet", rows[::2])


def gpqa(folder: Path, count: int) -> None:
    """CSV files side by side; the right answer and three wrong ones in columns of their own."""
    rows = [
        {
            "Question": f"What is {number} squared?\n",
            "Correct Answer": f"{number * number}",
            "Incorrect Answer 1": f"{number * number + 1}\n",
            "Incorrect Answer 2": f"{number * number + 2}",
            "Incorrect Answer 3": f"{number * number + 3}",
            "Subdomain": "Number theory, of which, more",
            "High-level domain": "Physics",
            "Record ID": f"rec{number}",
        }
        for number in range(count)
    ]
    _separated(folder / "gpqa_diamond.csv", rows)
    _separated(folder / "gpqa_main.csv", rows[:3])


def truthfulqa(folder: Path, count: int) -> None:
    """Parquet; the true choice stands first, and their number varies."""
    rows = []
    for number in range(count):
        wrong = [f"It is {number + step}." for step in range(1, 3 + number % 11)]
        targets = {"choices": [f"It is {number}.", *wrong], "labels": [1] + [0] * len(wrong)}
        rows.append({"question": f"What is {number} plus zero?", "mc1_targets": targets, "mc2_targets": targets})
    _parquet(folder / "multiple_choice" / "validation-00000-of-00001.parquet", rows)


def bbh(folder: Path, count: int) -> None:
    """Parquet, a folder for each subtask; columns input and target."""
    third = count - 2 * (count // 3)
    _parquet(
        folder / "boolean_expressions" / "test-00000-of-00001.parquet",
        [{"input": f"not {'not ' * number}True is", "target": str(number % 2 == 1)} for number in range(third)],
    )
    _parquet(
        folder / "penguins_in_a_table" / "test-00000-of-00001.parquet",
        [
            {"input": f"Which penguin is {number}?\nOptions:\n(A) Louis\n(B) Bernard", "target": "(B)"}
            for number in range(count // 3)
        ],
    )
    _parquet(
        folder / "dyck_languages" / "test-00000-of-00001.parquet",
        [{"input": f"Close: {'[ ' * number}{{", "target": "} " + "] " * number} for number in range(count // 3)],
    )


def drop(folder: Path, count: int) -> None:
    """JSON lines; an annotator's answer and those of others, as a table of columns."""
    rows = []
    for number in range(count):
        date = {"day": "", "month": "", "year": ""}
        answer = {"number": "", "date": date, "spans": [f"Player {number}", f"Player {number + 1}"]}
        rows.append(
            {
                "section_id": f"nfl_{number // 3}",
                "query_id": f"query-{number}",
                "passage": f"Player {number} and Player {number + 1} scored, of {number // 3} in all.",
                "question": "Who scored?",
                "answer": answer,
                "validated_answers": {
                    "number": ["", str(number)],
                    "date": [{"day": "3", "month": "May", "year": "1815"}, date],
                    "spans": [[], []],
                },
            }
        )
    (folder / "validation.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")


def popqa(folder: Path, count: int) -> None:
    """Tab-separated; the aliases of the answer as JSON."""
    rows = [
        {
            "id": number,
            "subj": f"Author {number}",
            "prop": "occupation",
            "obj": "writer",
            "s_pop": 10 * number,
            "question": f"What is Author {number}'s occupation?",
            "possible_answers": json.dumps(["writer", "author", "écrivain"]),
        }
        for number in range(count)
    ]
    _separated(folder / "test.tsv", rows, "\t")


def simpleqa(folder: Path, count: int) -> None:
    """CSV; what is known about a question as Python writes a table."""
    rows = [
        {
            "metadata": str({"topic": "Art", "answer_type": "Date", "urls": [f"https://example.org/{number}"]}),
            "problem": f"On what day was picture {number} painted?",
            "answer": f"{number % 28 + 1} May 1815",
        }
        for number in range(count)
    ]
    _separated(folder / "simple_qa_test_set.csv", rows)


def champ(folder: Path, count: int) -> None:
    """One JSON file of problems, concepts and hints."""
    problems = {
        f"P_Sequence_{number}": {
            "identifier": f"P_Sequence_{number}",
            "_text": f"What is the limit of {number} + 1/n?",
            "category": "Number-Theory",
            "_raw_answer": f"The limit exists and is equal to @@{number}@@",
            "ch_list": ["H_1", "C_1"],
        }
        for number in range(count)
    }
    content = {
        "problems": problems,
        "concepts": {"C_1": {"_text": "1/n tends to 0."}},
        "hints": {"H_1": {"_text": "Let n grow."}},
    }
    (folder / "v0.json").write_text(json.dumps(content), encoding="utf-8")


LAYOUTS: dict[str, Callable[[Path, int], None]] = {
    "bbh": bbh,
    "champ": champ,
    "drop": drop,
    "gpqa": gpqa,
    "mmlu": mmlu,
    "popqa": popqa,
    "simpleqa": simpleqa,
    "truthfulqa": truthfulqa,
}

ARGUMENTS: dict[str, dict[str, Any]] = {
    "bbh": {"name": "FOLDER/bbh", "subtasks": ["boolean_expressions", "penguins_in_a_table", "dyck_languages"]},
    "champ": {"path": "FOLDER/champ/v0.json"},
    "drop": {"name": "FOLDER/drop"},
    "gpqa": {"name": "FOLDER/gpqa"},
    "mmlu": {"name": "FOLDER/mmlu"},
    "popqa": {"name": "FOLDER/popqa"},
    "simpleqa": {"name": "FOLDER/simpleqa"},
    "truthfulqa": {"name": "FOLDER/truthfulqa"},
}
"""Arguments of the sources, with FOLDER for where `write` wrote."""


def write(folder: Path, name: str, count: int = 100) -> Path:
    """`count` rows in the layout of the data set `name`, in a folder of that name; the folder."""
    place = folder / name
    place.mkdir()
    LAYOUTS[name](place, count)
    return place
