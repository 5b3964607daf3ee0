"""The reference checkers' end: reads jobs, writes verdicts. Runs in their environment, without tahr.

    python worker.py JOBS.jsonl ANSWERS.jsonl

A job is ``{"suite": "ifeval", "prompt": ..., "response": ..., "instructions": [[id, args], ...]}``; its answer is a
list: for each instruction and checker package ``{"strict": true, "loose": true, "seconds": 1e-5}``. A check that
raises is "raises: ..." instead of true or false. The loose readings and the refusal of blank texts are those
of the packages' own evaluation code.
"""

from __future__ import annotations

import importlib
import json
import logging
import random
import sys
import time
import types
from pathlib import Path
from typing import Any

PACKAGES = {"ifeval": ("eval_framework", "if_verifiable"), "ifbench": ("if_verifiable",)}


def prepare() -> None:
    """Local tokenizer data, a fixed seed for language detection, no attempt to reach the network."""
    import langdetect
    import nltk

    sites = [Path(path) for path in sys.path if path.endswith("site-packages")]
    nltk.data.path[:0] = [str(site / "llama_index" / "core" / "_static" / "nltk_cache") for site in sites]
    nltk.download = lambda *_, **__: False
    langdetect.DetectorFactory.seed = 0
    logging.disable(logging.CRITICAL)
    # the package's data set reader, which it imports at the top and which no check uses
    sys.modules["datasets"] = types.ModuleType("datasets")
    sys.modules["datasets"].load_dataset = None  # type: ignore[attr-defined]
    tasks = types.ModuleType("eval_framework.tasks")  # its __init__ imports every other benchmark's client
    tasks.__path__ = [str(site / "eval_framework" / "tasks") for site in sites]
    sys.modules["eval_framework.tasks"] = tasks


def registry(package: str, suite: str) -> dict[str, Any]:
    """The checkers of one package by instruction id."""
    prefix = "eval_framework.tasks" if package == "eval_framework" else package
    return importlib.import_module(f"{prefix}.{suite}.instructions_registry").INSTRUCTION_DICT


def variants(response: str) -> list[str]:
    """The eight loose readings."""
    lines = response.split("\n")
    cut = [response, *("\n".join(part).strip() for part in (lines[1:], lines[:-1], lines[1:-1]))]
    return [*cut, *(text.replace("*", "") for text in cut)]


def check(checker: Any, text: str) -> bool | str:
    """One verdict; a blank text keeps nothing."""
    try:
        return bool(text.strip() and checker.check_following(text))
    except Exception as error:  # noqa: BLE001 (a reference that fails is a finding)
        return f"raises: {type(error).__name__}"


def judge(classes: dict[str, Any], name: str, args: dict[str, Any], job: dict[str, Any]) -> dict[str, Any]:
    """Strict and loose verdict of one package on one instruction."""
    random.seed(0)
    checker = classes[name](name)
    try:
        checker.build_description(**{key: value for key, value in args.items() if value is not None})
        known = checker.get_instruction_args()
        if known and "prompt" in known:
            checker.build_description(prompt=job["prompt"])
    except Exception as error:  # noqa: BLE001 (as above)
        return dict.fromkeys(("strict", "loose"), f"raises: {type(error).__name__}")
    started = time.perf_counter()
    strict = check(checker, job["response"])
    seconds = time.perf_counter() - started
    loose = strict if strict is True else any(check(checker, text) is True for text in variants(job["response"]))
    return {"strict": strict, "loose": loose, "seconds": seconds}


def main() -> None:
    """Judge every job."""
    prepare()
    jobs, answers = Path(sys.argv[1]), Path(sys.argv[2])
    classes = {
        (package, suite): registry(package, suite) for suite, packages in PACKAGES.items() for package in packages
    }
    with jobs.open(encoding="utf-8") as lines, answers.open("w", encoding="utf-8") as out:
        for line in lines:
            job = json.loads(line)
            verdicts = [
                {package: judge(classes[package, job["suite"]], name, args, job) for package in PACKAGES[job["suite"]]}
                for name, args in job["instructions"]
            ]
            out.write(json.dumps(verdicts) + "\n")


if __name__ == "__main__":
    main()
