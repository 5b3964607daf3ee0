"""What is known of a recipe's chat sets before the run: their rows, their lengths, what would be left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from tahr.data.chats.chat import Chat, Tally
from tahr.data.chats.read import ChatSet, read_chats
from tahr.recipe.decontamination import question_index
from tahr.recipe.findings import Findings
from tahr.recipe.parts import Parts
from tahr.recipe.prompts import CHARACTERS_PER_TOKEN, TEMPLATE_TOKENS, UNKNOWN_TOKENS, PromptLengths, renderer_at_hand
from tahr.recipe.schema import Recipe
from tahr.training.examples import encode_chats

if TYPE_CHECKING:
    from tahr.models.chat import ChatRenderer

NUM_COUNTED = 200
"""Conversations of a set whose tokens are counted."""

NUM_COMPARED = 2000
"""Conversations of a set that are compared with the questions of the evaluation."""

FEW_KEPT = 0.5
"""A set of which more than this share would be refused is warned of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatFacts:
    """One chat set. `num_rows` are those to learn from, refusals not yet taken off; `tokens` is the mean of a sample.

    `refused_share` and `contaminated_share` are of samples; `left_out` says what reading left out, `refusals` what the
    sample's refusals were, `reasons` the same with the first of each.

    Example: ``ChatFacts(name="talk", format="messages", num_rows=980, left_out="1,000 rows, 20 twice", tokens=212.0,
    refused_share=0.01, refusals="2 too long", reasons="2 too long, the first at talk.jsonl, line 7",
    contaminated_share=0.0)``
    """

    name: str
    format: str
    num_rows: int
    left_out: str
    tokens: float
    refused_share: float
    refusals: str
    reasons: str
    contaminated_share: float


def measure_chats(recipe: Recipe, parts: Parts, findings: Findings) -> tuple[ChatFacts, ...]:
    """Facts of every chat set that is at hand; files what can't be read, is mostly refused, or is contaminated."""
    facts: list[ChatFacts] = []
    renderer = renderer_at_hand(recipe.model) if recipe.sft is not None and recipe.sft.chats else None
    for name, config in recipe.sft.chats.items() if recipe.sft is not None else ():
        where = f"sft.chats.{name}"
        with findings.catching(where):
            chats = read_chats(name, config, download=False)
            if chats is None:
                findings.warn(
                    where,
                    f"is not in the local hub cache: {UNKNOWN_TOKENS:,.0f} tokens are assumed of each conversation",
                    received=config.source,
                    instead=f"download it first: hf download --repo-type dataset {config.source}",
                )
                continue
            facts.append(_facts(recipe, parts, chats, renderer))
            _judge(recipe, where, facts[-1], chats, findings)
    return tuple(facts)


def _facts(recipe: Recipe, parts: Parts, chats: ChatSet, renderer: ChatRenderer | None) -> ChatFacts:
    sample, tally = _spread(chats.train, NUM_COUNTED), Tally()
    if renderer is None:
        lengths = [TEMPLATE_TOKENS + len(chat.text) / CHARACTERS_PER_TOKEN for chat in sample]
    else:
        context = recipe.model.max_context
        encoded = encode_chats(sample, renderer, max_context=context, domain=chats.name, tally=tally)
        lengths = [example.num_tokens for example in encoded]
    index = question_index(recipe, parts.sets, "chats")
    compared = _spread(chats.train, NUM_COMPARED) if index is not None else []
    return ChatFacts(
        name=chats.name,
        format=chats.format,
        num_rows=min(len(chats.train), chats.config.count or len(chats.train)),
        left_out=chats.tally.text(),
        tokens=fmean(lengths) if lengths else 0.0,
        refused_share=tally.num_refused / max(1, len(sample)),
        reasons=tally.reasons,
        refusals=", ".join(f"{count} {reason}" for reason, count in sorted(tally.refused.items())),
        contaminated_share=fmean(bool(index.find(chat.text)) for chat in compared) if index and compared else 0.0,
    )


def _judge(recipe: Recipe, where: str, facts: ChatFacts, chats: ChatSet, findings: Findings) -> None:
    count = chats.config.count or 1
    if count > len(chats.train):
        findings.conflict(
            f"{where}.count",
            f"there are {len(chats.train):,} rows to learn from",
            received=f"{count:,}; {facts.left_out}",
            instead="a smaller count, or none for all of them",
        )
    if facts.refused_share > FEW_KEPT:
        report = findings.conflict if facts.refused_share == 1 else findings.warn
        report(
            where,
            f"{facts.refused_share:.0%} of its rows would be refused",
            received=facts.reasons,
            instead="a larger model.max_context, or other conversations",
        )
    if facts.contaminated_share and recipe.eval is not None and recipe.eval.decontaminate.action == "refuse":
        findings.conflict(
            where,
            f"about {facts.contaminated_share:.1%} of its rows hold a question of the evaluation",
            instead="other data, or eval.decontaminate.action = 'remove'",
        )


def example_tokens(recipe: Recipe, parts: Parts, prompts: PromptLengths, chats: Sequence[ChatFacts]) -> float:
    """Mean tokens of one example of the supervised stage, over the mixture; 0 without a chat set."""
    sft = recipe.sft
    if sft is None or not sft.chats:
        return 0.0
    if not chats:
        return UNKNOWN_TOKENS
    weighted = any(one.weight is not None for one in sft.chats.values())
    shares = [
        (float(sft.chats[one.name].weight or 1.0) if weighted else float(one.num_rows), one.tokens) for one in chats
    ]
    for name in sft.tasks:
        share = 1.0 if weighted or name not in parts.sets else float(len(parts.sets[name].train))
        shares.append((share, float(prompts.typical + prompts.answer)))
    return sum(share * tokens for share, tokens in shares) / sum(share for share, _ in shares)


def _spread(chats: Sequence[Chat], count: int) -> Sequence[Chat]:
    """About `count` chats, evenly from the whole."""
    return chats[:: max(1, len(chats) // count)][:count]
