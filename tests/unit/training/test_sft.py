"""Supervised steps on conversations: no cut and no packing changes the gradient, and no row reads another."""

import random
from collections import Counter

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from small_chat import CHATML, TOKENIZERS, chat, make
from small_models import SIZES
from tahr.data.chats.chat import Chat, Tally
from tahr.data.chats.config import ChatSetConfig
from tahr.losses.aggregation import token_weights
from tahr.losses.supervised import supervised_loss
from tahr.models.chat import ChatRenderer
from tahr.models.logprobs import PolicyLogprobs
from tahr.recipe.stages.sft import mix
from tahr.training.batch import make_batches
from tahr.training.config import SftConfig
from tahr.training.examples import Example, encode_chats


def conversation(number: int) -> Chat:
    """Of one to three exchanges; the questions of all are alike, so that prompts are shared."""
    draw = random.Random(number)
    turns = [("user", "Go"), ("assistant", "".join(draw.choices("abc ", k=draw.randint(1, 9))) + "x")]
    turns += [("user", "On"), ("assistant", "z" * draw.randint(1, 4))] * draw.randint(0, 2)
    messages = tuple(chat(*turns))  # pyright: ignore[reportArgumentType]
    return Chat(messages=messages, taught=tuple(range(1, len(messages), 2)), place=f"line {number}")


def encode(chats: list[Chat], *, max_context: int = 500, name: str = "chatml") -> tuple[list[Example], Tally]:
    tally = Tally()
    renderer = ChatRenderer(TOKENIZERS[name])
    return list(encode_chats(chats, renderer, max_context=max_context, domain="talk", tally=tally)), tally


SAMPLES = [
    sample for example in encode([conversation(number) for number in range(8)])[0] for sample in example.samples()
]


def gradient(max_tokens: int, samples=SAMPLES, exact: bool = False):
    torch.manual_seed(0)
    model = LlamaForCausalLM(LlamaConfig(**{**SIZES, "vocab_size": 300})).eval()
    logprobs = PolicyLogprobs(model, exact=exact)
    weights = token_weights([sample.num_loss_tokens for sample in samples], "token_mean", max_new_tokens=1)
    batches = make_batches(samples, weights, max_tokens=max_tokens, device=torch.device("cpu"))
    total = 0.0
    for batch in batches:
        loss = supervised_loss(logprobs(batch.tokens, batch.rows, batch.targets)[0], batch.weights)
        loss.backward()
        total += float(loss.detach())
    return total, {name: one.grad for name, one in model.named_parameters()}, len(batches)


def assert_same(left, right) -> None:
    assert left[0] == pytest.approx(right[0], rel=1e-5)
    for name, one in left[1].items():
        torch.testing.assert_close(one, right[1][name], rtol=1e-4, atol=1e-6)


def test_one_batch_of_eight_equals_eight_of_one() -> None:
    whole, single = gradient(100_000), gradient(1)
    assert (whole[2], single[2]) == (1, len(SAMPLES))
    assert_same(whole, single)


def test_packed_equals_padded_so_that_no_conversation_reads_another() -> None:
    assert_same(gradient(100_000), gradient(100_000, exact=True))


def test_the_loss_is_the_mean_over_the_learnt_tokens_of_all_rows() -> None:
    each = [(gradient(100_000, [sample])[0], sample.num_loss_tokens) for sample in SAMPLES]
    total = sum(count for _, count in each)
    assert gradient(100_000)[0] == pytest.approx(sum(loss * count for loss, count in each) / total, rel=1e-5)


def test_every_turn_that_is_taught_is_in_the_loss_and_nothing_else() -> None:
    tokenizer = TOKENIZERS["chatml"]
    for number, sample in enumerate(SAMPLES):
        learnt = [id for id, inside in zip(sample.token_ids, sample.loss_mask, strict=True) if inside]
        one = conversation(number)
        assert tokenizer.decode(learnt) == "".join(f"{one.messages[place].content}<|im_end|>" for place in one.taught)
        assert not any(sample.loss_mask[: sample.prompt_length])
        assert sample.loss_mask[sample.prompt_length]


def test_a_row_that_does_not_fit_is_refused_whole_and_counted() -> None:
    chats = [conversation(number) for number in range(8)]
    lengths = [example.num_tokens for example in encode(chats)[0]]
    limit = sorted(lengths)[4]
    examples, tally = encode(chats, max_context=limit)
    assert [example.num_tokens for example in examples] == [length for length in lengths if length <= limit]
    assert tally.refused == {"too long": sum(length > limit for length in lengths)}
    assert tally.first["too long"] == f"line {next(i for i, length in enumerate(lengths) if length > limit)}"


def test_special_tokens_and_roles_that_the_template_refuses_are_counted() -> None:
    forged = Chat(messages=tuple(chat(("user", "Hi<|im_end|>"), ("assistant", "Ho"))), taught=(1,), place="line 1")
    examples, tally = encode([forged, conversation(0)])
    assert len(examples) == 1
    assert tally.refused == {"special tokens in the text": 1}


def mixture(sets, *, seed=0, **chats):
    config = SftConfig(steps=1, chats={name: ChatSetConfig(source="x", **one) for name, one in chats.items()})
    return mix(config, sets, seed=seed)


def test_sets_are_mixed_by_weight() -> None:
    sets = {"sums": ["s"], "chats.big": ["b"] * 900, "chats.small": ["c"] * 30}
    drawn = Counter(mixture(sets, big={"weight": 6.0}, small={"weight": 3.0}).take(0, 1000))
    assert drawn == {"b": 600, "c": 300, "s": 100}
    assert Counter(mixture(sets, big={"weight": 2.0}, small={}).take(0, 1000)) == {"b": 500, "c": 250, "s": 250}


def test_without_weights_every_row_comes_once_before_any_comes_again() -> None:
    sets = {"chats.big": [f"b{i}" for i in range(70)], "chats.small": ["c1", "c2", "c3"]}
    stream = mixture(sets, big={"count": 70}, small={})
    for start in (0, 73, 146):
        drawn = stream.take(start, 73)
        assert sorted(drawn) == sorted(sets["chats.big"] + sets["chats.small"])
    assert stream.take(0, 73) != stream.take(73, 73)
    assert stream.take(50, 40) == stream.take(50, 23) + stream.take(73, 17)


def test_the_first_cause_stands_beside_the_count_of_what_the_template_refuses() -> None:
    tokenizer = make("{{ raise_exception('user first') if messages[0].role != 'user' }}" + CHATML)
    tally = Tally()
    led = [Chat(messages=tuple(chat(("system", "s"), ("user", "q"), ("assistant", "a"))), taught=(2,), place="line 1")]
    assert not list(encode_chats(led, ChatRenderer(tokenizer), max_context=99, domain="talk", tally=tally))
    assert tally.text() == (
        "0 rows, 1 refused (1 not rendered by the template, the first at line 1 (the model's chat template refuses the "
        "conversation: user first: system -> user))"
    )
