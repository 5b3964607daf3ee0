"""Code blocks, tags, tables and thinking parts: what passes, what doesn't and why."""

from typing import Any

import pytest

from tahr.core.errors import InputError
from tahr.core.types import Message, Outcome, Task, Verdict
from tahr.verifiers.build import build_verifiers
from tahr.verifiers.config import VerifierConfig


def judged(verifier: str, text: str, *, answer: Any = "42", **args: Any) -> Verdict:
    verifiers = build_verifiers({"form": VerifierConfig(verifier=verifier, args=args)})
    task = Task(prompt=(Message(role="user", content="?"),), answer=answer, verifier="form")
    verifiers.get("form").check_task(task)
    return verifiers.verify(task, text)


@pytest.mark.parametrize(
    ("args", "text", "fault"),
    [
        ({"language": "python"}, "Run\n```py\nprint(1)\n```", ""),
        ({"language": "python"}, "```js\n1\n```", "labelled 'js', not 'python'"),
        ({"language": "python"}, "print(1)", "0 code blocks, not one"),
        ({"language": "python"}, "```python\n1\n```\n```python\n2\n```", "2 code blocks, not one"),
        ({"language": "python"}, "```python\nprint(1)", "never closed"),
        ({"language": "python"}, "```python\n\n```", "0 lines of code"),
        ({"parses": "python"}, "```\nfor x in y:\n    pass\n```", ""),
        ({"parses": "python"}, "```\nfor x in\n```", "not Python"),
        ({"parses": "python"}, "```\n" + "-" * 40_000 + "1\n```", "whether it is Python is not known"),
        ({"parses": "python"}, "```\nx" + ".a" * 20_000 + "\n```", ""),
        ({"parses": "python"}, "```\nprint(" + "1+" * 5000 + "1)\n```", ""),
        ({"parses": "python"}, "```\nx = " + "7" * 4301 + "\n```", ""),
        ({"parses": "python"}, "```\nx = -" + "1_000" * 1000 + ".5e3\n```", ""),
        ({"parses": "python"}, "```\nx = 0" + "7" * 4301 + "\n```", "not Python"),
        ({"parses": "python"}, "```\nx = " + "7" * 4301 + "a\n```", "not Python"),
        ({"parses": "json"}, "```\n" + "7" * 301 + "\n```", "JSON is not read where it has a number of more than 300"),
        ({"min_lines": 2}, "```\n\u200b\n\u3164\n```", "0 lines of code"),
        ({"parses": "python"}, "```\nx\0\n```", "not Python"),
        ({"parses": "json"}, '```json\n{"a": [1]}\n```', ""),
        ({"parses": "json"}, "```json\n{'a': 1}\n```", "not JSON"),
        ({"only": True}, "```\n1\n```\n", ""),
        ({"only": True}, "Here:\n```\n1\n```", "text outside"),
        ({"min_lines": 2}, "```\n1\n\n```", "1 lines of code, fewer than 2"),
    ],
)
def test_code_blocks(args: dict[str, Any], text: str, fault: str) -> None:
    verdict = judged("code_block", text, **args)
    assert (verdict.outcome is Outcome.PASS) == (not fault), verdict.note
    assert fault in verdict.note


AB = {"tags": ["a", "b"]}
NESTED = {"tags": ["a", "a/v", "b"]}
BOMB = '<!DOCTYPE a [<!ENTITY x "aa"><!ENTITY y "&x;&x;">]><a>&y;</a>'
FILE = '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'


@pytest.mark.parametrize(
    ("args", "text", "fault"),
    [
        (AB, "So <a>1 < 2 & 3</a> then <b>2</b>.", ""),
        (AB, "<b>2</b><a>1</a>", "another order"),
        (AB | {"ordered": False}, "<b>2</b><a>1</a>", ""),
        (AB, "<a>1</a>", "<b> is there 0 times"),
        (AB, "<a>1</a><b>2</b><b>3</b>", "<b> is there 2 times"),
        (AB, "<a>1<b>2</b></a>", "<b> is there 0 times"),
        (AB, "<a>1</a><b>2</b><a><b>3</b></a>", "<a> is there 2 times"),
        (AB, "<a>1</b></a>", "</b> stands inside <a>"),
        (AB, "<a>1</a></b>", "never opened"),
        (AB, "<a>1</a><b>2", "<b> is never closed"),
        (AB, "<a> \n</a><b>2</b>", "<a> is empty"),
        (AB | {"may_be_empty": True}, "<a></a><b>2</b>", ""),
        (AB | {"only": True}, " <a>1</a>\n<b>2</b> ", ""),
        (AB | {"only": True}, "<a>1</a> and <b>2</b>", "text outside"),
        (AB, "<think><a>1</a></think><b>2</b>", "<a> is there 0 times"),
        (NESTED, "<a>x <v>1</v></a><b>2</b>", ""),
        (NESTED, "<a>x</a><v>1</v><b>2</b>", "<a/v> is there 0 times"),
        ({"tags": ["think", "answer"]}, "<think>1</think><answer>2</answer>", ""),
        ({"tags": ["r", "r/a"], "syntax": "xml"}, '<?xml version="1.0"?><r x="1"><a>1 &lt; 2</a></r>', ""),
        ({"tags": ["r", "r/a"], "syntax": "xml"}, "It is\n```xml\n<r><a>1</a><c/></r>\n```", ""),
        ({"tags": ["r", "r/a"], "syntax": "xml", "only": True}, "<r><a>1</a><c/></r>", "no place"),
        ({"tags": ["r"], "syntax": "xml"}, "<r>1 < 2</r>", "not XML"),
        ({"tags": ["r"], "syntax": "xml"}, "<r>1</r> done", "not XML"),
        ({"tags": ["a"], "syntax": "xml"}, BOMB, "document types and entities are not read"),
        ({"tags": ["a"], "syntax": "xml"}, FILE, "document types and entities are not read"),
        ({"tags": ["a"], "syntax": "xml"}, "<a>" * 20_000, "nested more than 32"),
        ({"tags": ["a"], "syntax": "xml"}, "<a>\ud800</a>", "not XML"),
    ],
)
def test_tags(args: dict[str, Any], text: str, fault: str) -> None:
    verdict = judged("tags", text, **args)
    assert (verdict.outcome is Outcome.PASS) == (not fault), verdict.note
    assert fault in verdict.note


def test_right_tags_in_a_wrong_order_are_worth_less_than_all() -> None:
    worths = {"<a>1</a><b>2</b>": 1.0, "<b>2</b><a>1</a>": 2 / 3, "<a>1</a>": 1 / 3, "": 0.0, "<a>1": 0.0}
    for text, worth in worths.items():
        reward = judged("tags", text, partial=True, **AB).reward
        assert reward is not None
        assert reward.value == pytest.approx(worth)


AGES = "| name | age |\n|:---|---:|\n| Ada | 36 |\n| Eve | 1,024 |"
NAMED = {"columns": ["name", "age"]}


@pytest.mark.parametrize(
    ("args", "text", "fault"),
    [
        (NAMED | {"kinds": {"age": "integer"}}, f"See:\n\n{AGES}\n\nDone.", ""),
        (NAMED, "name | age\n--- | ---\nAda | 36", ""),
        (NAMED | {"rows": [["Ada", "36"], ["Eve", "1,024"]]}, AGES, ""),
        (NAMED | {"rows": [["Ada", "36"], ["Eve", "1024"]]}, AGES, "the cells are others"),
        (NAMED | {"only": True}, f"See:\n{AGES}", "text outside"),
        ({"columns": ["age", "name"]}, AGES, "the columns are name, age, not age, name"),
        ({"min_rows": 3}, AGES, "2 rows, not 3 to any number"),
        ({"max_rows": 1}, AGES, "2 rows, not 1 to 1"),
        ({"kinds": {"age": "date"}}, AGES, "'36' in row 1 is no date"),
        ({"kinds": {"size": "date"}}, AGES, "no column 'size'"),
        (NAMED, f"{AGES}\n\n{AGES}", "2 tables, not one"),
        (NAMED, "name, age\nAda, 36", "0 tables, not one"),
        (NAMED, "| name | age |\n|---|\n| Ada | 36 |", "0 tables, not one"),
        (NAMED, f"{AGES}\n| Bob |", "row 3 has 1 cells, not 2"),
        (NAMED, f"{AGES}\n| Bob | |", "an empty cell in row 3"),
        (NAMED | {"may_be_empty": True}, f"{AGES}\n| Bob | |", ""),
        ({"columns": ["a|b", "c"]}, "| a\\|b | c |\n|---|---|\n| 1 | 2 |", ""),
        (NAMED | {"form": "csv"}, 'name,age\n"Ada, Countess",36', ""),
        (NAMED | {"form": "csv"}, "Here:\n```csv\nname,age\nAda,36\n```", ""),
        (NAMED | {"form": "csv"}, 'name,age\n"Ada,36', "not separated values"),
        (NAMED | {"form": "tsv", "kinds": {"age": "number"}}, "name\tage\nAda\t-1.5e3", ""),
        (NAMED | {"form": "tsv", "kinds": {"age": "number"}}, "name\tage\nAda\te3", "is no number"),
        (NAMED | {"form": "csv", "kinds": {"age": "boolean"}}, "name,age\nAda,Yes", ""),
        (NAMED | {"form": "csv", "kinds": {"age": "date"}}, "name,age\nAda,2023-02-29", "is no date"),
    ],
)
def test_tables(args: dict[str, Any], text: str, fault: str) -> None:
    verdict = judged("table", text, **args)
    assert (verdict.outcome is Outcome.PASS) == (not fault), verdict.note
    assert fault in verdict.note


@pytest.mark.parametrize(
    ("args", "text", "fault"),
    [
        ({}, " <think>Six sevens.</think>\n42", ""),
        ({}, "<think>Six</think><think>sevens</think> 42", "2 opening and 2 closing"),
        ({}, "So <think>six sevens</think> 42", "does not begin with <think>"),
        ({}, "<think>six sevens 42", "1 opening and 0 closing"),
        ({}, "</think>six<think> 42", "does not begin with <think>"),
        ({}, "<think> . </think> 42", "fewer than 1 words"),
        ({}, "<think>six sevens</think> .", "no answer after the thoughts"),
        ({"opened_by_prompt": True}, "Six sevens.</think> 42", ""),
        ({"opened_by_prompt": True}, "<think>Six sevens.</think> 42", "1 opening and 1 closing tags, not 0 and 1"),
        ({"answer_tag": "answer"}, "<think>x</think>\n<answer>42</answer>", ""),
        ({"answer_tag": "answer"}, "<think>x</think>\n<answer></answer>", "no answer after"),
        ({"answer_tag": "answer"}, "<think>x</think> It is <answer>42</answer>", "text outside of <answer>"),
        ({"answer_tag": "answer"}, "<think>x</think> 42", "needs one pair of <answer>"),
        ({"tag": "reasoning", "min_words": 3}, "<reasoning>one two three</reasoning>42", ""),
        ({"tag": "reasoning", "min_words": 3}, "<reasoning>one two</reasoning>42", "fewer than 3 words"),
    ],
)
def test_thinking(args: dict[str, Any], text: str, fault: str) -> None:
    verdict = judged("thinking", text, **args)
    assert (verdict.outcome is Outcome.PASS) == (not fault), verdict.note
    assert fault in verdict.note


def test_each_half_of_the_thinking_form_is_a_part() -> None:
    reward = judged("thinking", "<think>Six sevens.</think>").reward
    assert reward is not None
    assert reward.parts == {"correct": 0.0, "thoughts": 1.0, "answer": 0.0}


@pytest.mark.parametrize("args", [{}, {"answer_tag": "answer"}, {"opened_by_prompt": True, "min_words": 7}])
def test_the_thinking_form_passes_its_own_gold(args: dict[str, Any]) -> None:
    form = build_verifiers({"form": VerifierConfig(verifier="thinking", args=args)}).get("form")
    task = Task(prompt=(), answer="42", verifier="form")
    gold = form.gold(task)
    assert gold is not None
    assert form.verify(task, gold).outcome is Outcome.PASS


def test_arguments_come_from_the_recipe_or_from_each_task() -> None:
    assert judged("tags", "<a>1</a>", answer={"tags": ["a"]}).outcome is Outcome.PASS
    assert judged("tags", "<a>1</a>", answer={"tags": ["b"]}).outcome is Outcome.FAIL
    assert judged("tags", "<a>1</a>", answer="any text", tags=["a"]).outcome is Outcome.PASS


@pytest.mark.parametrize(
    ("verifier", "answer", "args", "message"),
    [
        ("tags", {"tagz": ["a"]}, {}, "did you mean 'tags'"),
        ("tags", {"tags": ["a", "b/c"]}, {}, "listed without 'b'"),
        ("tags", {"tags": ["a", "a"]}, {}, "listed twice"),
        ("tags", {"only": True}, {}, "no tags are listed"),
        ("tags", "42", {}, "must be a table of them"),
        ("tags", ["a"], {"tags": ["a"]}, "needs an example"),
        ("table", {"columns": ["a"], "kinds": {"b": "date"}}, {}, "kinds are of columns"),
        ("table", {"columns": ["a"], "rows": [["1", "2"]]}, {}, "a cell for each"),
        ("table", {"min_rows": 3, "max_rows": 2}, {}, "max_rows is below"),
        ("length", {"min": 1}, {}, "asks for nothing"),
        ("length", {"max": 5, "worth": [0.0, 9.0]}, {}, "up to the recipe"),
        ("length", {"min": 5, "max": 2}, {}, "max is below min"),
        ("code_block", {"parses": "rust"}, {}, "parses"),
    ],
)
def test_what_asks_for_nothing_or_contradicts_itself_is_refused(
    verifier: str, answer: Any, args: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        judged(verifier, "", answer=answer, **args)


ONE = {"tags": ["answer"]}
NOTHING = (
    "\u200b",
    "\u00a0",
    "\u2800",
    "\u00ad",
    "\u3164\u115f\u1160\uffa0",
    "\u202e\u2067",
    "\U000e0041",
    "&nbsp;&zwj;",
)


@pytest.mark.parametrize(
    ("verifier", "args", "text", "passes"),
    [
        ("tags", ONE, "<answer>7</answer>", True),
        ("tags", ONE, "<!-- <answer>7</answer> -->", False),
        ("tags", ONE, "<!-- <answer>7</answer>", False),
        ("tags", ONE, "<!-- note --><answer>7</answer>", True),
        ("tags", ONE | {"only": True}, "<!-- note --><answer>7</answer>", False),
        ("tags", ONE, "<answer><!-- 7 --></answer>", False),
        ("tags", ONE, "<answer>7</answer><!-- <answer>8</answer> -->", True),
        ("tags", ONE, "<![CDATA[<answer>7</answer>]]>", False),
        ("tags", ONE, "<answer><![CDATA[7 < 8]]></answer>", True),
        ("tags", ONE, "<answer><![CDATA[]]></answer>", False),
        ("tags", ONE, "<? <answer>7</answer> ?>", False),
        ("tags", ONE | {"syntax": "xml"}, "<answer><!-- 7 --></answer>", False),
        ("tags", ONE | {"syntax": "xml"}, "<!-- <answer>7</answer> -->", False),
        ("code_block", {"language": "python"}, "<!--\n```python\n1\n```\n-->", False),
        ("code_block", {"language": "python"}, "<!-- a\n```python\n1\n```\n", False),
        ("code_block", {"language": "html"}, "```html\n<!-- hi\n```", True),
        ("code_block", {"language": "python"}, "<!-- a -->\n```python\n1\n```", True),
        ("code_block", {"only": True}, "<!-- a -->\n```python\n1\n```", False),
        ("table", {"columns": ["a"]}, "<!--\n|a|\n|-|\n|1|\n-->", False),
        ("table", {"columns": ["a"]}, "<!-- x -->\n|a|\n|-|\n|1|", True),
        ("table", {"columns": ["a"], "only": True}, "<!-- x -->\n|a|\n|-|\n|1|", False),
        ("table", {"columns": ["a", "b"]}, "|a|b|\n|-|-|\n|1|<!-- 2 -->|", False),
        ("table", {"columns": ["a"], "form": "csv"}, "<!--\n```csv\na\n1\n```\n-->", False),
        ("thinking", {}, "<think>so it is</think><!-- 7 -->", False),
        ("thinking", {"answer_tag": "answer"}, "<think>so it is</think><answer><!-- 7 --></answer>", False),
        *[("tags", ONE, f"<answer>{nothing}</answer>", False) for nothing in NOTHING],
        ("tags", ONE | {"syntax": "xml"}, "<answer>&#8203;\u3164</answer>", False),
        ("tags", ONE | {"syntax": "xml"}, "\ufeff<answer>7</answer>", True),
        ("tags", ONE | {"only": True}, "\ufeff<answer>7</answer>\u200b", True),
        ("tags", ONE, "<answer>&lt;</answer>", True),
        ("thinking", {}, "<think>so it is</think>\u3164", False),
        ("thinking", {}, "<think>\u3164</think>7", False),
        ("thinking", {"min_words": 3}, "<think>so \u200b is</think>7", False),
        ("thinking", {}, "\ufeff<think>so it is</think>7", True),
        ("table", {"columns": ["a"]}, "|a|\n|-|\n|\u2800|", False),
        ("table", {"columns": ["a"]}, "|a|\n|-|\n|&nbsp;|", False),
        ("table", {"columns": ["a"], "form": "csv"}, "\ufeffa\n1\n", True),
        ("length", {"min": 3}, "one \u3164 \u3164", False),
        ("length", {"min": 3, "unit": "characters"}, "a\u200b\u200bb", False),
        ("length", {"min": 3}, "one <!-- two three -->", False),
        ("length", {"min": 3}, "one <!-- two --> three four", True),
    ],
)
def test_what_no_reader_sees_is_not_there(verifier: str, args: dict[str, Any], text: str, passes: bool) -> None:
    verdict = judged(verifier, text, **args)
    assert (verdict.outcome is Outcome.PASS) == passes, verdict.note
