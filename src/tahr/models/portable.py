"""Make a folder that transformers 5 wrote readable by transformers 4 too, which vLLM and others still build on.

Version 5 renamed settings. Version 4 does not know the new names: it refuses the tokenizer, and it reads the model
without complaint but with the default rotary base, so that every answer is slightly wrong. Version 5 reads both names.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any


def make_portable(folder: Path) -> None:
    """Add version 4's names to config.json, and give tokenizer_config.json those that both versions know."""
    _rewrite(folder / "config.json", older_config)
    _rewrite(folder / "tokenizer_config.json", older_tokenizer_config)


def older_config(values: dict[str, Any]) -> dict[str, Any]:
    """`values` with version 4's ``torch_dtype``, ``rope_theta`` and ``rope_scaling`` added."""
    older: dict[str, Any] = {}
    if "dtype" in values:
        older["torch_dtype"] = values["dtype"]
    rope = values.get("rope_parameters")
    if isinstance(rope, dict) and "rope_theta" in rope:
        older["rope_theta"] = rope["rope_theta"]
        scaled = rope.get("rope_type", "default") != "default"
        older["rope_scaling"] = {name: rope[name] for name in rope if name != "rope_theta"} if scaled else None
    return {**values, **older}


def older_tokenizer_config(values: dict[str, Any]) -> dict[str, Any]:
    """`values` with the class and the list of special tokens under the names that both versions know."""
    renamed = dict(values)
    if renamed.get("tokenizer_class") == "TokenizersBackend":
        renamed["tokenizer_class"] = "PreTrainedTokenizerFast"
    if isinstance(renamed.get("extra_special_tokens"), list):
        renamed["additional_special_tokens"] = renamed.pop("extra_special_tokens")
    return renamed


def _rewrite(file: Path, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    if file.is_file():
        values = change(json.loads(file.read_text(encoding="utf-8")))
        file.write_text(json.dumps(values, indent=2, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")
