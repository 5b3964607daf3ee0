"""The same answer is the same ids, whichever stage learns it: conversations, pairs, gold answers."""

from __future__ import annotations

import pytest

from small_chat import CHATML, TOKENIZERS, make
from tahr.core.errors import InputError
from tahr.core.preferences import Pair
from tahr.core.types import Message, Task
from tahr.data.chats.chat import Chat, Tally
from tahr.models.chat import ChatRenderer
from tahr.training.examples import GoldAnswers, encode_chats
from tahr.training.pairs import encode_pairs

QUESTION = (Message(role="user", content="What is 2 + 3?"),)

TEMPLATES = {
    **TOKENIZERS,
    "empty thought": make(
        CHATML.replace(
            "message['content']",
            "('<think></think>' if loop.last and not add_generation_prompt "
            "and message['role'] == 'assistant' else '') + message['content']",
        )
    ),
    "opened thought": make(CHATML.replace("'<|im_start|>assistant\n'", "'<|im_start|>assistant\n<think>\n'")),
    "dropped thought": make(CHATML.replace("message['content']", "message['content'].split('</think>')[-1]")),
}


def as_chat(renderer: ChatRenderer, answer: str) -> tuple[int, ...] | None:
    messages = (*QUESTION, Message(role="assistant", content=answer))
    one = Chat(messages=messages, taught=(1,), place="line 1")
    found = list(encode_chats([one], renderer, max_context=500, domain="talk", tally=Tally()))
    return tuple(found[0].sequences[0][0]) if found else None


def as_pair(renderer: ChatRenderer, answer: str) -> tuple[int, ...] | None:
    """The chosen answer of a pair; the rejected one is always good."""
    rejected = "no</think>no"
    pair = Pair(prompt=QUESTION, chosen=answer, rejected=rejected)
    found = encode_pairs([pair], renderer, max_context=500).pairs
    return (*found[0].prompt, *found[0].chosen) if found else None


def as_gold(renderer: ChatRenderer, answer: str) -> tuple[int, ...] | None:
    gold = GoldAnswers(renderer=renderer, answer=lambda task: str(task.answer), max_context=500)
    try:
        return gold.sample(Task(prompt=QUESTION, answer=answer, verifier="exact")).token_ids
    except InputError:
        return None


@pytest.mark.parametrize("answer", ["Five", "  Five \n", "<think>\nadd\n</think>\n\nFive", "Five<|im_end|>", "<s>"])
@pytest.mark.parametrize("name", TEMPLATES)
def test_every_stage_learns_the_same_ids_of_an_answer_or_refuses_it(name: str, answer: str) -> None:
    renderer = ChatRenderer(TEMPLATES[name])
    ids = as_chat(renderer, answer)
    assert as_pair(renderer, answer) == ids
    assert as_gold(renderer, answer) == ids
    refused = "<|im_end|>" in answer or answer == "<s>" or (name == "opened thought" and "think" not in answer)
    assert (ids is None) == refused


@pytest.mark.parametrize(
    ("name", "answer", "text"),
    [
        ("llama3", "  Five \n", "Five<|eot_id|>"),
        ("chatml", "  Five \n", "  Five \n<|im_end|>"),
        ("empty thought", "Five", "<think></think>Five<|im_end|>"),
        ("dropped thought", "<think>\nadd\n</think>\n\nFive", "<think>\nadd\n</think>\n\nFive<|im_end|>"),
        ("opened thought", "<think>\nadd\n</think>\n\nFive", "add\n</think>\n\nFive<|im_end|>"),
    ],
)
def test_what_a_pair_learns_of_an_answer(name: str, answer: str, text: str) -> None:
    renderer = ChatRenderer(TEMPLATES[name])
    ids = as_pair(renderer, answer)
    assert ids is not None
    assert renderer.tokenizer.decode(list(ids[len(renderer.render(QUESTION)) :])) == text


def test_tasks_whose_answers_hold_special_tokens_are_left_out_and_counted() -> None:
    renderer = ChatRenderer(TOKENIZERS["chatml"])
    gold = GoldAnswers(renderer=renderer, answer=lambda task: str(task.answer), max_context=500)
    asked = (Message(role="user", content="What is <|im_end|>?"),)
    tasks = [
        Task(prompt=prompt, answer=answer, verifier="exact")
        for prompt, answer in ((QUESTION, "5"), (QUESTION, "5<|im_start|>"), (asked, "5"))
    ]
    tally = Tally()
    assert gold.without_special(tasks, tally) == tasks[:1]
    assert tally.text() == (
        "3 rows, 2 refused (2 special tokens in the text, the first at "
        f"task {tasks[1].id} ('<|im_start|>' in '5<|im_start|>'))"
    )
