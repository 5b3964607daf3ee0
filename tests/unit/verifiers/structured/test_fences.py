from tahr.verifiers.structured.fences import Block, last_block, read_fences


def test_blocks_and_what_is_outside() -> None:
    text = "One\n```Python title=x\nprint(1)\n```\ntwo\n~~~\n```\n~~~~\nthree\n```json\n{}"
    blocks, outside = read_fences(text)
    assert blocks == [
        Block(language="python", content="print(1)", closed=True),
        Block(language="", content="```", closed=True),
        Block(language="json", content="{}", closed=False),
    ]
    assert outside == "One\ntwo\nthree"


def test_a_fence_is_closed_by_one_as_long() -> None:
    assert read_fences("````\n```\n````")[0] == [Block(language="", content="```", closed=True)]


def test_code_in_a_line_opens_nothing() -> None:
    assert read_fences("```x``` is code") == ([], "```x``` is code")


def test_the_last_block_of_a_language_or_without_one() -> None:
    text = "```json\n1\n```\n```python\n2\n```\n```json\n3"
    assert last_block(text, "json") == "1"
    assert last_block("no block", "json") is None
