"""Greedy answers of SmolLM2-135M-Instruct to a share of the IFEval and IFBench prompts, kept as rows.

    .venv/bin/python benchmarks/checkers/sampling.py PROMPTS.jsonl... --out FILE.jsonl

Each row of PROMPTS.jsonl has `key` and `prompt`; each row of FILE.jsonl has `key`, `prompt` and `response`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from pathlib import Path
from typing import Any

from tahr.core.protocols import GenerationRequest, Sampling
from tahr.core.types import Message
from tahr.engines.embedded.engine import EmbeddedEngine
from tahr.models.config import ModelConfig
from tahr.models.load import load_model

BATCH = 32
LONGEST_PROMPT = 600  # tokens


def rows_of(path: Path) -> list[dict[str, Any]]:
    """The rows of a JSONL; line separators inside a text are no line ends."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]


def sampled(rows: list[dict[str, Any]], *, max_new_tokens: int, out: Path) -> None:
    """Write the greedy answer to each row's prompt, in batches; rows that `out` has already are left out."""
    loaded = load_model(ModelConfig(source="smollm2-135m", device="cpu"))
    engine = EmbeddedEngine(loaded.model, max_context=LONGEST_PROMPT + max_new_tokens)
    sampling = Sampling(max_new_tokens=max_new_tokens, temperature=0.0, stop_token_ids=loaded.renderer.stop_token_ids)
    done = {row["prompt"] for row in rows_of(out)} if out.exists() else set()
    prompts = [(row, loaded.renderer.render((Message(role="user", content=row["prompt"]),))) for row in rows]
    left = [(row, ids) for row, ids in prompts if row["prompt"] not in done and len(ids) <= LONGEST_PROMPT]

    async def collect(batch: list[tuple[dict[str, Any], tuple[int, ...]]]) -> list[str]:
        requests = [GenerationRequest(prompt_token_ids=ids, sampling=sampling, seed=0) for _, ids in batch]
        completions = await asyncio.gather(*map(engine.complete, requests))
        return [loaded.renderer.decode(completion.token_ids) for completion in completions]

    for start in range(0, len(left), BATCH):
        batch = left[start : start + BATCH]
        texts = asyncio.run(collect(batch))
        with out.open("a", encoding="utf-8") as file:
            for (row, _), text in zip(batch, texts, strict=True):
                kept = {"key": row["key"], "prompt": row["prompt"], "response": text}
                file.write(json.dumps(kept, ensure_ascii=False) + "\n")
        print(f"{start + len(batch)} of {len(left)}", flush=True)


def main() -> None:
    """Read the prompts, sample, write."""
    parser = argparse.ArgumentParser(description="greedy answers of SmolLM2-135M-Instruct, kept as rows")
    parser.add_argument("prompts", type=Path, nargs="+", help="JSONL with key and prompt")
    parser.add_argument("--out", type=Path, required=True, help="JSONL that the answers are added to")
    parser.add_argument("--every", type=int, default=2, help="take every n-th prompt (default: 2)")
    parser.add_argument("--max-new-tokens", type=int, default=200)
    options = parser.parse_args()
    rows = [row for path in options.prompts for row in rows_of(path)]
    sampled(rows[:: options.every], max_new_tokens=options.max_new_tokens, out=options.out)


if __name__ == "__main__":
    main()
