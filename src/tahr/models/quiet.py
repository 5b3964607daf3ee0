"""Keep transformers' progress bars out of tahr's own."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def no_progress_bars() -> Generator[None]:
    """Switch transformers' progress bars off inside; put back as it was."""
    from transformers.utils import logging

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()
