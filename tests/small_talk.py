"""A small recipe that learns from conversations, and the files that they are in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .,:?\n"

TALK = """
name = "talk"
seed = 5
threads = 1
stages = ["sft"]

[model]
source = "scratch"
max_context = 96

[model.architecture]
hidden_size = 32
num_layers = 2
num_heads = 4
num_kv_heads = 2
intermediate_size = 48
alphabet = {alphabet}

[tasks.words]
source = "file"
args = {{ path = {questions} }}
test_percent = 30

[sft]
steps = 6
batch_size = 8
learning_rate = 3e-3
checkpoint_every = 2
validate_every = 3

[sft.chats.talk]
source = {source}
validation_percent = 20

[eval]
tasks = ["words"]
num_tasks = 4
max_new_tokens = 4
"""


def exchange(*turns: str) -> dict[str, Any]:
    """A row in the format of messages: the user speaks first, then they take turns."""
    roles = ("user", "assistant")
    return {"messages": [{"role": roles[place % 2], "content": turn} for place, turn in enumerate(turns)]}


def rows(count: int = 60) -> list[dict[str, Any]]:
    """Conversations of one exchange or two."""
    words = [f"say {chr(97 + number % 26)}{number}" for number in range(count)]
    return [
        exchange(word, word[4:], "again", word[4:] * 2) if number % 2 else exchange(word, word[4:])
        for number, word in enumerate(words)
    ]


def write_talk(folder: Path, given: list[dict[str, Any]] | None = None) -> Path:
    """The recipe's path; its conversations lie beside it."""
    source = folder / "talk.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in given or rows()), encoding="utf-8")
    questions = folder / "questions.jsonl"
    asked = [{"prompt": f"please write w{number} now and then nothing more.", "answer": "x"} for number in range(40)]
    questions.write_text("".join(json.dumps(row) + "\n" for row in asked), encoding="utf-8")
    path = folder / "talk.toml"
    names = {"source": str(source), "questions": str(questions), "alphabet": ALPHABET}
    path.write_text(TALK.format(**{name: json.dumps(value) for name, value in names.items()}), encoding="utf-8")
    return path
