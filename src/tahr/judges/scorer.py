"""A reward model that answers one conversation at a time, loaded when it is first needed and once a process."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tahr.core.errors import InputError
from tahr.core.types import Message
from tahr.judges.batcher import Batcher
from tahr.models.config import ModelConfig
from tahr.models.hub import fetch
from tahr.models.kept_fingerprint import files_identity, fingerprint_of
from tahr.models.reward_source import REWARD_FOLDER, reward_model_source
from tahr.models.source import Folder, Hub, resolve
from tahr.models.weights import read_config

if TYPE_CHECKING:
    from tahr.models.reward import RewardModel, Scale

KIND = "reward"
"""What a reward model's fingerprint is kept as."""

OWN_RUN = "run"
"""As `model`: the reward model that an earlier stage of the same run has trained."""

Dtype = Literal["float32", "bfloat16"]

Asked = tuple[tuple[Message, ...], str]


class RewardScorer:
    """Scores answers with the reward model at `model` (a run, a folder, a hub name or `OWN_RUN`), without gradients.

    `batch_size` answers are scored together where several threads wait; with 1 a score can't depend on who else was
    there. Raises InputError where it is plain without loading that no reward model lies there.
    """

    def __init__(self, model: str, *, batch_size: int, dtype: Dtype, device: str) -> None:
        self._model = model
        self._dtype: Dtype = dtype
        self._device = device
        self._folder = "" if model == OWN_RUN else _checked(model)
        self._batcher: Batcher[Asked, float | None] = Batcher(self._scores, size=batch_size)

    def enter_run(self, folder: Path, *, at_once: bool = True) -> None:
        """Load the model before anything is judged; the run's own is loaded when its stage has trained it.

        Without `at_once` it is loaded when the first score is asked for.
        """
        if self._model == OWN_RUN:
            self._folder = str(folder / REWARD_FOLDER)
        elif at_once:
            _ = self.loaded

    def fetch(self) -> None:
        """Download the model where it is on the hub. Raises InputError where it can't be had."""
        if self._folder:
            fetch(ModelConfig(source=self._folder))

    def score(self, prompt: tuple[Message, ...], text: str) -> float | None:
        """The score of an answer, as it is; None where it and its prompt don't fit into the model's context, of which
        nothing is ever cut off, or where the template refuses them. Raises what loading and computing raise."""
        return self._batcher((prompt, text))

    def num_tokens(self, prompt: tuple[Message, ...], text: str) -> int:
        """Tokens of the conversation that is read for a score; 0 where there is none to be had."""
        return len(_conversation(self.loaded, prompt, text) or ())

    @property
    def scale(self) -> Scale:
        """What the model knows of the scores of held-out answers."""
        return self.loaded.scale

    @cached_property
    def fingerprint(self) -> str:
        """Hash of what scores: weights, config, template, tokenizer. The model is loaded for it where its files changed
        since it last was. Raises as `loaded` does."""
        if not self._folder:
            return self._measured()  # which says why there is none
        return fingerprint_of(_config(self._folder, self._dtype, self._device), KIND, self._measured)

    def _measured(self) -> str:
        from tahr.models.fingerprint import joined, model_hash

        return joined(model_hash(self.loaded.model), self.loaded.renderer.fingerprint())

    @cached_property
    def loaded(self) -> RewardModel:
        """The model. Raises InputError and ResourceError as `load_reward_model` does."""
        if not self._folder:
            raise InputError(
                'model = "run" names the reward model of a run under way, and there is none',
                received=OWN_RUN,
                instead="a recipe with a reward_model stage before, or the path of a run",
            )
        files = files_identity(_config(self._folder, self._dtype, self._device))
        return _load(self._folder, self._dtype, self._device, files)

    def _scores(self, asked: Sequence[Asked]) -> list[float | None]:
        model = self.loaded
        read = [_conversation(model, prompt, text) for prompt, text in asked]
        found = iter(model.score_groups([[ids] for ids in read if ids is not None]))
        return [None if ids is None else next(found)[0] for ids in read]


@lru_cache(maxsize=2)
def _load(folder: str, dtype: Dtype, device: str, files: str) -> RewardModel:
    """Kept, so that a verifier and a judge, or two verifiers, that name the same model hold it once.

    `files` names the files as they lie there: where they have changed, another model is loaded.
    """
    from tahr.models.reward import load_reward_model

    return load_reward_model(_config(folder, dtype, device), whole_context=True)


def _config(folder: str, dtype: Dtype, device: str) -> ModelConfig:
    return ModelConfig(source=folder, dtype=dtype, device=device)


def _conversation(model: RewardModel, prompt: tuple[Message, ...], text: str) -> tuple[int, ...] | None:
    """None where it is too long or refused. Special tokens in the answer, which could end its turn, are left out."""
    try:
        ids = model.conversation(prompt, _without(text, model.renderer.special_texts))
    except InputError:
        return None
    return ids if len(ids) <= model.max_context else None


def _without(text: str, specials: Sequence[str]) -> str:
    """`text` without any special token, those that appear when another is taken out among them."""
    before = None
    while before != text:
        before = text
        for special in specials:
            text = text.replace(special, "")
    return text.encode("utf-8", "replace").decode()  # lone surrogates are no text


def _checked(model: str) -> str:
    folder = reward_model_source(model)
    source = resolve(ModelConfig(source=folder))
    if isinstance(source, Hub):
        return folder
    names = read_config(source.path).get("architectures") or ["?"] if isinstance(source, Folder) else ["?"]
    if not str(names[0]).endswith("ForSequenceClassification"):
        raise InputError("this is no reward model", received=f"{model}: {names[0]}", instead="a run or a folder of one")
    return folder
