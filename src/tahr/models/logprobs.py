"""The policy's log-probabilities of given tokens: our decoder where it can, `transformers` itself elsewhere."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from tahr.models.decoder import Decoder, causal_lm, unsupported
from tahr.models.head import head_logprobs
from tahr.models.packing import PackedTokens, to_padded
from tahr.models.row_logits import RowLogits


class PolicyLogprobs:
    """Log-probabilities of packed tokens under a model, with gradients.

    `reason` says why the exact path through `transformers` is taken; it is None on the fast one. `exact` asks for it.
    """

    def __init__(self, model: nn.Module, *, max_context: int = 0, exact: bool = False) -> None:
        self._model = model
        asked = "the exact path was asked for" if exact else None
        self.reason = asked or unsupported(model, max_context=max_context)
        self._decoder = None if self.reason else Decoder(model)

    def __call__(
        self, tokens: PackedTokens, rows: Tensor, targets: Tensor, *, temperature: float = 1.0
    ) -> tuple[Tensor, Tensor]:
        """Log-probability of `targets` (M,) after the tokens at `rows` (M,), and the entropies there; (M,) fp32, nats.

        Logits are divided by `temperature`, so that what comes back is of the distribution that was sampled from.
        """
        if self._decoder is not None:
            hidden = self._decoder.hidden(tokens).index_select(0, rows)
            return head_logprobs(hidden, self._decoder.head.weight, targets, temperature=temperature)
        logits = self._logits(tokens, rows).float() / temperature
        logprobs = torch.log_softmax(logits, dim=-1)
        entropy = -(logprobs.exp() * logprobs).nansum(-1)
        return logprobs.gather(1, targets[:, None]).squeeze(1), entropy

    def row_logits(self, tokens: PackedTokens, rows: Tensor) -> RowLogits:
        """What the next token after the tokens at `rows` (M,) is chosen by: logits to be made, or made already."""
        if self._decoder is None:
            return RowLogits(values=self._logits(tokens, rows), weight=None)
        hidden = self._decoder.hidden(tokens).index_select(0, rows)
        return RowLogits(values=hidden, weight=self._decoder.head.weight)

    def _logits(self, tokens: PackedTokens, rows: Tensor) -> Tensor:
        """Logits (M, vocabulary) at the packed `rows`, from one padded batch without shared prefixes."""
        input_ids, attention_mask, places = to_padded(tokens)
        device = tokens.token_ids.device
        output = causal_lm(self._model)(
            input_ids=input_ids.to(device), attention_mask=attention_mask.to(device), use_cache=False
        )
        place = places.to(device)[rows]
        return output.logits[place[:, 0], place[:, 1]]
