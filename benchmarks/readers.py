"""What Inspect and lm-evaluation-harness themselves make of exported evaluations; run in their environment.

    python readers.py FOLDER      FOLDER/inspect/*.eval, FOLDER/inspect-json/*.json, FOLDER/lm-eval/MODEL/*

Prints one line of JSON: for each file what was found in it. Imports nothing of tahr.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def read_inspect(path: Path) -> dict[str, Any]:
    """Inspect's own reader, then its own computation of all results from the samples."""
    from inspect_ai.log import read_eval_log, read_eval_log_sample_summaries, recompute_metrics

    log = read_eval_log(str(path))
    written, reduced = log.results.model_dump(), [one.model_dump() for one in log.reductions]
    recompute_metrics(log)
    return {
        "file": f"{path.parent.name}/{path.name}",
        "num_samples": len(log.samples),
        "num_summaries": len(read_eval_log_sample_summaries(str(path))),
        "scores": {one["name"]: _values(one) for one in written["scores"]},
        "farthest": _farthest(written["scores"], log.results.model_dump()["scores"]),
        "same_reductions": _same_reductions(reduced, [one.model_dump() for one in log.reductions]),
        "same_otherwise": _otherwise(written) == _otherwise(log.results.model_dump()),
    }


def read_lm_eval(path: Path) -> dict[str, Any]:
    """The harness's schema, strictly, its table, its hashes and its names of files."""
    from lm_eval.result_schema import EvalResults, SampleResult
    from lm_eval.utils import (
        get_file_task_name,
        get_results_filenames,
        get_sample_results_filenames,
        hash_string,
        make_table,
        sanitize_model_name,
    )
    from pydantic import TypeAdapter

    results = json.loads(path.read_text())
    names = [str(one) for one in path.parent.iterdir()]
    found: dict[str, Any] = {
        "file": path.name,
        "is_found": str(path) in get_results_filenames(names),
        "is_sanitized": path.parent.name == sanitize_model_name(results["model_name"]),
        "unknown_keys": sorted(results.keys() - TypeAdapter(EvalResults).validate_python(results, strict=True).keys()),
        "num_lines_of_table": make_table(results).count("\n"),
        "results": results["results"],
        "num_samples": {},
        "same_means": {},
        "same_hashes": {},
    }
    for name in get_sample_results_filenames(names):
        task = get_file_task_name(Path(name).name)
        lines = [json.loads(line) for line in Path(name).read_text().splitlines()]
        for line in lines:
            TypeAdapter(SampleResult).validate_python(line, strict=True)
        hashes = "".join(one["doc_hash"] + one["prompt_hash"] + one["target_hash"] for one in lines)
        found["num_samples"][task] = len(lines)
        found["same_hashes"][task] = hash_string(hashes) == results["task_hashes"][task]
        scored = [line["correct"] for line in lines if "correct" in line["metrics"]]
        found["same_means"][task] = abs(sum(scored) / len(scored) - results["results"][task]["correct,none"]) < 1e-12
    return found


def _values(score: dict[str, Any]) -> dict[str, float]:
    return {name: metric["value"] for name, metric in score["metrics"].items()}


def _farthest(written: list[dict[str, Any]], computed: list[dict[str, Any]]) -> float:
    """The largest distance of a value from what Inspect computes; infinite where there are others."""
    one, other = ({score["name"]: _values(score) for score in scores} for scores in (written, computed))
    if {name: set(values) for name, values in one.items()} != {name: set(values) for name, values in other.items()}:
        return float("inf")
    return max(abs(value - other[name][metric]) for name, values in one.items() for metric, value in values.items())


def _otherwise(results: dict[str, Any]) -> dict[str, Any]:
    """All of the results but the values."""
    scores = [{name: value for name, value in one.items() if name != "metrics"} for one in results["scores"]]
    return {**results, "scores": scores}


def _same_reductions(written: list[dict[str, Any]], computed: list[dict[str, Any]]) -> bool:
    def values(reductions: list[dict[str, Any]]) -> dict[tuple[str, str], str]:
        rows = [
            (one["scorer"], sample["sample_id"], sample["value"]) for one in reductions for sample in one["samples"]
        ]
        return {(scorer, task): f"{value:.12g}" for scorer, task, value in rows}

    return values(written) == values(computed)


def main(folder: Path) -> None:
    """Read all that is there."""
    logs = sorted([*folder.glob("inspect/*.eval"), *folder.glob("inspect-json/*.json")])
    found = {
        "inspect": [read_inspect(path) for path in logs],
        "lm-eval": [read_lm_eval(path) for path in sorted(folder.glob("lm-eval/*/results_*.json"))],
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
