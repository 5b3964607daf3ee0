"""An engine that samples from the policy as it was some steps ago: staleness, simulated exactly in one process."""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from torch import Tensor

from tahr.core.protocols import GenerationRequest
from tahr.core.types import Completion
from tahr.engines.config import EngineConfig
from tahr.engines.embedded.engine import Decode, EmbeddedEngine
from tahr.models.save import load_trainable_state, trainable_state

Snapshot = tuple[int, Mapping[str, Tensor]]


class LaggedEngine:
    """An embedded engine over a copy of `model` whose weights are `lag` calls of `load_weights` old.

    Until there are so many, it samples from the oldest that it was given. `snapshots` and `restore` carry the policies
    under way over a restart.
    """

    def __init__(
        self,
        model: Any,
        *,
        lag: int,
        max_context: int,
        config: EngineConfig | None = None,
        decode: Decode | None = None,
    ) -> None:
        self._model = copy.deepcopy(model)
        self._engine = EmbeddedEngine(self._model, max_context=max_context, config=config, decode=decode)
        self._snapshots: deque[Snapshot] = deque(maxlen=lag + 1)

    @property
    def reason(self) -> str | None:
        """Why sampling goes through `transformers` itself; None where tahr's own decoder is used."""
        return self._engine.reason

    @property
    def policy_version(self) -> int:
        """The version of the weights that the next token will be sampled from."""
        return self._engine.policy_version

    @property
    def max_context(self) -> int:
        """The most tokens that prompt and completion may have together."""
        return self._engine.max_context

    def load_weights(self, policy: Any, version: int) -> None:
        """Keep the trained weights, and sample from those that are now old enough. A version known already is new."""
        if self._snapshots and self._snapshots[-1][0] == version:
            self._snapshots.pop()
        self._snapshots.append((version, {name: one.clone() for name, one in trainable_state(policy).items()}))
        self._take_oldest()

    async def complete(self, request: GenerationRequest) -> Completion:
        """Sample one completion from the old policy."""
        return await self._engine.complete(request)

    def snapshots(self) -> list[dict[str, Any]]:
        """The policies under way, oldest first, for a checkpoint."""
        return [{"version": version, "weights": dict(weights)} for version, weights in self._snapshots]

    def restore(self, snapshots: Sequence[Mapping[str, Any]]) -> None:
        """Go on from what `snapshots` returned."""
        self._snapshots.clear()
        self._snapshots.extend((int(one["version"]), one["weights"]) for one in snapshots)
        self._take_oldest()

    def _take_oldest(self) -> None:
        version, weights = self._snapshots[0]
        load_trainable_state(self._model, weights)
        self._engine.load_weights(self._model, version)
