from __future__ import annotations

import subprocess
import sys

import pytest

from tahr.verifiers.code.answer import MAX_CHARS, program_in, with_setup

ADD = "def add(a, b):\n    return a + b\n"


def fenced(source: str, language: str = "python", mark: str = "```") -> str:
    return f"{mark}{language}\n{source}{mark}\n"


@pytest.mark.parametrize("language", ["", "python", "python3", "py", "Python"])
@pytest.mark.parametrize("mark", ["```", "~~~", "`````"])
def test_a_block_of_python(language: str, mark: str) -> None:
    assert program_in(f"Here it is:\n{fenced(ADD, language, mark)}\nDone.") == ADD


@pytest.mark.parametrize("language", ["bash", "json", "c++", "text"])
def test_a_block_of_another_language_is_no_program(language: str) -> None:
    assert program_in(fenced("x = 1\n", language)) is None
    assert program_in(fenced(ADD) + fenced("x = 1\n", language)) == ADD


def test_the_last_block_counts() -> None:
    assert program_in(fenced("x = 1\n") + "No, rather:\n" + fenced("x = 2\n")) == "x = 2\n"


@pytest.mark.parametrize(
    ("source", "entry_point"),
    [
        (ADD, "add"),
        ("add = lambda a, b: a + b\n", "add"),
        ("add: object = max\n", "add"),
        ("class Solution:\n    pass\n", "Solution().add"),
        ("async def add(a, b):\n    return 1\n", "add"),
    ],
)
def test_the_last_block_that_defines_the_function_counts(source: str, entry_point: str) -> None:
    usage = "print(add(1, 2))\n"
    assert program_in(fenced(source) + "For example:\n" + fenced(usage), entry_point) == source
    assert program_in(fenced("x = 1\n") + fenced(source) + fenced(usage), entry_point) == source
    assert program_in(fenced(source) + fenced(source + "# again\n"), entry_point) == source + "# again\n"
    assert program_in(fenced("x = 1\n") + fenced(usage), entry_point) == usage


def test_a_definition_within_another_does_not_count() -> None:
    inner = "def other():\n    def add(a, b):\n        return 0\n"
    assert program_in(fenced(ADD) + fenced(inner), "add") == ADD


@pytest.mark.parametrize(
    "source",
    [
        'def add(a, b):\n    """```python\n    add(1, 2)\n    ```\n    """\n    return a + b\n',
        "def add(a, b):  # ```\n    # ``` ends nothing\n    return a + b\n",
        'MARK = "```"\ndef add(a, b):\n    return a + b\n',
    ],
)
def test_fences_within_strings_and_comments_cut_nothing_off(source: str) -> None:
    assert program_in(fenced(source)) == source


def test_a_longer_fence_holds_shorter_ones() -> None:
    source = 'text = """\n```\ninner\n```\n"""\n'
    assert program_in(fenced(source, mark="````")) == source


def test_a_block_that_never_closes_goes_to_the_end() -> None:
    assert program_in("```python\n" + ADD) == ADD


def test_a_program_without_a_fence() -> None:
    assert program_in(f"\n\n{ADD}\n") == ADD.strip()
    assert program_in("print(int(input()) + 1)") == "print(int(input()) + 1)"


@pytest.mark.parametrize("text", ["", "I can't.", "42", "'x'", "a", "x < y", "f(:", "```python\n```", "x = " * 40_000])
def test_what_holds_no_program(text: str) -> None:
    assert program_in(text) is None


def test_the_thinking_part_holds_no_answer() -> None:
    assert program_in(f"<think>{fenced(ADD)}</think>") is None
    assert program_in(f"<think>\n{fenced(ADD)}") is None
    assert program_in(f"<think>{fenced('x = 1')}</think>\n{fenced(ADD)}") == ADD
    assert program_in(f"{fenced('x = 1')}</think>\n{fenced(ADD)}") == ADD


def test_long_texts_take_no_time() -> None:
    text = fenced("x = 1\n" * (MAX_CHARS // 3)) + "`" * 100_000 + "\n```" * 20_000
    assert program_in(text, "add") is not None


@pytest.mark.parametrize(
    ("source", "whole"),
    [
        ("x = 1\n", "import os\nx = 1\n"),
        ("from __future__ import annotations\nx = 1\n", "from __future__ import annotations\nimport os\n\nx = 1\n"),
        (
            "'é'\r\nfrom __future__ import (\n    annotations,\n); x = 1\n",
            "'é'\r\nfrom __future__ import (\n    annotations,\n)\nimport os\nx = 1\n",
        ),
        ("from __future__ import (\n", "import os\nfrom __future__ import (\n"),
    ],
)
def test_setup_stands_before_the_program_but_for_imports_of_the_future(source: str, whole: str) -> None:
    assert with_setup(source, "import os") == whole
    assert with_setup(source, "") == source


def test_what_is_odd_in_an_answer_is_not_told_to_the_user() -> None:
    code = "from tahr.verifiers.code.source_signs import signs_in; print(list(signs_in('x = 1if 2 else 3')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")
