"""Keep transformers' progress bars and reports out of tahr's own."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from typing import Any


@contextmanager
def quiet_transformers() -> Generator[None]:
    """Switch transformers' progress bars off and its log down to errors inside; put back as they were."""
    from transformers.utils import logging

    shown, verbosity = logging.is_progress_bar_enabled(), logging.get_verbosity()
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if shown:
            logging.enable_progress_bar()


@contextmanager
def bars_in_terminals_only() -> Generator[None]:
    """Show the bar of a GGUF file's conversion where standard error is a terminal, and nowhere else.

    transformers draws that one past its own switch, and a log would hold a line for every tenth of a second.
    """
    from transformers import modeling_gguf_pytorch_utils

    module: Any = modeling_gguf_pytorch_utils
    drawn = module.tqdm
    module.tqdm = partial(drawn, disable=None)  # None: by whether the output is a terminal
    try:
        yield
    finally:
        module.tqdm = drawn
