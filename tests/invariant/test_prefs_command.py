"""``tahr prefs build`` and what reads its pairs, as commands, with the real model."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.integration]  # the 135M model answers

RECIPE = Path(__file__).parents[2] / "recipes" / "prefs.toml"
SMALLER = ("build.num_prompts=6", "build.samples_per_prompt=3", "build.sampling.max_new_tokens=24", "threads=1")


def tahr(folder: Path, *arguments: object) -> str:
    """What the command prints; it must end well."""
    done = subprocess.run(
        [sys.executable, "-m", "tahr", *map(str, arguments)],
        cwd=folder,
        env={**os.environ, "COLUMNS": "160", "TAHR_CACHE": str(folder / "cache")},
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


def read(path: Path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_pairs_are_built_from_the_real_model_and_counted(tmp_path: Path):
    out = tmp_path / "prefs"
    build = ("prefs", "build", RECIPE, "--out", out, *(part for one in SMALLER for part in ("--set", one)))
    said = tahr(tmp_path, *build)
    pairs, candidates, judgments = (read(out / f"{name}.jsonl") for name in ("pairs", "candidates", "judgments"))
    assert 1 <= len(pairs) <= 6 and len(candidates) == 18 and 1 <= len(judgments) <= 6
    assert f"{len(pairs)} pairs of 6 questions" in said and str(out / "pairs.jsonl") in said
    answers = {(row["prompt_id"], row["text"]): row for row in candidates}
    for pair in pairs:
        assert pair["margin"] > 0 and pair["provenance"]["chosen_model"].startswith("policy:")
        rows = [row for (_, text), row in answers.items() if text in (pair["chosen"], pair["rejected"])]
        assert len({row["provenance"]["seed"] for row in rows}) >= 2
        assert all(row["provenance"]["max_new_tokens"] == 24 for row in rows)

    kept = {name: (out / name).read_bytes() for name in ("pairs.jsonl", "candidates.jsonl", "judgments.jsonl")}
    assert f"{len(pairs)} pairs of 6 questions" in tahr(tmp_path, *build)
    assert {name: (out / name).read_bytes() for name in kept} == kept

    told = tahr(tmp_path, "prefs", "stats", out / "pairs.jsonl", "--json", tmp_path / "stats.json")
    found = json.loads((tmp_path / "stats.json").read_text())
    assert (found["num_pairs"], found["num_prompts"]) == (len(pairs), len(pairs))
    assert found["states"] == {"pair": len(pairs)}
    assert found["judges"] == {"verifier": len(pairs)} and list(found["chosen_models"]) == list(
        found["rejected_models"]
    )
    assert f"chosen of {pairs[0]['provenance']['chosen_model']}" in told and "in the format tahr" in told
