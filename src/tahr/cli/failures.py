"""From an exception to what the user reads: what was wrong, what was received, what to do."""

from __future__ import annotations

import errno

from tahr.core.errors import ResourceError, TahrError

LESS_MEMORY = (
    "lower rlvr.micro_batch_tokens (memory while training) or engine.cache_gib and engine.max_batch_size (memory while "
    "sampling), or train adapters with [model.lora]; `tahr check RECIPE` shows what takes how much"
)


def explain_failure(error: Exception) -> tuple[str, int]:
    """The message for people and the exit code."""
    known = as_tahr_error(error)
    if known is not None:
        return f"error: {known}", known.exit_code
    first_line = str(error).split("\n")[0]
    return f"error: {type(error).__name__}: {first_line}\n  run again with --debug to see where it happened", 1


def as_tahr_error(error: Exception) -> TahrError | None:
    """`error` where it is tahr's own; a ResourceError where memory or disk ran out; None for anything unexpected."""
    if isinstance(error, TahrError):
        return error
    if is_out_of_memory(error):
        return ResourceError("memory ran out", received=str(error).split("\n")[0] or None, instead=LESS_MEMORY)
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return ResourceError("the disk is full", received=error.filename, instead="free some space, then use --resume")
    return None


def is_out_of_memory(error: Exception) -> bool:
    """Whether `error` is Python's, or torch's on a CPU (a RuntimeError by its text) or a GPU (a class of its own)."""
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return True
    text = str(error)
    return isinstance(error, RuntimeError) and ("can't allocate memory" in text or "out of memory" in text)
