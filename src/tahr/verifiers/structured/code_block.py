"""One fenced code block, of a language, that can be parsed."""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from tahr.core.protocols import verifiers
from tahr.core.ranges import BINARY, RewardRange
from tahr.core.types import Task, Verdict, failed, passed
from tahr.core.visible import is_blank
from tahr.verifiers.example import shown_text
from tahr.verifiers.structured.fences import Block, read_fences
from tahr.verifiers.structured.per_task import check_wanted, wanted
from tahr.verifiers.structured.strict_json import NotJsonError, read_json
from tahr.verifiers.text import outside_thinking

MAX_CODE_CHARS = 50_000
MAX_JSON_DEPTH = 64
_SAME = {"py": "python", "python3": "python", "js": "javascript", "ts": "typescript", "sh": "bash", "yml": "yaml"}

_TOO_DEEP = "nested more deeply than Python is read here: whether it is Python is not known"
# Python converts no decimal integer of more than 4300 digits, though its grammar has them
_LONG_INTEGER = re.compile(r"(?<![\w.])[1-9](?:_?[0-9]){4000,}+")

# escapes and comparisons of the model's code are none of the user's business
warnings.filterwarnings("ignore", category=SyntaxWarning, module="<answer>")


@verifiers.register("code_block")
@dataclass(frozen=True, slots=True, kw_only=True)
class CodeBlock:
    """Exactly one fenced code block, closed and not empty, of the language, that parses where that is asked for.

    Without arguments, each task's `answer` is a table of them. Nothing is ever run.
    """

    language: Annotated[str, Field(description='the label that the fence needs; "" for any or none')] = ""
    parses: Annotated[
        Literal["", "python", "json"], Field(description="what the block must be, syntactically; nothing by default")
    ] = ""
    only: Annotated[bool, Field(description="nothing stands outside the block")] = False
    min_lines: Annotated[int, Field(ge=1, description="fewest lines that are not blank")] = 1
    reward_range: ClassVar[RewardRange] = BINARY

    def check_task(self, task: Task) -> None:
        """Raise InputError where it isn't said what is wanted."""
        check_wanted(self, task, "code_block")

    def verify(self, task: Task, text: str) -> Verdict:
        """PASS where the block is as wanted; the part ``blocks`` is their number, ``parses`` whether the last one does.

        ``parses`` is there only where it is asked for.
        """
        form = wanted(self, task)
        blocks, outside = read_fences(outside_thinking(text))
        parts = {"blocks": float(len(blocks))}
        content = blocks[-1].content if blocks else ""
        syntax = form._syntax_fault(content) if form.parses and blocks else ""
        if form.parses:
            parts["parses"] = float(bool(blocks) and not syntax)
        fault = form._fault(blocks, outside) or syntax
        if fault:
            return failed(fault, extracted=content[:200], parts=parts)
        return passed("one code block as asked for", extracted=content[:200], parts=parts)

    def gold(self, task: Task) -> str | None:
        """The task's example, or its answer where that is text; None without either."""
        return shown_text(task)

    def _fault(self, blocks: list[Block], outside: str) -> str:
        if len(blocks) != 1:
            return f"{len(blocks)} code blocks, not one"
        block = blocks[0]
        if not block.closed:
            return "the code block is never closed"
        if self.language and _SAME.get(block.language, block.language) != _SAME.get(self.language, self.language):
            return f"the code block is labelled {block.language[:40]!r}, not {self.language!r}"
        num_lines = sum(not is_blank(line) for line in block.content.split("\n"))
        if num_lines < self.min_lines:
            return f"{num_lines} lines of code, fewer than {self.min_lines}"
        return "text outside the code block" if self.only and not is_blank(outside) else ""

    def _syntax_fault(self, code: str) -> str:
        if len(code) > MAX_CODE_CHARS:
            return f"the code is longer than {MAX_CODE_CHARS} characters"
        if self.parses == "json":
            try:
                read_json(code, max_depth=MAX_JSON_DEPTH)
            except NotJsonError as error:
                return str(error)
            return ""
        try:
            ast.parse(_LONG_INTEGER.sub("1", code), filename="<answer>")
        except (SyntaxError, ValueError) as error:
            return f"not Python: {str(error)[:200]}"
        except RecursionError as error:  # of the tree that is built of what has been parsed already
            return "" if "ast construction" in str(error) else _TOO_DEEP
        except MemoryError:  # how the parser says that it goes no deeper
            return _TOO_DEEP
        return ""
