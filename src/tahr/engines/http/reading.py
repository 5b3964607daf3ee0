"""What a server's answer says, and which answers deserve another try."""

from __future__ import annotations

import email.utils
import math
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, cast

from tahr.core.errors import EngineError
from tahr.core.json_text import parse_json, without_half_characters
from tahr.core.judging import Reply
from tahr.core.types import FinishReason

MAX_SHOWN = 300
"""Most characters of a server's answer that an error shows."""

RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
"""Statuses of a server that is busy or failing for the moment."""

FINISH_REASONS = {
    "stop": FinishReason.STOP,
    "eos": FinishReason.STOP,
    "eos_token": FinishReason.STOP,
    "end_turn": FinishReason.STOP,
    "stop_sequence": FinishReason.STOP,
    "length": FinishReason.LENGTH,
    "max_tokens": FinishReason.LENGTH,
}
"""OpenAI's words and those of servers that imitate it. Others (a filter, a call of a tool) are no answer."""


def read_reply(body: str, where: str, *, clean: Callable[[str], str]) -> Reply:
    """The first choice of a chat completion. Raises EngineError with what was received where it isn't one.

    A refusal that the server tells apart is the answer's text, whatever stands beside it; an answer whose tokens all
    went into thinking is empty.
    Half of a character, which no file and no tokenizer can hold, becomes U+FFFD.
    `clean` takes out of what an error shows what must not be seen.
    """
    try:
        document: Any = parse_json(body)
        choice: Any = document["choices"][0]
        message: Any = choice["message"]
        finish_reason = FINISH_REASONS[choice["finish_reason"]]
        content: Any = message.get("content")
        text = message.get("refusal") or content
        if text is None and finish_reason is FinishReason.LENGTH:
            text = ""
        if not isinstance(text, str):
            raise TypeError("no text")
    except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
        raise EngineError(
            f"{where}: not a chat completion ({type(error).__name__}: {clean(str(error))[:100]})",
            received=shown(clean(body)),
        ) from error
    usage: Any = document.get("usage")
    num_tokens = _count(usage, "completion_tokens")
    return Reply(
        text=without_half_characters(text),
        finish_reason=finish_reason,
        # a server that says 0 of what was there didn't count
        num_prompt_tokens=_count(usage, "prompt_tokens") or None,
        num_tokens=None if text and not num_tokens else num_tokens,
    )


def retry_after(value: str | None, now: datetime | None = None) -> float | None:
    """Seconds that a ``Retry-After`` header asks for, which has seconds or a date; None where it can't be read.

    >>> retry_after("1.5")
    1.5
    """
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            date = email.utils.parsedate_to_datetime(value)
        except ValueError:
            return None
        seconds = ((date if date.tzinfo else date.replace(tzinfo=UTC)) - (now or datetime.now(UTC))).total_seconds()
    return max(0.0, seconds) if math.isfinite(seconds) else None


def shown(body: str) -> str:
    """The beginning of what was received, as an error shows it."""
    return repr(body if len(body) <= MAX_SHOWN else f"{body[:MAX_SHOWN]}... ({len(body)} characters)")


def _count(usage: Any, name: str) -> int | None:
    if not isinstance(usage, dict):
        return None
    value = cast("dict[str, Any]", usage).get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
