"""GGUF files, converted once: dequantising one and rebuilding its tokenizer takes long, loading safetensors doesn't."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from tahr.core.errors import InputError
from tahr.models.folder import cache_folder, written_whole
from tahr.models.gguf_header import read_gguf_header
from tahr.models.quiet import bars_in_terminals_only

# Part of the cache's key: raise it when the conversion below changes what it writes.
CONVERSION = 2
# Vocabularies learned on text whose digits stood alone (llama.cpp's `tokenizer.ggml.pre`); transformers' conversion
# doesn't know them and would join a space to a digit such as "²".
SINGLE_DIGITS = ("smollm", "starcoder", "refact", "command-r")


def converted(path: Path) -> Path:
    """The transformers folder (float32 safetensors, tokenizer) made from a GGUF file; made now if there is none.

    It is kept in the cache under the file's content and the version of transformers, so that a changed file or
    library never meets an old conversion. Raises InputError where transformers can't read the file, ResourceError
    where the cache can't be written.
    """
    import transformers

    folder = cache_folder() / "gguf" / f"{_content_hash(path)}-transformers-{transformers.__version__}-{CONVERSION}"
    if not folder.is_dir():
        _convert(path, folder)
    return folder


def _content_hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=12)).hexdigest()


def _convert(path: Path, folder: Path) -> None:
    # The folder is opened first: one that can't be written is known before the long work.
    with written_whole(folder, keep_existing=True) as temporary:
        model, tokenizer = _read(path)
        _forget_quantization(model)
        _split_digits(tokenizer, path)
        model.save_pretrained(temporary)
        tokenizer.save_pretrained(temporary)


def _read(path: Path) -> tuple[Any, Any]:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    place = {"pretrained_model_name_or_path": str(path.parent), "gguf_file": path.name}
    try:
        tokenizer: Any = AutoTokenizer.from_pretrained(**place)
        with bars_in_terminals_only():
            model: Any = AutoModelForCausalLM.from_pretrained(**place, dtype=torch.float32)
    except (ValueError, KeyError, NotImplementedError, OSError) as error:
        raise InputError(
            f"transformers can't read the .gguf file: {error}",
            received=str(path),
            instead="a GGUF file of a Llama, Qwen2, Qwen3 or Mistral model, or the model's original folder",
        ) from error
    return model, tokenizer


def _forget_quantization(model: Any) -> None:
    """The weights are plain float32 now; without this, transformers refuses to save or convert them."""
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    model.hf_quantizer = None
    for mark in ("is_quantized", "quantization_method"):
        model.__dict__.pop(mark, None)


def _split_digits(tokenizer: Any, path: Path) -> None:
    from tokenizers import pre_tokenizers

    if read_gguf_header(path).settings.get("tokenizer.ggml.pre") in SINGLE_DIGITS:
        tokenizer.backend_tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [
                pre_tokenizers.Digits(individual_digits=True),
                pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
            ]
        )
