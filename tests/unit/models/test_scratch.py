from __future__ import annotations

import torch

from tahr.models.config import ModelConfig
from tahr.models.load import LoadedModel, load_model
from tahr.models.scratch import SPECIAL_TOKENS, make_tokenizer


def test_one_token_per_character_and_every_space_kept(loaded: LoadedModel) -> None:
    ids = loaded.renderer.encode(" a  b+")
    # eight special tokens come first, then the alphabet "abc 0123+?"
    assert ids == (11, 8, 11, 11, 9, 16)
    assert loaded.renderer.decode(ids) == " a  b+"


def test_template_ids(loaded: LoadedModel) -> None:
    from tahr.core.types import Message

    assert SPECIAL_TOKENS[2:7] == ("<|start|>", "<|end|>", "<|system|>", "<|user|>", "<|assistant|>")
    assert loaded.renderer.render([Message(role="user", content="ab")]) == (2, 5, 8, 9, 3, 6)
    assert loaded.renderer.stop_token_ids == (3,)
    assert loaded.renderer.encode_answer("c") == (10, 3)


def test_every_role_has_a_token(scratch_config: ModelConfig) -> None:
    from tahr.core.types import Message
    from tahr.models.chat import ChatRenderer

    assert scratch_config.architecture is not None
    renderer = ChatRenderer(make_tokenizer(scratch_config.architecture, 64))
    roles = ("system", "user", "assistant", "tool")
    ids = renderer.render([Message(role=role, content="a") for role in roles])  # pyright: ignore[reportArgumentType]
    assert ids == (2, 4, 8, 3, 5, 8, 3, 6, 8, 3, 7, 8, 3, 6)


def test_seed_decides_the_weights_and_leaves_torch_alone(scratch_config: ModelConfig) -> None:
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    first = load_model(scratch_config, seed=1).model
    assert torch.equal(torch.rand(3), expected)
    again, other = load_model(scratch_config, seed=1).model, load_model(scratch_config, seed=2).model
    weight = first.get_input_embeddings().weight
    assert torch.equal(weight, again.get_input_embeddings().weight)
    assert not torch.equal(weight, other.get_input_embeddings().weight)


def test_embeddings_are_tied(loaded: LoadedModel) -> None:
    assert loaded.model.get_output_embeddings().weight is loaded.model.get_input_embeddings().weight
