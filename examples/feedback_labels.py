"""Pairs with two sources of labels to try an experiment on: ``python examples/feedback_labels.py FOLDER``.

The prompts ask for a sentence under constraints, and the answers are gold answers, each right for one of two prompts.
In the place of people stands the tasks' verifier, on half of the pairs; in the place of a model that judges stands one
with a weakness that such models have: it falls for an answer that is clearly longer, and is right otherwise. The pairs
themselves have the longer answer as the chosen one: how often would people prefer it?
"""

import sys
from pathlib import Path

from tahr.core.preferences import Pair
from tahr.data.config import TaskSetConfig
from tahr.data.preferences.files import write_pairs
from tahr.data.splits import build_task_sets
from tahr.data.task_pairs import task_pairs
from tahr.verifiers.build import build_verifiers

CLEARLY = 8  # characters
TASKS = TaskSetConfig(source="text_constraints", args={"kinds": ["contains", "no_commas"]}, num_tasks=600)


def turned(pair: Pair) -> Pair:
    """The other answer preferred."""
    return Pair(prompt=pair.prompt, chosen=pair.rejected, rejected=pair.chosen)


folder = Path(sys.argv[1])
verifiers = build_verifiers({})
tasks = build_task_sets({"constraints": TASKS}, verifiers)["constraints"].split("train")
pairs = list(task_pairs(tasks, verifiers, seed=0))
lead = {pair.id: len(pair.rejected) - len(pair.chosen) for pair in pairs}
write_pairs(folder / "pairs.jsonl", (turned(pair) if lead[pair.id] > 0 else pair for pair in pairs))
write_pairs(folder / "people.jsonl", pairs[: len(pairs) // 2])
write_pairs(folder / "judge.jsonl", (turned(pair) if lead[pair.id] > CLEARLY else pair for pair in pairs))
print(f"{len(pairs)} pairs in {folder}")
