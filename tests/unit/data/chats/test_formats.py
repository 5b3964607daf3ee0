"""Each format by its documented shape, then rows as they really come."""

import json
from typing import Any

import pytest

from tahr.core.errors import InputError, UnknownNameError
from tahr.data.chats.formats import FORMATS, recognise
from tahr.data.columns import RowError


def read(name: str, values: dict[str, Any], **columns: str) -> list[tuple[str, str, bool]]:
    form = FORMATS[name]
    found = form.read(values, form.names(columns))
    return [(message.role, message.content, learnt) for message, learnt in found]


TALK = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "2 + 3?"},
    {"role": "assistant", "content": "5"},
    {"role": "user", "content": "Sure?"},
    {"role": "assistant", "content": "Yes"},
]
EXPECTED = [
    ("system", "Be brief.", False),
    ("user", "2 + 3?", False),
    ("assistant", "5", True),
    ("user", "Sure?", False),
    ("assistant", "Yes", True),
]


def test_messages() -> None:
    assert read("messages", {"messages": TALK}) == EXPECTED
    assert read("messages", {"messages": json.dumps(TALK)}) == EXPECTED  # as a table of text holds it
    assert read("messages", {"dialogue": TALK}, messages="dialogue") == EXPECTED
    assert read("messages", {"messages": TALK[1:], "system": "Be brief."}) == EXPECTED


def test_messages_as_openai_writes_them() -> None:
    turns = [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "2 +"}, {"type": "text", "text": " 3?"}]},
        {"role": "assistant", "content": "6", "weight": 0, "tool_calls": None},
        {"role": "user", "content": "Sure?", "name": "Ada"},
        {"role": "assistant", "content": "5", "weight": 1},
    ]
    assert read("messages", {"messages": turns}) == [
        ("system", "Be brief.", False),
        ("user", "2 + 3?", False),
        ("assistant", "6", False),
        ("user", "Sure?", False),
        ("assistant", "5", True),
    ]


def test_prompt_and_completion_as_texts_and_as_messages() -> None:
    two = [("user", "2 + 3?", False), ("assistant", "5", True)]
    assert read("prompt_completion", {"prompt": "2 + 3?", "completion": "5"}) == two
    assert read("prompt_completion", {"prompt": TALK[1:2], "completion": TALK[2:3]}) == two
    assert read("prompt_completion", {"q": "2 + 3?", "a": "5"}, prompt="q", completion="a") == two
    whole = read("prompt_completion", {"prompt": TALK[:4], "completion": TALK[4:]})
    assert [learnt for _, _, learnt in whole] == [False, False, False, False, True]  # the prompt's answers are not


def test_sharegpt() -> None:
    turns = [
        {"from": "system", "value": "Be brief."},
        {"from": "human", "value": "2 + 3?"},
        {"from": "gpt", "value": "5"},
        {"from": "user", "value": "Sure?"},
        {"from": "chatgpt", "value": "Yes"},
    ]
    assert read("sharegpt", {"conversations": turns}) == EXPECTED
    assert read("sharegpt", {"conversations": turns[1:], "system": "Be brief."}) == EXPECTED


def test_alpaca() -> None:
    assert read("alpaca", {"instruction": "Add.", "input": "2 3", "output": "5"}) == [
        ("user", "Add.\n\n2 3", False),
        ("assistant", "5", True),
    ]
    for nothing in ("", None, float("nan")):  # as a table of optional columns has it
        assert read("alpaca", {"instruction": "Hi", "input": nothing, "output": "Ho", "system": nothing}) == [
            ("user", "Hi", False),
            ("assistant", "Ho", True),
        ]


@pytest.mark.parametrize(
    ("values", "columns", "name"),
    [
        ({"messages": TALK, "prompt": "x", "completion": "y"}, {}, "messages"),
        ({"conversations": [{"from": "human", "value": "x"}]}, {}, "sharegpt"),
        ({"conversations": TALK}, {}, "messages"),
        ({"messages": [{"from": "human", "value": "x"}]}, {}, "sharegpt"),
        ({"chat": TALK}, {"messages": "chat"}, "messages"),
        ({"prompt": "x", "completion": "y"}, {}, "prompt_completion"),
        ({"instruction": "x", "output": "y"}, {}, "alpaca"),
        ({"q": "x", "a": "y"}, {"prompt": "q", "completion": "a"}, "prompt_completion"),
        ({"messages": json.dumps(TALK)}, {}, "messages"),
    ],
)
def test_auto_knows_each_by_its_columns(values: dict[str, Any], columns: dict[str, str], name: str) -> None:
    found, names = recognise(values, columns)
    assert found == name
    assert FORMATS[found].read(values, names)


@pytest.mark.parametrize("values", [{}, {"text": "x"}, {"messages": "no list"}, {"messages": []}, {"messages": [1]}])
def test_auto_names_the_columns_where_nothing_fits(values: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="no format fits the first row"):
        recognise(values, {})


def test_a_column_that_the_format_does_not_have() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'messages'"):
        FORMATS["messages"].names({"mesages": "x"})


HOSTILE: list[tuple[str, dict[str, Any], str]] = [
    ("messages", {"messages": None}, "no list of turns"),
    ("messages", {"messages": "[{broken"}, "no list of turns"),
    ("messages", {"messages": "[{" * 100_000}, "no list of turns"),
    ("messages", {"messages": {"role": "user"}}, "no list of turns"),
    ("messages", {"messages": ["hello"]}, "a turn is no table"),
    ("messages", {"messages": [{"role": "robot", "content": "x"}]}, "role is 'robot'"),
    ("messages", {"messages": [{"content": "x"}]}, "role is None"),
    ("messages", {"messages": [{"role": ["user"], "content": "x"}]}, "role is"),
    ("messages", {"messages": [{"role": "user", "content": None}]}, "a turn of user has no content"),
    ("messages", {"messages": [{"role": "user", "content": " \n"}]}, "a turn of user has no content"),
    ("messages", {"messages": [{"role": "user", "content": {"a": 1}}]}, "holds no text but dict"),
    ("messages", {"messages": [{"role": "user", "content": True}]}, "holds no text but bool"),
    ("messages", {"messages": [{"role": "user", "content": "a\ud800"}]}, "lone surrogate"),
    ("messages", {"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, "not text"),
    ("messages", {"messages": [{"role": "assistant", "content": None, "tool_calls": [{"id": 1}]}]}, "tool_calls"),
    ("messages", {"messages": [{"role": "assistant", "content": "x", "weight": 0.5}]}, "weight is 0.5"),
    ("sharegpt", {"conversations": [{"from": "human"}]}, "a turn of user has no value"),
    ("sharegpt", {"conversations": [{"from": "function_call", "value": "x"}]}, "from is 'function_call'"),
    ("prompt_completion", {"prompt": None, "completion": "x"}, "nothing in column 'prompt'"),
    ("prompt_completion", {"prompt": float("nan"), "completion": "x"}, "'prompt' holds no text but float: nan"),
    ("prompt_completion", {"prompt": 7, "completion": "x"}, "'prompt' holds no text but int: 7"),
    ("prompt_completion", {"prompt": "x", "completion": None}, "nothing in column 'completion'"),
    ("prompt_completion", {"prompt": "x", "completion": float("nan")}, "'completion' holds no text but float: nan"),
    ("prompt_completion", {"prompt": "x", "completion": 5}, "'completion' holds no text but int: 5"),
    ("prompt_completion", {"prompt": "x", "completion": []}, "'completion' holds no text but list"),
    ("prompt_completion", {"prompt": "x", "completion": [{"role": "assistant"}]}, "a turn of assistant has no content"),
    ("prompt_completion", {"prompt": "x", "completion": "y", "system": 1}, "'system' holds no text but int: 1"),
    ("messages", {"messages": [TALK[1], {"role": "assistant", "content": None}]}, "a turn of assistant has no content"),
    ("messages", {"messages": [TALK[1], {"role": "assistant", "content": []}]}, "a turn of assistant has no content"),
    ("messages", {"messages": [TALK[1], {"role": "assistant", "content": 5}]}, "'content' holds no text but int: 5"),
    ("messages", {"messages": [TALK[1], {"role": "assistant", "content": float("nan")}]}, "no text but float: nan"),
    ("messages", {"messages": [{"role": "user", "content": 2.5}]}, "'content' holds no text but float: 2.5"),
    ("messages", {"messages": [TALK[1], {"role": "assistant", "content": [5]}]}, "a part of a turn is not text: 5"),
    ("sharegpt", {"conversations": [{"from": "human", "value": "x"}, {"from": "gpt"}]}, "a turn of assistant has no"),
    ("sharegpt", {"conversations": [{"from": "gpt", "value": 5}]}, "'value' holds no text but int: 5"),
    ("alpaca", {"instruction": "x", "output": None}, "nothing in column 'output'"),
    ("alpaca", {"instruction": "x", "output": 5}, "'output' holds no text but int: 5"),
    ("alpaca", {"instruction": "x", "output": float("nan")}, "'output' holds no text but float: nan"),
    ("alpaca", {"instruction": "x", "input": 3, "output": "y"}, "'input' holds no text but int: 3"),
    ("alpaca", {"instruction": "", "output": "x"}, "nothing in column 'instruction'"),
    ("alpaca", {"instruction": "x", "output": ["y"]}, "holds no text but list"),
]


@pytest.mark.parametrize(("name", "values", "message"), HOSTILE)
def test_malformed_rows_say_what_is_wrong(name: str, values: dict[str, Any], message: str) -> None:
    with pytest.raises(RowError, match=message):
        read(name, values)


def test_an_empty_answer_reads_and_is_refused_later() -> None:
    turns = [TALK[1], {"role": "assistant", "content": ""}]
    assert read("messages", {"messages": turns})[1] == (
        "assistant",
        "",
        True,
    )
