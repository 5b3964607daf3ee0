"""What of a rendered conversation is learnt, on four kinds of templates."""

import pytest

from small_chat import CHATML, QUESTION, TOKENIZERS, chat, make
from tahr.core.errors import InputError
from tahr.models.chat import ChatRenderer, SpecialTokensError
from tahr.models.conversation import render_conversation

TALK = chat(("user", "2 + 3?"), ("assistant", "Five"), ("user", "Sure?"), ("assistant", "Yes"))
WRITTEN = {
    "chatml": ["Five<|im_end|>", "Yes<|im_end|>"],
    "llama3": ["Five<|eot_id|>", "Yes<|eot_id|>"],
    "thinking": ["Five<|im_end|>", "Yes<|im_end|>"],
    "plain": ["Five</s>", "Yes</s>"],
}


def learnt(tokenizer, sequences):
    return [tokenizer.decode(one.token_ids[start:end]) for one in sequences for start, end in one.spans]


@pytest.mark.parametrize("name", TOKENIZERS)
def test_each_answer_is_learnt_with_the_end_of_its_turn_and_nothing_else(name):
    tokenizer = TOKENIZERS[name]
    renderer = ChatRenderer(tokenizer)
    (whole,) = render_conversation(renderer, TALK, (1, 3))
    assert learnt(tokenizer, [whole]) == WRITTEN[name]
    assert whole.spans[-1][1] == len(whole.token_ids)
    for (start, _), place in zip(whole.spans, (1, 3), strict=True):  # before it stands what inference is asked with
        assert whole.token_ids[:start] == renderer.render(TALK[:place])


@pytest.mark.parametrize("name", TOKENIZERS)
def test_only_the_taught_turns(name):
    renderer = ChatRenderer(TOKENIZERS[name])
    (last,) = render_conversation(renderer, TALK, (3,))
    assert learnt(TOKENIZERS[name], [last]) == WRITTEN[name][1:]
    assert last.token_ids[: last.spans[0][0]] == renderer.render(TALK[:3])


def test_a_template_that_drops_earlier_thinking_gives_a_sequence_for_each_turn():
    tokenizer = TOKENIZERS["thinking"]
    renderer = ChatRenderer(tokenizer)
    thought = "<think>\nadd\n</think>\n\nFive"
    talk = chat(("user", "2 + 3?"), ("assistant", thought), ("user", "Sure?"), ("assistant", "Yes"))
    first, second = render_conversation(renderer, talk, (1, 3))
    assert learnt(tokenizer, [first]) == [f"{thought}<|im_end|>"]
    assert learnt(tokenizer, [second]) == ["Yes<|im_end|>"]
    assert "add" not in tokenizer.decode(second.token_ids)  # as at inference


def test_the_answer_is_learnt_as_the_template_writes_it():
    talk = chat(("user", "Hi"), ("assistant", "  Ho \n"))
    kept, trimmed = TOKENIZERS["chatml"], TOKENIZERS["llama3"]
    assert learnt(kept, render_conversation(ChatRenderer(kept), talk, (1,))) == ["  Ho \n<|im_end|>"]
    assert learnt(trimmed, render_conversation(ChatRenderer(trimmed), talk, (1,))) == ["Ho<|eot_id|>"]


def test_what_a_template_puts_before_the_answer_alone_is_learnt_too():
    # as Qwen3's: an answer without a thought is written with an empty one
    template = CHATML.replace(
        "message['content']",
        "('<think></think>' if loop.last and not add_generation_prompt "
        "and message['role'] == 'assistant' else '') + message['content']",
    )
    tokenizer = make(template)
    sequences = render_conversation(ChatRenderer(tokenizer), TALK, (1, 3))
    assert learnt(tokenizer, sequences) == ["<think></think>Five<|im_end|>", "<think></think>Yes<|im_end|>"]
    assert len(sequences) == 2  # the earlier turn reads otherwise once it is not the last


def test_a_token_that_crosses_into_the_answer_is_not_made():
    # two line ends are one token where the whole is read at once; a policy that is asked after one can't sample it
    tokenizer = make(CHATML, merges=(("Ċ", "Ċ"),))
    renderer = ChatRenderer(tokenizer)
    talk = [TALK[0], *chat(("assistant", "\n\nFive")), *TALK[2:]]
    (whole,) = render_conversation(renderer, talk, (1,))
    assert whole.token_ids[: whole.spans[0][0]] == renderer.render(talk[:1])
    assert learnt(tokenizer, [whole]) == ["\n\nFive<|im_end|>"]
    # and what was sampled so is not how the next prompt begins, so the next turn has a sequence of its own
    assert len(render_conversation(renderer, talk, (1, 3))) == 2


@pytest.mark.parametrize("text", ["Five<|im_end|>", "<|im_start|>user\nMore?", "<s>"])
@pytest.mark.parametrize("place", [0, 1])
def test_text_that_would_be_read_as_special_tokens_is_refused(text, place):
    talk = list(TALK)
    talk[place] = chat((talk[place].role, text))[0]
    with pytest.raises(SpecialTokensError, match="special tokens in the text"):
        render_conversation(ChatRenderer(TOKENIZERS["chatml"]), talk, (1,))


def test_a_template_that_asks_in_another_way_than_it_writes_is_refused():
    template = CHATML.replace("'<|im_start|>assistant\n'", "'<|im_start|>reply\n'")
    with pytest.raises(InputError, match="in another way than it asks for one"):
        render_conversation(ChatRenderer(make(template)), [*QUESTION, *chat(("assistant", "5"))], (1,))


def test_a_question_that_looks_like_an_answer_moves_no_mask():
    tokenizer = TOKENIZERS["plain"]
    talk = chat(("user", "Hi\n\nAssistant:\nFive\n\nUser:\nHi"), ("assistant", "Five"))
    (whole,) = render_conversation(ChatRenderer(tokenizer), talk, (1,))
    assert learnt(tokenizer, [whole]) == ["Five</s>"]


OPENED = CHATML.replace("'<|im_start|>assistant\n'", "'<|im_start|>assistant\n<think>\n'")
DROPPED = CHATML.replace("message['content']", "message['content'].split('</think>')[-1]")


def test_a_thought_that_the_template_drops_when_it_writes_is_learnt_as_it_stands():
    tokenizer = make(DROPPED)
    talk = chat(("user", "2 + 3?"), ("assistant", "<think>add</think>Five"), ("user", "Sure?"), ("assistant", "Yes"))
    first, second = render_conversation(ChatRenderer(tokenizer), talk, (1, 3))
    assert learnt(tokenizer, [first, second]) == ["<think>add</think>Five<|im_end|>", "Yes<|im_end|>"]


@pytest.mark.parametrize("answer", ["add\n</think>\n\nFive", "<think>\nadd\n</think>\n\nFive"])
def test_a_thought_that_the_template_begins_when_it_asks_is_begun_once(answer):
    tokenizer = make(OPENED)
    (whole,) = render_conversation(ChatRenderer(tokenizer), chat(("user", "2 + 3?"), ("assistant", answer)), (1,))
    assert tokenizer.decode(whole.token_ids).endswith("assistant\n<think>\nadd\n</think>\n\nFive<|im_end|>")
    assert learnt(tokenizer, [whole]) == ["add\n</think>\n\nFive<|im_end|>"]


def test_an_answer_without_the_thought_that_the_template_begins_is_refused():
    with pytest.raises(InputError, match="in another way than it asks for one"):
        render_conversation(ChatRenderer(make(OPENED)), TALK, (1,))
