"""What answers of nothing earn on IFEval and IFBench: the share of prompts whose instructions they all keep, strictly.

.venv/bin/python benchmarks/instruction_floors.py     # seconds; needs the package that carries the prompts
"""

from __future__ import annotations

import argparse

from tahr.core.construct import construct
from tahr.core.protocols import task_sources
from tahr.core.types import Outcome, Task
from tahr.data import sources as sources  # registers the benchmarks
from tahr.verifiers.instructions.verifier import Instructions

RESPONSES = {
    "empty": "",
    ".": ".",
    "a": "a",
    "the prompt said back": None,
    '"the" 50 times': " ".join(["the"] * 50),
    "refusal": "I can't help with that.",
}


def share(tasks: list[Task], response: str | None, judge: Instructions) -> float:
    """The share of tasks that the response passes; None stands for the prompt itself."""
    texts = [task.prompt[-1].content if response is None else response for task in tasks]
    passed = sum(judge.verify(task, text).outcome is Outcome.PASS for task, text in zip(tasks, texts, strict=True))
    return passed / len(tasks)


def main() -> None:
    """Print a line a response: with the refusal of junk, and without it."""
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    for name in ("ifeval", "ifbench"):
        tasks = list(construct(task_sources.get(name), {}, where=name).generate(1000, 0))
        print(f"{name}: {len(tasks)} prompts{'default':>22}{'refuse_junk = false':>22}")
        for label, response in RESPONSES.items():
            with_junk, without = (
                share(tasks, response, Instructions()),
                share(tasks, response, Instructions(refuse_junk=False)),
            )
            print(f"  {label:<22}{with_junk:>18.1%}{without:>22.1%}")


if __name__ == "__main__":
    main()
