"""Evaluations in the layout of lm-evaluation-harness: a results file for each model, and a file of samples a task.

    FOLDER/MODEL/results_TIME.json
    FOLDER/MODEL/samples_TASK_TIME.jsonl

A task is one domain of one evaluation; an evaluation of several domains is a group of them, whose means are over all
its questions. A document's metrics are means over its attempts, all of which are among its responses; a document
without a reward has no metrics, and is not among the effective ones. Standard errors are ours: clustered where
questions belong together. Source: lm-eval 0.4.13, result_schema.py and loggers/evaluation_tracker.py.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from tahr.evaluation.exports.result import Result, summary, task_values
from tahr.store.files import write_file
from tahr.store.records import EvaluationRow

FILTER = "none"


def write_lm_eval(results: Sequence[Result], folder: Path) -> list[Path]:
    """Write each model's results, and every task's samples. Raises ResourceError and InputError as writing does."""
    by_model: dict[str, list[Result]] = {}
    for result in results:
        by_model.setdefault(result.model, []).append(result)
    written: list[Path] = []
    for model, own in by_model.items():
        place = folder / safe_name(model)
        place.mkdir(parents=True, exist_ok=True)
        time = datetime.fromisoformat(own[0].manifest.created).replace(tzinfo=None).isoformat().replace(":", "-")
        found = {name: (result, rows) for result in own for name, rows in tasks_of(result).items()}
        all_samples = {name: list(samples(*task)) for name, task in found.items()}
        written.append(place / f"results_{time}.json")
        content = results_file(model, own, all_samples)
        write_file(written[-1], json.dumps(content, indent=2, ensure_ascii=False).encode("utf-8", "replace"))
        for name, lines in all_samples.items():
            written.append(place / f"samples_{name}_{time}.jsonl")
            text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
            write_file(written[-1], text.encode("utf-8", "replace"))
    return written


def tasks_of(result: Result) -> dict[str, list[EvaluationRow]]:
    """Attempts by task: those of each domain, or all where there is but one."""
    name = safe_name(result.name)
    if len(result.domains) == 1:
        return {name: list(result.evaluation.rows)}
    return {
        f"{name}_{safe_name(domain)}": [row for row in result.evaluation.rows if row.domain == domain]
        for domain in result.domains
    }


def results_file(model: str, results: Sequence[Result], all_samples: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """The results of one model in all its evaluations."""
    tasks = {name: (result, rows) for result in results for name, rows in tasks_of(result).items()}
    groups = {safe_name(one.name): one for one in results if len(one.domains) > 1}
    whole = {name: _metrics(name, one, one.evaluation.rows) for name, one in groups.items()}
    return {
        "results": {**whole, **{name: _metrics(name, *task) for name, task in tasks.items()}},
        **({"groups": whole} if groups else {}),
        "group_subtasks": {name: list(tasks_of(one)) for name, one in groups.items()},
        "configs": {name: _config(name, result) for name, (result, _) in tasks.items()},
        "versions": dict.fromkeys([*groups, *tasks], results[0].manifest.versions.get("tahr", "")),
        "n-shot": dict.fromkeys(tasks, 0),
        "higher_is_better": {
            name: {measure: True if measure in ("correct", "reward") else None for measure in result.measures}
            for name, result in [*groups.items(), *((name, result) for name, (result, _) in tasks.items())]
        },
        "n-samples": {
            name: {"original": len(all_samples[name]), "effective": len(task_values(rows, "reward"))}
            for name, (_, rows) in tasks.items()
        },
        **_experiment(model, results),
        "task_hashes": {
            name: _sha("".join(one["doc_hash"] + one["prompt_hash"] + one["target_hash"] for one in lines))
            for name, lines in all_samples.items()
        },
    }


def samples(result: Result, rows: Sequence[EvaluationRow]) -> Iterator[dict[str, Any]]:
    """One line a document: its question, its responses, and each measure's mean over them."""
    values = {measure: task_values(rows, measure) for measure in result.measures}
    tasks = dict.fromkeys(row.task_id for row in rows)
    settings = json.dumps(_gen_kwargs(result))
    for number, task in enumerate(tasks):
        attempts = result.attempts[task]
        one = attempts[0]
        doc = {
            "id": task,
            "question": one.prompt,
            "answer": one.answer,
            "domain": one.domain,
            "cluster": one.cluster,
            "attempts": [_attempt(row) for row in attempts],
        }
        metrics = {measure: found[task] for measure, found in values.items() if task in found}
        texts = [row.text for row in attempts]
        yield {
            "doc_id": number,
            "doc": doc,
            "target": one.answer,
            "arguments": {"gen_args_0": {"arg_0": one.prompt, "arg_1": settings}},
            "resps": [texts],
            "filtered_resps": texts,
            "filter": FILTER,
            "metrics": list(metrics),
            "doc_hash": _sha(json.dumps(doc, indent=2, ensure_ascii=False)),
            "prompt_hash": _sha(one.prompt),
            "target_hash": _sha(one.answer),
            **metrics,
        }


def safe_name(name: str) -> str:
    """A name that a file may have, as the harness makes it of a model's."""
    return re.sub(r"[\"<>:/\|\\?\*\[\]\s]+", "__", name).lstrip(".") or "_"


def _metrics(name: str, result: Result, rows: Sequence[EvaluationRow]) -> dict[str, Any]:
    found: dict[str, Any] = {"name": name, "alias": name, "sample_len": len({row.task_id for row in rows})}
    for measure in result.measures:
        one = summary(rows, measure)
        if one is not None:
            found[f"{measure},{FILTER}"] = one["mean"]
            if one["standard_error"] is not None:  # the harness's "N/A" is against its own schema
                found[f"{measure}_stderr,{FILTER}"] = one["standard_error"]
    return found


def _config(name: str, result: Result) -> dict[str, str | bool | None]:
    return {
        "task": name,
        "dataset_path": result.suite,
        "test_split": result.evaluation.split,
        "output_type": "generate_until",
        "description": f"{result.suite}, setting {result.conditions.setting or 'none'}, of the run {result.run_name}",
        "should_decontaminate": False,
    }


def _experiment(model: str, results: Sequence[Result]) -> dict[str, Any]:
    """Who was evaluated, and how."""
    manifest, conditions = results[0].manifest, results[0].conditions
    return {
        "config": {
            "model": "tahr",
            "model_args": f"pretrained={conditions.model}",
            "model_num_parameters": conditions.num_parameters,
            "model_sha": conditions.weights,
            "gen_kwargs": _gen_kwargs(results[0]),
            "limit": None,
            "bootstrap_iters": 0,
            "random_seed": conditions.seed,
        },
        "git_hash": manifest.git_revision,
        "date": datetime.fromisoformat(manifest.created).timestamp(),
        "transformers_version": manifest.versions.get("transformers", ""),
        "model_source": "tahr",
        "model_name": model,
        "model_name_sanitized": safe_name(model),
        "system_instruction": None,
        "fewshot_as_multiturn": False,
        "chat_template": None,
        "total_evaluation_time_seconds": str(sum(one.conditions.seconds for one in results)),
    }


def _gen_kwargs(result: Result) -> dict[str, Any]:
    conditions = result.conditions
    return {
        "temperature": conditions.temperature,
        "max_gen_toks": conditions.max_new_tokens,
        "do_sample": conditions.temperature > 0,
    }


def _attempt(row: EvaluationRow) -> dict[str, Any]:
    """What only this attempt has; its text is among the responses."""
    shared = ("task_id", "domain", "prompt", "answer", "text", "cluster")
    return {name: value for name, value in asdict(row).items() if name not in shared}


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
