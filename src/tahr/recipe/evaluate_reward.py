"""Measure a reward model on held-out preferences, and write what was found."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from tahr.core.progress import Progress
from tahr.evaluation.preferences.contest import read_contests
from tahr.evaluation.preferences.judged import Judged, judge
from tahr.evaluation.preferences.scored import score_contests
from tahr.models.config import ModelConfig
from tahr.store.files import write_file


def judge_reward_model(model: str, sources: Sequence[str], *, seed: int, progress: Progress) -> list[Judged]:
    """Load the reward model (a run, a folder or a hub name) and score every set. Raises InputError, ResourceError."""
    sets = [(source, *read_contests(source)) for source in sources]
    from tahr.models.reward import load_reward_model

    scorer = load_reward_model(ModelConfig(source=model), whole_context=True)
    found: list[Judged] = []
    for source, contests, format in sets:
        progress.phase(f"evaluating ({source})", total=len(contests))
        scored, num_excluded = score_contests(contests, scorer, on_done=progress.advance)
        found.append(judge(source, format, scored, num_excluded=num_excluded, seed=seed))
    return found


def write_judged(path: Path, model: str, judged: Sequence[Judged]) -> None:
    """Write every figure, and the scores of every answer, as JSON: whole or not at all."""
    sets = [
        {
            **{name: value for name, value in asdict(one).items() if name != "contests"},
            "rows": [
                {
                    "id": row.contest.id,
                    "domain": row.contest.domain,
                    "chosen": list(row.chosen),
                    "rejected": list(row.rejected),
                    "lengths": list(row.lengths),
                }
                for row in one.contests
            ],
        }
        for one in judged
    ]
    document = json.dumps({"reward_model": model, "sets": sets}, indent=2, ensure_ascii=False)
    write_file(path, document.encode("utf-8", "backslashreplace") + b"\n")  # ids may hold half of a character
