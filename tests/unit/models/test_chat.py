"""Rendering on three templates: ChatML (SmolLM2's), a Llama-3-like one, and one that strips earlier thinking."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from small_chat import CHATML, EOT, IM_END, QUESTION, TOKENIZERS, chat, make
from tahr.core.errors import InputError
from tahr.core.protocols import Renderer
from tahr.models.chat import ChatRenderer


def full_text(renderer: ChatRenderer, ids: Sequence[int]) -> str:
    return renderer.tokenizer.decode(list(ids), skip_special_tokens=False)


@pytest.mark.parametrize("name", TOKENIZERS)
def test_it_is_a_renderer(name: str) -> None:
    assert isinstance(ChatRenderer(TOKENIZERS[name]), Renderer)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "chatml",
            "<|im_start|>system\nYou are helpful<|im_end|>\n<|im_start|>user\nWhat is 2 + 3?<|im_end|>\n"
            "<|im_start|>assistant\n",
        ),
        (
            "llama3",
            "<s><|start_header_id|>user<|end_header_id|>\n\nWhat is 2 + 3?<|eot_id|>"
            "<|start_header_id|>assistant<|end_header_id|>\n\n",
        ),
        ("thinking", "<|im_start|>user\nWhat is 2 + 3?<|im_end|>\n<|im_start|>assistant\n"),
        ("plain", "<s>User:\nWhat is 2 + 3?\n\nAssistant:\n"),
    ],
)
def test_render(name: str, text: str) -> None:
    renderer = ChatRenderer(TOKENIZERS[name])
    ids = renderer.render(QUESTION)
    assert full_text(renderer, ids) == text


@pytest.mark.parametrize(
    ("name", "ids"), [("chatml", (IM_END,)), ("llama3", (EOT, 1)), ("thinking", (IM_END,)), ("plain", (1,))]
)
def test_stop_ids_are_the_templates_and_the_tokenizers(name: str, ids: tuple[int, ...]) -> None:
    renderer = ChatRenderer(TOKENIZERS[name])
    assert renderer.stop_token_ids == ids
    assert renderer.end_of_turn_id == ids[0]


def test_stop_ids_of_the_generation_settings_are_added_once() -> None:
    assert ChatRenderer(TOKENIZERS["llama3"], stop_token_ids=[1, 5]).stop_token_ids == (EOT, 1, 5)


def test_nothing_that_ends_an_answer_is_refused() -> None:
    tokenizer = make("{% for message in messages %}{{ message['content'] }}{% endfor %}")
    tokenizer.eos_token = None  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(InputError, match="nothing ends an answer"):
        ChatRenderer(tokenizer)


def test_encode_answer_is_what_a_policy_would_sample() -> None:
    renderer = ChatRenderer(TOKENIZERS["llama3"])
    assert full_text(renderer, renderer.encode_answer(" five")) == " five<|eot_id|>"


def test_decode_leaves_out_special_tokens_only() -> None:
    renderer = ChatRenderer(TOKENIZERS["chatml"])
    assert renderer.decode((*renderer.encode("a , b n't .\n é"), IM_END)) == "a , b n't .\n é"


@pytest.mark.parametrize("name", TOKENIZERS)
@pytest.mark.parametrize("history_given", [False, True])
def test_extend_appends_byte_for_byte_what_the_template_would_write(name: str, history_given: bool) -> None:
    renderer = ChatRenderer(TOKENIZERS[name])
    prompt = renderer.render(QUESTION)
    previous = (*prompt, *renderer.encode_answer("It is 5"))
    history = [*QUESTION, *chat(("assistant", "It is 5"))]
    new = chat(("user", "And 4 + 4?"))
    extended = renderer.extend(previous, new, history=history if history_given else ())
    assert extended is not None
    assert extended[: len(previous)] == previous
    assert full_text(renderer, extended) == full_text(renderer, renderer.render([*history, *new]))


@pytest.mark.parametrize("name", TOKENIZERS)
def test_extend_ends_a_turn_that_was_cut_off(name: str) -> None:
    renderer = ChatRenderer(TOKENIZERS[name])
    cut = (*renderer.render(QUESTION), *renderer.encode("It is"))
    extended = renderer.extend(cut, chat(("user", "Go on")))
    assert extended is not None
    assert extended[: len(cut) + 1] == (*cut, renderer.end_of_turn_id)
    assert extended == renderer.extend((*cut, renderer.end_of_turn_id), chat(("user", "Go on")))


@pytest.mark.parametrize("history_given", [False, True])
def test_extend_branches_where_thinking_is_stripped_but_not_while_tools_answer(history_given: bool) -> None:
    renderer = ChatRenderer(TOKENIZERS["thinking"])
    answer = "<think>\n2 and 3\n</think>\n\n5"
    previous = (*renderer.render(QUESTION), *renderer.encode_answer(answer))
    history = [*QUESTION, *chat(("assistant", answer))] if history_given else ()
    assert renderer.extend(previous, chat(("user", "Sure?")), history=history) is None
    extended = renderer.extend(previous, chat(("tool", "5")), history=history)
    assert extended is not None
    assert full_text(renderer, extended[len(previous) :]) == (
        "\n<|im_start|>tool\n5<|im_end|>\n<|im_start|>assistant\n"
    )


def test_extend_keeps_sampled_white_space_that_the_template_would_trim() -> None:
    renderer = ChatRenderer(TOKENIZERS["llama3"])
    previous = (*renderer.render(QUESTION), *renderer.encode_answer(" 5 \n"))
    history = [*QUESTION, *chat(("assistant", " 5 \n"))]
    extended = renderer.extend(previous, chat(("user", "Sure?")), history=history)
    assert extended is not None
    assert extended[: len(previous)] == previous


def test_extend_branches_after_another_stop_id_than_the_templates() -> None:
    renderer = ChatRenderer(TOKENIZERS["llama3"])
    assert renderer.extend((*renderer.render(QUESTION), 1), chat(("user", "Sure?"))) is None


def test_extend_branches_where_the_template_moves_the_system_message() -> None:
    moving = (
        "{% for message in messages %}{% if message.role == 'user' %}[{% if loop.last %}{{ messages[0].content }} "
        "{% endif %}{{ message.content }}]{% elif message.role == 'assistant' %}{{ message.content }}{{ eos_token }}"
        "{% endif %}{% endfor %}"
    )
    renderer = ChatRenderer(make(moving, eos="</s>"))
    messages = chat(("system", "Be brief"), ("user", "Hi"))
    previous = (*renderer.render(messages), *renderer.encode_answer("Hello"))
    history = [*messages, *chat(("assistant", "Hello"))]
    assert renderer.extend(previous, chat(("user", "Bye")), history=history) is None


def test_a_template_that_refuses_roles_is_explained() -> None:
    strict = "{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}"
    renderer = ChatRenderer(make(strict + CHATML))
    with pytest.raises(InputError, match=r"System role not supported\n.*system -> user"):
        renderer.render(chat(("system", "Be brief"), ("user", "Hi")))


def test_characters_that_the_vocabulary_lacks_are_refused() -> None:
    from tahr.models.config import ArchitectureConfig
    from tahr.models.scratch import make_tokenizer

    renderer = ChatRenderer(make_tokenizer(ArchitectureConfig(alphabet="ab"), 64))
    with pytest.raises(InputError, match=r"lacks\n.*'Zé'"):
        renderer.render(chat(("user", "aZébZ")))
    with pytest.raises(InputError, match=r"lacks\n.*'!'"):
        renderer.encode_answer("ab!")


def test_half_of_a_character_is_refused_in_words() -> None:
    renderer = ChatRenderer(TOKENIZERS["chatml"])
    with pytest.raises(InputError, match="half of a character") as raised:
        renderer.render(chat(("user", "2 + 3\ud800?")))
    assert "ud800" in str(raised.value)
