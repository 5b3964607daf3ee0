"""The responses that both sides judge: real answers of four models, answers of nothing, and made ones."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from checkers.environment import data_folder
from checkers.witnesses import witnesses

SAMPLED = Path(__file__).resolve().parent / "smollm2_answers.jsonl"
NOTHING = (".", "a", "I'm sorry, but I can't help with that.")
SHORT = 1500  # characters of a real answer that made ones are built from


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt of a suite with its instructions.

    Example: ``Prompt("ifeval", "1000", "Write...", (("punctuation:no_comma", {}),))``
    """

    suite: str
    key: str
    text: str
    instructions: tuple[tuple[str, dict[str, Any]], ...]


@dataclass(frozen=True, slots=True)
class Job:
    """A response under instructions, and where it comes from.

    Example: ``Job("ifeval", "1000", "nothing", "Write...", ".", (("punctuation:no_comma", {}),))``
    """

    suite: str
    key: str
    origin: str
    prompt: str
    response: str
    instructions: tuple[tuple[str, dict[str, Any]], ...]

    def as_row(self) -> dict[str, Any]:
        """What the worker reads."""
        return asdict(self)


def prompts() -> list[Prompt]:
    """The 541 prompts of IFEval and the 300 of IFBench."""
    folder = data_folder()
    files = {"ifeval": "ifeval/data/input_data.jsonl", "ifbench": "ifbench/data/IFBench_test.jsonl"}
    return [
        Prompt(suite, str(row["key"]), row["prompt"], tuple(zip(row["instruction_id_list"], _given(row), strict=True)))
        for suite, file in files.items()
        for row in _rows(folder / file)
    ]


def real_answers() -> list[tuple[str, str]]:
    """(model, text): answers of three larger models to prompts of other benchmarks."""
    folder = data_folder()
    arena = folder / "arena_hard/data/arena-hard-v2.0/model_answer"
    texts = [("gpt-4", row["output"]) for row in json.loads((folder / GPT4).read_text("utf-8"))]
    for model in ("gemini-2.0-flash-001", "o3-mini-2025-01-31"):
        answers = [row["messages"][-1]["content"] for row in _rows(arena / f"{model}.jsonl")]
        texts += [(model, text if isinstance(text, str) else text["answer"]) for text in answers]
    return [(model, text) for model, text in texts if text.strip()]


GPT4 = "alpaca_eval/data/alpaca_eval_gpt4_baseline.json"


def jobs() -> Iterator[Job]:
    """Every response to judge, always in the same order."""
    asked = prompts()
    answers = real_answers()
    sampled = {row["prompt"]: row["response"] for row in _rows(SAMPLED)}
    bases = [text for model, text in answers if model == "gpt-4" and 200 < len(text) < SHORT]
    for index, prompt in enumerate(asked):
        if prompt.text in sampled:
            yield _job(prompt, "smollm2-135m", sampled[prompt.text])
        model, text = answers[index * 37 % len(answers)]
        yield _job(prompt, model, text)
        for text in (*NOTHING, prompt.text):
            yield _job(prompt, "nothing", text)
        base = bases[index % len(bases)]
        for name, args in prompt.instructions:
            for text in witnesses(name, args, base, prompt.text):
                made = Prompt(prompt.suite, prompt.key, prompt.text, ((name, args),))
                yield _job(made, "made", text)


def _job(prompt: Prompt, origin: str, response: str) -> Job:
    return Job(prompt.suite, prompt.key, origin, prompt.text, response, prompt.instructions)


def _given(row: dict[str, Any]) -> list[dict[str, Any]]:
    return [{key: value for key, value in args.items() if value is not None} for args in row["kwargs"]]


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]
