"""Whether two models speak the same tokens."""

from __future__ import annotations

import pytest

from tahr.models.chat import ChatRenderer
from tahr.models.config import ArchitectureConfig
from tahr.models.same_tokens import difference
from tahr.models.scratch import make_tokenizer


def renderer(alphabet="ab1 :\nUserAitn"):
    letters = "".join(dict.fromkeys(alphabet))
    return ChatRenderer(make_tokenizer(ArchitectureConfig(alphabet=letters), 64))


def test_equal_tokenizers_have_no_difference():
    assert difference(renderer(), renderer()) == ""


def test_another_vocabulary():
    found = difference(renderer(), renderer("ba1 :\nUserAitn"))
    assert found.startswith("the vocabularies differ (")
    assert "2 of them unlike" in found


@pytest.mark.parametrize("old, new", [("'\n'", "' '")])
def test_another_template(old, new):
    other = renderer()
    other._template = "{{ messages[0]['content'] }}"
    assert difference(renderer(), other) == "the chat templates write a conversation differently"


def test_another_end_of_turn():
    other = renderer()
    other.end_of_turn_id += 1
    assert difference(renderer(), other).startswith("turns end by other tokens (")
