from pathlib import Path

from tahr.recipe.keys import sections, toml_value
from tahr.recipe.reference import reference

ROOT = Path(__file__).parents[3]


def test_the_page_in_docs_is_up_to_date():
    page = (ROOT / "docs" / "recipes.md").read_text(encoding="utf-8")
    assert page == reference(), "write it again: tahr check --keys > docs/recipes.md"


def test_every_key_says_what_it_means():
    assert [key.path for section in sections() for key in section.keys if not key.description] == []


def test_sections_come_with_their_keys():
    found = {section.path: {key.name: key for key in section.keys} for section in sections()}
    assert found["rlvr"]["group_size"].default == "8"
    assert found["rlvr"]["group_size"].limits == ">= 1, <= 65536"
    assert found["rlvr"]["tasks"].type == "table of number"
    assert found["rlvr.sampling"]["temperature"].limits == ">= 0"
    assert found["tasks.NAME"]["source"].default == "required"
    assert found["model"]["revision"].default == "absent"
    assert "model.lora" in found
    assert found["rlvr.sampling"]["stop"].type == "list of string"


def test_descriptions_are_markdown_and_not_of_the_programs_own_kind():
    assert all("``" not in section.description and "\n    " not in section.description for section in sections())
    assert all("typing" not in key.type for section in sections() for key in section.keys)


def test_values_are_shown_as_toml():
    assert toml_value({"a": [1, 'b"\\'], "c": True, "d": {}}) == '{ a = [1, "b\\"\\\\"], c = true, d = {} }'
