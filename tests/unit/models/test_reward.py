"""Reward models: where the score is read, how they are saved, and who else reads them."""

import pytest
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer, GraniteConfig, GraniteForCausalLM

from small_models import FAMILY, SIZES, small_model
from tahr.core.errors import InputError
from tahr.core.types import Message
from tahr.models.classifier import to_classifier
from tahr.models.config import ArchitectureConfig, LoraConfig, ModelConfig
from tahr.models.load import load_model
from tahr.models.lora import apply_lora
from tahr.models.reward import RewardModel, Scale, load_reward_model

SCRATCH = ModelConfig(
    source="scratch",
    max_context=128,
    architecture=ArchitectureConfig(hidden_size=32, num_layers=2, num_kv_heads=2, intermediate_size=48),
)
PROMPT = (Message(role="user", content="what is 2 + 3?"),)
ANSWERS = ("it is 5.", "5", "it is 6, or 7, or 8.", "", "it is 5. it is 5.")


@pytest.fixture(scope="module")
def reward_model():
    return RewardModel.on(load_model(SCRATCH), max_context=128, seed=1)


def _alone(model, sequences):
    return [model.score_groups([[one]])[0][0] for one in sequences]


@pytest.mark.parametrize("padding", ["eos", "own", "none"])
def test_P5_a_score_is_the_same_alone_and_in_any_batch_whatever_the_padding_token(padding):
    loaded = load_model(SCRATCH)
    tokenizer = loaded.tokenizer
    tokenizer.pad_token = {"eos": tokenizer.eos_token, "own": tokenizer.pad_token, "none": None}[padding]
    model = RewardModel.on(loaded, max_context=128, seed=1)
    model.model.config.pad_token_id = tokenizer.pad_token_id
    sequences = [model.conversation(PROMPT, answer) for answer in ANSWERS]
    alone = _alone(model, sequences)
    assert len({round(score, 4) for score in alone}) == len(ANSWERS)
    for groups in ([sequences], [[one] for one in sequences], [sequences[:2], sequences[2:]], [sequences[::-1]]):
        found = [score for group in model.score_groups(groups) for score in group]
        expected = alone[::-1] if groups[0] == sequences[::-1] else alone
        assert found == pytest.approx(expected, abs=1e-5)
    tight = [score for group in model.score_groups([[one] for one in sequences], max_tokens=1) for score in group]
    assert tight == pytest.approx(alone, abs=1e-5)


@pytest.mark.parametrize("name", sorted(FAMILY))
def test_P5_the_score_is_of_the_last_token_on_both_paths(name):
    causal = small_model(name)
    model = to_classifier(causal, seed=0)
    fast = RewardModel(model, None, max_context=64)
    assert fast.reason is None
    exact = RewardModel(model, None, max_context=64)
    exact._decoder = None
    # ends in the padding id, which is the eos id too, once and twice
    sequences = [(1, 9, 7, 2), (1, 9, 7, 2, 2), (1, 9, 30, 31, 32, 2), (1, 9, 2)]
    with torch.no_grad():
        hidden = [causal.model(torch.tensor([one])).last_hidden_state[0, -1] for one in sequences]
        by_hand = [float(state @ model.score.weight[0]) for state in hidden]
    assert fast.score_groups([sequences])[0] == pytest.approx(by_hand, abs=1e-5)
    assert exact.score_groups([sequences])[0] == pytest.approx(by_hand, abs=1e-5)
    assert _alone(exact, sequences) == pytest.approx(by_hand, abs=1e-5)


def test_a_saved_folder_is_read_by_tahr_and_by_transformers(tmp_path, reward_model):
    reward_model.save(tmp_path / "rm", Scale(mean=0.5, deviation=2.0))
    sequences = [reward_model.conversation(PROMPT, answer) for answer in ANSWERS]
    expected = reward_model.score_groups([sequences])[0]

    again = load_reward_model(ModelConfig(source=str(tmp_path / "rm"), max_context=128))
    assert again.scale == Scale(mean=0.5, deviation=2.0)
    assert again.reason is None
    assert again.score_groups([sequences])[0] == pytest.approx(expected, abs=1e-6)

    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "rm")
    theirs = AutoModelForSequenceClassification.from_pretrained(tmp_path / "rm")
    assert tokenizer.pad_token_id == theirs.config.pad_token_id != sequences[0][-1]
    padded = tokenizer.pad({"input_ids": [list(one) for one in sequences]}, return_tensors="pt")
    with torch.no_grad():
        found = theirs(**padded).logits[:, 0].tolist()
    assert found == pytest.approx(expected, abs=1e-5)


def test_adapters_are_merged_into_what_is_saved(tmp_path):
    loaded = load_model(SCRATCH)
    apply_lora(loaded.model, LoraConfig(rank=2), seed=0)
    model = RewardModel.on(loaded, max_context=128, seed=1)
    trained = {name for name, one in model.model.named_parameters() if one.requires_grad}
    assert "score.weight" in trained
    assert all("lora_" in name or name == "score.weight" for name in trained)
    with torch.no_grad():
        for name, parameter in model.model.named_parameters():
            if "lora_B" in name:
                parameter.normal_(std=0.1)
    sequence = model.conversation(PROMPT, "5")
    model.save(tmp_path / "rm")
    again = load_reward_model(ModelConfig(source=str(tmp_path / "rm"), max_context=128))
    assert again.score_groups([[sequence]])[0] == pytest.approx(model.score_groups([[sequence]])[0], abs=1e-5)
    plain = RewardModel.on(load_model(SCRATCH), max_context=128, seed=1)
    assert again.score_groups([[sequence]])[0] != pytest.approx(plain.score_groups([[sequence]])[0], abs=1e-4)


def test_the_policy_it_was_made_from_stays_as_it_was(reward_model):
    loaded = load_model(SCRATCH)
    model = RewardModel.on(loaded, max_context=128, seed=1)
    with torch.no_grad():
        for parameter in model.model.parameters():
            parameter.zero_()
    assert all(float(one.detach().abs().sum()) > 0 for one in loaded.model.parameters() if one.dim() > 1)


def test_an_architecture_without_a_classifier_of_its_own_gets_one(tmp_path):
    torch.manual_seed(0)
    sizes = {name: value for name, value in SIZES.items() if name != "head_dim"}
    causal = GraniteForCausalLM(GraniteConfig(**sizes)).eval()
    model = RewardModel(to_classifier(causal, seed=0), None, max_context=64)
    assert type(model.model).__name__ == "GraniteForSequenceClassification"
    assert model.reason is not None
    assert len(model.score_groups([[(1, 5, 6, 2), (1, 5, 7, 8, 2)]])[0]) == 2


def test_a_causal_model_is_no_reward_model(tmp_path):
    small_model("llama").save_pretrained(tmp_path)
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(InputError, match="holds no reward model"):
        load_reward_model(ModelConfig(source=str(tmp_path)))


def test_a_conversation_beyond_the_context_is_refused(reward_model):
    with pytest.raises(InputError, match="does not fit"):
        reward_model.score_groups([[reward_model.conversation(PROMPT, "a" * 200)]])


def test_the_first_scores_repeat_for_a_seed_and_differ_between_seeds():
    loaded = load_model(SCRATCH)
    first, same, other = (to_classifier(loaded.model, seed=seed).score.weight for seed in (1, 1, 2))
    assert torch.equal(first, same)
    assert not torch.equal(first, other)
