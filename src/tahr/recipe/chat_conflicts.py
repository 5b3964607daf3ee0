"""Settings of ``[sft]`` that contradict one another."""

from __future__ import annotations

from tahr.recipe.findings import Findings
from tahr.training.config import SftConfig


def find_chat_conflicts(sft: SftConfig, findings: Findings) -> None:
    """File what the supervised stage can't do as it is told."""
    if not sft.tasks and not sft.chats:
        findings.conflict("sft", "there is nothing to learn from", instead="tasks, or [sft.chats.NAME], or both")
    counted = [name for name, chats in sft.chats.items() if chats.count is not None]
    weighted = [name for name, chats in sft.chats.items() if chats.weight is not None]
    if counted and weighted:
        findings.conflict(
            f"sft.chats.{counted[0]}.count",
            "some sets are mixed by count, others by weight: neither would come out as told",
            received=f"count in {', '.join(counted)}; weight in {', '.join(weighted)}",
            instead="a count for each set (or none, for all its rows), or a weight for each",
        )
    _validation(sft, findings)


def _validation(sft: SftConfig, findings: Findings) -> None:
    keeps_out = any(chats.validation_percent for chats in sft.chats.values())
    if sft.validate_every and not keeps_out:
        findings.conflict(
            "sft.validate_every",
            "no chat set keeps anything out to validate on",
            received=sft.validate_every,
            instead="validation_percent in a [sft.chats.NAME] section, or 0",
        )
    if keeps_out and not sft.validate_every:
        findings.warn(
            "sft.validate_every",
            "a chat set keeps rows out, but no validation loss is taken",
            instead="sft.steps or less",
        )
