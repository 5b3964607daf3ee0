"""A label: what one rater said of two answers to one prompt, whichever of them a file calls the chosen one.

    Pair -> Comparison (the same two answers, in no order) -> Label (a rater's judgment of it)

Two files may call different answers of one comparison the chosen one: labels are joined by the comparison's id, which
doesn't depend on that, and compared in the order of the answers' ids, which no rater has seen.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from tahr.core.preferences import Judgment, JudgmentState, Pair, content_id
from tahr.core.types import Message

Verdict = Literal["first", "second", "tie"]

DOMAIN = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two different answers to one prompt, sorted by their ids; `first` and `second` are (id, text).

    Example: ``Comparison.of(pair)``
    """

    id: str
    prompt_id: str
    prompt: tuple[Message, ...]
    first: tuple[str, str]
    second: tuple[str, str]
    domain: str = DOMAIN

    @classmethod
    def of(cls, pair: Pair) -> Comparison:
        """What `pair` compares. Its domain is what the provenance calls `domain` or `source`."""
        first, second = sorted((content_id(pair.prompt_id, text), text) for text in (pair.chosen, pair.rejected))
        provenance = pair.provenance
        return cls(
            id=content_id(pair.prompt_id, first[0], second[0]),
            prompt_id=pair.prompt_id,
            prompt=pair.prompt,
            first=first,
            second=second,
            domain=str(provenance.get("domain") or provenance.get("source") or DOMAIN),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """One rater's judgment of a comparison. The judgment's `judge` is who it was, its `candidates` the order shown.

    Example: ``Label(comparison="5d41402abc4b2a76", prompt_id="1f3870be274f6c49", domain="chat", judgment=judgment)``
    """

    comparison: str
    prompt_id: str
    judgment: Judgment
    domain: str = DOMAIN

    @property
    def who(self) -> str:
        """The rater."""
        return self.judgment.judge

    @property
    def verdict(self) -> Verdict | None:
        """Which answer is better, in the order of their ids; None where the rater gave neither order nor tie."""
        if self.judgment.state is JudgmentState.TIE:
            return "tie"
        if self.judgment.preferred is None:
            return None
        return "first" if self.judgment.preferred == min(self.judgment.candidates) else "second"


def comparisons_of(pairs: Iterable[Pair]) -> dict[str, Comparison]:
    """The comparisons of `pairs` by id, each once, in their order."""
    return {one.id: one for one in map(Comparison.of, pairs)}


def make_label(
    comparison: Comparison,
    who: str,
    state: JudgmentState,
    *,
    preferred: str | None = None,
    shown: tuple[str, str] | None = None,
    **provenance: Any,
) -> Label:
    """A rater's label; `preferred` is the better answer's id where the state is JUDGED, `shown` the ids in order."""
    judgment = Judgment(
        candidates=shown or (comparison.first[0], comparison.second[0]),
        state=state,
        judge=who,
        preferred=preferred,
        provenance=provenance,
    )
    return Label(comparison=comparison.id, prompt_id=comparison.prompt_id, judgment=judgment, domain=comparison.domain)


def label_of_pair(pair: Pair, who: str) -> Label:
    """A pair file's own preference, as the label of a rater called `who`."""
    comparison = Comparison.of(pair)
    chosen = content_id(pair.prompt_id, pair.chosen)
    return make_label(comparison, who, JudgmentState.JUDGED, preferred=chosen)


def relabelled(pairs: Iterable[Pair], labels: Iterable[Label]) -> list[Pair]:
    """The pairs that `labels` prefer one answer of, turned so that the preferred one is the chosen one.

    Ties and comparisons without a preference give no pair. A pair that was turned loses its margin, and its provenance
    says who labelled it; what belonged to the chosen and the rejected answer is exchanged.
    """
    preferred = {one.comparison: one for one in labels if one.judgment.preferred is not None}
    found: dict[str, Pair] = {}
    for pair in pairs:
        comparison = Comparison.of(pair)
        label = preferred.get(comparison.id)
        if label is None or comparison.id in found:
            continue
        kept = label.judgment.preferred == content_id(pair.prompt_id, pair.chosen)
        provenance = dict(pair.provenance) if kept else {_turned(key): one for key, one in pair.provenance.items()}
        found[comparison.id] = Pair(
            prompt=pair.prompt,
            chosen=pair.chosen if kept else pair.rejected,
            rejected=pair.rejected if kept else pair.chosen,
            margin=pair.margin if kept else None,
            provenance={**provenance, "judge": label.who},
        )
    return list(found.values())


def _turned(key: str) -> str:
    for one, other in (("chosen_", "rejected_"), ("rejected_", "chosen_")):
        if key.startswith(one):
            return other + key.removeprefix(one)
    return key


def answer_of(pair: Pair, model: str | None) -> str | None:
    """The id of the answer that `model` wrote, None unless that is exactly one; without a model, the chosen one's."""
    wrote = [pair.provenance.get(f"{side}_model") == model for side in ("chosen", "rejected")]
    if model is not None and sum(wrote) != 1:
        return None
    return content_id(pair.prompt_id, pair.chosen if model is None or wrote[0] else pair.rejected)
