"""Evaluations as logs of Inspect (inspect_ai), version 2 of its format: one file each, ``.eval`` or ``.json``.

Every measure is a score of its own, a mean over questions of the mean over attempts (Inspect's epochs, reduced by
"mean"), so that Inspect's own code makes the same numbers from the samples again. Its standard errors are Inspect's
formulas for that reason; ours, with intervals and by domain, stand in the results' metadata. An attempt without a
reward has Inspect's mark for that, NaN: it is shown and counted, and no mean takes it in.
Source: inspect_ai 0.3.285, log/_log.py and log/_recorders/eval.py.
"""

from __future__ import annotations

import json
import math
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from tahr.evaluation.exports.result import Result, summary, task_values
from tahr.evaluation.statistics import row_value
from tahr.store.files import write_file, written_whole
from tahr.store.records import EvaluationRow

VERSION = 2
_MAX_SUMMARY = 1024  # characters of a question in the list of samples
_STOPS = {"stop": "stop", "length": "max_tokens", "out_of_budget": "model_length"}


def write_eval_logs(results: Sequence[Result], folder: Path) -> list[Path]:
    """Write ``NAME.eval``, a zip with a file a sample, which Inspect reads without loading all."""
    return [_write_zip(result, folder / f"{result.name}.eval") for result in results]


def write_json_logs(results: Sequence[Result], folder: Path) -> list[Path]:
    """Write ``NAME.json``, the whole log as one value."""
    paths: list[Path] = []
    for result in results:
        log = {**header(result), "samples": list(samples(result)), "reductions": reductions(result)}
        paths.append(folder / f"{result.name}.json")
        write_file(paths[-1], _dump(log, indent=2))
    return paths


def header(result: Result) -> dict[str, Any]:
    """All of a log but its samples."""
    return {
        "version": VERSION,
        "status": "success",
        "eval": _spec(result),
        "plan": {"name": "plan", "steps": [{"solver": "tahr", "params": {}}], "config": _generation(result)},
        "results": _results(result),
        "stats": _stats(result),
    }


def samples(result: Result) -> Iterator[dict[str, Any]]:
    """Every attempt as a sample: the question's id, and the attempt as its epoch, from 1."""
    for rows in result.attempts.values():
        for row in rows:
            yield _sample(result, row)


def reductions(result: Result) -> list[dict[str, Any]]:
    """Each question's value of each measure, the mean over its attempts."""
    return [
        {
            "scorer": measure,
            "reducer": _reducer(result),
            "samples": [
                {"value": values.get(task, math.nan), "sample_id": task, "history": []} for task in result.attempts
            ],
        }
        for measure in result.measures
        for values in [task_values(result.evaluation.rows, measure)]
    ]


def _write_zip(result: Result, path: Path) -> Path:
    about = header(result)
    at = datetime.fromisoformat(result.manifest.created).timetuple()[:6]

    def put(archive: zipfile.ZipFile, name: str, value: Any) -> None:
        entry = zipfile.ZipInfo(name, date_time=at)
        entry.compress_type = zipfile.ZIP_DEFLATED
        archive.writestr(entry, _dump(value))

    with written_whole(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        put(archive, "_journal/start.json", {name: about[name] for name in ("version", "eval", "plan")})
        summaries: list[dict[str, Any]] = []
        for sample in samples(result):
            put(archive, f"samples/{sample['id']}_epoch_{sample['epoch']}.json", sample)
            summaries.append(_summary(sample))
        put(archive, "summaries.json", summaries)
        put(archive, "reductions.json", reductions(result))
        put(archive, "header.json", about)
    return path


def _spec(result: Result) -> dict[str, Any]:
    manifest, conditions = result.manifest, result.conditions
    metrics, reducer = _metrics(result), _reducer(result)
    revision = {"type": "git", "origin": "", "commit": manifest.git_revision, "dirty": manifest.git_dirty}
    return {
        "eval_id": result.hash("eval"),
        "run_id": result.hash("run"),
        "task_id": result.hash("task"),
        "created": manifest.created,
        "task": result.name,
        "task_version": 0,
        "task_args": {"suite": conditions.suite, "setting": conditions.setting, "split": result.evaluation.split},
        "tags": ["tahr"],
        "dataset": {
            "name": result.suite,
            "samples": len(result.attempts),
            "sample_ids": list(result.attempts),
            "shuffled": False,
        },
        "model": result.model,
        "model_generate_config": _generation(result),
        "model_args": {"source": conditions.model, "weights": conditions.weights},
        "config": {"epochs": _num_attempts(result), "epochs_reducer": [reducer] if reducer else None},
        "revision": revision if manifest.git_revision else None,
        "packages": dict(manifest.versions),
        "metadata": {"run": result.run_name, "stage": result.evaluation.stage, "step": result.evaluation.step},
        "scorers": [{"name": measure, "options": {}, "metrics": metrics} for measure in result.measures],
    }


def _generation(result: Result) -> dict[str, Any]:
    conditions = result.conditions
    return {
        "max_tokens": conditions.max_new_tokens or None,
        "temperature": conditions.temperature,
        "seed": conditions.seed,
    }


def _metrics(result: Result) -> list[dict[str, Any]]:
    """Inspect's metrics by name, with which it computes them again."""
    options = {"cluster": "cluster"} if result.is_clustered else {}
    return [{"name": "inspect_ai/mean", "options": {}}, {"name": "inspect_ai/stderr", "options": options}]


def _results(result: Result) -> dict[str, Any]:
    rows, first = result.evaluation.rows, result.measures[0]
    ours = {
        domain or "all": {measure: summary(inside, measure) for measure in result.measures}
        for domain in ("", *result.domains)
        for inside in [[row for row in rows if domain in ("", row.domain)]]
    }
    return {
        "total_samples": len(rows),
        "completed_samples": len(rows),
        "scores": [_score_of_all(result, measure) for measure in result.measures],
        "headline": {"scorer": first, "score": first, "metric": "mean", "reducer": _reducer(result)},
        "metadata": {"tahr": ours},
    }


def _score_of_all(result: Result, measure: str) -> dict[str, Any]:
    values = task_values(result.evaluation.rows, measure)
    options = {"cluster": "cluster"} if result.is_clustered else {}
    computed = {
        "mean": (fmean(values.values()) if values else 0.0, {}),
        "stderr": (_standard_error(result, values), options),
    }
    return {
        "name": measure,
        "scorer": measure,
        "reducer": _reducer(result),
        "scored_samples": len(values),
        "unscored_samples": len(result.attempts) - len(values),
        "params": {},
        "metrics": {
            name: {"name": name, "value": value, "params": params} for name, (value, params) in computed.items()
        },
    }


def _standard_error(result: Result, values: Mapping[str, float]) -> float:
    """As Inspect computes it: by clusters with the factor ``C / (C - 1)``, and 0 where it can't be known."""
    if not result.is_clustered:
        return stdev(values.values()) / math.sqrt(len(values)) if len(values) > 1 else 0.0
    middle = fmean(values.values()) if values else 0.0
    sums: dict[str, float] = {}
    for task, value in values.items():
        cluster = _cluster(result.attempts[task][0])
        sums[cluster] = sums.get(cluster, 0.0) + value - middle
    if len(sums) < 2:
        return 0.0
    return math.sqrt(sum(one**2 for one in sums.values()) * len(sums) / (len(sums) - 1)) / len(values)


def _stats(result: Result) -> dict[str, Any]:
    rows = result.evaluation.rows
    usage = _usage([row for row in rows if row.finish_reason != "infrastructure"])
    return {
        "started_at": result.manifest.created,
        "completed_at": result.manifest.finished,
        "model_usage": {result.model: usage} if usage else {},
    }


def _sample(result: Result, row: EvaluationRow) -> dict[str, Any]:
    number = f"{row.task_id}-{row.index}"
    usage = _usage([row])
    answer = {"role": "assistant", "content": row.text, "source": "generate", "id": result.hash(number, "answer")}
    question = {"role": "user", "content": row.prompt, "source": "input", "id": result.hash(number, "question")}
    stop = _STOPS.get(row.finish_reason, "unknown")
    return {
        "id": row.task_id,
        "epoch": row.index + 1,
        "input": row.prompt,
        "target": row.answer,
        "messages": [question, answer],
        "output": {
            "model": result.model,
            "choices": [{"message": answer, "stop_reason": stop}],
            "completion": row.text,
            "usage": usage,
        },
        "scores": {measure: _score(row, measure) for measure in result.measures},
        "metadata": {
            "domain": row.domain,
            "cluster": _cluster(row),
            "outcome": row.outcome,
            "logprob": row.logprob,
            "num_tokens_to_answer": row.num_tokens_to_answer,
        },
        "model_usage": {result.model: usage} if usage else {},
        "uuid": result.hash(number),
    }


def _score(row: EvaluationRow, measure: str) -> dict[str, Any]:
    """A measure's score of one attempt; with the reward go the parts, of which some may be no measure of all."""
    value = row_value(row, measure)
    score: dict[str, Any] = {"answer": row.extracted, "explanation": row.note, "history": []}
    if measure == "reward":
        score["metadata"] = {"parts": dict(row.parts)}
    if value is None:
        return {**score, "value": math.nan, "reason": "scoring_failed"}
    return {**score, "value": float(value)}


def _summary(sample: Mapping[str, Any]) -> dict[str, Any]:
    """What Inspect lists of a sample without opening it."""
    kept = ("id", "epoch", "metadata", "scores", "model_usage", "uuid")
    texts = {name: str(sample[name])[:_MAX_SUMMARY] for name in ("input", "target")}
    return {**{name: sample[name] for name in kept}, **texts, "completed": True, "message_count": 2}


def _cluster(row: EvaluationRow) -> str:
    """A question without a cluster is one of its own."""
    return row.cluster or row.task_id


def _usage(rows: Sequence[EvaluationRow]) -> dict[str, int] | None:
    """Tokens of all these attempts; None where nobody counted those of one, since Inspect's counts can't be unknown."""
    read = [row.num_prompt_tokens for row in rows if row.num_prompt_tokens is not None]
    sampled = [row.num_tokens for row in rows if row.num_tokens is not None]
    if min(len(read), len(sampled)) < len(rows):
        return None
    num_read, num_sampled = sum(read), sum(sampled)
    return {"input_tokens": num_read, "output_tokens": num_sampled, "total_tokens": num_read + num_sampled}


def _num_attempts(result: Result) -> int:
    return max((row.index + 1 for row in result.evaluation.rows), default=1)


def _reducer(result: Result) -> str | None:
    """Inspect's name of the mean over epochs, which it leaves out where there is but one."""
    return "mean" if _num_attempts(result) > 1 else None


def _dump(value: Any, indent: int | None = None) -> bytes:
    """JSON with NaN as it is, which Inspect's files have too."""
    return json.dumps(value, indent=indent, ensure_ascii=False).encode("utf-8", "replace")
