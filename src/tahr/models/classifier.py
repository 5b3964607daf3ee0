"""A causal model with a score in place of its vocabulary: made from one, saved, and read again.

In memory and on disk it is what transformers calls a sequence classifier with one label
(`LlamaForSequenceClassification` and its like), so that others read what is trained here and what others trained is
read here.
"""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any, cast

import torch
from torch import nn
from transformers import AutoConfig, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase
from transformers.modeling_layers import GenericForSequenceClassification
from transformers.models.auto.modeling_auto import (
    MODEL_FOR_CAUSAL_LM_MAPPING,
    MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING,
)

from tahr.core.errors import InputError
from tahr.core.seeding import derive_seed
from tahr.models.folder import written_whole
from tahr.models.load import DTYPES, check_complete
from tahr.models.lora import has_lora, merged_state
from tahr.models.portable import make_portable
from tahr.models.quiet import quiet_transformers
from tahr.models.weights import check_folder, read_config

SCALE = "score_scale"
"""Name in config.json of the mean and standard deviation of the scores on held-out answers."""


def to_classifier(model: PreTrainedModel, *, seed: int) -> PreTrainedModel:
    """A copy of the causal `model`, adapters included, with a new linear layer from hidden state to score.

    Its weights are drawn from N(0, 1 / (hidden + 1)) (Stiennon et al. 2020, appendix B.1) by `seed`, in float32 where
    only adapters are trained. What required gradients still does, and so does the layer.
    """
    config = copy.deepcopy(model.config)
    config.num_labels = 1
    with torch.device("meta"):
        classifier: Any = _classifier_class(config)(config)
    body: Any = copy.deepcopy(model.base_model)
    setattr(classifier, classifier.base_model_prefix, body)
    width = int(config.get_text_config().hidden_size)
    weight = torch.randn(1, width, generator=torch.Generator().manual_seed(derive_seed(seed, "reward_model.head")))
    weight /= (width + 1) ** 0.5
    dtype = torch.float32 if has_lora(model) else model.dtype
    _head(classifier).weight = nn.Parameter(weight.to(model.device, dtype))
    return classifier.eval()


def save_classifier(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, folder: Path, *, last_id: int) -> None:
    """Write the folder whole or not at all, adapters merged in.

    transformers reads the score at the last token that is not the padding one: where the padding token is `last_id`,
    which ends a conversation, the folder names another. Raises InputError and ResourceError as `save_model` does.
    """
    saved = copy.deepcopy(tokenizer)
    padding: Any = saved.pad_token_id
    if padding is None or padding == last_id:
        others: list[Any] = [saved.unk_token_id, saved.bos_token_id, saved.eos_token_id, *range(2)]
        padding = next(token for token in others if token not in (None, last_id))
        saved.pad_token = cast("str", saved.convert_ids_to_tokens(padding))
    with quiet_transformers(), written_whole(folder) as temporary:
        config = copy.deepcopy(model.config)
        config.get_text_config().pad_token_id = padding
        with torch.device("meta"):
            bare: Any = _classifier_class(config)(config)
        bare.load_state_dict(merged_state(model), strict=False, assign=True)
        bare.tie_weights()
        bare.to(model.dtype).save_pretrained(temporary)
        saved.save_pretrained(temporary)
        make_portable(temporary)


def read_classifier(folder: Path, dtype: str) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """The model and the tokenizer of a folder. Raises InputError where it holds no model with one score."""
    check_folder(folder)
    names = read_config(folder).get("architectures") or ["?"]
    if not str(names[0]).endswith("ForSequenceClassification"):
        raise InputError(
            "the folder holds no reward model",
            received=f"{folder}: {names[0]}",
            instead="a model with one score: a run with a reward_model stage, or a ...ForSequenceClassification folder",
        )
    try:
        config: Any = AutoConfig.from_pretrained(folder)
        tokenizer: Any = AutoTokenizer.from_pretrained(folder)
        loaded: Any = _classifier_class(config).from_pretrained(
            folder, dtype=DTYPES[dtype], output_loading_info=True, ignore_mismatched_sizes=True
        )
    except (OSError, ValueError, KeyError, ImportError) as error:
        raise InputError(
            f"transformers can't load the reward model: {error}", received=str(folder), instead="the complete folder"
        ) from error
    model, report = loaded
    check_complete(report, folder)
    if config.num_labels != 1:
        raise InputError("a reward model gives one score", received=f"{folder}: {config.num_labels} labels")
    return model, tokenizer


def _classifier_class(config: Any) -> Any:
    """transformers' own class for this architecture, else one put together from its parts in the same way.

    Raises InputError for what is no decoder.
    """
    found: Any = MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING.get(type(config), None)
    if found is not None:
        return found
    causal: Any = MODEL_FOR_CAUSAL_LM_MAPPING.get(type(config), None)
    if causal is None:
        raise InputError("no causal model to put a score on", received=type(config).__name__)
    base = next(one for one in causal.__mro__ if PreTrainedModel in one.__bases__)
    return type(
        causal.__name__.replace("ForCausalLM", "ForSequenceClassification"),
        (GenericForSequenceClassification, base),
        {},
    )


def _head(model: Any) -> nn.Linear:
    """The layer from hidden state to score. Raises InputError where the architecture names it otherwise."""
    head = getattr(model, "score", None)
    if not isinstance(head, nn.Linear):
        raise InputError("the architecture has no linear score layer", received=type(model).__name__)
    return head
