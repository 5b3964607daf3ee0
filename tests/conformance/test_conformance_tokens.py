"""T1 to T7: what is trained on are the ids that were sampled, each once, and nothing else."""

from __future__ import annotations

import pytest
import torch

from small_chat import BOS, CHATML, EOS, IM_END, LLAMA3, QUESTION, TOKENIZERS, chat, make
from small_recipes import write_recipe
from small_rollouts import Scripted, collect, make_task, trajectory, turn
from tahr.core.errors import InputError
from tahr.core.progress import SilentProgress
from tahr.core.types import FinishReason, Message, StopReason, Task
from tahr.models.chat import ChatRenderer
from tahr.models.config import ArchitectureConfig
from tahr.models.scratch import END, START, make_tokenizer
from tahr.recipe.load import load_recipe
from tahr.recipe.run import run_recipe
from tahr.rollout.samples import trajectory_samples
from tahr.training import sft
from tahr.training.batch import make_batches
from tahr.training.examples import GoldAnswers


def trained(sample):
    """The ids that the loss falls on."""
    return [id for id, in_loss in zip(sample.token_ids, sample.loss_mask, strict=True) if in_loss]


# ---- between turns


def test_t1_two_ids_that_spell_one_token_stay_two():
    """[he][llo] decodes to a text that encodes to [hello]: nothing may decode and encode between turns."""
    tokenizer = make(CHATML, merges=[("h", "e"), ("l", "l"), ("ll", "o"), ("he", "llo")])
    renderer = ChatRenderer(tokenizer)
    he, llo, hello = (tokenizer.convert_tokens_to_ids(token) for token in ("he", "llo", "hello"))
    assert renderer.encode(renderer.decode((he, llo))) == (hello,)
    prompt, answer = renderer.render(QUESTION), (he, llo, IM_END)
    following = renderer.extend((*prompt, *answer), chat(("tool", "hello")))
    assert following is not None
    assert following[: len(prompt) + 3] == (*prompt, he, llo, IM_END)
    (sample,) = trajectory_samples(trajectory(turn(prompt, answer), turn(following, (llo, IM_END))), 1.0)
    assert trained(sample) == [he, llo, IM_END, llo, IM_END]
    (batch,) = make_batches([sample], [1.0], max_tokens=10_000, device=torch.device("cpu"))
    assert batch.targets.tolist() == [he, llo, IM_END, llo, IM_END]


@pytest.mark.parametrize("name", ["chatml", "llama3", "thinking", "plain"])
def test_t2_adjacent_tool_replies_continue_the_prefix_byte_for_byte(name):
    renderer = ChatRenderer(TOKENIZERS[name])
    previous = (*renderer.render(QUESTION), *renderer.encode_answer("two calls"))
    following = renderer.extend(previous, chat(("tool", "first"), ("tool", "second")))
    assert following is not None
    assert following[: len(previous)] == previous
    text = renderer.tokenizer.decode(list(following[len(previous) :]))
    assert text.count("first") == text.count("second") == 1


def test_t2_a_template_that_drops_thinking_opens_a_branch():
    renderer = ChatRenderer(TOKENIZERS["thinking"])
    prompt = renderer.render(QUESTION)
    answer = renderer.encode_answer("<think>\n2 and 3\n</think>\n\n5")
    assert renderer.extend((*prompt, *answer), chat(("user", "Sure?"))) is None
    afresh = renderer.render([*QUESTION, *chat(("assistant", "5"), ("user", "Sure?"))])
    second = renderer.encode_answer("yes")
    samples = trajectory_samples(trajectory(turn(prompt, answer), turn(afresh, second)), 2.0)
    assert [sample.token_ids for sample in samples] == [(*prompt, *answer), (*afresh, *second)]
    assert [trained(sample) for sample in samples] == [list(answer), list(second)]


# ---- special tokens


@pytest.mark.parametrize("name", ["llama3", "plain"])
def test_t3_a_prompt_has_exactly_one_bos(name):
    """Though the tokenizer would add its own."""
    assert TOKENIZERS[name]("").input_ids == [BOS]
    renderer = ChatRenderer(TOKENIZERS[name])
    for messages in (QUESTION, chat(("user", "a"), ("assistant", "b"), ("user", "c"))):
        ids = renderer.render(messages)
        assert ids[0] == BOS
        assert ids.count(BOS) == 1


def test_t3_twice_bos_in_the_template_is_refused():
    with pytest.raises(InputError, match="token twice"):
        ChatRenderer(make("{{ bos_token }}" + LLAMA3, bos="<s>")).render(QUESTION)


@pytest.fixture(scope="module")
def sft_samples(tmp_path_factory):
    """What a supervised stage trains on, and the tokenizer of its scratch model."""
    folder = tmp_path_factory.mktemp("sft")
    loaded = load_recipe(write_recipe(folder), ["stages=['sft']", "rlvr=", "eval=", "sft.steps=1"])
    seen = []

    def watch(samples, weights, **settings):
        seen.extend(samples)
        return make_batches(samples, weights, **settings)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sft, "make_batches", watch)
        run_recipe(loaded, runs_root=folder, folder=folder / "run", progress=SilentProgress())
    assert seen
    return seen, make_tokenizer(ArchitectureConfig(), 48)


def test_t3_an_example_of_supervised_training_has_exactly_one_bos(sft_samples):
    samples, tokenizer = sft_samples
    start = tokenizer.convert_tokens_to_ids(START)
    for sample in samples:
        assert sample.token_ids[0] == start
        assert sample.token_ids.count(start) == 1


def test_t4_an_example_of_supervised_training_has_the_end_in_its_loss_exactly_once(sft_samples):
    samples, tokenizer = sft_samples
    end = tokenizer.convert_tokens_to_ids(END)
    for sample in samples:
        ids = trained(sample)
        assert ids[-1] == end
        assert ids.count(end) == 1
        assert sample.token_ids[-1] == end


def test_t4_a_sampled_eos_is_in_the_loss_once_though_padding_has_its_id():
    tokenizer = make(LLAMA3, bos="<s>", eos="</s>")
    tokenizer.pad_token = tokenizer.eos_token
    renderer = ChatRenderer(tokenizer)
    assert tokenizer.pad_token_id == EOS
    prompt = renderer.render(QUESTION)
    finished = turn(prompt, (*renderer.encode("5"), EOS))
    cut = turn(prompt, renderer.encode("5"), FinishReason.LENGTH)
    samples = [*trajectory_samples(trajectory(finished), 1.0), *trajectory_samples(trajectory(cut), 1.0)]
    (batch,) = make_batches(samples, [1.0, 1.0], max_tokens=10_000, device=torch.device("cpu"))
    five = renderer.encode("5")[0]
    assert batch.targets[batch.sequences == 0].tolist() == [five, EOS]
    assert batch.targets[batch.sequences == 1].tolist() == [five]


def test_t5_the_suffix_of_a_turn_that_was_not_sampled_is_masked():
    """ChatML writes a line break after the end of a turn; the policy stopped before it."""
    renderer = ChatRenderer(TOKENIZERS["chatml"])
    prompt, answer = renderer.render(QUESTION), renderer.encode_answer("five")
    following = renderer.extend((*prompt, *answer), chat(("user", "Sure?")))
    assert following is not None
    assert renderer.tokenizer.decode(following[len(prompt) + len(answer)]) == "\n"
    second = renderer.encode_answer("yes")
    (sample,) = trajectory_samples(trajectory(turn(prompt, answer), turn(following, second)), 1.0)
    assert trained(sample) == [*answer, *second]


def test_t5_the_end_that_was_added_to_a_cut_turn_is_masked():
    renderer = ChatRenderer(TOKENIZERS["chatml"])
    prompt, cut = renderer.render(QUESTION), renderer.encode("It is")
    following = renderer.extend((*prompt, *cut), chat(("user", "Go on")))
    assert following is not None
    assert following[len(prompt) + len(cut)] == IM_END
    turns = turn(prompt, cut, FinishReason.LENGTH), turn(following, renderer.encode_answer("5"))
    (sample,) = trajectory_samples(trajectory(*turns), 1.0)
    assert not sample.loss_mask[len(prompt) + len(cut)]
    assert trained(sample) == [*cut, *renderer.encode_answer("5")]


# ---- lengths


def test_t6_an_answer_is_never_cut_but_its_row_refused_with_the_counts():
    renderer = ChatRenderer(TOKENIZERS["chatml"])
    task = Task(prompt=(Message(role="user", content="How much?"),), answer="exactly 12345", verifier="exact")

    def example(max_context):
        gold = GoldAnswers(
            renderer=renderer,
            answer=lambda task: task.answer,
            max_context=max_context,
        )
        return gold.sample(task)

    whole = example(1000)
    size, answer_size = len(whole.token_ids), whole.num_loss_tokens
    assert renderer.decode(trained(whole)) == "exactly 12345"
    assert example(size) == whole
    with pytest.raises(InputError, match="does not fit") as caught:
        example(size - 1)
    assert f"{size - answer_size} + {answer_size} tokens" in str(caught.value)


def test_t7_a_prompt_that_fills_the_context_is_out_of_budget_and_not_a_crash():
    engine = Scripted()
    groups = collect(engine, [make_task("x" * 50), make_task("say yes")], group_size=1)
    scored = groups[0].scored[0]
    assert scored.trajectory.stop_reason is StopReason.OUT_OF_BUDGET
    assert "50 tokens" in scored.trajectory.error
    assert scored.trajectory.turns == ()
    assert scored.reward is not None
    assert groups[1].rewards == (1.0,)
    assert len(engine.requests) == 1
