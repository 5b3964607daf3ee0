"""Keep transformers' progress bars and reports out of tahr's own."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager


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
